"""Locust's master and workers as Jobs, their Service, and the plan they read."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.load import OnWorkerLoss
from solrbench.contract import names
from solrbench.contract.load_plan import (
    LOAD_PLAN_FILE,
    LOCUST_PORT,
    LOCUSTFILE_FOLDER,
    QUERIES_FOLDER,
    STATE_FOLDER,
    TOKEN,
    WEB_PORT,
    LoadPlan,
)
from solrbench.contract.pod_plans import DATASET_FOLDER
from solrbench.contract.workload_files import WARM_UP_FOLDER, sources
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    build_disruption_budget,
    config_map,
    headless_service,
    metadata,
    resources,
)
from solrbench.manifests.pods import PodBuilder, build_job, pod_failures

_PORTS = {"web": WEB_PORT, "locust": LOCUST_PORT}
WORKER_REPLACEMENTS = 6
"""Pods of an attempt that may be lost for each worker, where the load goes on without them."""


def build_load(benchmark: SolrBenchmark, plan: LoadPlan, image: OperatorImage) -> list[Manifest]:
    """Return everything of one attempt of the load."""
    attempt = plan.attempt
    # The token once more: the operator reads it in each reconcile, and need not parse the plan.
    data = {
        "load-plan.json": plan.model_dump_json(by_alias=True, exclude_none=True),
        TOKEN: plan.token,
    }
    return [
        config_map(metadata(benchmark, names.LOAD_MASTER, attempt), data=data),
        headless_service(benchmark, names.LOAD_MASTER, attempt, _PORTS),
        build_disruption_budget(benchmark, names.LOAD_MASTER, attempt, 1),
        build_disruption_budget(benchmark, names.LOAD_WORKER, attempt, benchmark.spec.load.workers),
        _job(benchmark, names.LOAD_MASTER, image, attempt),
        _job(benchmark, names.LOAD_WORKER, image, attempt),
    ]


def _job(benchmark: SolrBenchmark, component: str, image: OperatorImage, attempt: int) -> Manifest:
    load, is_worker = benchmark.spec.load, component == names.LOAD_WORKER
    container: Manifest = {
        "args": ["load", "worker" if is_worker else "master", "--plan", LOAD_PLAN_FILE],
        "ports": [
            {"name": name, "containerPort": port}
            for name, port in ({} if is_worker else _PORTS).items()
        ],
        "resources": resources(load.resources if is_worker else load.master.resources),
    }
    if is_worker and load.on_worker_loss is not OnWorkerLoss.REPEAT_STEP:
        losses = pod_failures(component, WORKER_REPLACEMENTS * load.workers)
    else:
        # A pod that is lost invalidates its step: the operator starts a new attempt instead.
        losses = {"backoffLimit": 0}
    pods = load.workers if is_worker else 1
    return build_job(
        _pod(benchmark, component),
        attempt,
        image,
        container,
        grace_seconds=2,
        completionMode="Indexed",
        completions=pods,
        parallelism=pods,
        **losses,
    )


def _pod(benchmark: SolrBenchmark, component: str) -> PodBuilder:
    pod, workload = PodBuilder(benchmark, component), benchmark.spec.workload
    pod.add_scratch(tmp="/tmp", state=STATE_FOLDER)  # noqa: S108
    pod.add_plan(names.LOAD_MASTER, LOAD_PLAN_FILE)
    for _, folder, content in sources(workload):
        name = f"queries-{folder}" if folder else "queries"
        separator = "-" if folder == WARM_UP_FOLDER else "/"
        pod.add_files(name, f"{QUERIES_FOLDER}{separator}{folder}".rstrip("/"), content)
    sampled = benchmark.spec.sampled_dataset
    if sampled is not None and component == names.LOAD_WORKER:
        pod.add_files("dataset", DATASET_FOLDER, sampled)
    # Only workers send requests: the master runs no code of users.
    if workload.locustfile is not None and component == names.LOAD_WORKER:
        source = {"configMap": {"name": workload.locustfile.config_map.name}}
        pod.add("locustfile", LOCUSTFILE_FOLDER, source)
    pod.add_target_secrets()
    return pod
