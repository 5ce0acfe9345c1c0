"""The ZooKeeper ensemble: a headless Service and a StatefulSet of the official image.

The image's environment is that of docker-library's `zookeeper`; ordinals start at 1, so the index
of a pod is the id of its server and no start script is needed.
"""

from solrbench.api.quantities import heap_mebibytes
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import SolrCloud
from solrbench.contract import names
from solrbench.manifests.common import (
    Manifest,
    build_disruption_budget,
    config_map,
    container_security,
    empty_dirs,
    headless_service,
    metadata,
    pull_secrets,
    resources,
)
from solrbench.manifests.job_pod import placement, pod_metadata, pod_security, pod_variables

USER = 1000
QUORUM_PORTS = {"client": names.ZOOKEEPER_PORT, "follower": 2888, "election": 3888}

LOGBACK = """<configuration>
  <appender name="CONSOLE" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d{ISO8601} %-5p %c{1} - %m%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="CONSOLE"/></root>
</configuration>
"""

GRACE_SECONDS = 20

WAIT_FOR_CLIENTS = f"""
for _ in {{1..30}}; do
  answer=$(exec 3<>/dev/tcp/localhost/{names.ZOOKEEPER_PORT} && echo mntr >&3 && cat <&3)
  case $answer in
    *zk_ephemerals_count$'\\t'0*) exit 0 ;;
    *zk_ephemerals_count*) sleep 0.5 ;;
    *) exit 0 ;;
  esac
done
"""
"""What a server does before it stops: wait, at most 15 s, until no session has ephemeral nodes.

When a benchmark is deleted, all its pods get the signal to stop at once. A Solr node that finds no
ensemble tries again for as long as its session would live, 30 s; each has an ephemeral node below
`/live_nodes`, so none of them is left when this count is zero, on every server alike.
"""


def build_zookeeper(benchmark: SolrBenchmark, solr: SolrCloud, attempt: int) -> list[Manifest]:
    """Return the objects of the ensemble."""
    return [
        headless_service(benchmark, names.ZOOKEEPER, attempt, QUORUM_PORTS),
        config_map(benchmark, names.ZOOKEEPER, attempt, {"logback.xml": LOGBACK}),
        build_disruption_budget(benchmark, names.ZOOKEEPER, attempt, solr.zookeeper.replicas),
        _stateful_set(benchmark, solr, attempt),
    ]


def _stateful_set(benchmark: SolrBenchmark, solr: SolrCloud, attempt: int) -> Manifest:
    name = names.child(benchmark, names.ZOOKEEPER)
    meta = metadata(benchmark, name, names.ZOOKEEPER, attempt)
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": meta,
        "spec": {
            "serviceName": name,
            "replicas": solr.zookeeper.replicas,
            "ordinals": {"start": 1},
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": names.selector(benchmark, names.ZOOKEEPER)},
            "template": {
                "metadata": pod_metadata(benchmark, names.ZOOKEEPER, meta["labels"]),
                "spec": _pod(benchmark, solr),
            },
        },
    }


def _pod(benchmark: SolrBenchmark, solr: SolrCloud) -> Manifest:
    volumes, mounts = empty_dirs(
        data="/data",
        datalog="/datalog",
        logs="/logs",
        conf="/conf",
        tmp="/tmp",  # noqa: S108
    )
    volumes.append(
        {"name": "logging", "configMap": {"name": names.child(benchmark, names.ZOOKEEPER)}}
    )
    # The entry point writes zoo.cfg into /conf; a lone file is laid over that folder.
    mounts.append({"name": "logging", "mountPath": "/conf/logback.xml", "subPath": "logback.xml"})
    image = solr.zookeeper.image
    return {
        **placement(benchmark, names.ZOOKEEPER),
        **pull_secrets(solr.image_pull_secrets),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "securityContext": pod_security(benchmark, names.ZOOKEEPER, USER),
        "containers": [
            {
                "name": "zookeeper",
                "image": image.reference,
                "imagePullPolicy": image.pull_policy.value,
                "env": pod_variables(benchmark, names.ZOOKEEPER, _environment(benchmark, solr)),
                "ports": [
                    {"name": key, "containerPort": port} for key, port in QUORUM_PORTS.items()
                ],
                "readinessProbe": {
                    "tcpSocket": {"port": "client"},
                    "periodSeconds": 3,
                    "timeoutSeconds": 5,
                    "failureThreshold": 10,
                },
                "lifecycle": {"preStop": {"exec": {"command": ["bash", "-c", WAIT_FOR_CLIENTS]}}},
                "resources": resources(solr.zookeeper.resources),
                "securityContext": container_security(),
                "volumeMounts": mounts,
            }
        ],
        "volumes": volumes,
    }


def _environment(benchmark: SolrBenchmark, solr: SolrCloud) -> list[Manifest]:
    heap = heap_mebibytes(solr.zookeeper.heap)
    index = {"fieldPath": "metadata.labels['apps.kubernetes.io/pod-index']"}
    values = {
        "ZOO_SERVERS": _servers(benchmark, solr.zookeeper.replicas),
        "ZOO_STANDALONE_ENABLED": "true" if solr.zookeeper.replicas == 1 else "false",
        "ZOO_4LW_COMMANDS_WHITELIST": "srvr,mntr,ruok,conf,envi",
        "ZOO_ADMINSERVER_ENABLED": "false",
        "ZOO_MAX_CLIENT_CNXNS": "0",
        # By default a server binds its quorum ports to the address of its own name, which DNS may
        # not know yet when the pod starts: after three tries, a second apart, it exits. Binding to
        # all addresses resolves no name. Other errors, such as a port in use, still end the
        # container after three tries, as they would not with electionPortBindRetry=0 (unlimited).
        "ZOO_CFG_EXTRA": "quorumListenOnAllIPs=true",
        "ZK_SERVER_HEAP": str(heap),
        "SERVER_JVMFLAGS": f"-Xms{heap}m",
    }
    return [
        {"name": "ZOO_MY_ID", "valueFrom": {"fieldRef": index}},
        *({"name": key, "value": value} for key, value in values.items()),
    ]


def _servers(benchmark: SolrBenchmark, replicas: int) -> str:
    hosts = names.zookeeper_hosts(benchmark, replicas)
    if replicas == 1:
        # A lone server needs no list; with one it would wait for an election.
        return f"server.1=localhost:2888:3888;{names.ZOOKEEPER_PORT}"
    return " ".join(
        f"server.{i}={host}:2888:3888;{names.ZOOKEEPER_PORT}" for i, host in enumerate(hosts, 1)
    )
