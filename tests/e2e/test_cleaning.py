"""Files that need cleaning: indexed by pods and counted, and refused without it."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import config_map, small

NAME = "cleaning"
DATA = "dirty-files"
LINES = b"".join(b'{"title_t":"number %d\x01\xe9 <b>bold</b>"}\n' % number for number in range(50))
CSV = b"title_t\none\x00two\n\x1a"
Body = dict[str, Any]


def files() -> Body:
    binary = {"a.jsonl": LINES, "b.csv": CSV}
    encoded = {name: b64encode(data).decode() for name, data in binary.items()}
    return config_map(DATA) | {"binaryData": encoded}


def benchmark(name: str, **cleaning: str) -> Body:
    source = {"configMap": {"name": DATA, "keys": ["a.jsonl", "b.csv"]}}
    indexing = {"pods": 2, "batchSize": 10}
    changes: Body = {"dataset": source | {"indexing": indexing}}
    if cleaning:
        changes["dataset"]["cleaning"] = cleaning
    queries = {"configMap": {"name": "cleaning-queries"}}
    return small(name, workload={"queries": queries}, **changes)


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    queries = config_map("cleaning-queries", queries__txt="title_t:bold\ntitle_t:number\n")
    body = benchmark(NAME, controlCharacters="Remove", invalidBytes="Replace", markup="Remove")
    add = {"name": "add", "users": 2, "requests": 40, "indexing": {"batchSize": 5}}
    body["spec"]["load"]["steps"].append(add)
    yield from kube.measured(files(), queries, body)
    for name in (DATA, "cleaning-queries"):
        kube.kubectl("delete", "configmap", name, "--ignore-not-found")


def test_everything_is_indexed_and_what_was_cleaned_is_counted(status: Body) -> None:
    assert status["dataset"]["documents"] == 51
    assert status["dataset"]["cleaned"] == {
        "documents": 51,
        "controlCharacters": 51,
        "invalidBytes": 50,
        "markupCharacters": 350,
    }


def test_a_step_adds_documents_like_those_of_the_files(status: Body) -> None:
    (result,) = (each for each in status["results"] if each["step"] == "add")
    assert (result["request"], result["failures"]) == ("update", 0)
    assert result["documentsPerSecond"] > 0
    reasons = [each["reason"] for one in status["verdicts"] for each in one.get("reasons", [])]
    assert "DocumentsLost" not in reasons


def test_each_index_pod_is_shown_with_its_node_and_files(status: Body) -> None:
    pods = status["dataset"]["byPod"]
    nodes = {each["metadata"]["name"] for each in kube.items("nodes")}
    assert [each["pod"] for each in pods] == [0, 1]
    assert {each["node"] for each in pods} <= nodes
    assert sum(each["documents"] for each in pods) == 51
    for each in pods:
        found = {file["name"]: file for file in each["slowestFiles"]}
        assert set(found) == {"a.jsonl", "b.csv"}
        assert found["a.jsonl"]["bytes"] == len(LINES)
        assert sum(file["documents"] for file in found.values()) == each["documents"]


def test_without_cleaning_file_and_line_are_named(status: Body) -> None:
    kube.apply(benchmark("unclean"))
    try:
        message = kube.wait_for_reason("unclean", "Succeeded", "MalformedDocument", 300)
    finally:
        kube.kubectl("delete", "sbench", "unclean", "--wait=false", "--ignore-not-found")
    assert "a.jsonl: line 1" in message
    assert "spec.dataset.cleaning" in message
