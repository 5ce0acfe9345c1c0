"""What a check finds, and how it picks the worst."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.step_result import RequestResult, StepRunResult, WorkerResult
from solrbench.results.stats.number_format import (
    format_percent,
    format_share,
)


@dataclass(frozen=True)
class Finding:
    """A bound that was passed.

    Attributes:
        number: what was measured, to find the worst repeat
        text: number and bound with their units, and whom it is about

    """

    number: float
    text: str


@dataclass(frozen=True)
class NotEvaluated:
    """A check that could not be made, and why."""

    text: str


Outcome = Finding | NotEvaluated | None


Check = Callable[[StepRunResult, Load], Outcome]


def worst_share_of_requests(
    document: StepRunResult, what: str, count: Callable[[RequestResult], int], limit: float
) -> Finding | None:
    """Return the request name with the largest share above `limit` per cent of its requests."""
    return worst(
        Finding(
            part / result.requests,
            f"{part} of {result.requests} {what} ({format_share(part, result.requests)}) of"
            f" request {result.request}, limit {format_percent(limit)}",
        )
        for result in document.requests
        if (part := count(result)) * 100 > limit * result.requests and result.requests
    )


def count_of_kind(results: Iterable[RequestResult], kind: str) -> int:
    """Return how many requests failed in this way."""
    return sum(
        each.count for result in results for each in result.failure_kinds if each.kind == kind
    )


def worst(findings: Iterable[Finding]) -> Finding | None:
    """Return the finding with the largest number."""
    return max(findings, key=lambda each: each.number, default=None)


def measured_seconds(worker: WorkerResult, document: StepRunResult) -> float:
    """Return the time that a worker's CPU time was spent in; older documents know that of all."""
    return document.seconds if worker.measured_seconds is None else worker.measured_seconds
