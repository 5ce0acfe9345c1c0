"""What the status shows of objectives and the search, and what the load gets of them."""

from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.status.conditions import Condition
from solrbench.api.v1alpha1.status.objectives import ObjectivesStatus, ObjectiveWord
from solrbench.cluster.reports import Reports
from solrbench.controller.stages.objectives import conclude_objectives
from solrbench.decide.conditions import OBJECTIVES_MET
from solrbench.results.model.step_result import StepRunResult
from support.controller.measured_worlds import measured_so_far, plan_of, solr_pod
from support.controller.world import World
from support.results.trials import NEAR, measured
from unit.controller.runs import reconcile_context
from unit.results.builders import make_document, make_timed_result
from unit.solr.cloud import Cloud

STEPS = [{"name": name, "users": 2, "requests": 100} for name in ("low", "middle", "high")]
FAST = {"name": "fast", "responseTime": {"maxMilliseconds": 200}, "failFast": True}


def world_with(objectives: list[dict[str, Any]], **load: Any) -> World:
    world = measured_so_far(retries=2)
    spec = world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]
    spec["objectives"] = objectives
    spec["load"] |= {"steps": STEPS} | load
    world.cluster.put(solr_pod())
    return world


def store(world: World, *documents: StepRunResult) -> None:
    body = world.cluster.objects["SolrBenchmark", "default", "one"]
    reports, benchmark = Reports(world.cluster), SolrBenchmark.parse(body)
    for each in documents:
        reports.store(benchmark, each, 1)


def ladder(step: str, index: int, milliseconds: int) -> StepRunResult:
    result = make_timed_result([[1000 * milliseconds] * 20] * 60)
    document = make_document(step, 1, result, seconds=60)
    return document.model_copy(update={"id": f"r1-s{index}-{step}"})


def trials() -> list[StepRunResult]:
    found = measured(NEAR)
    return [each.model_copy(update={"id": f"capacity-t0{each.trial}"}) for each in found]


def test_steps_after_a_missed_objective_are_not_run_and_not_waited_for() -> None:
    world = world_with([FAST])
    store(world, ladder("low", 0, 300))
    status = world.reconcile("one").status
    assert [(each.step, each.step_runs) for each in status.not_run] == [("middle", 1), ("high", 1)]
    assert status.not_run[0].reason.startswith("r1-s0-low missed objective fast: p95 is 300 ms")
    assert status.objectives is not None
    assert status.objectives.word is ObjectiveWord.MISSED
    assert (status.report.stored_steps, status.report.total_steps) == (1, 1)


def test_the_load_gets_the_search_with_what_is_stored_of_it() -> None:
    world = world_with([FAST], steps=[STEPS[0]], capacity={"maxTrials": 8})
    store(world, ladder("low", 0, 100), *trials()[:3])
    plan = plan_of(world)
    assert plan.step_runs == []
    assert plan.search is not None
    assert [each.number for each in plan.search.stored] == [0, 1, 2]
    status = world.reconcile("one").status
    # One step, the probe and eight trials.
    assert (status.report.stored_steps, status.report.total_steps) == (4, 10)
    assert [each.word for each in status.capacity] == ["Searching"]
    assert [each.step for each in status.results] == ["low"]


def test_a_search_that_is_over_is_not_run_again() -> None:
    world = world_with([FAST], steps=[], capacity={"maxTrials": 8})
    store(world, *trials())
    status = world.reconcile("one").status
    assert (status.report.stored_steps, status.report.total_steps) == (9, 9)
    assert status.capacity[0].message.startswith("holds 160 requests/s")
    assert world.cluster.names("Job") == set()
    assert status.summary.step == "capacity"
    assert status.summary.requests_per_second == status.capacity[0].requests_per_second
    assert any(each.startswith("holds 160 requests/s") for each in status.answers)


@pytest.mark.parametrize(
    ("word", "condition"),
    [
        (ObjectiveWord.MET, ("True", "ObjectivesMet")),
        (ObjectiveWord.MISSED, ("False", "ObjectivesMissed")),
        (ObjectiveWord.UNCLEAR, ("Unknown", "ObjectivesUnclear")),
    ],
)
def test_condition_follows_from_the_word(word: ObjectiveWord, condition: tuple[str, str]) -> None:
    context = reconcile_context(Cloud(), status=Status(objectives=ObjectivesStatus(word=word)))
    conclude_objectives(context)
    found: Condition = context.conditions.get(OBJECTIVES_MET)
    assert (found.status, found.reason) == condition


def test_without_objectives_there_is_no_condition() -> None:
    context = reconcile_context(Cloud())
    conclude_objectives(context)
    assert OBJECTIVES_MET not in {each.type for each in context.conditions.as_list()}
