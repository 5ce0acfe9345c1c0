"""What the index and load pods share: image, user, plan, files, no credentials."""

from dataclasses import dataclass

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.fields import ObjectReference
from solrbench.api.v1alpha1.workload.mix import Updates
from solrbench.api.v1alpha1.workload.queries import Queries
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    container_security,
    pull_secrets,
)
from solrbench.manifests.pod_options import placement, pod_security, pod_variables

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
