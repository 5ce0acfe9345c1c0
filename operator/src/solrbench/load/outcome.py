"""What one worker measured in one pass, as it travels to the master.

Everything in it adds up: sums instead of means, counts instead of percentiles.
"""

from typing import NamedTuple

from solrbench.api.rules import Model
from solrbench.results.document import FailureKind


class WindowSums(NamedTuple):
    """One second of one request name."""

    second: int
    """Whole seconds since measuring began; a request belongs to the second of its end."""
    requests: int
    failures: int
    sum_microseconds: int
    max_microseconds: int


class RequestOutcome(Model):
    """One request name on one worker."""

    request: str
    requests: int
    failures: int
    failure_kinds: list[FailureKind]
    ramp_requests: int
    ramp_failures: int
    retried_requests: int
    bytes_received: int
    sum_microseconds: int
    min_microseconds: int | None
    max_microseconds: int | None
    service_time_histogram: str
    windows: list[WindowSums]


class WorkerOutcome(Model):
    """One worker in one pass."""

    key: str
    """Key of the assignment."""
    users: int
    cpu_seconds: float
    """CPU time of the process from the begin of measuring to the last answer."""
    core_cpu_seconds: float | None = None
    """CPU time of the core's thread, within it."""
    core_waiting_seconds: float | None = None
    """Time in which that thread waited for a CPU; None where the kernel does not tell."""
    measured_seconds: float | None = None
    """Time by the clock that these were spent in."""
    throttled_seconds: float | None = None
    """Time in which the control group stood still; None where the kernel does not tell."""
    cpu_limit_cores: float | None = None
    """Limit of the control group; None without one."""
    first_seconds: float | None = None
    """First measured request, counted from the begin of measuring; None without any."""
    last_seconds: float | None = None
    """Last answer, counted the same way."""
    requests: list[RequestOutcome]

    @property
    def measured(self) -> int:
        """Requests in the result."""
        return sum(each.requests for each in self.requests)

    @property
    def sent(self) -> int:
        """Requests in the result and in the ramp."""
        return self.measured + sum(each.ramp_requests for each in self.requests)
