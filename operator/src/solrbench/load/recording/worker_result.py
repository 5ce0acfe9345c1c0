"""What one worker measured in one step run, as it travels to the master.

Everything in it adds up: sums instead of means, counts instead of percentiles.
"""

from typing import NamedTuple

from solrbench.load.recording.window_sums import WindowSums
from solrbench.results.model.connection_result import ConnectionResult
from solrbench.results.model.node_result import NodeResult
from solrbench.results.model.response_gaps import ResponseGap, UserShares
from solrbench.results.model.step_result import RequestMeasurements, WorkerUsage
from solrbench.results.model.telemetry import ServerFigures


class MicroBatch(NamedTuple):
    """A handful of responses in a row, of any request name."""

    end_microseconds: int
    """When the last of them ended, counted from the begin of measuring."""
    requests: int
    failures: int
    sum_microseconds: int
    max_microseconds: int


class WorkerRequestStats(RequestMeasurements):
    """One request name on one worker."""

    windows: WindowSums


class WorkerStepResult(WorkerUsage):
    """One worker in one step run."""

    key: str
    """Key of the assignment."""
    first_seconds: float | None = None
    """First measured request, counted from the begin of measuring; None without any."""
    last_seconds: float | None = None
    """Last response, counted the same way."""
    sending_seconds: float | None = None
    """Time in which this worker began requests, counted the same way; None if not known."""
    used_numbers: list[int] = []
    """For each entry of the workload one more than its highest slot that was sent."""
    queries_exhausted: bool = False
    """A list with the order `Once` came to its end."""
    planned_requests: int | None = None
    """Measured arrivals of the plan; None in a closed loop."""
    planned_seconds: float | None = None
    """From the first measured arrival of the plan of all workers to the one that would follow its
    last; None in a closed loop and with a duration."""
    requests: list[WorkerRequestStats]
    nodes: list[NodeResult] = []
    """Each node in an open loop, in the order of the plan."""
    connections: ConnectionResult | None = None
    """Connections opened meanwhile; None with a locustfile."""
    response_gaps: list[ResponseGap] = []
    """The longest waits of its users, and of each node."""
    user_shares: UserShares | None = None
    """Requests of each user; None in an open loop and with a locustfile."""
    pod: ServerFigures | None = None
    """The control group of its pod from before measuring until the result; None unless wanted."""
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
