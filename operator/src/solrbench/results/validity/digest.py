"""What is kept in memory of a stored step run: all that results and verdicts are made of."""

from dataclasses import dataclass

from solrbench.api.v1alpha1.load.load import Load
from solrbench.api.v1alpha1.status.results import ColdStart
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.summary.cold_start import summarise_cold_start
from solrbench.results.validity.verdict import Findings, evaluate_document

_SERIES = ("warm_up_thousands", "warm_up_caches", "thousands", "caches", "outliers")


@dataclass(frozen=True)
class StepRunDigest:
    """A step run without the series of its time, which are nearly all of it.

    Attributes:
        document: without windows, samples, outliers and slow requests
        findings: what each check found in the whole document
        cold_start: its cold start, if it was the first

    """

    document: StepRunResult
    findings: Findings
    cold_start: ColdStart | None


def digest(document: StepRunResult, load: Load) -> StepRunDigest:
    """Return what is kept of a stored document; it never changes but for its pods."""
    requests = [_without_series(each) for each in document.requests]
    kept = document.model_copy(update={name: [] for name in _SERIES} | {"requests": requests})
    findings = evaluate_document(document, load)
    return StepRunDigest(kept, findings, summarise_cold_start([document]))


def _without_series(result: RequestResult) -> RequestResult:
    return result.model_copy(update={"windows": [], "slow_requests": []})
