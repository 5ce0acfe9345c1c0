"""What a client costs: requests by the server's count, CPU time by `/proc`, between two looks."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.harness.processes import cpu_seconds


class ClientCost(NamedTuple):
    """What some processes did together for a while."""

    requests: int
    cpu_seconds: float
    seconds: float

    @property
    def per_cpu_second(self) -> float:
        """Requests per second of CPU time."""
        return self.requests / self.cpu_seconds

    @property
    def per_second(self) -> float:
        """Requests per second by the clock."""
        return self.requests / self.seconds

    @property
    def cpu_percent(self) -> float:
        """CPU time in percent of a core."""
        return 100 * self.cpu_seconds / self.seconds

    @property
    def microseconds_each(self) -> float:
        """CPU time of one request."""
        return 1e6 * self.cpu_seconds / self.requests


def measure_client(
    served: Callable[[], int], pids: Sequence[int], seconds: float, settle_seconds: float
) -> ClientCost:
    """Let a client settle, then weigh its processes for so long.

    `served` returns how many requests the server has served.
    """
    time.sleep(settle_seconds)
    began, requests, elapsed = time.monotonic(), served(), _spent(pids)
    time.sleep(seconds)
    passed = time.monotonic() - began
    return ClientCost(served() - requests, _spent(pids) - elapsed, passed)


def _spent(pids: Sequence[int]) -> float:
    return sum(map(cpu_seconds, pids))
