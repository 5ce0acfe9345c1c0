"""Searches, updates and transactions at once, by users and at a planned rate."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import BUSY_MACHINE, config_map, small
from support.solr.solr_state import search_requests, solr_pods

NAME = "kinds"
DOCUMENTS = 2000
ADDED = 5
"""Documents in one update."""
STEPS = {"two-users": 300, "planned": 250}
LENDING = {
    "requests": [
        {
            "name": "find",
            "parameters": {"q": "category_s:*", "fl": "id", "rows": "1"},
            "expect": {"minNumFound": 1},
            "extract": {"id": "response.docs[0].id"},
        },
        {
            "name": "lend",
            "handler": "/update",
            "thinkTime": {"constantMilliseconds": 20},
            "jsonBody": '[{"id": "{{id}}", "loans_i": {"inc": 1}}]',
        },
    ]
}
MIX: list[dict[str, Any]] = [
    {"name": "search", "weight": 8, "queries": {"generated": {"count": 200}}},
    {
        "name": "add",
        "weight": 1,
        "updates": {"generated": {"ids": "New"}, "documentsPerRequest": ADDED},
    },
    {"name": "check-out", "weight": 1, "transaction": LENDING},
    *(
        {
            "name": format_,
            "weight": 1,
            "queries": {"configMap": {"name": "kinds-queries"}, "order": "Sequential"},
            "parameters": {"wt": format_},
        }
        for format_ in ("json", "javabin")
    ),
]
FOUND_AND_FAILED = [
    {"params": {"q": "*:*"}, "expect": {"minNumFound": DOCUMENTS}},
    {"params": {"q": "*:*"}, "expect": {"maxNumFound": DOCUMENTS - 1}},
    {"params": {"q": "id:none"}, "expect": {"maxNumFound": 0}},
    {"params": {"q": "[1 TO"}},
    {"params": {"q": "*:*"}},
]
"""Two of five fail, and one finds nothing; an odd number, as workers take turns."""


@pytest.fixture(scope="module")
def status() -> Iterator[dict[str, Any]]:
    planned = {"name": "planned", "requestsPerSecond": 50, "requests": STEPS["planned"]}
    users = {"name": "two-users", "users": 2, "requests": STEPS["two-users"]}
    lines = "".join(f"{json.dumps(each)}\n" for each in FOUND_AND_FAILED)
    load = {"workers": 2, "steps": [users, planned], "validity": {"maxFailedPercent": 20}}
    yield from kube.measured(
        config_map("kinds-queries", queries__txt=lines),
        small(NAME, workload={"mix": MIX}, load=load, cleanup="Never"),
    )


def results(status: dict[str, Any], step: str) -> dict[str, dict[str, Any]]:
    return {each["request"]: each for each in status["results"] if each["step"] == step}


def total(status: dict[str, Any], request: str) -> int:
    return sum(results(status, step)[request]["requests"] for step in STEPS)


def stored(query: str, **parameters: Any) -> dict[str, Any]:
    pod = solr_pods(NAME)[0]
    return kube.solr(pod, f"/{NAME}/select", q=query, rows="0", **parameters)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_sends_exactly_its_requests(status: dict[str, Any], step: str) -> None:
    found = results(status, step)
    drawn = sum(found[entry["name"]]["requests"] for entry in MIX)
    assert drawn == STEPS[step]
    assert found["check-out"]["requests"] == found["check-out.lend"]["requests"]
    assert found["check-out"]["requests"] == found["check-out.find"]["requests"]
    failed = {name for name, each in found.items() if each["failures"]}
    assert failed == {"json", "javabin"}


def test_javabin_is_checked_as_json_is(status: dict[str, Any]) -> None:
    steps = json.loads(kube.solrbench("report", NAME, "-o", "json"))["steps"]
    kinds: dict[str, Counter[str]] = {}
    for found in (each for step in steps for each in step["requests"]):
        if found["request"] in ("json", "javabin"):
            # Each worker is somewhere in the five lines when a step ends.
            assert found["failures"] == pytest.approx(found["requests"] * 2 / 5, abs=4)
            assert found["emptyResults"] == pytest.approx(found["requests"] / 5, abs=4)
            counts = {each["kind"]: each["count"] for each in found["failureKinds"]}
            kinds.setdefault(found["request"], Counter()).update(counts)
    assert kinds["json"].keys() == kinds["javabin"].keys() >= {"ExpectationFailed"}
    assert len(kinds["json"]) == 2, kinds


def test_only_the_planned_step_has_response_times(status: dict[str, Any]) -> None:
    for each in results(status, "planned").values():
        assert each["responseP95Milliseconds"] >= each["p95Milliseconds"] * 0.99
        assert each["droppedRequests"] == 0
    for each in results(status, "two-users").values():
        assert "responseP95Milliseconds" not in each


def test_each_transaction_is_one_arrival_of_the_plan(status: dict[str, Any]) -> None:
    (open_loop,) = status["openLoop"]
    assert open_loop["step"] == "planned"
    assert open_loop["plannedArrivals"] == open_loop["sentArrivals"] == STEPS["planned"]
    assert open_loop["droppedArrivals"] == 0
    assert open_loop["lateArrivals"] <= STEPS["planned"]
    assert 0 <= open_loop["lagP99Milliseconds"] <= open_loop["lagMaxMilliseconds"] * 1.001


def test_solr_counts_the_same_searches(status: dict[str, Any]) -> None:
    names = ("search", "check-out.find", "json", "javabin")
    assert search_requests(NAME) == sum(total(status, name) for name in names)


def test_solr_holds_what_was_written(status: dict[str, Any]) -> None:
    kube.solr(solr_pods(NAME)[0], f"/{NAME}/update", commit="true")
    assert stored("*:*")["response"]["numFound"] == DOCUMENTS + ADDED * total(status, "add")
    loans = stored("*:*", stats="true", **{"stats.field": "loans_i"})["stats"]["stats_fields"]
    assert loans["loans_i"]["sum"] == total(status, "check-out.lend")


def test_every_step_has_a_verdict(status: dict[str, Any]) -> None:
    assert [each["step"] for each in status["verdicts"]] == list(STEPS)
    for each in status["verdicts"]:
        reasons = {reason["reason"] for reason in each.get("reasons", [])}
        # Few of the rarer requests; and the machine that runs this suite may be busy.
        assert reasons <= BUSY_MACHINE | {
            "RequestsFailed",  # as planned, for some seconds more than in the mean
            "TooFewSamples",
            "ScheduleLag",
            "WorkersDiffer",
            "DelayedByGenerator",
        }
        assert (each["verdict"] == "Invalid") == bool(reasons)
