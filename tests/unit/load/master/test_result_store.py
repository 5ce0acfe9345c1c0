from typing import Any

import pytest

from solrbench.api.v1alpha1.load.load import Step
from solrbench.load.master.list_offsets import (
    ListOffsets,
    max_requests_sent,
    resumed,
)
from solrbench.load.recording.worker_result import WorkerStepResult
from solrbench.load.schedule.arrivals import Schedule, arrivals_seed
from solrbench.load.schedule.assignment import step_assignment
from solrbench.plan.load_plan import LoadPlan
from unit.load.builders import workload

EXACT = Step(name="one", users=3, requests=100)
TIMED = Step(name="one", users=3, duration_seconds=5)


def plan(step: Step = EXACT, order: str = "Once", **fields: Any) -> LoadPlan:
    return LoadPlan.model_validate(
        {
            "benchmark": "tests/small",
            "attempt": 2,
            "solrUrls": ["http://solr:8983/solr"],
            "collection": "books",
            "workload": workload(order),
            "workers": 2,
            "stepRuns": [{"id": "r1-s0-one", "repeat": 1, "step": step}],
            "masterHost": "master",
            **fields,
        }
    )


def outcome(*used: int) -> WorkerStepResult:
    return WorkerStepResult(key="k", users=1, cpu_seconds=0, requests=[], used_numbers=list(used))


def test_each_entry_goes_on_apart_behind_the_fastest_worker() -> None:
    first = ListOffsets((True, False)).advanced_by([outcome(3, 0), outcome(5, 9)])
    assert first == ListOffsets((True, False), (5, 9))
    assert first.advanced_by([outcome(1, 0), outcome(0, 0)]).offsets == (6, 9)
    assert first.advanced_by([]).offsets == (5, 9)


def test_a_lost_worker_may_have_been_the_fastest() -> None:
    assert ListOffsets((False, True)).advanced_by([outcome(3, 1)], lost=True).may_repeat
    assert not ListOffsets((False, False)).advanced_by([outcome(3, 1)], lost=True).may_repeat


def test_only_lists_that_are_gone_through_once_skip_what_lost_tries_sent() -> None:
    mark = ListOffsets((True, False, True), (5, 6))
    assert mark.skip_lost(100, 2) == ListOffsets((True, False, True), (205, 6, 200))
    assert mark.skip_lost(None) == ListOffsets((True, False, True), (5, 6), may_repeat=True)
    assert mark.skip_lost(None, 0) == mark
    assert ListOffsets((False,), (5,)).skip_lost(None) == ListOffsets((False,), (5,))


def before(**fields: Any) -> dict[str, Any]:
    return {"resumption": {"offsets": [40]} | fields}


def test_attempt_begins_behind_stored_and_lost_step_runs() -> None:
    assert resumed(plan()) == ListOffsets((True,))
    assert resumed(plan(**before())) == ListOffsets((True,), (40,))
    lost = before(lostSteps=2, lostWarmUps=1)
    assert resumed(plan(warmUp={"requests": 7}, **lost)) == ListOffsets((True,), (247,))
    assert resumed(plan(order="Sequential", **lost)) == ListOffsets((False,), (40,))


@pytest.mark.parametrize(
    ("step", "fields"),
    [
        (TIMED, before(lostSteps=1)),
        (EXACT, before(lostSteps=1, lostWarmUps=1) | {"warmUp": {"durationSeconds": 3}}),
        (EXACT, before(mayRepeat=True)),
        # Within the lost attempt a step may have been begun several times.
        (EXACT, before(lostSteps=1) | {"onWorkerLoss": "Redistribute"}),
    ],
)
def test_unknown_offsets_are_reported(step: Step, fields: dict[str, Any]) -> None:
    assert resumed(plan(step, **fields)).may_repeat
    assert not resumed(plan(step, order="Sequential", **fields)).may_repeat


@pytest.mark.parametrize("length", [{"durationSeconds": 4}, {"requests": 300}])
@pytest.mark.parametrize("arrivals", ["Poisson", "Uniform"])
def test_a_planned_rate_sends_at_most_its_arrivals(length: dict[str, int], arrivals: str) -> None:
    rate = {"requestsPerSecond": 50, "rampSeconds": 2, "arrivalDistribution": arrivals}
    step = Step.model_validate({"name": "one"} | rate | length)
    whole = plan(step)
    duty = step_assignment(whole, whole.step_runs[0])
    assert duty.open_loop is not None
    seed = arrivals_seed(whole.workload.draw_seed, 1, "one")
    sent = [list(Schedule(duty.open_loop, seed, index, 2).arrival_times_ns()) for index in range(2)]
    assert max_requests_sent(duty, whole.workload) == sum(len(each) for each in sent) > 200


def test_users_send_what_a_step_wants_or_any_number() -> None:
    exact, timed = plan(EXACT), plan(TIMED)
    assert max_requests_sent(step_assignment(exact, exact.step_runs[0]), exact.workload) == 100
    assert max_requests_sent(step_assignment(timed, timed.step_runs[0]), timed.workload) is None
