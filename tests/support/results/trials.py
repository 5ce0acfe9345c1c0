"""Documents of the trials and the probe of a search for capacity."""

from collections.abc import Iterable
from typing import Any

from solrbench.analysis.capacity_trials import read_trial
from solrbench.analysis.samples import RunSamples
from solrbench.api.v1alpha1.objectives import Capacity, Objective
from solrbench.contract.load_plan import CapacitySearch, StoredTrial
from solrbench.contract.step_document import StepRunResult
from support.results.builders import (
    make_document,
    make_result,
    make_timed_result,
    with_response_times,
)

NEAR = {40: 20, 152: 180, 172: 240, 156: 189, 164: 213, 160: 200, 165: 217, 155: 186}
HELD = ((155.2, 190), (155.2, 195))
"""Runs that confirm what these trials find, by rate in requests/s and time in ms."""

SECONDS, PER_SECOND = 10, 40

FAST = Objective.model_validate({"name": "fast", "responseTime": {"maxMilliseconds": 200}})


def trial(number: int, rate: float, milliseconds: int, **fields: Any) -> StepRunResult:
    """Return the document of a trial whose requests all took so long."""
    made = make_timed_result([[1000 * milliseconds] * PER_SECOND] * SECONDS)
    return make_document(
        "t",
        1,
        with_response_times(made, made).model_copy(update=fields),
        seconds=SECONDS,
        id=f"t{number}",
        trial=number,
        duration_seconds=SECONDS,
        users=None,
        requests_per_second=rate,
        planned_requests=round(SECONDS * rate),
    )


def probe(requests: int = 2000, failures: int = 0) -> StepRunResult:
    result = make_result([10_000] * requests, failures=failures)
    return make_document("probe", 1, result, seconds=SECONDS, id="t0", trial=0)


def measured(
    rates: dict[int, int], confirming: Iterable[tuple[float, int]] = HELD
) -> list[StepRunResult]:
    """Return a probe, and trials and confirming runs by rate in requests/s and time in ms."""
    every = [*rates.items(), *confirming]
    return [probe(), *(trial(n, rate, time) for n, (rate, time) in enumerate(every, 1))]


def users_trial(number: int, users: int, milliseconds: int) -> StepRunResult:
    """Return the document of a trial of users whose requests all took so long."""
    result = make_timed_result([[1000 * milliseconds] * 40] * 10)
    return make_document(
        "t", 1, result, seconds=10, id=f"t{number}", trial=number, duration_seconds=10, users=users
    )


def search(*variants: str, **capacity: Any) -> CapacitySearch:
    return CapacitySearch(
        capacity=Capacity.model_validate(capacity),
        objectives=[FAST],
        max_failed_percent=1,
        variants=list(variants) or [""],
        workers=2,
        seed=1,
    )


def read(document: StepRunResult, *objectives: Objective) -> StoredTrial:
    return read_trial(RunSamples(document), objectives or [FAST])
