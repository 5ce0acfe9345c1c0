"""What the NSA's hardening guide (as Kubescape checks it), Polaris and Pod Security want of pods.

Each rule is named as Kubescape or Polaris calls it. What is not kept has an exception with its
reason; an exception that is no longer needed is a finding, too.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

PodSpec = dict[str, Any]
Container = dict[str, Any]

SECRET_WORDS = ("password", "secret", "token", "key", "credential")
SAFE_VOLUMES = {
    "configMap",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
}


class Workload(NamedTuple):
    """A pod as one of our templates has it."""

    name: str
    spec: PodSpec
    serves: bool
    """Whether others send requests to it, so that probes are sensible."""


class Finding(NamedTuple):
    """A rule that a workload breaks."""

    workload: str
    rule: str


def _pod_rules(workload: Workload) -> Iterator[tuple[str, bool]]:
    spec, security = workload.spec, workload.spec.get("securityContext") or {}
    yield "hostNetworkSet", not spec.get("hostNetwork")
    yield "hostIPCSet", not spec.get("hostIPC")
    yield "hostPIDSet", not spec.get("hostPID")
    yield "hostAliases", not spec.get("hostAliases")
    yield "automountServiceAccountToken", spec.get("automountServiceAccountToken") is False
    yield "seccompProfile", (security.get("seccompProfile") or {}).get("type") == "RuntimeDefault"
    yield "runAsRootAllowed", security.get("runAsNonRoot") is True
    yield "runAsUserZero", security.get("runAsUser", 1) != 0
    yield "supplementalGroups", 0 not in security.get("supplementalGroups", [])
    yield "sysctls", not security.get("sysctls")
    yield "enableServiceLinks", spec.get("enableServiceLinks") is False
    yield "shareProcessNamespace", not spec.get("shareProcessNamespace")
    for volume in spec.get("volumes") or []:
        yield "hostPathVolume", set(volume) - {"name"} <= SAFE_VOLUMES


def _container_rules(workload: Workload, container: Container) -> Iterator[tuple[str, bool]]:
    security, image = container.get("securityContext") or {}, container["image"]
    resources = container.get("resources") or {}
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    yield "privilegeEscalationAllowed", security.get("allowPrivilegeEscalation") is False
    yield "runAsPrivileged", not security.get("privileged")
    yield "notReadOnlyRootFilesystem", security.get("readOnlyRootFilesystem") is True
    capabilities = security.get("capabilities") or {}
    yield "insecureCapabilities", capabilities == {"drop": ["ALL"]}
    yield "procMount", security.get("procMount", "Default") == "Default"
    yield "hostPortSet", not any(each.get("hostPort") for each in container.get("ports") or [])
    yield "tagNotSpecified", "@" in image or tag not in ("", "latest")
    yield "pullPolicyNotAlways", container.get("imagePullPolicy") == "Always"
    yield "cpuRequestsMissing", "cpu" in requests
    yield "memoryRequestsMissing", "memory" in requests
    yield "cpuLimitsMissing", "cpu" in limits
    yield "memoryLimitsMissing", "memory" in limits
    yield "sensitiveContainerEnvVar", not any(map(_is_secret, container.get("env") or []))
    yield "linuxHardening", "lifecycle" not in container
    if workload.serves:
        yield "readinessProbeMissing", "readinessProbe" in container
        yield "livenessProbeMissing", "livenessProbe" in container


def _is_secret(variable: dict[str, Any]) -> bool:
    words = variable["name"].lower()
    return bool(variable.get("value")) and any(each in words for each in SECRET_WORDS)


def find_problems(workloads: Iterator[Workload]) -> set[Finding]:
    found = set()
    for workload in workloads:
        checked = list(_pod_rules(workload))
        containers = workload.spec["containers"] + (workload.spec.get("initContainers") or [])
        for container in containers:
            checked += _container_rules(workload, container)
        found |= {Finding(workload.name, rule) for rule, kept in checked if not kept}
    return found


_SIZED = (
    "how much Solr and the load need is what a benchmark finds out; the resources of each component"
    " are fields of the spec, and a namespace may have a LimitRange"
)
_RESTARTS = (
    "a restart under load would be measured; the process ends by itself when it cannot go on"
)
EXCEPTIONS = {
    Finding("*", "pullPolicyNotAlways"): (
        "a tag of a release does not move, and a pod that is measured must not wait for a registry"
    ),
    Finding("*", "cpuLimitsMissing"): (
        "the kernel throttles a pod at its CPU limit, which would be measured as Solr's latency"
    ),
    **{
        Finding(workload, rule): reason
        for workload in ("operator", "uninstall")
        for rule, reason in (
            ("automountServiceAccountToken", "it is a client of the API server"),
            ("sensitiveContainerEnvVar", "names of pull Secrets, not their contents"),
        )
    },
    Finding("zookeeper", "livenessProbeMissing"): _RESTARTS,
    Finding("zookeeper", "linuxHardening"): (
        "its hook is a fixed script that waits until the Solr nodes have left; no field reaches it"
    ),
    Finding("agent", "shareProcessNamespace"): (
        "it reads the control group of the server beside it; only where the spec asks for pods"
    ),
    Finding("companion", "memoryLimitsMissing"): "resources are those of the user's manifest",
    **{
        Finding(workload, rule): _SIZED
        for workload in ("solr", "zookeeper")
        for rule in ("cpuRequestsMissing", "memoryRequestsMissing", "memoryLimitsMissing")
    },
    **{
        Finding(workload, "memoryLimitsMissing"): _SIZED
        for workload in ("index", "load-master", "load-worker")
    },
}
"""By workload, or for all, and rule."""


def unexplained(found: set[Finding]) -> set[Finding]:
    return {
        each
        for each in found
        if each not in EXCEPTIONS and Finding("*", each.rule) not in EXCEPTIONS
    }
