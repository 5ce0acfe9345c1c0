"""Marked documents are found when they are committed, and none is left."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import small

NAME = "visibility"
WITHIN = 500


@pytest.fixture(scope="module")
def status() -> Iterator[dict[str, Any]]:
    visibility = {"intervalSeconds": 1, "commitWithinMilliseconds": WITHIN}
    steps = [{"name": "two-users", "users": 2, "durationSeconds": 15}]
    yield from kube.measured(small(NAME, load={"steps": steps, "visibility": visibility}))


def test_documents_are_found_after_the_commit(status: dict[str, Any]) -> None:
    (found,) = status["visibility"]
    assert found.get("problem") is None
    assert (found["step"], found["replicaType"], found["notFound"]) == ("two-users", "NRT", 0)
    assert found["documents"] >= 8
    median = found["percentiles"][0]
    assert WITHIN * 0.8 <= median["milliseconds"] <= WITHIN + 1500
    assert median["lowerMilliseconds"] <= median["milliseconds"] <= median["upperMilliseconds"]


def test_marked_documents_are_no_documents_of_the_dataset(status: dict[str, Any]) -> None:
    assert status["dataset"]["documents"] == 2000
    assert all(
        each["verdict"] != "Invalid" or "Documents" not in str(each["reasons"])
        for each in status["verdicts"]
    )
    text = kube.solrbench("report", NAME, "-o", "markdown")
    assert "## Time until found" in text
