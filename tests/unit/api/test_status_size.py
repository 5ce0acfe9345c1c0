"""The largest status that a spec can lead to is well below what the API server stores."""

from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.load.capacity import MOST_TRIALS
from solrbench.api.v1alpha1.load.load import MOST_PERCENTILES
from solrbench.api.v1alpha1.objectives import MAX_OBJECTIVE_RESULTS
from solrbench.api.v1alpha1.rules.size import MAX_RESULTS, max_request_names
from solrbench.api.v1alpha1.status.capacity import (
    MAX_VARIANTS,
    CapacityResult,
    CapacityWord,
    Scalability,
    TrialResult,
)
from solrbench.api.v1alpha1.status.comparison import (
    MAX_FIGURES,
    MAX_NOTES,
    MAX_TREND_DIFFERENCES,
    BaselineComparison,
    FigureComparison,
    TrendDifference,
)
from solrbench.api.v1alpha1.status.conditions import Condition, StatusModel
from solrbench.api.v1alpha1.status.objectives import (
    MAX_NOT_RUN,
    NotRun,
    ObjectiveResult,
    ObjectivesStatus,
    ObjectiveWord,
)
from solrbench.api.v1alpha1.status.results import Comparison, OpenLoopStats, Overhead
from solrbench.api.v1alpha1.status.silences import MAX_SILENCES, StepSilences
from solrbench.api.v1alpha1.status.status import MAX_ANSWERS, MAX_COMPARISONS
from solrbench.api.v1alpha1.status.steps.intervals import Interval, PercentileResult
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.api.v1alpha1.status.verdicts import (
    MAX_REASONS,
    MAX_VERDICTS,
    InvalidReason,
    StepVerdict,
)
from solrbench.api.v1alpha1.status.word import MORE_THAN_50, Word
from solrbench.results.answers.collect import MOST_CHARACTERS
from solrbench.results.validity.checks.registry import REASONS
from solrbench.results.validity.verdict import MAX_MESSAGE
from unit.results.builders import make_spec

NAME, REQUEST = "n" * 40, "r" * 81  # of an entry of the mix, a dot, and a request of it
MAX_BYTES = 1_400_000
"""Of etcd's 1,572,864, the rest is for the spec and metadata."""

Part = TypeVar("Part", bound=StatusModel)

_INTERVAL = Interval(lower=9_999_999.999, upper=9_999_999.999)
_PERCENTILE = PercentileResult(
    percent=99.99,
    milliseconds=9_999_999.999,
    lower_milliseconds=9_999_999.999,
    upper_milliseconds=9_999_999.999,
)
_LARGEST: dict[str, Any] = {
    "Overhead": Overhead(
        percent=-12345.67,
        low_percent=-12345.67,
        high_percent=-12345.67,
        word=Word.UNCLEAR,
        more_repeats=MORE_THAN_50,
    ),
    "PercentileResult": [_PERCENTILE] * MOST_PERCENTILES,
    "Interval": _INTERVAL,
    "int": 10**12 - 1,
    "float": 9_999_999.999,
    "bool": True,
}


def largest(part: type[Part], **given: Any) -> Part:
    """Return a part with all its fields, each number as long as measured ones get."""
    values: dict[str, Any] = dict(given)
    for name, field in part.model_fields.items():
        if name in given:
            continue
        kind = next(each for each in _LARGEST if each in str(field.annotation))
        values[name] = _LARGEST[kind]
    return part(**values)


def largest_status() -> Status:
    reasons = [InvalidReason(reason=reason, message="m" * MAX_MESSAGE) for reason in REASONS]
    reasons = sorted(reasons, key=lambda each: -len(each.reason))[:MAX_REASONS]
    places = {"step": NAME, "variant": NAME}
    verdict = StepVerdict(**places, verdict="Invalid", reasons=reasons)
    result = largest(StepResult, **places, request=REQUEST)
    comparison = largest(Comparison, **places, baseline=NAME, request=REQUEST, invalid=[NAME, NAME])
    now = datetime(2026, 1, 1, tzinfo=UTC)
    condition = Condition(
        type="TargetReady",
        status="False",
        reason="R" * 40,
        message="m" * 2000,
        last_transition_time=now,
    )
    return Status(
        results=[result] * MAX_RESULTS,
        totals=[result.model_copy(update={"request": ""})] * MAX_VERDICTS,
        comparisons=[comparison] * MAX_COMPARISONS,
        comparison=_largest_comparison(places),
        answers=["a" * MOST_CHARACTERS] * MAX_ANSWERS,
        open_loop=[largest(OpenLoopStats, **places)] * MAX_VERDICTS,
        silences=[largest(StepSilences, **places, least_user_node="n" * 80, longest_node="n" * 80)]
        * MAX_SILENCES,
        verdicts=[verdict] * MAX_VERDICTS,
        target=TargetStatus(nodes={f"{n:0>60}:8983_solr": now.isoformat() for n in range(512)}),
        objectives=_largest_objectives(places),
        not_run=[NotRun(**places, step_runs=100, reason="m" * 250)] * MAX_NOT_RUN,
        capacity=[_largest_capacity()] * MAX_VARIANTS,
        scalability=[largest(Scalability, variant=NAME, message="m" * 200)] * MAX_VARIANTS,
        conditions=[condition] * 8,
    )


