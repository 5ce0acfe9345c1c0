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
    WEB_PORT,
    LoadPlan,
)
from solrbench.contract.pod_plans import EXIT_PERMANENT
from solrbench.contract.workload_files import sources
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    add_secrets,
    build_disruption_budget,
    config_map,
    empty_dirs,
    headless_service,
    metadata,
    resources,
)
from solrbench.manifests.job_pod import (
    JobPod,
    add_config_map,
    add_files,
    add_plan,
    build_job_pod,
    pod_metadata,
)

WORKER_REPLACEMENTS = 6
"""Pods of an attempt that may be lost for each worker, where the load goes on without them."""


def build_load(
    benchmark: SolrBenchmark, plan: LoadPlan, image: OperatorImage, attempt: int
) -> list[Manifest]:
    """Return everything of one attempt of the load."""
    data = {"load-plan.json": plan.model_dump_json(by_alias=True, exclude_none=True)}
    return [
        config_map(benchmark, names.LOAD_MASTER, attempt, data),
        headless_service(
            benchmark, names.LOAD_MASTER, attempt, {"web": WEB_PORT, "locust": LOCUST_PORT}
        ),
        build_disruption_budget(benchmark, names.LOAD_MASTER, attempt, 1),
        build_disruption_budget(benchmark, names.LOAD_WORKER, attempt, benchmark.spec.load.workers),
        _job(benchmark, names.LOAD_MASTER, image, attempt),
        _job(benchmark, names.LOAD_WORKER, image, attempt),
    ]


def _job(benchmark: SolrBenchmark, component: str, image: OperatorImage, attempt: int) -> Manifest:
    pods = benchmark.spec.load.workers if component == names.LOAD_WORKER else 1
    meta = metadata(benchmark, names.child(benchmark, component), component, attempt)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            "completionMode": "Indexed",
            "completions": pods,
            "parallelism": pods,
            **_losses(benchmark, component),
            "template": {
                "metadata": pod_metadata(benchmark, component, meta["labels"]),
                "spec": _pod(benchmark, component, image),
            },
        },
    }


def _losses(benchmark: SolrBenchmark, component: str) -> Manifest:
    load = benchmark.spec.load
    if component != names.LOAD_WORKER or load.on_worker_loss is OnWorkerLoss.REPEAT_STEP:
        # A pod that is lost invalidates its step: the operator starts a new attempt instead.
        return {"backoffLimit": 0}
    on_exit = {"containerName": component, "operator": "In", "values": [EXIT_PERMANENT]}
    return {
        "backoffLimit": WORKER_REPLACEMENTS * load.workers,
        "podFailurePolicy": {
            "rules": [
                {"action": "FailJob", "onExitCodes": on_exit},
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
            ]
        },
    }


def _pod(benchmark: SolrBenchmark, component: str, image: OperatorImage) -> Manifest:
    volumes, mounts = empty_dirs(tmp="/tmp", state=STATE_FOLDER)  # noqa: S108
    add_plan(volumes, mounts, names.child(benchmark, names.LOAD_MASTER), LOAD_PLAN_FILE)
    workload = benchmark.spec.workload
    for _, folder, content in sources(workload):
        name = f"queries-{folder}" if folder else "queries"
        add_files(volumes, mounts, name, f"{QUERIES_FOLDER}/{folder}".rstrip("/"), content)
    if workload.locustfile is not None and component == names.LOAD_WORKER:
        add_config_map(
            volumes, mounts, "locustfile", LOCUSTFILE_FOLDER, workload.locustfile.config_map.name
        )
    add_secrets(benchmark, volumes, mounts)
    container = _container(benchmark, component)
    return build_job_pod(JobPod(benchmark, component, 2), image, container, volumes, mounts)


def _container(benchmark: SolrBenchmark, component: str) -> Manifest:
    master = component == names.LOAD_MASTER
    ports = {"web": WEB_PORT, "locust": LOCUST_PORT} if master else {}
    load = benchmark.spec.load
    wanted = load.master.resources if master else load.resources
    return {
        "args": ["load", "master" if master else "worker", "--plan", LOAD_PLAN_FILE],
        "ports": [{"name": name, "containerPort": port} for name, port in ports.items()],
        "resources": resources(wanted),
    }
