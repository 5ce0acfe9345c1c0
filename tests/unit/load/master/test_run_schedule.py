"""What the master measures next."""

from typing import Any

from solrbench.load.master.run_schedule import RunSchedule
from solrbench.plan.load_plan import LoadPlan, PlannedStepRun
from solrbench.results.model.step_result import StepRunResult
from support.results.trials import probe, trial
from unit.load.master.fake_load.workers import load_plan
from unit.results.builders import make_document, make_timed_result

STEPS: list[dict[str, Any]] = [
    {"name": name, "users": 4, "durationSeconds": 10} for name in ("low", "middle", "high")
]
FAST = {"name": "fast", "responseTime": {"maxMilliseconds": 1}, "failFast": True}


def ladder(repeats: int = 1, **fields: Any) -> LoadPlan:
    plan = load_plan(*STEPS, repeats=repeats, **fields)
    indexed = [
        each.model_copy(update={"step_index": index % len(STEPS)})
        for index, each in enumerate(plan.step_runs)
    ]
    return plan.model_copy(update={"step_runs": indexed})


def measured(planned: PlannedStepRun, milliseconds: int) -> StepRunResult:
    document = make_document(
        planned.step.name, planned.repeat, make_timed_result([[1000 * milliseconds] * 20] * 60)
    )
    return document.model_copy(update={"id": planned.id})


def run(plan: LoadPlan, **milliseconds: int) -> list[str]:
    """Return the ids of what is run if steps take so long."""
    schedule, ids = RunSchedule(plan), []
    for planned in schedule:
        ids.append(planned.id)
        if planned.trial is None:
            schedule.note(measured(planned, milliseconds.get(planned.step.name, 0)))
        elif planned.trial == 0:
            schedule.note(probe())
        else:
            rate = planned.step.requests_per_second or 0.0
            schedule.note(trial(planned.trial, rate, round(20 + 1.25 * max(rate - 20, 0))))
    return ids


def test_without_objectives_the_whole_plan_is_run() -> None:
    assert run(ladder(), low=9) == ["r1-s0-low", "r1-s1-middle", "r1-s2-high"]


def test_steps_after_a_missed_objective_are_not_run_in_any_repeat() -> None:
    found = run(ladder(repeats=2, objectives=[FAST]), middle=9)
    assert found == ["r1-s0-low", "r1-s1-middle", "r2-s0-low", "r2-s1-middle"]


def capacity(stored: list[dict[str, Any]] | None = None) -> LoadPlan:
    objective = {"name": "fast", "responseTime": {"maxMilliseconds": 200}}
    search = {
        "capacity": {"maxTrials": 9},
        "objectives": [objective],
        "workers": 2,
        "seed": 1,
        "stored": stored or [],
    }
    return ladder(search=search)


def test_trials_come_after_the_steps_and_end() -> None:
    found = run(capacity())
    assert found[:5] == [
        *("r1-s0-low", "r1-s1-middle", "r1-s2-high"),
        *("capacity-t00", "capacity-t01"),
    ]
    assert 8 <= len(found) - 4 <= 9


def test_stored_trials_are_not_run_again() -> None:
    stored = [
        {"number": 0, "requestsPerSecond": 200.0, "excess": -1.0},
        {"number": 1, "requestsPerSecond": 40.0, "excess": -1.0},
    ]
    plan = capacity(stored).model_copy(update={"step_runs": []})
    assert run(plan)[0] == "capacity-t02"
