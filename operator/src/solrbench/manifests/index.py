"""The Indexed Job that fills the collection: its plan, its pods, and what downloads require.

Credentials and certificates are mounted from Secrets; the plan only names their files.
"""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.dataset import Dataset, DownloadTls, Http
from solrbench.contract import names
from solrbench.contract.load_plan import (
    CA_KEY,
    DOWNLOAD_CA_FOLDER,
    DOWNLOAD_CREDENTIALS_FOLDER,
    PASSWORD,
    TOKEN,
    USERNAME,
)
from solrbench.contract.pod_plans import (
    DATASET_FOLDER,
    EXIT_PERMANENT,
    INDEX_PLAN_FILE,
    INDEX_PORT,
    IndexPlan,
)
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    add_secrets,
    build_disruption_budget,
    config_map,
    empty_dirs,
    metadata,
    resources,
)
from solrbench.manifests.job_pod import JobPod, add_files, add_plan, build_job_pod, pod_metadata


def add_download_files(dataset: Dataset, volumes: list[Manifest], mounts: list[Manifest]) -> None:
    """Mount what `dataset.http` refers to, only the keys named.

    The pod starts without them as well, so that it can say what is missing; the kubelet would only
    wait.
    """
    if dataset.http is None:
        return
    for name, folder, source in (
        ("download-credentials", DOWNLOAD_CREDENTIALS_FOLDER, _credentials(dataset.http)),
        ("download-ca", DOWNLOAD_CA_FOLDER, authorities_volume(dataset.http.tls)),
    ):
        if source is not None:
            volumes.append({"name": name, **source})
            mounts.append({"name": name, "mountPath": folder, "readOnly": True})


def _credentials(http: Http) -> Manifest | None:
    if http.auth is None:
        return None
    if http.auth.basic_secret is not None:
        return secret_volume(http.auth.basic_secret.name, {USERNAME: USERNAME, PASSWORD: PASSWORD})
    token = http.auth.bearer_secret
    return None if token is None else secret_volume(token.name, {token.key: TOKEN})


def authorities_volume(tls: DownloadTls | None) -> Manifest | None:
    """Return the source of a volume with the certificates to trust, if there are any."""
    if tls is None:
        return None
    if tls.ca_secret is not None:
        return secret_volume(tls.ca_secret.name, {tls.ca_secret.key: CA_KEY})
    ca_config_map = tls.ca_config_map
    if ca_config_map is None:
        return None
    items = [{"key": ca_config_map.key, "path": CA_KEY}]
    return {"configMap": {"name": ca_config_map.name, "items": items, "optional": True}}


def secret_volume(name: str, keys: dict[str, str]) -> Manifest:
    """Return the source of a volume with some keys of a Secret; it may lack any of them."""
    items = [{"key": key, "path": path} for key, path in keys.items()]
    source = {"secretName": name, "items": items, "defaultMode": 0o440, "optional": True}
    return {"secret": source}


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
