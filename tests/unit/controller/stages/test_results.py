"""A benchmark that is compared with another one, or with a stored report."""

import base64
import gzip
from typing import Any

import orjson
import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.reports import Reports
from support.cluster.benchmarks import config_map, small
from support.controller.measured_worlds import TIME, measured_so_far, solr_pod
from support.controller.world import World, condition_of
from unit.results.builders import make_document, make_result

BENCHMARK = {"baseline": {"benchmark": {"name": "old"}}}
REPORT = {"baseline": {"report": {"configMap": {"name": "kept", "key": "old.json"}}}}


def ended(name: str, succeeded: bool) -> dict[str, Any]:
    """Return a benchmark that is over, and cleaned up."""
    body = small(name)
    truth = "True" if succeeded else "False"
    conditions = {"Succeeded": truth, "CleanedUp": "True"}
    body["status"] = {
        "startTime": TIME,
        "phase": "Succeeded" if succeeded else "Failed",
        "conditions": [
            {
                "type": type_,
                "status": status,
                "reason": type_,
                "message": "",
                "lastTransitionTime": TIME,
            }
            for type_, status in conditions.items()
        ],
    }
    return body


def store(world: World, name: str, *milliseconds: int) -> None:
    """Store a repeat of the step for each time."""
    body = world.cluster.objects["SolrBenchmark", "default", name]
    reports, benchmark = Reports(world.cluster), SolrBenchmark.parse(body)
    for repeat, each in enumerate(milliseconds, start=1):
        document = make_document("two-users", repeat, make_result([each * 1000] * 300))
        found = document.model_copy(update={"id": f"r{repeat}-s0-two-users"})
        reports.store(benchmark, found, 1)


def test_start_waits_until_the_baseline_has_succeeded() -> None:
    world = World(small("new", comparison=BENCHMARK))
    after = world.reconcile("new")
    assert (after.status.phase, condition_of(after, "Accepted")) == (
        "Pending",
        ("False", "BaselineNotFound"),
    )
    world.cluster.put(small("old"))
    assert condition_of(world.reconcile("new"), "Accepted") == ("False", "BaselineUnfinished")
    world.cluster.put(ended("old", succeeded=True))
    assert condition_of(world.reconcile("new"), "Accepted") == ("True", "Accepted")


def test_a_baseline_is_waited_for_beyond_the_deadline() -> None:
    deadlines = {"provisioningSeconds": 60}
    world = World(small("new", comparison=BENCHMARK, deadlines=deadlines), small("old"))
    for _ in range(2):
        after = world.reconcile("new", 3600)
        assert condition_of(after, "Accepted") == ("False", "BaselineUnfinished")
    world.cluster.put(ended("old", succeeded=True))
    assert condition_of(world.reconcile("new"), "Accepted") == ("True", "Accepted")


def test_a_failed_baseline_ends_it() -> None:
    world = World(small("new", comparison=BENCHMARK), ended("old", succeeded=False))
    assert condition_of(world.reconcile("new"), "Succeeded") == ("False", "BaselineFailed")


def test_a_report_that_is_none_ends_it() -> None:
    world = World(small("new", comparison=REPORT))
    assert condition_of(world.reconcile("new"), "Accepted") == ("False", "ConfigMapNotFound")
    world.cluster.put(config_map("kept", old__json="no report"))
    assert condition_of(world.reconcile("new"), "Succeeded") == ("False", "BaselineUnreadable")


def comparing(comparison: dict[str, Any]) -> World:
    """Return a world in which two repeats of a benchmark are measured."""
    world = measured_so_far(retries=2)
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    body["spec"]["comparison"] = comparison
    body["spec"]["load"]["repeats"] = {"count": 6}
    world.cluster.put(solr_pod())
    store(world, "one", 120, 121, 119, 120, 120)
    return world


def test_stored_steps_are_compared_with_those_of_the_baseline() -> None:
    world = comparing(BENCHMARK)
    world.cluster.put(ended("old", succeeded=True))
    store(world, "old", 100, 101, 99, 100, 100)
    status = world.reconcile("one").status
    assert status.comparison is not None
    first = status.comparison.figures[0]
    assert (status.comparison.baseline, first.word, first.primary) == ("old", "Worse", True)
    assert first.difference_percent == pytest.approx(20, abs=0.5)
    assert condition_of(SolrBenchmark.parse(stored(world)), "Compared") == ("True", "Compared")
    assert status.answers[0].startswith("p95 of query at 2 users: Worse on this target by 20")
    assert stored(world)["status"]["answers"] == status.answers


def stored(world: World) -> dict[str, Any]:
    """Return the benchmark as it is stored."""
    found: dict[str, Any] = world.cluster.objects["SolrBenchmark", "default", "one"]
    return found


@pytest.mark.parametrize("packed", [True, False])
def test_stored_steps_are_compared_with_a_stored_report(packed: bool) -> None:
    world = comparing(REPORT)
    world.cluster.put(ended("old", succeeded=True))
    store(world, "old", 120, 121, 119, 120, 120)
    old = SolrBenchmark.parse(world.cluster.objects["SolrBenchmark", "default", "old"])
    documents = Reports(world.cluster).documents(old).values()
    as_json: dict[str, Any] = {"mode": "json", "by_alias": True, "exclude_none": True}
    text = orjson.dumps(
        {
            "benchmark": "default/old",
            "spec": old.spec.model_dump(**as_json),
            "status": old.status.model_dump(**as_json),
            "steps": [each.model_dump(**as_json) for each in documents],
        }
    )
    kept = config_map("kept")
    if packed:
        kept["binaryData"] = {"old.json": base64.b64encode(gzip.compress(text)).decode()}
    else:
        kept["data"] = {"old.json": text.decode()}
    world.cluster.put(kept)
    status = world.reconcile("one").status
    assert status.comparison is not None
    assert (status.comparison.baseline, status.comparison.figures[0].word) == (
        "report kept",
        "Same",
    )


def test_a_baseline_that_is_gone_is_said_and_measuring_goes_on() -> None:
    world = comparing(BENCHMARK)
    after = world.reconcile("one")
    assert condition_of(after, "Compared") == ("False", "BaselineNotFound")
    assert after.status.phase == "Measuring"
    assert after.status.comparison is None


def test_without_a_baseline_there_is_no_such_condition() -> None:
    world = comparing({"smallestEffectPercent": 2})
    assert "Compared" not in {each.type for each in world.reconcile("one").status.conditions}
