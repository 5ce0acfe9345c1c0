"""Evidence of the load generator's own delays."""

from typing import Any

from solrbench.contract.step_document import WorkerPercentile, WorkerResult
from support.results.builders import make_result
from support.results.validity_documents import worker


def delayed(with_lag: list[int], without: list[int] | None) -> dict[str, Any]:
    stored = None if without is None else make_result(without).service_time_histogram
    return {
        "response_time_histogram": make_result(with_lag).service_time_histogram,
        "response_time_without_lag_histogram": stored,
        "response_max_microseconds": max(with_lag),
    }


def seen(name: str, milliseconds: float, beyond: int, requests: int = 1000) -> WorkerResult:
    found = WorkerPercentile(percent=95, microseconds=round(1000 * milliseconds), beyond=beyond)
    return worker(name, requests=requests, percentiles=[found])
