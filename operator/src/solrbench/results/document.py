"""The result of one pass (one step of one repeat through one variant), merged over all workers.

The load master makes it, the operator stores it and only then acknowledges it. Times are in
microseconds because that is what the histograms count; everything shown to users is in
milliseconds.
"""

from datetime import datetime

from solrbench.api.rules import Model


class Window(Model):
    """One second of a pass, for one request name."""

    second: int
    """Whole seconds since the pass began."""
    requests: int
    failures: int
    mean_microseconds: int | None = None
    max_microseconds: int | None = None


class FailureKind(Model):
    """Failures that look alike."""

    kind: str
    """HTTP503, Timeout, ConnectionReset, SolrError, PartialResults, MalformedAnswer …"""
    count: int
    sample: str = ""
    """One message, cut at 300 characters."""


class RequestResult(Model):
    """One request name in one pass."""

    request: str
    requests: int
    """All requests, failures included."""
    failures: int
    failure_kinds: list[FailureKind] = []
    ramp_requests: int = 0
    """Sent before the last user had started; in no other number."""
    ramp_failures: int = 0
    retried_requests: int = 0
    """Sent a second time because the server had closed the idle connection; each counts once."""
    bytes_received: int = 0
    sum_microseconds: int = 0
    """Exact sum of the service times behind the histogram."""
    min_microseconds: int | None = None
    max_microseconds: int | None = None
    service_time_histogram: str
    """HdrHistogram, 1 µs to 1 h, 3 digits, V2 compressed, base64; successes and failures alike,
    since a fast error must not vanish; timeouts count with the time waited."""
    windows: list[Window] = []


class WorkerResult(Model):
    """What one worker spent."""

    worker: str
    requests: int
    cpu_seconds: float
    """CPU time of the worker's process during the pass."""
    users: int


class StepDocument(Model):
    """The result of one pass."""

    schema_version: int = 1
    id: str
    """`PassId` as text."""
    repeat: int
    variant: str = ""
    """Name of the variant it went through; empty without variants."""
    step: str
    users: int
    attempt: int
    """Attempt of the load that measured it."""
    start_time: datetime
    end_time: datetime
    seconds: float
    """From the first measured request to the last answer."""
    warm_up_requests: int = 0
    """Requests of the warm-up right before this pass; not in any other number."""
    requests: list[RequestResult]
    workers: list[WorkerResult]
    lost_workers: list[str] = []
    """Workers that were lost while the pass was measured; what they measured is missing, their
    users went to the others (`load.onWorkerLoss: Redistribute`)."""
