"""The Indexed Job that fills the collection, and the plan its pods read."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.manifests.common import (
    Manifest,
    ToolImage,
    add_secrets,
    config_map,
    container_security,
    empty_dirs,
    metadata,
    pod_security,
    pull_secrets,
    resources,
)
from solrbench.plan import names
from solrbench.plan.index_plan import (
    DATASET_FOLDER,
    EXIT_PERMANENT,
    INDEX_PLAN_FILE,
    INDEX_PORT,
    IndexPlan,
)

USER = 65532
POD_RETRIES = 6


def build_index(
    benchmark: SolrBenchmark, plan: IndexPlan, image: ToolImage, attempt: int
) -> list[Manifest]:
    """Return the plan's ConfigMap and the Job."""
    data = {"index-plan.json": plan.model_dump_json(by_alias=True, exclude_none=True)}
    return [
        config_map(benchmark, names.INDEX, attempt, data),
        _job(benchmark, plan.dataset, image, attempt),
    ]


def _job(benchmark: SolrBenchmark, dataset: Dataset, image: ToolImage, attempt: int) -> Manifest:
    pods = dataset.indexing.pods
    meta = metadata(benchmark, names.child(benchmark, names.INDEX), names.INDEX, attempt)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            "completionMode": "Indexed",
            "completions": pods,
            "parallelism": pods,
            "backoffLimit": POD_RETRIES * pods,
            "podFailurePolicy": {
                "rules": [
                    {
                        "action": "FailJob",
                        "onExitCodes": {
                            "containerName": "index",
                            "operator": "In",
                            "values": [EXIT_PERMANENT],
                        },
                    },
                    {
                        "action": "Ignore",
                        "onPodConditions": [{"type": "DisruptionTarget"}],
                    },
                ]
            },
            "template": {
                "metadata": {"labels": meta["labels"]},
                "spec": _pod(benchmark, dataset, image),
            },
        },
    }


def _pod(benchmark: SolrBenchmark, dataset: Dataset, image: ToolImage) -> Manifest:
    volumes, mounts = empty_dirs(tmp="/tmp")  # noqa: S108
    volumes.append({"name": "plan", "configMap": {"name": names.child(benchmark, names.INDEX)}})
    mounts.append(
        {"name": "plan", "mountPath": INDEX_PLAN_FILE.rsplit("/", 1)[0], "readOnly": True}
    )
    source = _source_volume(dataset)
    if source is not None:
        volumes.append({"name": "dataset", **source})
        mounts.append({"name": "dataset", "mountPath": DATASET_FOLDER, "readOnly": True})
    add_secrets(benchmark, volumes, mounts)
    return {
        **pull_secrets(*image.pull_secrets),
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 5,
        "securityContext": pod_security(USER),
        "containers": [
            {
                "name": "index",
                "image": image.reference,
                "imagePullPolicy": image.pull_policy,
                "args": ["index", "--plan", INDEX_PLAN_FILE],
                "ports": [{"name": "http", "containerPort": INDEX_PORT}],
                "resources": resources(dataset.indexing.resources),
                "securityContext": container_security(),
                "volumeMounts": mounts,
            }
        ],
        "volumes": volumes,
    }


def _source_volume(dataset: Dataset) -> Manifest | None:
    if dataset.config_map is not None:
        return {"configMap": {"name": dataset.config_map.name}}
    if dataset.persistent_volume_claim is not None:
        claim = dataset.persistent_volume_claim.claim_name
        return {"persistentVolumeClaim": {"claimName": claim, "readOnly": True}}
    return None
