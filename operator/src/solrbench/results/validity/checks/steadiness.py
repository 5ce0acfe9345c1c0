"""Whether a step became steady before it ended."""

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_percent
from solrbench.results.stats.repeats.agreement import MIN_SECONDS
from solrbench.results.stats.step_drift import find_drift
from solrbench.results.validity.checks.finding import Finding, NotEvaluated, Outcome
from solrbench.results.validity.checks.repeats import mean_series


def check_steady(document: StepRunResult, load: Load) -> Outcome:
    """Compare the drift of the service times after the beginning with the limit.

    A warm-up that did not become steady is no reason by itself: its rule looks at few requests, and
    what follows may be steady all the same.
    """
    limit, series = load.validity.max_drift_percent, mean_series(document)
    if len(series) < MIN_SECONDS:
        return None  # no rule says of so few seconds whether they are steady
    drift = find_drift(series)
    if drift is None:
        return NotEvaluated(
            f"the step has responses in {len(series)} whole seconds; {MIN_SECONDS} after its"
            " beginning are needed, and more where service times swing slowly"
        )
    if abs(drift.percent) <= limit or not drift.is_certain:
        return None
    way = "rose" if drift.percent > 0 else "fell"
    before = (
        ", after a warm-up that was not steady either" if document.warm_up_steady is False else ""
    )
    return Finding(
        abs(drift.percent),
        f"the mean service time still {way} by {format_percent(abs(drift.percent))} over the last"
        f" {drift.seconds} s of the step{before} (limit {format_percent(limit)})",
    )
