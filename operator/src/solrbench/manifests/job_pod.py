"""What index and load pods share, and the options that a benchmark may set on any pod.

The schema refuses options that are the operator's own; where both meet, the operator's come last.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.fields import ObjectReference
from solrbench.api.v1alpha1.pod_options import UNDISTURBED, PodOptions
from solrbench.api.v1alpha1.request_mix import Queries, Updates
from solrbench.contract import names
from solrbench.contract.pod_plans import pod_options
from solrbench.manifests.common import Manifest, OperatorImage, container_security, pull_secrets

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
BESIDE_SOLR = (names.SOLR, names.ZOOKEEPER, names.COMPANION)
"""Components that may share a node with Solr as well as not; the others take CPU from it."""


def pod_metadata(benchmark: SolrBenchmark, component: str, labels: dict[str, str]) -> Manifest:
    """Return labels and annotations of a pod that has these labels of ours."""
    options = pod_options(benchmark, component)
    return {
        "labels": (options.labels or {}) | labels,
        "annotations": (options.annotations or {}) | UNDISTURBED,
    }


def pod_security(benchmark: SolrBenchmark, component: str, user: int | None) -> Manifest:
    """Return the pod's security context.

    User and groups are `user`, or with `None` those of the image, unless the benchmark says.
    """
    ids = {} if user is None else {"runAsUser": user, "runAsGroup": user, "fsGroup": user}
    given = pod_options(benchmark, component).security_context
    if given is not None:
        ids = {} if given.omit_ids else ids | given_ids(benchmark, component)
    return {
        "runAsNonRoot": True,
        **ids,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def given_ids(benchmark: SolrBenchmark, component: str) -> dict[str, int]:
    """Return the numeric user and groups that the benchmark gives, and nothing else."""
    given = pod_options(benchmark, component).security_context
    return {} if given is None else _plain(given.model_copy(update={"omit_ids": None}))


def pod_variables(
    benchmark: SolrBenchmark, component: str, ours: list[Manifest] | None = None
) -> list[Manifest]:
    """Return the variables of a container: ours, then those of the benchmark."""
    ours = ours or []
    taken = {each["name"] for each in ours}
    given = pod_options(benchmark, component).env or ()
    return [*ours, *(_plain(each) for each in given if each.name not in taken)]


def placement(benchmark: SolrBenchmark, component: str) -> Manifest:
    """Return where the pods of a component may run, and as whom."""
    options = pod_options(benchmark, component)
    pod_fields: Manifest = {
        "affinity": _affinity(benchmark, component, options),
        "nodeSelector": dict(options.node_selector or {}),
        "tolerations": [_plain(toleration) for toleration in options.tolerations or ()],
        "topologySpreadConstraints": _spread(benchmark, component, options),
        "priorityClassName": options.priority_class_name,
        "runtimeClassName": options.runtime_class_name,
        "serviceAccountName": options.service_account_name,
    }
    return {key: value for key, value in pod_fields.items() if value}


def _spread(benchmark: SolrBenchmark, component: str, options: PodOptions) -> list[Manifest]:
    selector = {"matchLabels": names.selector(benchmark, component)}
    return [
        {"maxSkew": 1, **_plain(constraint), "labelSelector": selector}
        for constraint in options.topology_spread_constraints or ()
    ]


def _affinity(benchmark: SolrBenchmark, component: str, options: PodOptions) -> Manifest:
    """Return the benchmark's affinity; load and index pods prefer nodes without its Solr, too.

    Load beside Solr takes its CPU, and the scheduler may put it there in one repeat only. It is no
    requirement: a cluster of one node runs everything.
    """
    given = {} if options.affinity is None else _plain(options.affinity)
    if component in BESIDE_SOLR:
        return given
    term = {
        "labelSelector": {"matchLabels": names.selector(benchmark, names.SOLR)},
        "topologyKey": "kubernetes.io/hostname",
    }
    away = given.get("podAntiAffinity", {})
    preferred = [*away.get(PREFERRED, []), {"weight": 100, "podAffinityTerm": term}]
    return given | {"podAntiAffinity": away | {PREFERRED: preferred}}


def _plain(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


USER = 65532


@dataclass(frozen=True)
class JobPod:
    """A pod that runs one command of our image.

    Attributes:
        benchmark: whose options it gets
        component: of the pod, and name of its container
        grace_seconds: time to end by itself
    """

    benchmark: SolrBenchmark
    component: str
    grace_seconds: int


def add_plan(volumes: list[Manifest], mounts: list[Manifest], config_map: str, file: str) -> None:
    """Mount the ConfigMap with the plan where `file` is looked for."""
    add_config_map(volumes, mounts, "plan", file.rsplit("/", 1)[0], config_map)


def add_config_map(
    volumes: list[Manifest], mounts: list[Manifest], name: str, folder: str, config_map: str
) -> None:
    """Mount a ConfigMap as the volume `name`, read-only."""
    volumes.append({"name": name, "configMap": {"name": config_map}})
    mounts.append({"name": name, "mountPath": folder, "readOnly": True})


def add_files(
    volumes: list[Manifest],
    mounts: list[Manifest],
    name: str,
    folder: str,
    source: Dataset | Queries | Updates,
) -> None:
    """Mount the ConfigMap or claim that `source` names, if it names one."""
    if source.config_map is not None:
        volume: Manifest = {"configMap": {"name": source.config_map.name}}
    elif source.persistent_volume_claim is not None:
        claim = source.persistent_volume_claim.claim_name
        volume = {"persistentVolumeClaim": {"claimName": claim, "readOnly": True}}
    else:
        return
    volumes.append({"name": name, **volume})
    mounts.append({"name": name, "mountPath": folder, "readOnly": True})


def build_job_pod(
    pod: JobPod,
    image: OperatorImage,
    container: Manifest,
    volumes: list[Manifest],
    mounts: list[Manifest],
) -> Manifest:
    """Return the spec of the pod; `container` says what differs: args, ports, resources."""
    variables = pod_variables(pod.benchmark, pod.component)
    whole = container | {
        "name": pod.component,
        "image": image.reference,
        "imagePullPolicy": image.pull_policy,
        "securityContext": container_security(),
        "volumeMounts": mounts,
        **({"env": variables} if variables else {}),
    }
    return {
        **placement(pod.benchmark, pod.component),
        **pull_secrets(ObjectReference(name=name) for name in image.pull_secrets),
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": pod.grace_seconds,
        "securityContext": pod_security(pod.benchmark, pod.component, USER),
        "containers": [whole],
        "volumes": volumes,
    }
