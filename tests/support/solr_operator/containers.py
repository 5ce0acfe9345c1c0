"""The containers of a Solr node: two that prepare it, and Solr with its `solr.xml`."""

import hashlib
from typing import Any

from support.solr_operator import names
from support.solr_operator.names import Copies

SOLR_XML = """<?xml version="1.0" encoding="UTF-8"?>
<solr>
  <str name="sharedLib">${solr.sharedLib:}</str>
  <str name="allowPaths">${solr.allowPaths:}</str>
  <int name="maxBooleanClauses">${solr.max.booleanClauses:1024}</int>
  <solrcloud>
    <str name="host">${host:}</str>
    <int name="hostPort">${solr.port.advertise:80}</int>
    <str name="hostContext">${hostContext:solr}</str>
    <int name="zkClientTimeout">${zkClientTimeout:30000}</int>
    <bool name="genericCoreNodeNames">${genericCoreNodeNames:true}</bool>
  </solrcloud>
  <metrics enabled="${metricsEnabled:true}"/>
</solr>
"""


def digest() -> str:
    """Return the hash that the pod template carries, so that a change restarts the pods."""
    return hashlib.md5(SOLR_XML.encode(), usedforsecurity=False).hexdigest()


Body = dict[str, Any]
PORT = "solr-client"

HOME = "/var/solr/data"
NODE_CONTAINER = "solrcloud-node"
GRACE_SECONDS = 60
COPY_RESOURCES = {"cpu": "50m", "memory": "50M"}
ZOOKEEPER_RESOURCES = {"cpu": "400m", "memory": "200M"}
MAKE_CHROOT = (
    "solr zk ls ${ZK_CHROOT} -z ${ZK_SERVER} || solr zk mkroot ${ZK_CHROOT} -z ${ZK_SERVER}; "
)


def pod_options(cloud: Body) -> Body:
    """Return the part of the spec that shapes the pods."""
    found: Body = cloud["spec"]["customSolrKubeOptions"].get("podOptions") or {}
    return found


def volume_name(cloud: Body) -> str:
    """Return the name of the data volume."""
    persistent = cloud["spec"]["dataStorage"].get("persistent") or {}
    template = persistent.get("pvcTemplate") or {}
    name: str = (template.get("metadata") or {}).get("name", "data")
    return name


def build_init_containers(cloud: Body, zookeeper: Body, copies: Copies) -> list[Body]:
    """Return those that copy `solr.xml` and, for a chroot, make it in ZooKeeper."""
    found = [_copy_solr_xml(cloud, copies)]
    if zookeeper["chroot"] != "/":
        found.append(_make_chroot(cloud, zookeeper, copies))
    options = pod_options(cloud)
    for each in found:
        if options.get("defaultInitContainerResources"):
            each["resources"] = options["defaultInitContainerResources"]
        if options.get("defaultInitContainerSecurityContext"):
            each["securityContext"] = options["defaultInitContainerSecurityContext"]
    return [*found, *options.get("initContainers", [])]


def _copy_solr_xml(cloud: Body, copies: Copies) -> Body:
    return {
        "name": "cp-solr-xml",
        **_image(cloud["spec"]["busyBoxImage"], copies),
        "command": ["sh", "-c", "cp /tmp/solr.xml /tmp-config/solr.xml"],
        "volumeMounts": [
            {"name": "solr-xml", "mountPath": "/tmp"},
            {"name": volume_name(cloud), "mountPath": "/tmp-config"},
        ],
        "resources": {"requests": COPY_RESOURCES, "limits": COPY_RESOURCES},
    }


def _make_chroot(cloud: Body, zookeeper: Body, copies: Copies) -> Body:
    opts = cloud["spec"].get("solrOpts")
    tools = {"SOLR_OPTS": opts, "SOLR_TOOL_OPTS": opts} if opts else {}
    return {
        "name": "setup-zk",
        **_image(cloud["spec"]["solrImage"], copies),
        "command": ["sh", "-c", MAKE_CHROOT],
        "env": _variables(_zookeeper_variables(zookeeper) | tools),
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
        "resources": {"requests": ZOOKEEPER_RESOURCES, "limits": ZOOKEEPER_RESOURCES},
        "securityContext": {"readOnlyRootFilesystem": True},
    }


