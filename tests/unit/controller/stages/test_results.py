"""Objectives, the search for the capacity and comparisons: in the status, and in the plan."""

import base64
import gzip
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import orjson
import pytest

from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.findings import ObjectiveConclusion, ObjectivesStatus
from solrbench.contract.step_document import StepRunResult
from solrbench.controller.stages.results import conclude_objectives
from solrbench.decide.conditions import OBJECTIVES_MET
from solrbench.errors import TemporaryError
from solrbench.kube.results import BenchmarkResultStore
from solrbench.reasons.end import ApiServerReason
from solrbench.stats import histograms
from solrbench.stats.histograms import BucketCounts
from support.cluster.benchmarks import config_map, small
from support.controller.runs import reconcile_context
from support.controller.world import World, condition_of
from support.controller.worlds import TIME, measured_so_far, plan_of, solr_pod, stored_conditions
from support.fakes.fake_cluster import Request, no_fault
from support.narrowing import not_none
from support.results.builders import make_document, make_result, make_timed_result, report_body
from support.results.trials import NEAR, measured
from support.solr.cloud import Cloud

STEPS = [{"name": name, "users": 2, "requests": 100} for name in ("low", "middle", "high")]
FAST = {"name": "fast", "responseTime": {"maxMilliseconds": 200}, "failFast": True}


def world_with(**load: Any) -> World:
    world = measured_so_far(retries=2)
    spec = world.body()["spec"]
    spec["objectives"] = [FAST]
    spec["load"] |= {"steps": STEPS} | load
    world.cluster.put(solr_pod())
    return world


def ladder(step: str, index: int, milliseconds: int) -> StepRunResult:
    result = make_timed_result([[1000 * milliseconds] * 20] * 60)
    return make_document(step, 1, result, seconds=60, id=f"r1-s{index}-{step}")


def trials() -> list[StepRunResult]:
    found = measured(NEAR)
    return [each.model_copy(update={"id": f"capacity-t{each.trial:02}"}) for each in found]


def test_steps_after_a_missed_objective_are_not_run_and_not_waited_for() -> None:
    world = world_with()
    world.store(ladder("low", 0, 300))
    status = world.reconcile("one").status
    assert [(each.step, each.step_runs) for each in status.not_run] == [("middle", 1), ("high", 1)]
    assert status.not_run[0].reason.startswith("r1-s0-low missed objective fast (failFast).")
    assert not_none(status.objectives).conclusion is ObjectiveConclusion.MISSED
    assert (status.report.stored_steps, status.report.total_steps) == (1, 1)


def test_repeats_that_are_not_begun_are_not_whole_as_their_steps_are_left_out() -> None:
    world = world_with(repeats={"until": "Decided", "min": 3, "max": 20})
    world.body()["spec"]["comparison"] = {"baseline": {"benchmark": {"name": "before"}}}
    world.store(ladder("low", 0, 300))
    report = world.reconcile("one").status.report
    assert (report.repeats, report.stored_steps, report.total_steps) == (3, 1, 3)
    again = {"id": "r2-s0-low", "repeat": 2}
    world.store(ladder("low", 0, 300).model_copy(update=again))
    assert [each.step_runs for each in world.reconcile("one").status.not_run] == [3, 3]


def test_the_load_gets_the_search_with_what_is_stored_of_it() -> None:
    world = world_with(steps=[STEPS[0]], capacity={"maxTrials": 8})
    world.store(ladder("low", 0, 100), *trials()[:3])
    plan = plan_of(world)
    assert plan.step_runs == []
    assert [each.number for each in not_none(plan.search).stored] == [0, 1, 2]
    status = world.reconcile("one").status
    # One step, the probe, eight trials and seven runs that may confirm what they find.
    assert (status.report.stored_steps, status.report.total_steps) == (4, 17)
    # 10 % for the target, 30 % for the data, and of the load 4 of 17 that may be needed.
    assert status.progress_percent == 54
    assert [each.conclusion for each in status.capacity] == ["Searching"]
    assert [each.step for each in status.results] == ["low"]


def test_the_search_comes_once_repeats_on_fresh_targets_are_decided() -> None:
    until = {"until": "Decided", "min": 2, "max": 5, "startOn": "FreshTarget"}
    world = world_with(steps=[STEPS[0]], capacity={"maxTrials": 8}, repeats=until)
    world.body()["spec"]["comparison"] = {"baseline": {"benchmark": {"name": "before"}}}
    world.store(ladder("low", 0, 100))
    world.body()["status"]["report"] = {"storedSteps": 1, "repeats": 1, "totalSteps": 17}
    plan = plan_of(world)
    assert (plan.step_runs, plan.search is None) == ([], False)


