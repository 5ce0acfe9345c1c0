"""A benchmark beside its baseline, in pods: words, sentences, and the command line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import small

OLD, NEW = "compared-old", "compared-new"
LOAD = {"repeats": {"count": 3}, "steps": [{"name": "two-users", "users": 2, "requests": 300}]}


@pytest.fixture(scope="module")
def status() -> Iterator[dict[str, Any]]:
    comparison = {"baseline": {"benchmark": {"name": OLD}}, "smallestEffectPercent": 100}
    kube.apply(small(NEW, load=LOAD, comparison=comparison), small(OLD, load=LOAD))
    kube.wait_for_success(OLD)
    yield kube.wait_for_success(NEW)
    kube.delete(NEW)
    kube.delete(OLD)


def test_it_waited_for_its_baseline(status: dict[str, Any]) -> None:
    assert status["startTime"] >= kube.status(OLD)["completionTime"]


def test_primary_figure_has_a_word_and_a_sentence(status: dict[str, Any]) -> None:
    (primary,) = [each for each in status["comparison"]["figures"] if each.get("primary")]
    assert (primary["figure"], primary["onTarget"]) == ("p95Milliseconds", True)
    assert primary["conclusion"] in ("Better", "Worse", "Same", "Inconclusive")
    assert status["answers"][0].startswith("At 2 users, the p95 of query ")
    (compared,) = [each for each in status["conditions"] if each["type"] == "Compared"]
    assert compared["status"] == "True"


def test_index_is_compared_without_a_word(status: dict[str, Any]) -> None:
    found = {each["figure"]: each for each in status["comparison"]["figures"]}
    assert "conclusion" not in found["indexBytes"]
    assert status["comparison"].get("differences", []) == []


def test_command_line_says_the_same_of_cluster_and_files(
    status: dict[str, Any], tmp_path: Path
) -> None:
    effect = ("--smallest-effect-percent", "100", "-o", "json")
    from_cluster = json.loads(kube.solrbench("compare", OLD, NEW, *effect))
    assert from_cluster["answers"]
    assert set(from_cluster["answers"]) <= set(status["answers"])
    files = [tmp_path / f"{name}.json" for name in (OLD, NEW)]
    for file in files:
        file.write_text(kube.solrbench("report", file.stem, "-o", "json"), "utf-8")
    from_files = json.loads(kube.solrbench("compare", *map(str, files), *effect))
    assert from_files == from_cluster
