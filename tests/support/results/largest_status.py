"""A status at all its limits at once: all lists full, all texts and numbers long."""

from datetime import UTC, datetime
from typing import Any, TypeVar

from solrbench.analysis.bottleneck import MAX_MESSAGE as MAX_BOTTLENECK
from solrbench.analysis.check_registry import REASONS
from solrbench.analysis.conclusions import MAX_CHARACTERS
from solrbench.analysis.verdict import MAX_MESSAGE
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.comparisons import (
    MAX_ANSWER_COMPARISONS,
    MAX_FIGURES,
    MAX_NOTES,
    MAX_REPEATS,
    MAX_TREND_DIFFERENCES,
    MORE_THAN_50,
    AnswerComparison,
    BaselineComparison,
    Comparison,
    Conclusion,
    FigureComparison,
    Overhead,
    RepeatSummary,
    Summary,
    TrendDifference,
)
from solrbench.api.v1alpha1.conditions import Condition, StatusModel
from solrbench.api.v1alpha1.findings import (
    MAX_NOT_RUN,
    MAX_REASONS,
    MAX_TRENDS,
    MAX_VERDICTS,
    Bottleneck,
    CapacityConclusion,
    CapacityResult,
    InvalidReason,
    NotRun,
    ObjectiveConclusion,
    ObjectiveResult,
    ObjectivesStatus,
    Scalability,
    StepVerdict,
    Trend,
    TrialResult,
)
from solrbench.api.v1alpha1.load import MAX_PERCENTILES
from solrbench.api.v1alpha1.objectives import MAX_CONFIRMATIONS, MAX_OBJECTIVE_RESULTS, MAX_TRIALS
from solrbench.api.v1alpha1.result_rules import MAX_RESULTS
from solrbench.api.v1alpha1.server_metrics import MAX_MISSING, StepTelemetry
from solrbench.api.v1alpha1.status import MAX_ANSWERS, MAX_COMPARISONS, TargetStatus
from solrbench.api.v1alpha1.step_details import (
    MAX_RESPONSE_GAPS,
    MAX_VISIBILITY,
    ColdStart,
    OpenLoopStats,
    StepResponseGaps,
    StepVisibility,
)
from solrbench.api.v1alpha1.step_result import (
    BOUNDS_SECONDS,
    Distribution,
    Interval,
    PercentileResult,
    StepResult,
)
from solrbench.api.v1alpha1.target import MAX_VARIANTS

NAME, REQUEST = "n" * 40, "r" * 81  # of an entry of the mix, a dot, and a request of it
Part = TypeVar("Part", bound=StatusModel)

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
        conclusion=Conclusion.INCONCLUSIVE,
        more_repeats=MORE_THAN_50,
    ),
    "PercentileResult": [_PERCENTILE] * MAX_PERCENTILES,
    "Interval": Interval(lower=9_999_999.999, upper=9_999_999.999),
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
    verdict = StepVerdict(**places, verdict="Invalid", reasons=reasons, unchecked=reasons)
    result = largest(StepResult, **places, request=REQUEST)
    comparison = largest(
        Comparison,
        **places,
        baseline=NAME,
        request=REQUEST,
        invalid=[NAME, NAME],
        figure="averageMilliseconds",
    )
    now = datetime(2026, 1, 1, tzinfo=UTC)
    condition = Condition(
        type="TargetReady",
        status="False",
        reason="R" * 40,
        message="m" * 2000,
        last_transition_time=now,
    )
    # With every note that there is.
    answers = AnswerComparison(
        candidate="c" * 63,
        baseline="b" * 63,
        conclusion="Differ",
        queries=5000,
        different=5000,
        notes=["n" * 160] * 7,
    )
    objective = largest(
        ObjectiveResult,
        **places,
        name=NAME,
        conclusion=ObjectiveConclusion.INCONCLUSIVE,
        unit="requests/s",
        message="m" * 200,
    )
    capacity = largest(
        CapacityResult,
        variant=NAME,
        conclusion=CapacityConclusion.SEARCHING,
        message="m" * 400,
        trials=[largest(TrialResult)] * MAX_TRIALS,
        confirmations=[largest(TrialResult)] * MAX_CONFIRMATIONS,
    )
    return Status(
        results=[result] * MAX_RESULTS,
        totals=[result.model_copy(update={"request": ""})] * MAX_VERDICTS,
        comparisons=[comparison] * MAX_COMPARISONS,
        comparison=_largest_comparison(places),
        answer_comparisons=[answers] * MAX_ANSWER_COMPARISONS,
        answers=["a" * MAX_CHARACTERS] * MAX_ANSWERS,
        summary=Summary(repeats=[largest(RepeatSummary)] * MAX_REPEATS),
        open_loop=[largest(OpenLoopStats, **places)] * MAX_VERDICTS,
        response_gaps=[
            largest(StepResponseGaps, **places, least_user_node="n" * 80, longest_node="n" * 80)
        ]
        * MAX_RESPONSE_GAPS,
        verdicts=[verdict] * MAX_VERDICTS,
        target=TargetStatus(nodes={f"{n:0>60}:8983_solr": now.isoformat() for n in range(512)}),
        objectives=ObjectivesStatus(
            conclusion=ObjectiveConclusion.INCONCLUSIVE, results=[objective] * MAX_OBJECTIVE_RESULTS
        ),
        not_run=[NotRun(**places, step_runs=100, reason="m" * 250)] * MAX_NOT_RUN,
        capacity=[capacity] * MAX_VARIANTS,
        scalability=[largest(Scalability, variant=NAME, message="m" * 200)] * MAX_VARIANTS,
        conditions=[condition] * 16,
        distributions=[
            Distribution(
                **places,
                within=[10**12 - 1] * len(BOUNDS_SECONDS),
                requests=10**12 - 1,
                total_seconds=9_999_999.999,
            )
        ]
        * MAX_VERDICTS,
        cold_start=largest(ColdStart, **places),
        telemetry=[largest(StepTelemetry, **places, missing=["m" * 120] * MAX_MISSING)]
        * MAX_VERDICTS,
        visibility=[
            StepVisibility(
                **places,
                replica_type="TLOG",
                documents=10**6,
                not_found=10**6,
                percentiles=[_PERCENTILE] * 3,
                max_milliseconds=9_999_999.999,
                error_milliseconds=9_999_999.999,
                problem="m" * 400,
            )
        ]
        * MAX_VISIBILITY,
        bottlenecks=[
            Bottleneck(
                **places,
                resource="GarbageCollection",
                server="n" * 80,
                message="m" * MAX_BOTTLENECK,
                field="f" * 80,
            )
        ]
        * MAX_VERDICTS,
        trends=[
            largest(
                Trend,
                **places,
                figure="ResidentMemory",
                conclusion="MemoryGrows",
                server="n" * 80,
                unit="milliseconds",
                message="m" * 200,
            )
        ]
        * MAX_TRENDS,
    )


def _largest_comparison(places: dict[str, str]) -> BaselineComparison:
    figure = largest(
        FigureComparison,
        **places,
        request=REQUEST,
        figure="averageMilliseconds",
        conclusion=Conclusion.INCONCLUSIVE,
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
                conclusion=Conclusion.INCONCLUSIVE,
            )
        ]
        * MAX_TREND_DIFFERENCES,
        left_out=10**9,
        settings=["s" * 250] * MAX_NOTES,
        differences=["d" * 250] * MAX_NOTES,
    )
