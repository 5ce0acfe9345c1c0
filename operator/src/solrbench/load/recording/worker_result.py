"""What one worker measured in one step run, as it travels to the master: all of it adds up.

A worker knows only its own responses, so it cannot know where a thousand of all workers ends. It
notes the end of every hundredth response (with w workers, of every 100/w-th), and the master looks
between these for the thousandth of all. With 1, 2, 4, 5, 10 or 20 workers these add up to hundreds.
With one worker every window is exact.
"""

from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, PlainSerializer

from solrbench.contract.request_counts import ResponseGap, UserShares
from solrbench.contract.second_series import SecondSeries
from solrbench.contract.server_document import ServerFigures
from solrbench.contract.step_document import (
    ConnectionResult,
    NodeResult,
    RequestMeasurements,
    WorkerUsage,
)
from solrbench.contract.windows import MAX_THOUSANDS, WINDOW_REQUESTS


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

    windows: Annotated[
        SecondSeries,
        BeforeValidator(lambda sent: SecondSeries.decode(sent) if isinstance(sent, str) else sent),
        PlainSerializer(SecondSeries.encode),
    ]


class WorkerStepResult(WorkerUsage):
    """One worker in one step run."""

    key: str
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
        return sum(request.requests for request in self.requests if not request.is_transaction)


MICRO_BATCH_REQUESTS = 100
"""Responses in the micro-batches of all workers together."""

MAX_MICRO_BATCHES = MAX_THOUSANDS * WINDOW_REQUESTS // MICRO_BATCH_REQUESTS
"""Micro-batches that are kept of one step run, over all workers."""
