"""Locust's master and workers as Jobs, their Service, and the plan they read."""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.pods import ResourceAmounts, Resources
from solrbench.api.v1alpha1.workload import Queries
from solrbench.manifests.common import (
    Manifest,
    ToolImage,
    add_secrets,
    config_map,
    container_security,
    empty_dirs,
    headless_service,
    metadata,
    pod_security,
    pull_secrets,
    resources,
)
from solrbench.plan import names
from solrbench.plan.load_plan import (
    LOAD_PLAN_FILE,
    LOCUST_PORT,
    QUERIES_FOLDER,
    WEB_PORT,
    LoadPlan,
)

USER = 65532
MASTER_RESOURCES = Resources(requests=ResourceAmounts(cpu="100m", memory="256Mi"))
STATE_FOLDER = "/var/run/solrbench/state"


def build_load(
    benchmark: SolrBenchmark, plan: LoadPlan, image: ToolImage, attempt: int
) -> list[Manifest]:
    """Return everything of one attempt of the load."""
    data = {"load-plan.json": plan.model_dump_json(by_alias=True, exclude_none=True)}
    return [
        config_map(benchmark, names.LOAD_MASTER, attempt, data),
        headless_service(
            benchmark, names.LOAD_MASTER, attempt, {"web": WEB_PORT, "locust": LOCUST_PORT}
        ),
        _job(benchmark, names.LOAD_MASTER, image, attempt),
        _job(benchmark, names.LOAD_WORKER, image, attempt),
    ]


def _job(benchmark: SolrBenchmark, component: str, image: ToolImage, attempt: int) -> Manifest:
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
            # A pod that is lost spoils its step: the operator starts a new attempt instead.
            "backoffLimit": 0,
            "template": {
                "metadata": {"labels": meta["labels"]},
                "spec": _pod(benchmark, component, image),
            },
        },
    }


def _pod(benchmark: SolrBenchmark, component: str, image: ToolImage) -> Manifest:
    volumes, mounts = empty_dirs(tmp="/tmp", state=STATE_FOLDER)  # noqa: S108
    plan = names.child(benchmark, names.LOAD_MASTER)
    volumes.append({"name": "plan", "configMap": {"name": plan}})
    mounts.append({"name": "plan", "mountPath": LOAD_PLAN_FILE.rsplit("/", 1)[0], "readOnly": True})
    queries = _queries_volume(benchmark.spec.workload.queries)
    if queries is not None:
        volumes.append({"name": "queries", **queries})
        mounts.append({"name": "queries", "mountPath": QUERIES_FOLDER, "readOnly": True})
    add_secrets(benchmark, volumes, mounts)
    return {
        "restartPolicy": "Never",
        **pull_secrets(*image.pull_secrets),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 2,
        "securityContext": pod_security(USER),
        "containers": [_container(benchmark, component, image, mounts)],
        "volumes": volumes,
    }


def _container(
    benchmark: SolrBenchmark, component: str, image: ToolImage, mounts: list[Manifest]
) -> Manifest:
    master = component == names.LOAD_MASTER
    ports = {"web": WEB_PORT, "locust": LOCUST_PORT} if master else {}
    wanted = MASTER_RESOURCES if master else benchmark.spec.load.resources
    return {
        "name": component,
        "image": image.reference,
        "imagePullPolicy": image.pull_policy,
        "args": ["load", "master" if master else "worker", "--plan", LOAD_PLAN_FILE],
        "ports": [{"name": name, "containerPort": port} for name, port in ports.items()],
        "resources": resources(wanted),
        "securityContext": container_security(),
        "volumeMounts": mounts,
    }


def _queries_volume(queries: Queries) -> Manifest | None:
    if queries.config_map is not None:
        return {"configMap": {"name": queries.config_map.name}}
    if queries.persistent_volume_claim is not None:
        claim = queries.persistent_volume_claim.claim_name
        return {"persistentVolumeClaim": {"claimName": claim, "readOnly": True}}
    return None