def _largest_comparison(places: dict[str, str]) -> BaselineComparison:
    figure = largest(
        FigureComparison,
        **places,
        request=REQUEST,
        figure="averageMilliseconds",
        word=Word.UNCLEAR,
        more_repeats=MORE_THAN_50,
    )
    return BaselineComparison(
        baseline=NAME,
        figures=[figure] * MAX_FIGURES,
        trends=[
            largest(
                TrendDifference,
                **places,
                figure="FailedRequests",
                unit="milliseconds",
                word=Word.UNCLEAR,
            )
        ]
        * MAX_TREND_DIFFERENCES,
        left_out=10**9,
        settings=["s" * 250] * MAX_NOTES,
        differences=["d" * 250] * MAX_NOTES,
    )


def _largest_objectives(places: dict[str, str]) -> ObjectivesStatus:
    return ObjectivesStatus(
        word=ObjectiveWord.UNCLEAR,
        results=[
            largest(
                ObjectiveResult,
                **places,
                name=NAME,
                word=ObjectiveWord.UNCLEAR,
                unit="requests/s",
                message="m" * 200,
            )
        ]
        * MAX_OBJECTIVE_RESULTS,
    )


def _largest_capacity() -> CapacityResult:
    return largest(
        CapacityResult,
        variant=NAME,
        word=CapacityWord.SEARCHING,
        message="m" * 400,
        trials=[largest(TrialResult)] * MOST_TRIALS,
    )


def test_the_largest_status_can_be_stored() -> None:
    text = largest_status().model_dump_json(by_alias=True, exclude_none=True)
    assert len(text.encode()) < MAX_BYTES


def ladder(steps: int, repeats: int, variants: int, mix: int) -> Spec:
    entries = [{"name": f"q{n}", "queries": {"generated": {}}} for n in range(mix)]
    target: dict[str, Any] = {"solrCloud": {"nodes": 2}}
    if variants > 1:
        target["variants"] = [{"name": f"v{n}", "endpoint": "Nodes"} for n in range(variants)]
    return make_spec(
        target=target,
        workload={"mix": entries},
        load={
            "repeats": {"count": repeats},
            "steps": [{"users": n + 1, "requests": 1} for n in range(steps)],
        },
    )


@pytest.mark.parametrize(
    ("steps", "repeats", "variants", "mix"),
    [(32, 1, 1, 8), (12, 20, 1, 20), (4, 20, 8, 8), (32, 100, 1, 2)],
)
def test_ladders_that_fit_are_accepted(steps: int, repeats: int, variants: int, mix: int) -> None:
    assert max_request_names(ladder(steps, repeats, variants, mix)) >= mix


@pytest.mark.parametrize(
    ("steps", "repeats", "variants", "mix", "message"),
    [
        (32, 1, 1, 9, "names of workload.mix must be at most 256"),
        (4, 1, 8, 9, "names of workload.mix must be at most 256"),
        (32, 100, 1, 3, "names of workload.mix must be at most 8000"),
        (20, 21, 1, 20, "load.repeats times load.steps times target.variants"),
    ],
)
def test_ladders_that_do_not_fit_are_refused(
    steps: int, repeats: int, variants: int, mix: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ladder(steps, repeats, variants, mix)


def test_names_of_files_are_as_few_as_fit() -> None:
    assert max_request_names(ladder(1, 1, 1, 1)) == 50
    assert max_request_names(ladder(32, 1, 1, 1)) == 8
    assert max_request_names(ladder(4, 1, 8, 1)) == 8
    assert max_request_names(ladder(32, 100, 1, 1)) == 2
