"""What one worker measured in one step run, as it travels to the master.

Everything in it adds up: sums instead of means, counts instead of percentiles.
"""

from typing import NamedTuple

from solrbench.api.rules import Model
from solrbench.results.model.step_result import FailureKind, SlowRequest


class SecondSums(NamedTuple):
    """One second of one request name."""

    second: int
    """Whole seconds since measuring began; a request belongs to the second of its end."""
    requests: int
    failures: int
    sum_microseconds: int
    max_microseconds: int


class MicroBatch(NamedTuple):
    """A handful of responses in a row, of any request name."""

    end_microseconds: int
    """When the last of them ended, counted from the begin of measuring."""
    requests: int
    failures: int
    sum_microseconds: int
    max_microseconds: int


class WorkerRequestStats(Model):
    """One request name on one worker."""

    request: str
    is_transaction: bool = False
    """Counts whole transactions; in no sum of requests."""
    requests: int
    failures: int
    failure_kinds: list[FailureKind]
    partial_answers: int | None = 0
    """None if not detectable in the responses, as the following."""
    empty_answers: int | None = 0
    ramp_requests: int
    ramp_failures: int
    retried_requests: int
    bytes_received: int
    sum_microseconds: int
    min_microseconds: int | None
    max_microseconds: int | None
    service_time_histogram: str
    windows: list[SecondSums]
    slow_requests: list[SlowRequest] = []
    response_time_histogram: str | None = None
    """None in a closed loop."""
    response_sum_microseconds: int = 0
    response_max_microseconds: int | None = None
    dropped_requests: int = 0
    ramp_dropped_requests: int = 0
    late_requests: int = 0


class WorkerStepResult(Model):
    """One worker in one step run."""

    key: str
    """Key of the assignment."""
    users: int
    cpu_seconds: float
    """CPU time of the process from the begin of measuring to the last response."""
    core_cpu_seconds: float | None = None
    """CPU time of the engine's thread, within it."""
    core_waiting_seconds: float | None = None
    """Time in which that thread waited for a CPU; None where the kernel does not report it."""
    measured_seconds: float | None = None
    """Time by the clock that these were spent in."""
    throttled_seconds: float | None = None
    """Time for which the control group was throttled; None where the kernel does not report it."""
    cpu_limit_cores: float | None = None
    """Limit of the control group; None without one."""
    first_seconds: float | None = None
    """First measured request, counted from the begin of measuring; None without any."""
    last_seconds: float | None = None
    """Last answer, counted the same way."""
    used_numbers: list[int] = []
    """For each entry of the workload one more than its highest slot that was sent."""
    queries_exhausted: bool = False
    """A list with the order `Once` came to its end."""
    planned_requests: int | None = None
    """Measured arrivals of the plan; None in a closed loop, as the following."""
    lag_p99_microseconds: int | None = None
    lag_max_microseconds: int | None = None
    requests: list[WorkerRequestStats]
    micro_batches: list[MicroBatch] = []
    """All measured requests in the order of their ends, up to a bound."""

    @property
    def measured(self) -> int:
        """Requests in the result."""
        return sum(each.requests for each in self.requests if not each.is_transaction)

    @property
    def sent(self) -> int:
        """Requests in the result and in the ramp."""
        return self.measured + sum(
            each.ramp_requests for each in self.requests if not each.is_transaction
        )
