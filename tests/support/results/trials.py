"""Documents of the trials and the probe of a search for capacity."""

from typing import Any

from solrbench.contract.step_document import StepRunResult
from support.results.builders import make_document, make_result

NEAR = {40: 20, 152: 180, 172: 240, 156: 189, 164: 213, 160: 200, 165: 217, 155: 186}


def trial(number: int, rate: float, milliseconds: int, **fields: Any) -> StepRunResult:
    """Return the document of a trial whose requests all took so long."""
    made = make_result([1000 * milliseconds] * 100)
    times = {
        "response_time_histogram": made.service_time_histogram,
        "response_sum_microseconds": made.sum_microseconds,
        "response_max_microseconds": made.max_microseconds,
    }
    document = make_document("t", 1, made.model_copy(update=times | fields), seconds=10)
    planned = {"requests_per_second": rate, "planned_requests": round(10 * rate)}
    return document.model_copy(
        update={"id": f"t{number}", "trial": number, "duration_seconds": 10, "users": None}
        | planned
    )


def probe(requests: int = 2000, failures: int = 0) -> StepRunResult:
    document = make_document("probe", 1, make_result([10_000] * requests, failures=failures))
    return document.model_copy(update={"id": "t0", "trial": 0, "seconds": 10.0})


def measured(rates: dict[int, int]) -> list[StepRunResult]:
    """Return a probe, and trials by rate in requests/s and time in ms."""
    trials = [trial(n, rate, time) for n, (rate, time) in enumerate(rates.items(), 1)]
    return [probe(), *trials]
