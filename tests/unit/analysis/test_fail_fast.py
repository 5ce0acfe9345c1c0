"""Which steps are left out, and why."""

from typing import Any

import pytest

from solrbench.analysis.fail_fast import (
    describe_early_end,
    left_out,
    stop_reason,
    summarise_omitted,
)
from solrbench.analysis.samples import RunSamples
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import all_step_runs
from solrbench.contract.windows import EndedEarly
from support.results.builders import make_document, make_result, make_spec, make_timed_result

FAST = {"name": "fast", "responseTime": {"maxMilliseconds": 1}, "failFast": True}
LOAD_STEPS = ("low", "middle", "high")


def spec_with(*objectives: dict[str, Any], **load: Any) -> Spec:
    steps = [{"name": name, "users": 2, "requests": 10} for name in LOAD_STEPS]
    return make_spec(
        objectives=list(objectives), load={"steps": steps, "repeats": {"count": 2}} | load
    )


def document(step: str, milliseconds: float, failures: int = 0) -> StepRunResult:
    """Return the step run of the first repeat."""
    result = make_timed_result([[int(1000 * milliseconds)] * 20] * 60, failures=failures)
    name = f"r1-s{LOAD_STEPS.index(step)}-{step}"
    return make_document(step, 1, result, seconds=60, id=name)


def skipped(
    spec: Spec, *documents: StepRunResult, dataset: DatasetStatus | None = None
) -> dict[str, str]:
    stops = {
        each.id: stop_reason(spec.objectives, spec.load.stop, RunSamples(each))
        for each in documents
    }
    reasons = {key: reason for key, reason in stops.items() if reason is not None}
    return left_out(spec, all_step_runs(spec), stops, reasons, dataset or DatasetStatus())


def test_steps_after_a_missed_objective_are_left_out_in_every_repeat() -> None:
    found = skipped(spec_with(FAST), document("low", 0.5), document("middle", 3))
    assert list(found) == ["r1-s2-high", "r2-s2-high"]
    assert found["r1-s2-high"].startswith(
        "r1-s1-middle missed objective fast (failFast). The p95 is 3 ms"
    )


def test_what_is_measured_already_stays() -> None:
    found = skipped(spec_with(FAST), document("high", 5), document("middle", 3))
    assert list(found) == ["r2-s2-high"]


@pytest.mark.parametrize(
    "objective", [FAST | {"failFast": False}, FAST | {"steps": ["high"]}, FAST | {"request": "x"}]
)
def test_objectives_that_are_not_for_it_leave_nothing_out(objective: dict[str, Any]) -> None:
    assert skipped(spec_with(objective), document("low", 5)) == {}


def test_an_inconclusive_word_leaves_nothing_out() -> None:
    short = make_document("low", 1, make_result([9000] * 9))
    assert stop_reason(spec_with(FAST).objectives, spec_with().load.stop, RunSamples(short)) is None


def test_collapsed_step_leaves_out_the_rest() -> None:
    ended = EndedEarly(second=700, last_good_second=640, failures=99)
    collapsed = document("low", 0.5).model_copy(update={"ended_early": ended})
    found = skipped(spec_with(), collapsed)
    assert list(found) == ["r1-s1-middle", "r1-s2-high", "r2-s1-middle", "r2-s2-high"]
    assert "had succeeded since second 640; 99 requests failed in that time" in found["r1-s2-high"]
    once = ended.model_copy(update={"failures": 1})
    assert "; 1 request failed in that time" in describe_early_end(once, spec_with().load.stop)


def test_too_many_failures_leave_out_the_rest() -> None:
    spec = spec_with(stop={"maxFailedPercent": 20})
    assert skipped(spec, document("low", 1, failures=240)) == {}
    found = skipped(spec, document("low", 1, failures=300))
    assert list(found) == ["r1-s1-middle", "r1-s2-high", "r2-s1-middle", "r2-s2-high"]
    assert found["r1-s1-middle"] == (
        "r1-s0-low: 25 % of the requests failed (load.stop.maxFailedPercent: 20 %)"
    )


def test_slow_indexing_leaves_out_all() -> None:
    spec = spec_with({"name": "load", "indexingTime": {"maxSeconds": 60}, "failFast": True})
    assert skipped(spec, dataset=DatasetStatus(seconds=61)) == {}  # it may be chance
    assert skipped(spec, dataset=DatasetStatus(seconds=99, verdict="Invalid")) == {}
    found = skipped(spec, dataset=DatasetStatus(seconds=70))
    assert len(found) == 6
    (reason,) = set(found.values())
    assert reason.startswith(
        "objective load: The indexing time is 70 s (95 % confidence interval 63.1 to 76.9 s"
    )
    assert "the limit is 60 s." in reason


def test_status_has_one_entry_for_each_step_left_out() -> None:
    spec = spec_with(FAST)
    found = skipped(spec, document("low", 3))
    entries = summarise_omitted(all_step_runs(spec), found)
    assert [(each.step, each.step_runs) for each in entries] == [("middle", 2), ("high", 2)]
