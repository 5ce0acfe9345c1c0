"""The ZooKeeper ensemble: a headless Service and a StatefulSet of the official image.

The image's environment is that of docker-library's `zookeeper`; ordinals start at 1, so the index
of a pod is the id of its server and no start script is needed.
"""

from solrbench.api.quantities import heap_mebibytes
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import SolrCloud
from solrbench.contract import names
from solrbench.contract.endpoints import member_hosts
from solrbench.manifests.common import (
    Manifest,
    build_disruption_budget,
    config_map,
    headless_service,
    metadata,
    resources,
)
from solrbench.manifests.pods import PodBuilder, build_stateful_set, variables

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
        config_map(metadata(benchmark, names.ZOOKEEPER, attempt), data={"logback.xml": LOGBACK}),
        build_disruption_budget(benchmark, names.ZOOKEEPER, attempt, solr.zookeeper.replicas),
        _stateful_set(benchmark, solr, attempt),
    ]


def _stateful_set(benchmark: SolrBenchmark, solr: SolrCloud, attempt: int) -> Manifest:
    pod = PodBuilder(benchmark, names.ZOOKEEPER)
    pod.add_scratch(
        data="/data",
        datalog="/datalog",
        logs="/logs",
        conf="/conf",
        tmp="/tmp",  # noqa: S108
    )
    logging = {"configMap": {"name": names.child(benchmark, names.ZOOKEEPER)}}
    pod.volumes.append({"name": "logging", **logging})
    # The entry point writes zoo.cfg into /conf; a lone file is laid over that folder.
    mount = {"name": "logging", "mountPath": "/conf/logback.xml", "subPath": "logback.xml"}
    pod.mounts.append(mount)
    image = solr.zookeeper.image
    container = {
        "image": image.reference,
        "imagePullPolicy": image.pull_policy.value,
        "env": _environment(benchmark, solr),
        "ports": [{"name": key, "containerPort": port} for key, port in QUORUM_PORTS.items()],
        "readinessProbe": {
            "tcpSocket": {"port": "client"},
            "periodSeconds": 3,
            "timeoutSeconds": 5,
            "failureThreshold": 10,
        },
        "lifecycle": {"preStop": {"exec": {"command": ["bash", "-c", WAIT_FOR_CLIENTS]}}},
        "resources": resources(solr.zookeeper.resources),
    }
    return build_stateful_set(
        pod,
        attempt,
        solr.zookeeper.replicas,
        pod.build(container, USER, GRACE_SECONDS, solr.image_pull_secrets),
        ordinals={"start": 1},  # ids of servers begin at 1
    )


def _environment(benchmark: SolrBenchmark, solr: SolrCloud) -> list[Manifest]:
    heap, replicas = heap_mebibytes(solr.zookeeper.heap), solr.zookeeper.replicas
    # A lone server needs no list; with one it would wait for an election.
    hosts = ["localhost"] if replicas == 1 else member_hosts(benchmark, solr)
    index = {"fieldPath": "metadata.labels['apps.kubernetes.io/pod-index']"}
    values: dict[str, str | None] = {
        "ZOO_SERVERS": " ".join(
            f"server.{i}={host}:2888:3888;{names.ZOOKEEPER_PORT}" for i, host in enumerate(hosts, 1)
        ),
        "ZOO_STANDALONE_ENABLED": "true" if replicas == 1 else "false",
        # Solr's ZooKeeper status sends `conf`, `mntr` and `ruok`, which are off by default.
        "ZOO_4LW_COMMANDS_WHITELIST": "srvr,mntr,ruok,conf,envi",
        "ZOO_ADMINSERVER_ENABLED": "false",
        # No limit: all connections of one pod come from one address, the default is 60 of them.
        "ZOO_MAX_CLIENT_CNXNS": "0",
        # By default a server binds its quorum ports to the address of its own name, which DNS may
        # not know yet when the pod starts: after three tries, a second apart, it exits. Binding to
        # all addresses resolves no name. Other errors, such as a port in use, still end the
        # container after three tries, as they would not with electionPortBindRetry=0 (unlimited).
        "ZOO_CFG_EXTRA": "quorumListenOnAllIPs=true",
        # The start script sets only the greatest size by the former.
        "ZK_SERVER_HEAP": str(heap),
        "SERVER_JVMFLAGS": f"-Xms{heap}m",
    }
    return [{"name": "ZOO_MY_ID", "valueFrom": {"fieldRef": index}}, *variables(values)]