def test_a_search_that_is_over_is_not_run_again() -> None:
    world = world_with(steps=[], capacity={"maxTrials": 8})
    world.store(*trials())
    status = world.reconcile("one").status
    assert (status.report.stored_steps, status.report.total_steps) == (11, 11)
    assert status.capacity[0].message.startswith("This target sustains 160 requests/s")
    assert world.cluster.names("Job") == set()
    assert status.summary.step == "capacity"
    assert status.summary.requests_per_second == status.capacity[0].requests_per_second
    assert any(each.startswith("This target sustains 160 requests/s") for each in status.answers)


@pytest.mark.parametrize(
    ("conclusion", "condition"),
    [
        (ObjectiveConclusion.MET, ("True", "ObjectivesMet")),
        (ObjectiveConclusion.MISSED, ("False", "ObjectivesMissed")),
        (ObjectiveConclusion.INCONCLUSIVE, ("Unknown", "ObjectivesInconclusive")),
    ],
)
def test_condition_follows_from_the_conclusion(
    conclusion: ObjectiveConclusion, condition: tuple[str, str]
) -> None:
    status = Status(objectives=ObjectivesStatus(conclusion=conclusion))
    context = reconcile_context(Cloud(), status=status)
    conclude_objectives(context)
    found = context.conditions.get(OBJECTIVES_MET)
    assert (found.status, found.reason) == condition


def test_without_objectives_there_is_no_condition() -> None:
    context = reconcile_context(Cloud())
    conclude_objectives(context)
    assert OBJECTIVES_MET not in {each.type for each in context.conditions.as_list()}


BENCHMARK = {"baseline": {"benchmark": {"name": "old"}}}
REPORT = {"baseline": {"report": {"configMap": {"name": "kept", "key": "old.json"}}}}


def ended(*, succeeded: bool) -> dict[str, Any]:
    """Return a baseline that is over, and cleaned up."""
    status = {
        "startTime": TIME,
        "phase": "Succeeded" if succeeded else "Failed",
        "conditions": stored_conditions(Succeeded=str(succeeded), CleanedUp="True"),
    }
    return small("old") | {"status": status}


def store_baseline(world: World, name: str, *milliseconds: int) -> None:
    """Store a repeat of the step for each time."""
    for repeat, each in enumerate(milliseconds, start=1):
        result = make_result([each * 1000] * 300)
        world.store(make_document("two-users", repeat, result), name=name)


def test_start_waits_until_the_baseline_has_succeeded() -> None:
    world = World(small("new", comparison=BENCHMARK))
    after = world.reconcile("new")
    assert after.status.phase == "Pending"
    assert condition_of(after, "Accepted") == ("False", "BaselineNotFound")
    world.cluster.put(small("old"))
    assert condition_of(world.reconcile("new"), "Accepted") == ("False", "BaselineUnfinished")
    world.cluster.put(ended(succeeded=True))
    # Its results were dropped: that is known before anything is measured.
    assert condition_of(world.reconcile("new"), "Accepted") == ("False", "BaselineNotFound")
    store_baseline(world, "old", 100)
    assert condition_of(world.reconcile("new"), "Accepted") == ("True", "Accepted")


def test_a_baseline_is_waited_for_beyond_the_deadline() -> None:
    deadlines = {"provisioningSeconds": 60}
    world = World(small("new", comparison=BENCHMARK, deadlines=deadlines), small("old"))
    for _ in range(2):
        after = world.reconcile("new", 3600)
        assert condition_of(after, "Accepted") == ("False", "BaselineUnfinished")
    world.cluster.put(ended(succeeded=True))
    store_baseline(world, "old", 100)
    assert condition_of(world.reconcile("new"), "Accepted") == ("True", "Accepted")


def test_a_failed_baseline_ends_it() -> None:
    world = World(small("new", comparison=BENCHMARK), ended(succeeded=False))
    assert condition_of(world.reconcile("new"), "Succeeded") == ("False", "BaselineFailed")


def test_a_report_that_is_none_ends_it() -> None:
    world = World(small("new", comparison=REPORT))
    assert condition_of(world.reconcile("new"), "Accepted") == ("False", "ConfigMapNotFound")
    world.cluster.put(config_map("kept", old__json="no report"))
    assert condition_of(world.reconcile("new"), "Succeeded") == ("False", "BaselineUnreadable")


def comparing(comparison: dict[str, Any]) -> World:
    """Return a world in which two repeats of a benchmark are measured."""
    world = measured_so_far(retries=2)
    spec = world.body()["spec"]
    spec["comparison"] = comparison
    spec["load"]["repeats"] = {"count": 6}
    world.cluster.put(solr_pod())
    store_baseline(world, "one", 120, 121, 119, 120, 120)
    return world


