"""What is kept in memory of a stored step run: all that results and verdicts are made of."""

from dataclasses import dataclass, replace
from typing import Any

from solrbench.api.v1alpha1.load.load import Load
from solrbench.api.v1alpha1.status.summaries import ColdStart
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.model.window_series import WindowSeries
from solrbench.results.summary.cold_start import summarise_cold_start
from solrbench.results.summary.telemetry import RunTelemetry, run_telemetry
from solrbench.results.trends.run_trends import RunTrend, run_trends
from solrbench.results.validity.checks.finding import EvaluatedRun
from solrbench.results.validity.step_verdicts import evaluate_document

_SERIES = ("warm_up_thousands", "warm_up_caches", "thousands", "caches", "outliers", "diagnostics")


@dataclass(frozen=True)
class StepRunDigest:
    """A step run without the series of its time, which are nearly all of it.

    Attributes:
        evaluated: what was found in the whole; its document is without windows, samples, outliers
            and slow requests
        cold_start: its cold start, if it was the first
        servers: what the servers did; None if telemetry was turned off
        trends: what grew meanwhile; none of a short step

    """

    evaluated: EvaluatedRun
    cold_start: ColdStart | None
    servers: RunTelemetry | None = None
    trends: tuple[RunTrend, ...] = ()

    @property
    def document(self) -> StepRunResult:
        """The step run without series."""
        return self.evaluated.document


def digest(document: StepRunResult, load: Load) -> StepRunDigest:
    """Return what is kept of a stored document; it never changes but for its pods."""
    requests = [_without_series(each) for each in document.requests]
    left_out: dict[str, Any] = {name: [] for name in _SERIES} | {"telemetry": None}
    kept = document.model_copy(update=left_out | {"requests": requests})
    evaluated = replace(evaluate_document(document, load), document=kept)
    return StepRunDigest(
        evaluated, summarise_cold_start([document]), run_telemetry(document), run_trends(document)
    )


def _without_series(result: RequestResult) -> RequestResult:
    return result.model_copy(update={"windows": WindowSeries(), "slow_requests": []})
