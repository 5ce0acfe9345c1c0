"""The seconds of a step run over all request names: the input of steadiness and outliers."""

from collections.abc import Iterable
from typing import NamedTuple

from solrbench.results.model.step_result import RequestResult


class SecondMean(NamedTuple):
    """One second of a step run in which something ended."""

    second: int
    """Whole seconds since measuring began."""
    requests: int
    mean_microseconds: float
    """Mean service time of all requests that ended in it."""


def second_means(results: Iterable[RequestResult]) -> list[SecondMean]:
    """Return the whole seconds of a step run in their order; those without a response are left out.

    The last one is left out too: the end of the step run cuts it short, and the few requests in it
    are the slow ones that were still under way.
    """
    sums: dict[int, tuple[int, int]] = {}
    for result in results:
        for window in result.windows:
            requests, total = sums.get(window.second, (0, 0))
            elapsed = (window.mean_microseconds or 0) * window.requests
            sums[window.second] = requests + window.requests, total + elapsed
    last = max(sums, default=0)
    return [
        SecondMean(second, requests, total / requests)
        for second, (requests, total) in sorted(sums.items())
        if requests and second < last
    ]