def test_stored_steps_are_compared_with_those_of_the_baseline() -> None:
    world = comparing(BENCHMARK)
    world.cluster.put(ended(succeeded=True))
    store_baseline(world, "old", 100, 101, 99, 100, 100)
    status = world.reconcile("one").status
    comparison = not_none(status.comparison)
    first = comparison.figures[0]
    assert (comparison.baseline, first.conclusion, first.primary) == ("old", "Worse", True)
    assert first.difference_percent == pytest.approx(20, abs=0.5)
    assert condition_of(SolrBenchmark.parse(world.body()), "Compared") == ("True", "Compared")
    assert status.answers[0].startswith("At 2 users, the p95 of query is 20 % higher than in old (")
    assert world.body()["status"]["answers"] == status.answers


def comparing_with_report(packed: bool, **changes: str) -> World:
    """Return such a world, with the report of a benchmark in a ConfigMap, of which texts differ."""
    world = comparing(REPORT)
    world.cluster.put(ended(succeeded=True))
    store_baseline(world, "old", 120, 121, 119, 120, 120)
    old = SolrBenchmark.parse(world.body("old"))
    documents = BenchmarkResultStore(world.cluster).documents(old).values()
    more = {"benchmark": "default/old", "status": plain(old.status)}
    text = orjson.dumps(report_body(old.spec, documents, **more))
    for step in documents:
        for name, value in changes.items():
            text = text.replace(str(getattr(step.requests[0], name)).encode(), value.encode())
    kept = config_map("kept")
    if packed:
        kept["binaryData"] = {"old.json": base64.b64encode(gzip.compress(text)).decode()}
    else:
        kept["data"] = {"old.json": text.decode()}
    world.cluster.put(kept)
    return world


@pytest.mark.parametrize("packed", [True, False])
def test_stored_steps_are_compared_with_a_stored_report(packed: bool) -> None:
    status = comparing_with_report(packed).reconcile("one").status
    comparison = not_none(status.comparison)
    assert (comparison.baseline, comparison.figures[0].conclusion) == ("report kept", "Same")


def test_a_report_with_times_that_no_load_measures_is_said() -> None:
    world = comparing_with_report(packed=True, service_time_histogram="eA==")
    status = world.reconcile("one").status
    assert (status.comparison, status.internal_errors) == (None, 0)
    after = SolrBenchmark.parse(world.body())
    assert condition_of(after, "Compared") == ("False", "BaselineUnreadable")


def test_a_baseline_that_is_gone_is_said_and_measuring_goes_on() -> None:
    world = comparing(BENCHMARK)
    after = world.reconcile("one")
    assert condition_of(after, "Compared") == ("False", "BaselineNotFound")
    assert after.status.phase == "Measuring"
    assert after.status.comparison is None


@pytest.mark.parametrize("kind", ["SolrBenchmark", "ConfigMap"])
def test_a_baseline_that_could_not_be_read_once_is_read_again(kind: str) -> None:
    world = comparing(BENCHMARK)
    world.cluster.put(ended(succeeded=True))
    store_baseline(world, "old", 100, 101, 99, 100, 100)
    world.body()["spec"]["load"]["repeats"] = {"count": 5}  # all of them are stored

    def refuse(request: Request, serve: Callable[[], Any]) -> Any:
        selector = request.arguments.get("selector") or {}
        names = request.arguments.get("name"), selector.get("solrbench.io/benchmark")
        if request.kind == kind and "old" in names:
            raise TemporaryError(ApiServerReason.API_UNREACHABLE, "a gateway times out")
        return serve()

    world.cluster.fault = refuse
    for _ in range(2):
        after = world.reconcile("one")
        assert condition_of(after, "Compared") == ("False", "ApiUnreachable")
        assert condition_of(after, "Measured") == ("False", "ApiUnreachable")
        assert after.status.phase == "Measuring"
    world.cluster.fault = no_fault
    after = world.reconcile("one")
    assert condition_of(after, "Compared") == ("True", "Compared")
    assert not_none(after.status.comparison).figures[0].conclusion == "Worse"


def test_without_a_baseline_there_is_no_such_condition() -> None:
    world = comparing({"smallestEffectPercent": 2})
    assert "Compared" not in {each.type for each in world.reconcile("one").status.conditions}


def test_an_update_decodes_each_histogram_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_with(steps=STEPS[:2], repeats={"count": 3})
    variants = [{"name": name, "endpoint": "Nodes"} for name in ("one", "two")]
    world.body()["spec"]["target"]["variants"] = variants
    for number, (step, variant, repeat) in enumerate(product(STEPS[:2], ["one", "two"], (1, 2))):
        made = [
            make_timed_result([[1000 * (5 + number) + 100 * index] * 20] * 60, name)
            for index, name in enumerate(("a", "b"))
        ]
        world.store(make_document(str(step["name"]), repeat, *made, seconds=60, variant=variant))
    decoded: Counter[str] = Counter()

    def read(stored: str) -> BucketCounts:
        decoded[stored] += 1
        return histograms.decode(stored)

    monkeypatch.setattr(histograms, "read", read)
    assert len(world.reconcile("one").status.results) == 8
    assert len(decoded) == 16
    assert set(decoded.values()) == {1}
