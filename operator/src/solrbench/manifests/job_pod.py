"""What the index and load pods share: image, user, plan, files, no credentials."""

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.fields import ObjectReference
from solrbench.api.v1alpha1.workload.mix import Updates
from solrbench.api.v1alpha1.workload.queries import Queries
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    container_security,
    pod_security,
    pull_secrets,
)

USER = 65532


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
    image: OperatorImage,
    container: Manifest,
    volumes: list[Manifest],
    mounts: list[Manifest],
    grace_seconds: int,
) -> Manifest:
    """Return the spec of a pod that runs one command of our image.

    `container` says what differs: name, args, ports, resources.
    """
    whole = container | {
        "image": image.reference,
        "imagePullPolicy": image.pull_policy,
        "securityContext": container_security(),
        "volumeMounts": mounts,
    }
    return {
        **pull_secrets(ObjectReference(name=name) for name in image.pull_secrets),
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": grace_seconds,
        "securityContext": pod_security(USER),
        "containers": [whole],
        "volumes": volumes,
    }
