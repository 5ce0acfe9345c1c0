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
from solrbench.contract.pod_plans import DATASET_FOLDER, INDEX_PLAN_FILE, INDEX_PORT, IndexPlan
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    build_disruption_budget,
    config_map,
    metadata,
    resources,
)
from solrbench.manifests.pods import PodBuilder, build_job, pod_failures, secret_volume

POD_RETRIES = 6
"""For each pod: a Job counts the failures of all its pods together."""


def build_index(
    benchmark: SolrBenchmark, plan: IndexPlan, image: OperatorImage, attempt: int
) -> list[Manifest]:
    """Return the plan's ConfigMap, the budget and the Job."""
    data = {"index-plan.json": plan.model_dump_json(by_alias=True, exclude_none=True)}
    indexing = plan.dataset.indexing
    container: Manifest = {
        "args": ["index", "--plan", INDEX_PLAN_FILE],
        "ports": [{"name": "http", "containerPort": INDEX_PORT}],
        "resources": resources(indexing.resources),
    }
    job = build_job(
        _pod(benchmark, plan.dataset),
        attempt,
        image,
        container,
        grace_seconds=5,
        # The index of a pod says which part of the dataset is its own, also after a retry.
        completionMode="Indexed",
        completions=indexing.pods,
        parallelism=indexing.pods,
        **pod_failures(names.INDEX, POD_RETRIES * indexing.pods),
    )
    return [
        config_map(metadata(benchmark, names.INDEX, attempt), data=data),
        build_disruption_budget(benchmark, names.INDEX, attempt, indexing.pods),
        job,
    ]


def _pod(benchmark: SolrBenchmark, dataset: Dataset) -> PodBuilder:
    pod = PodBuilder(benchmark, names.INDEX)
    pod.add_scratch(tmp="/tmp")  # noqa: S108
    pod.add_plan(names.INDEX, INDEX_PLAN_FILE)
    pod.add_files("dataset", DATASET_FOLDER, dataset)
    pod.add_target_secrets()
    if dataset.http is not None:
        if credentials := _credentials(dataset.http):
            pod.add("download-credentials", DOWNLOAD_CREDENTIALS_FOLDER, credentials)
        if authorities := authorities_volume(dataset.http.tls):
            pod.add("download-ca", DOWNLOAD_CA_FOLDER, authorities)
    return pod


def _credentials(http: Http) -> Manifest | None:
    if http.auth is None:
        return None
    if http.auth.basic_secret is not None:
        return secret_volume(http.auth.basic_secret.name, {USERNAME: USERNAME, PASSWORD: PASSWORD})
    token = http.auth.bearer_secret
    return None if token is None else secret_volume(token.name, {token.key: TOKEN})


def authorities_volume(tls: DownloadTls | None) -> Manifest | None:
    """Return the source of a volume with the certificates to trust, if there are any."""
    if tls is not None and tls.ca_secret is not None:
        return secret_volume(tls.ca_secret.name, {tls.ca_secret.key: CA_KEY})
    if tls is None or tls.ca_config_map is None:
        return None
    items = [{"key": tls.ca_config_map.key, "path": CA_KEY}]
    return {"configMap": {"name": tls.ca_config_map.name, "items": items, "optional": True}}
