"""A status that stays well below what the API server stores.

A spec at all limits at once, with many steps, variants and request names, would have a status of
1.8 MB; etcd takes 1.5 MiB. Parts that the report has anyway are left out then, details first, one
after another, until the rest fits. `status.report.leftOut` names them. What the API server still
does not store is reduced to its conditions.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from solrbench.api.v1alpha1.comparisons import Comparison
from solrbench.api.v1alpha1.findings import InvalidReason, TrendConclusion
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.decide.conditions import SUCCEEDED, Conditions, is_finished
from solrbench.decide.pods import shorten
from solrbench.reasons.end import ApiServerReason

MAX_STATUS_BYTES = 750_000
"""Of a status as JSON, half of what etcd takes; events, `kubectl` and watches carry it, too."""

_SHORT_MESSAGE = 120
"""Characters of a message where all together are too long."""

_DETAILS = (
    *("ramp_requests", "requests_per_second_interval", "documents_per_second_interval"),
    *("average_milliseconds_interval", "seconds_per_thousand_requests", "percentiles"),
    *("min_milliseconds", "max_milliseconds", "requests_per_second_mean"),
    *("requests_per_second_deviation_percent", "p95_milliseconds_mean"),
    *("response_max_milliseconds", "response_average_milliseconds_interval"),
    *("steady_from_second", "outlier_windows", "drain_requests", "drain_seconds"),
)
"""Of a result: beside its rate, mean, percentiles and failures."""

_GROWING = frozenset(TrendConclusion) - {
    TrendConclusion.STEADY,
    TrendConclusion.INCONCLUSIVE,
    TrendConclusion.ROSE_ONCE,
}


def fit_status(status: Status, max_bytes: int = MAX_STATUS_BYTES) -> Status:
    """Return a status with as much as fits, and the names of what was left out."""
    left_out = list(status.report.left_out)
    for what, reduce in _REDUCTIONS:
        if len(status.model_dump_json(by_alias=True, exclude_none=True).encode()) <= max_bytes:
            break
        # It stays named by later reconciles, which begin with what is left of the status.
        if what not in left_out:
            left_out.append(what)
        report = status.report.model_copy(update={"left_out": left_out})
        status = status.model_copy(update={**reduce(status), "report": report})
    return status


def _without_details(status: Status) -> dict[str, object]:
    fields = StepResult.model_fields
    basic = {name: fields[name].get_default() for name in _DETAILS}
    return {"results": [result.model_copy(update=basic) for result in status.results]}


def _shorten_verdicts(field: str, status: Status) -> dict[str, object]:
    def cut(reason: InvalidReason) -> InvalidReason:
        return reason.model_copy(update={"message": shorten(reason.message, _SHORT_MESSAGE)})

    return {
        "verdicts": [
            verdict.model_copy(update={field: [cut(each) for each in getattr(verdict, field)]})
            for verdict in status.verdicts
        ]
    }


def _first_comparisons(status: Status) -> dict[str, object]:
    """Return the first comparison of each step and variant: that of all requests."""
    first: dict[tuple[str, str], Comparison] = {}
    for comparison in status.comparisons:
        first.setdefault((comparison.step, comparison.variant), comparison)
    return {"comparisons": list(first.values())}


def _growing_trends(status: Status) -> dict[str, object]:
    return {"trends": [trend for trend in status.trends if trend.conclusion in _GROWING]}


_REDUCTIONS: tuple[tuple[str, Callable[[Status], dict[str, object]]], ...] = (
    ("results: percentiles and intervals", _without_details),
    ("telemetry and distributions", lambda _: {"telemetry": [], "distributions": []}),
    ("visibility", lambda _: {"visibility": []}),
    ("verdicts: long messages of what was not checked", partial(_shorten_verdicts, "unchecked")),
    ("comparisons of single request names", _first_comparisons),
    ("trends of what does not grow", _growing_trends),
    ("verdicts: long messages", partial(_shorten_verdicts, "reasons")),
    ("results of single request names", lambda _: {"results": []}),
)
"""In their order: what is missed least goes first."""


MAX_ERROR = 500
"""Characters of the API server's message: that of an invalid object repeats the object."""


def reduce_status(status: Status, stored: Status, error: str, now: datetime) -> Status:
    """Return the conditions and what clean-up needs; the benchmark ends if it has not before.

    Results are left out; they stay in the ConfigMaps of the report.

    Parts are taken from the `stored` status, as these are known to be accepted.
    """
    conditions = Conditions(status.conditions, now, status.observed_generation)
    message = (
        f"the API server rejected the status, results are omitted: {error[:MAX_ERROR]};"
        " read them from the report, and reduce steps, variants or request names"
    )
    ended, before = is_finished(stored), conditions.get(SUCCEEDED)
    text = f"{before.message}; {message}" if ended else message
    truth = before.status if ended else "False"
    conditions.set(SUCCEEDED, truth, ApiServerReason.STATUS_REJECTED, text)
    return Status(
        observed_generation=status.observed_generation,
        phase=status.phase if ended else "Failed",
        progress_percent=status.progress_percent,
        start_time=status.start_time,
        completion_time=status.completion_time or now,
        phase_start_time=status.phase_start_time if ended else now,
        attempts=status.attempts,
        target=stored.target,
        dataset=stored.dataset,
        report=status.report,
        export=stored.export,
        conditions=conditions.as_list(),
    )
