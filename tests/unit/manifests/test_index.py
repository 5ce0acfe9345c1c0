import json
from typing import Any

import pytest

from solrbench.contract.load_plan import DOWNLOAD_CA_FOLDER, DOWNLOAD_CREDENTIALS_FOLDER
from solrbench.contract.pod_plans import DATASET_FOLDER, INDEX_PLAN_FILE, IndexPlan
from support.resources.objects import container, mounted, pick, pod, tools
from support.resources.small_resource import Changes

QUERIES: Changes = {"spec.workload.queries": {"configMap": {"name": "q"}}}


def index(changes: Changes | None = None) -> dict[str, Any]:
    return pick(tools(changes), "Job", "base-index")


def test_one_completion_for_each_pod() -> None:
    spec = index({"spec.dataset.indexing": {"pods": 3}})["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 3, 3)
    assert spec["backoffLimit"] >= 3


def test_a_failure_that_no_retry_can_cure_ends_the_job() -> None:
    first, second = index()["spec"]["podFailurePolicy"]["rules"]
    assert first["action"] == "FailJob"
    assert first["onExitCodes"] == {"containerName": "index", "operator": "In", "values": [3]}
    assert second["action"] == "Ignore"  # a node was drained: no fault of the data
    assert pod(index())["restartPolicy"] == "Never"  # the policy needs it


def test_the_command_reads_the_mounted_plan() -> None:
    manifest = index()
    assert container(manifest)["args"] == ["index", "--plan", INDEX_PLAN_FILE]
    assert container(manifest)["image"] == "registry.example.org/solrbench:1.0"
    assert container(manifest)["imagePullPolicy"] == "Never"
    folder, _, file = INDEX_PLAN_FILE.rpartition("/")
    assert mounted(manifest, "plan") == (folder, {"configMap": {"name": "base-index"}})
    text = pick(tools(), "ConfigMap", "base-index")["data"][file]
    assert IndexPlan.model_validate(json.loads(text)).dataset.generator is not None


def test_the_image_is_pulled_with_the_operators_secrets() -> None:
    assert pod(index())["imagePullSecrets"] == [{"name": "registry"}]


def test_resources_are_those_of_indexing() -> None:
    wanted = {"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}}
    manifest = index({"spec.dataset.indexing": {"resources": wanted}})
    assert container(manifest)["resources"] == wanted


@pytest.mark.parametrize(
    ("dataset", "volume"),
    [
        ({"configMap": {"name": "books", "keys": ["a.json"]}}, {"configMap": {"name": "books"}}),
        (
            {"persistentVolumeClaim": {"claimName": "books", "paths": ["a.json"]}},
            {"persistentVolumeClaim": {"claimName": "books", "readOnly": True}},
        ),
    ],
)
def test_documents_are_mounted_read_only(dataset: dict[str, Any], volume: dict[str, Any]) -> None:
    manifest = index({"spec.dataset": dataset} | QUERIES)
    assert mounted(manifest, "dataset") == (DATASET_FOLDER, volume)


@pytest.mark.parametrize(
    "changes", [{}, {"spec.dataset": {"http": {"urls": ["http://a.org/a.json"]}}} | QUERIES]
)
def test_documents_that_are_made_or_fetched_need_no_volume(changes: Changes) -> None:
    assert {each["name"] for each in pod(index(changes))["volumes"]} == {"tmp", "plan"}


ROOTS = [{"key": "root.pem", "path": "ca.crt"}]


def secret(name: str, **paths: str) -> dict[str, Any]:
    """Return the source of a volume with these keys of a Secret, by the paths of their files."""
    items = [{"key": key, "path": path} for key, path in paths.items()]
    return {"secret": {"secretName": name, "items": items, "defaultMode": 0o440, "optional": True}}


@pytest.mark.parametrize(
    ("fields", "name", "folder", "source"),
    [
        (
            {"auth": {"basicSecret": {"name": "files"}}},
            "download-credentials",
            DOWNLOAD_CREDENTIALS_FOLDER,
            secret("files", username="username", password="password"),
        ),
        (
            {"auth": {"bearerSecret": {"name": "files", "key": "mine"}}},
            "download-credentials",
            DOWNLOAD_CREDENTIALS_FOLDER,
            secret("files", mine="token"),
        ),
        (
            {"tls": {"caConfigMap": {"name": "roots", "key": "root.pem"}}},
            "download-ca",
            DOWNLOAD_CA_FOLDER,
            {"configMap": {"name": "roots", "items": ROOTS, "optional": True}},
        ),
    ],
)
def test_credentials_of_downloads_are_mounted_into_index_pods_alone(
    fields: dict[str, Any], name: str, folder: str, source: dict[str, Any]
) -> None:
    http = {"urls": ["https://example.org/a.json"], **fields}
    changes = QUERIES | {"spec.dataset": {"http": http}}
    assert mounted(index(changes), name) == (folder, source)
    assert name not in str(pick(tools(changes), "Job", "base-load-worker"))
