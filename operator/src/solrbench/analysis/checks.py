"""What a check finds, and how it picks the worst."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from solrbench.analysis.server_metrics import RunTelemetry
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.step_details import ColdStart
from solrbench.contract.step_document import RequestResult, StepRunResult, WorkerResult
from solrbench.stats.number_format import format_cores, format_number, format_percent, format_share

if TYPE_CHECKING:  # commands that only name the checks need no numpy
    from solrbench.analysis.samples import RunSamples
    from solrbench.analysis.step_trends import RunTrend


@dataclass(frozen=True)
class ValidityFinding:
    """A limit that was passed: the measured number, by which the worst is found, and the text."""

    number: float
    text: str


@dataclass(frozen=True)
class NotEvaluated:
    """A check that could not be made, and why."""

    text: str


Outcome = ValidityFinding | NotEvaluated | None

Check = Callable[[StepRunResult, Load], Outcome]


@dataclass(frozen=True)
class EvaluatedRun:
    """A step run and what was found in it alone, while all series of its time were there.

    Attributes:
        findings: what each check found in the whole document, by reason
        second_means: mean service time of each whole second, in µs
        cold_start: its cold start, if it was the first
        servers: what the servers did; None if telemetry was turned off
    """

    samples: "RunSamples"
    findings: Mapping[str, Outcome]
    second_means: "array[float]"
    cold_start: ColdStart | None = None
    servers: RunTelemetry | None = None
    trends: "tuple[RunTrend, ...]" = ()

    @property
    def document(self) -> StepRunResult:
        """The step run."""
        return self.samples.document


CheckOfRepeats = Callable[[Sequence[EvaluatedRun], Load], Outcome]
"""Takes all repeats of a step through one variant, ascending."""


@dataclass(frozen=True)
class VerdictReason:
    """A reason for which a step is Invalid: its meaning is a sentence, its remedy an imperative."""

    meaning: str
    remedy: str


_Find = TypeVar("_Find")


@dataclass(frozen=True)
class CheckedReason(VerdictReason, Generic[_Find]):
    """A reason that a check gives: of one step run, of all repeats, or of where pods ran."""

    find: _Find


def worst_share_of_requests(
    document: StepRunResult, what: str, count: Callable[[RequestResult], int], limit: float
) -> ValidityFinding | None:
    """Return the request name of which the largest share is `what`, if above `limit` per cent."""
    return worst(
        ValidityFinding(
            part / result.requests,
            f"{part:,} of {result.requests:,} requests of {result.request} {what}"
            f" ({format_share(part, result.requests)}, limit {format_percent(limit)})",
        )
        for result in document.requests
        if (part := count(result)) * 100 > limit * result.requests and result.requests
    )


def worst_share_of_time(
    document: StepRunResult, field: str, limit: float, text: str, source: str
) -> Outcome:
    """Return the worker that lost the largest share above `limit` per cent of its measured time.

    `field` has the lost seconds, and `text` names them; `source` is what could not be read of
    workers whose lost seconds are unknown.
    """
    findings, unknown = [], []
    for worker in document.workers:
        lost: float | None = getattr(worker, field)
        whole, cores = measured_seconds(worker, document), worker.cpu_limit_cores
        if lost is None:
            unknown.append(worker.worker)
        elif whole > 0 and lost * 100 > limit * whole:
            finding = text.format(
                worker=worker.worker,
                lost=format_number(lost),
                whole=format_number(whole),
                at_cores="" if cores is None else f" at {format_cores(cores)}",
            )
            share = f"{format_percent(100 * lost / whole)}, limit {format_percent(limit)}"
            findings.append(ValidityFinding(lost / whole, f"{finding} ({share})"))
    if not findings and unknown:
        return NotEvaluated(f"no {source.format(', '.join(unknown[:3]))}")
    return worst(findings)


def count_of_kind(results: Iterable[RequestResult], kind: str) -> int:
    """Return how many requests failed in this way."""
    kinds = (each for result in results for each in result.failure_kinds)
    return sum(each.count for each in kinds if each.kind == kind)


def first_finding(findings: Mapping[str, Outcome], reasons: Iterable[str]) -> str | None:
    """Return the first of some reasons that a check gives, with its text; None if none does."""
    for reason in reasons:
        if isinstance(outcome := findings.get(reason), ValidityFinding):
            return f"{reason}: {outcome.text}"
    return None


def worst(findings: Iterable[ValidityFinding | None]) -> ValidityFinding | None:
    """Return the finding with the largest number; None if there is none."""
    known = (finding for finding in findings if finding is not None)
    return max(known, key=lambda finding: finding.number, default=None)


def measured_seconds(worker: WorkerResult, document: StepRunResult) -> float:
    """Return the time that a worker's CPU time was spent in."""
    return document.seconds if worker.measured_seconds is None else worker.measured_seconds
