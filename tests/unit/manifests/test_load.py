import json
from typing import Any

import pytest

from solrbench.contract.load_plan import LOAD_PLAN_FILE, LOCUSTFILE_FOLDER, QUERIES_FOLDER, LoadPlan
from solrbench.contract.pod_plans import DATASET_FOLDER
from support.resources.objects import container, mounted, pick, pod, tools
from support.resources.small_resource import Changes, custom_locustfile

ROLES = ["master", "worker"]


def load(role: str, changes: Changes | None = None) -> dict[str, Any]:
    return pick(tools(changes), "Job", f"base-load-{role}")


def test_one_master_and_as_many_workers_as_asked() -> None:
    changes = {"spec.load.workers": 3}
    assert load("master", changes)["spec"]["completions"] == 1
    worker = load("worker", changes)["spec"]
    assert (worker["completions"], worker["parallelism"]) == (3, 3)


@pytest.mark.parametrize("role", ROLES)
def test_a_lost_pod_is_not_replaced_within_its_attempt(role: str) -> None:
    manifest = load(role)
    assert manifest["spec"]["backoffLimit"] == 0
    assert pod(manifest)["restartPolicy"] == "Never"


def test_a_lost_worker_is_replaced_where_the_load_goes_on() -> None:
    changes = {"spec.load.onWorkerLoss": "Redistribute", "spec.load.workers": 3}
    assert load("master", changes)["spec"]["backoffLimit"] == 0
    worker = load("worker", changes)
    assert worker["spec"]["backoffLimit"] == 18
    # Evictions do not count, and what no other pod can cure ends it at once.
    fail, ignore = worker["spec"]["podFailurePolicy"]["rules"]
    assert (fail["action"], fail["onExitCodes"]["values"]) == ("FailJob", [3])
    assert fail["onExitCodes"]["containerName"] == container(worker)["name"]
    assert ignore == {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}


def test_locustfile_is_mounted_read_only_in_workers_alone() -> None:
    changes = custom_locustfile(configMap={"name": "mine", "key": "check_out.py"})
    worker = load("worker", changes)
    source = {"configMap": {"name": "mine"}}
    assert mounted(worker, "locustfile") == (LOCUSTFILE_FOLDER, source)
    master = {each["name"] for each in pod(load("master", changes))["volumes"]}
    assert "locustfile" not in master
    assert "queries" not in master


def test_workers_alone_read_the_files_whose_documents_steps_add() -> None:
    claim = {"claimName": "books", "paths": ["*.jsonl"]}
    changes: Changes = {
        "spec.dataset": {"persistentVolumeClaim": claim},
        "spec.workload.queries": {"configMap": {"name": "queries"}},
    }
    adding = changes | {"spec.load.steps": [{"users": 1, "requests": 10, "indexing": {}}]}
    source = {"persistentVolumeClaim": {"claimName": "books", "readOnly": True}}
    assert mounted(load("worker", adding), "dataset") == (DATASET_FOLDER, source)
    for manifest in (load("master", adding), load("worker", changes)):
        assert "dataset" not in {each["name"] for each in pod(manifest)["volumes"]}


@pytest.mark.parametrize("role", ROLES)
def test_both_read_the_same_plan(role: str) -> None:
    manifest = load(role)
    assert container(manifest)["args"] == ["load", role, "--plan", LOAD_PLAN_FILE]
    folder, _, file = LOAD_PLAN_FILE.rpartition("/")
    assert mounted(manifest, "plan") == (folder, {"configMap": {"name": "base-load-master"}})
    text = pick(tools(), "ConfigMap", "base-load-master")["data"][file]
    assert LoadPlan.model_validate(json.loads(text)).attempt == 2


def test_the_service_leads_to_the_master_alone() -> None:
    service = pick(tools(), "Service", "base-load-master")["spec"]
    ports = {each["port"] for each in service["ports"]}
    assert ports == {each["containerPort"] for each in container(load("master"))["ports"]}
    labels = {role: load(role)["spec"]["template"]["metadata"]["labels"] for role in ROLES}
    assert service["selector"].items() <= labels["master"].items()
    assert not service["selector"].items() <= labels["worker"].items()
    assert container(load("worker"))["ports"] == []


def test_resources_of_the_spec_are_for_workers() -> None:
    wanted = {"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}}
    changes = {"spec.load.resources": wanted}
    assert container(load("worker", changes))["resources"] == wanted
    assert container(load("master", changes))["resources"] == {
        "requests": {"cpu": "100m", "memory": "256Mi"}
    }


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("queries", "volume"),
    [
        ({"configMap": {"name": "q"}}, {"configMap": {"name": "q"}}),
        (
            {"persistentVolumeClaim": {"claimName": "q", "path": "q.txt"}},
            {"persistentVolumeClaim": {"claimName": "q", "readOnly": True}},
        ),
    ],
)
def test_query_files_are_mounted_read_only(
    role: str, queries: dict[str, Any], volume: dict[str, Any]
) -> None:
    names = {"queries": "queries", "warmUpQueries": "queries-warm-up"}
    manifest = load(role, {f"spec.workload.{field}": queries for field in names})
    # Within a volume that is mounted read-only, no folder can be made for the other.
    for name in names.values():
        assert mounted(manifest, name) == (QUERIES_FOLDER.replace("queries", name), volume)


@pytest.mark.parametrize("role", ROLES)
def test_generated_queries_need_no_volume(role: str) -> None:
    assert "queries" not in {each["name"] for each in pod(load(role))["volumes"]}
