"""The Indexed Job that fills the collection, and the plan its pods read."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    add_secrets,
    config_map,
    empty_dirs,
    metadata,
    resources,
)
from solrbench.manifests.disruption import build_disruption_budget
from solrbench.manifests.download_files import add_download_files
from solrbench.manifests.job_pod import JobPod, add_files, add_plan, build_job_pod
from solrbench.manifests.pod_options import pod_metadata
from solrbench.plan import names
from solrbench.plan.index_plan import (
    DATASET_FOLDER,
    EXIT_PERMANENT,
    INDEX_PLAN_FILE,
    INDEX_PORT,
    IndexPlan,
)

POD_RETRIES = 6


def build_index(
    benchmark: SolrBenchmark, plan: IndexPlan, image: OperatorImage, attempt: int
) -> list[Manifest]:
    """Return the plan's ConfigMap, the budget and the Job."""
    data = {"index-plan.json": plan.model_dump_json(by_alias=True, exclude_none=True)}
    return [
        config_map(benchmark, names.INDEX, attempt, data),
        build_disruption_budget(benchmark, names.INDEX, attempt, plan.dataset.indexing.pods),
        _job(benchmark, plan.dataset, image, attempt),
    ]


def _job(
    benchmark: SolrBenchmark, dataset: Dataset, image: OperatorImage, attempt: int
) -> Manifest:
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
                            "containerName": names.INDEX,
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
                "metadata": pod_metadata(benchmark, names.INDEX, meta["labels"]),
                "spec": _pod(benchmark, dataset, image),
            },
        },
    }


def _pod(benchmark: SolrBenchmark, dataset: Dataset, image: OperatorImage) -> Manifest:
    volumes, mounts = empty_dirs(tmp="/tmp")  # noqa: S108
    add_plan(volumes, mounts, names.child(benchmark, names.INDEX), INDEX_PLAN_FILE)
    add_files(volumes, mounts, "dataset", DATASET_FOLDER, dataset)
    add_secrets(benchmark, volumes, mounts)
    add_download_files(dataset, volumes, mounts)
    container: Manifest = {
        "args": ["index", "--plan", INDEX_PLAN_FILE],
        "ports": [{"name": "http", "containerPort": INDEX_PORT}],
        "resources": resources(dataset.indexing.resources),
    }
    return build_job_pod(JobPod(benchmark, names.INDEX, 5), image, container, volumes, mounts)
