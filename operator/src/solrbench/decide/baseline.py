"""Whether the benchmark that another one is compared with has its results, or is waited for."""

from dataclasses import dataclass

from solrbench.decide.outcome import Outcome, fail, wait
from solrbench.reasons.lifecycle import LifecycleReason

_FIELD = "spec.comparison.baseline.benchmark"


@dataclass(frozen=True)
class BaselineBenchmark:
    """The benchmark of `spec.comparison.baseline`."""

    name: str
    namespace: str
    exists: bool
    finished: bool = False
    succeeded: bool = False
    phase: str = ""


def check_baseline(found: BaselineBenchmark) -> Outcome | None:
    """Wait until the baseline has succeeded; end if it has failed."""
    if not found.exists:
        return wait(
            LifecycleReason.BASELINE_NOT_FOUND,
            f"{_FIELD}: there is no SolrBenchmark {found.name} in namespace {found.namespace};"
            " create it",
        )
    if not found.finished:
        return wait(
            LifecycleReason.BASELINE_UNFINISHED,
            f"{_FIELD}: SolrBenchmark {found.name} has not ended, it is {found.phase}",
        )
    if not found.succeeded:
        return fail(
            LifecycleReason.BASELINE_FAILED,
            f"{_FIELD}: SolrBenchmark {found.name} has failed, so there is nothing to compare"
            " with; run it again, or name another baseline",
        )
    return None