def build_node_container(cloud: Body, zookeeper: Body, copies: Copies) -> Body:
    """Return the container that runs Solr."""
    options = pod_options(cloud)
    port = cloud["spec"]["solrAddressability"]["podPort"]
    mounts = [
        each["defaultContainerMount"] | {"name": each["name"]}
        for each in options.get("volumes", [])
        if each.get("defaultContainerMount")
    ]
    stop = {"preStop": {"exec": {"command": ["solr", "stop", "-p", str(port)]}}}
    body = {
        "name": NODE_CONTAINER,
        **_image(cloud["spec"]["solrImage"], copies),
        "env": _environment(cloud, zookeeper),
        "ports": [{"name": PORT, "containerPort": port, "protocol": "TCP"}],
        **_probes(cloud, port),
        "lifecycle": options.get("lifecycle", stop),
        "resources": options.get("resources", {}),
        "volumeMounts": [{"name": volume_name(cloud), "mountPath": HOME}, *mounts],
    }
    if "containerSecurityContext" in options:
        body["securityContext"] = options["containerSecurityContext"]
    return body


def _environment(cloud: Body, zookeeper: Body) -> list[Body]:
    spec, options = cloud["spec"], pod_options(cloud)
    port = str(spec["solrAddressability"]["podPort"])
    grace = options.get("terminationGracePeriodSeconds", GRACE_SECONDS)
    paths = {
        "POD_HOSTNAME": "metadata.name",
        "POD_NAME": "metadata.name",
        "POD_IP": "status.podIP",
        "POD_NAMESPACE": "metadata.namespace",
    }
    first = {
        "SOLR_JAVA_MEM": spec["solrJavaMem"],
        "SOLR_HOME": HOME,
        "SOLR_PORT": port,
        "SOLR_NODE_PORT": port,
        "SOLR_PORT_ADVERTISE": port,
    }
    second = {
        "SOLR_HOST": names.node_host(cloud, "$(POD_NAME)"),
        "SOLR_LOG_LEVEL": spec["solrLogLevel"],
        "GC_TUNE": spec.get("solrGCTune", ""),
        "SOLR_STOP_WAIT": str(max(grace - 5, 0)),
        **_zookeeper_variables(zookeeper),
    }
    opts = ["-DhostPort=$(SOLR_NODE_PORT)", *filter(None, [spec.get("solrOpts")])]
    return [
        *_variables(first),
        *(
            {"name": key, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
            for key, path in paths.items()
        ),
        *_variables(second),
        *options.get("envVars", []),
        *_variables({"SOLR_OPTS": " ".join(opts)}),
    ]


def _zookeeper_variables(zookeeper: Body) -> dict[str, str]:
    server, chroot = zookeeper["internalConnectionString"], zookeeper["chroot"]
    return {"ZK_HOST": f"{server}{chroot}", "ZK_CHROOT": chroot, "ZK_SERVER": server}


def _variables(values: dict[str, str]) -> list[Body]:
    return [{"name": key, "value": value} for key, value in values.items()]


def _image(image: Body, copies: Copies) -> Body:
    body = {"image": names.reference(image, copies)}
    if image.get("pullPolicy"):
        body["imagePullPolicy"] = image["pullPolicy"]
    return body


def _probes(cloud: Body, port: int) -> Body:
    """Return the probes; a custom one changes only the numbers that it names.

    A custom startup probe starts from the liveness probe, not from the default startup probe.
    """
    options = pod_options(cloud)
    system = _request(cloud, "/solr/admin/info/system", port)
    liveness = _numbers(timeout=1, failures=3, period=20) | system
    readiness = _numbers(timeout=1, failures=2, period=10) | _request(
        cloud, "/solr/admin/info/health", port
    )
    startup = _numbers(timeout=1, failures=10, period=5) | {"initialDelaySeconds": 10} | system
    if options.get("startupProbe"):
        startup = liveness | {"timeoutSeconds": 30, "failureThreshold": 15}
    return {
        "startupProbe": startup | _given(options.get("startupProbe")),
        "livenessProbe": liveness | _given(options.get("livenessProbe")),
        "readinessProbe": readiness | _given(options.get("readinessProbe")),
    }


def _request(cloud: Body, path: str, port: int) -> Body:
    host = {"name": "Host", "value": names.common_host(cloud)}
    return {"httpGet": {"path": path, "port": port, "scheme": "HTTP", "httpHeaders": [host]}}


def _numbers(timeout: int, failures: int, period: int) -> Body:
    return {
        "timeoutSeconds": timeout,
        "failureThreshold": failures,
        "periodSeconds": period,
        "successThreshold": 1,
    }


def _given(probe: Body | None) -> Body:
    """Return what a custom probe sets: zero means not given."""
    return {key: value for key, value in (probe or {}).items() if value}
