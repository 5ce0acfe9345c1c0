"""The result of one step run (one step of one repeat through one variant), merged over all workers.

The load master makes it, the operator stores it and only then acknowledges it. Times are in
microseconds because that is what the histograms count; everything shown to users is in
milliseconds.
"""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from solrbench.api.rules import LenientModel
from solrbench.api.v1alpha1.workload import MAX_REQUEST_NAMES
from solrbench.contract.answers import StoredAnswers
from solrbench.contract.environment import MeasuredTarget
from solrbench.contract.request_counts import RequestCounts, ResponseGap, TimeFigures, UserShares
from solrbench.contract.second_series import SecondSeries
from solrbench.contract.server_document import (
    AddedDocuments,
    DiagnosticFile,
    PodRecord,
    Telemetry,
    VisibilityResult,
)
from solrbench.contract.windows import (
    CacheSample,
    EmptiedCaches,
    EndedEarly,
    OutlierWindow,
    RequestWindow,
)


class ConnectionResult(LenientModel):
    """Connections that were opened while a step run was measured."""

    opened: int
    """Connections opened. About as many as requests: the server closes them after each."""
    open_time_histogram: str
    """HdrHistogram of the times from the begin of an attempt to the open connection, TLS handshake
    and name resolution included. What cannot be opened is a failed request instead."""
    open_sum_microseconds: int
    """Exact sum of the times behind the histogram."""
    open_max_microseconds: int | None = None


CONNECTIONS_RAN_OUT = "ConnectionsRanOut"
"""Kind of failure of an attempt to connect for which the generator lacked the means."""

PARTIAL_RESULTS = "PartialResults"
"""Kind of failure, and reason of a verdict: a response that Solr marks `partialResults`."""


class NodeResult(LenientModel):
    """The measured requests to one node: all request names together, without whole transactions."""

    node: str
    """Host and port."""
    requests: int
    """Requests that were sent, or for which no connection could be opened; failures included."""
    failures: int
    unsent_requests: int
    """Never sent: they waited longer than `timeoutSeconds` for one of the node's connections."""
    response_time_histogram: str
    """HdrHistogram of the response times, from the intended start to the last byte; dropped
    requests count with the time waited."""
    response_sum_microseconds: int
    """Exact sum of the times behind the histogram."""
    response_max_microseconds: int | None = None


class FailureKind(LenientModel):
    """Failures of one kind."""

    kind: str
    """HTTP503, Timeout, ConnectionReset, SolrError, PartialResults, MalformedResponse …"""
    count: int
    sample: str = ""
    """One message, cut at 300 characters."""


MAX_SLOW_REQUESTS = 10
"""Requests in a list of slow ones."""


class SlowRequest(LenientModel):
    """One of the slowest requests of a name."""

    query: str
    """The request as it was sent, cut at 300 characters. For users of a locustfile type and
    path with parameters, without a body, or the name if they reported no address."""
    service_time_microseconds: int
    """Its service time."""
    qtime_milliseconds: int | None = None
    """Solr's own `QTime`; None without a response that contains it."""
    node: str | None = None
    """Host and port it was sent to; None if the users of a locustfile did not report it."""
    second: float
    """When it was sent: seconds since measuring began."""
    failure: str | None = None
    """Kind of its failure, if it failed."""


class RequestMeasurements(RequestCounts):
    """One request name: its counts, and what of its requests does not add up as numbers do."""

    request: str
    is_transaction: bool = False
    """Counts whole transactions, whose requests have names of their own; in no sum of requests."""
    failure_kinds: list[FailureKind] = []
    """The most frequent kind first."""
    service_time_histogram: str
    """HdrHistogram, 1 µs to 1 h, 3 digits, V2 compressed, base64; successes and failures,
    since a fast error must not vanish; timeouts count with the time waited."""
    response_time_histogram: str | None = None
    """As above, from the intended start to the last byte; requests that were never sent count with
    the time waited. None in a closed loop, where it equals the service time."""
    service_time_blocks: str = ""
    """The service times by block of time, of which intervals are made (`TimeBlocks`)."""
    response_time_blocks: str = ""
    """The same of the response times; empty in a closed loop."""
    response_time_without_lag_histogram: str | None = None
    """As above, without the time for which the worker itself delayed a request; None where no
    request was delayed by 0.1 ms or more."""
    failed_time_histogram: str | None = None
    """Service times of the failures alone, and how long requests waited that were never sent: these
    are no good responses in time. None without any."""
    slow_requests: list[SlowRequest] = []
    """The slowest, slowest first."""


class RequestResult(RequestMeasurements):
    """One request name in one step run."""

    model_config: ClassVar = LenientModel.model_config

    rate_error_percent: float | None = None
    """Half of the width of the rate's 95 % confidence interval, in per cent of the rate; None if
    the step run was too short for one."""
    failure_effect: float | None = None
    """How much more the failures vary from block to block of time than if each request failed by
    itself; None without any."""
    service_times: TimeFigures | None = None
    """Figures of the service times; None without any."""
    response_times: TimeFigures | None = None
    """The same of the response times; None in a closed loop."""
    windows: SecondSeries = SecondSeries()


class UsageSlice(LenientModel):
    """What a worker spent in a few seconds of the time in which it began requests."""

    begin_seconds: float
    """When it began, counted from the begin of measuring."""
    seconds: float
    """How long it lasted."""
    cpu_seconds: float
    """CPU time of the worker's process."""
    core_cpu_seconds: float
    """CPU time of the thread that sends requests and takes responses, within `cpu_seconds`."""
    core_waiting_seconds: float | None = None
    """Time in which that thread wanted to run and no CPU was free; None where unknown."""

    @property
    def core_busy_seconds(self) -> float:
        """Time in which the sending thread ran or waited for a CPU."""
        return self.core_cpu_seconds + (self.core_waiting_seconds or 0.0)


class WorkerUsage(LenientModel):
    """What measuring took from one worker, which shows whether it was the bottleneck."""

    users: int
    """In an open loop 1, which stands for the arrivals."""
    cpu_seconds: float
    """CPU time of the worker's process while requests were begun; so are all numbers here."""
    core_cpu_seconds: float | None = None
    """CPU time of the thread that sends requests and takes responses, within `cpu_seconds`."""
    core_waiting_seconds: float | None = None
    """Time in which that thread wanted to run and no CPU was free; None where the kernel does not
    report it."""
    measured_seconds: float | None = None
    """Time by the clock that these were spent in: from the begin of measuring on this worker until
    it began no more requests."""
    throttled_seconds: float | None = None
    """Time in which the worker's control group stood still because its CPU quota was used up,
    added over the CPUs; None where the kernel does not report it."""
    pressure_seconds: float | None = None
    """Time in which a process of the worker's control group waited for a CPU, or its sending thread
    where the kernel does not report groups; None where it reports neither."""
    stolen_seconds: float | None = None
    """Time that the host took from each CPU of the worker's node, as a mean over them; None as
    above."""
    cpu_limit_cores: float | None = None
    """CPU limit of the control group; None without one, or where the kernel does not report it."""
    most_cpu: UsageSlice | None = None
    """The slice in which the process used most CPU."""
    most_busy: UsageSlice | None = None
    """The slice in which the sending thread ran or waited most."""
    lag_p99_microseconds: int | None = None
    """Time from the intended start to the sending of requests for which a connection was free: the
    worker's own delay. None in a closed loop."""
    lag_max_microseconds: int | None = None


class WorkerPercentile(LenientModel):
    """A percentile of the service times of one worker's requests."""

    percent: int
    microseconds: int
    beyond: int
    """Requests of this worker that took longer than this percentile of all workers' requests."""


class WorkerResult(WorkerUsage):
    """One worker in one step run."""

    worker: str
    """Its name."""
    requests: int
    """Requests that it measured."""
    percentiles: list[WorkerPercentile] = []
    """Service times of its requests, beside those of all workers; none with a single worker."""

    @property
    def core_busy_percent(self) -> float | None:
        """Share of the measured time in which the sending thread ran or waited for a CPU."""
        if self.core_cpu_seconds is None or not self.measured_seconds:
            return None
        wanted = self.core_cpu_seconds + (self.core_waiting_seconds or 0.0)
        return 100 * wanted / self.measured_seconds


SERIES = ("thousands", "warm_up_thousands", "caches", "warm_up_caches", "diagnostics")
"""Most of a step run, of which nothing is compared."""


class WholeDocument(LenientModel):
    """The export that has the whole of a step run."""

    location: str
    """Its folder, as in `status.export`; the step run is in `report.json`."""
    sha256: str
    """Digest of its `SHA256SUMS`, which has that of every file."""


class StepRunResult(LenientModel):
    """The result of one step run."""

    schema_version: int = 1
    id: Annotated[str, Field(pattern=r"^\w[\w.-]*$")]
    """`StepRunId` as text; files have its name."""
    repeat: int
    variant: str = ""
    """Name of the variant it went through; empty without variants."""
    step: str
    users: int | None = None
    """None in an open loop."""
    requests_per_second: float | None = None
    """Planned rate; None in a closed loop, as the following."""
    batch_size: int | None = None
    """Documents in each request; None unless the step indexes."""
    added: AddedDocuments | None = None
    """What was found of these documents; None as well if the step run broke off."""
    planned_requests: int | None = None
    """Measured arrivals of the plan: requests sent and dropped."""
    attempt: int
    """Attempt of the load that measured it."""
    start_time: datetime
    end_time: datetime
    seconds: float
    """From the first measured request to the last response."""
    duration_seconds: int | float | None = None
    """Time in which requests were begun, which rates are divided by; of a number of planned
    arrivals up to the one that would follow. None without such a plan."""
    drain_seconds: float | None = None
    """From the time at which no request was begun any more to the last response. Seconds that begin
    in it have no windows."""
    warm_up_requests: int = 0
    """Requests of the warm-up right before this step run; not in any other number."""
    emptied_caches: EmptiedCaches | None = None
    """Solr's caches were emptied right before this step run, or its warm-up if it has one; None if
    they were as the requests before had left them."""
    queries_exhausted: bool = False
    """A list with the order `Once` came to its end, and with it the step run."""
    ended_early: EndedEarly | None = None
    """Why the step run was ended before its time; None if it was not."""
    requests: Annotated[list[RequestResult], Field(max_length=MAX_REQUEST_NAMES)]
    failure_effect: float | None = None
    """As that of each request name, of all together: they may fail at the same time."""
    nodes: list[NodeResult] = []
    """What each node got in an open loop, and how long it took; empty in a closed loop, whose users
    are spread evenly."""
    response_gaps: list[ResponseGap] = []
    """The longest waits for a response, of ten users and ten of nodes; empty with a locustfile."""
    user_shares: UserShares | None = None
    """Requests of each user of a closed loop; None with a locustfile."""
    connections: ConnectionResult | None = None
    """Connections opened meanwhile; None with a locustfile."""
    workers: list[WorkerResult]
    window_seconds: int = 1
    """Width of the windows of `requests`; more where single seconds do not fit into the report."""
    warm_up_steady: bool | None = None
    """Whether that warm-up became steady; None unless it was to go on until then."""
    warm_up_thousands: list[RequestWindow] = []
    """Windows of that warm-up; with `thousands` the cold-start curve."""
    warm_up_caches: list[CacheSample] = []
    thousands: list[RequestWindow] = []
    """Windows of a thousand requests of any name, from the first measured one on."""
    caches: list[CacheSample] = []
    """Solr's caches about once a second; empty where Solr does not report them."""
    steady_from_second: int | None = None
    """Whole seconds after which service times were steady; None if they never were, or if the step
    run was too short to decide."""
    outlier_windows: int | None = None
    """Seconds that were unlike the others."""
    outliers: list[OutlierWindow] = []
    """The farthest of them, in the order of time."""
    lost_workers: list[str] = []
    """Workers that were lost while the step run was measured; what they measured is missing, their
    users went to the others (`load.onWorkerLoss: Redistribute`)."""
    list_offsets: list[int] = []
    """For each entry of the workload the number of its first request in the next step of this
    ladder, counted from the begin of the ladder; empty with a locustfile."""
    trial: int | None = None
    """Number of the trial in the search for the capacity, 0 for the probe; None for a step."""
    queries_may_repeat: bool = False
    """Queries of a list with the order `Once` may have been sent before in this ladder: load
    pods were lost, and it is unknown how many requests they had sent."""
    telemetry: Telemetry | None = None
    """What servers and pods did meanwhile; None if it was turned off."""
    visibility: list[VisibilityResult] = []
    """After which time replicas found marked documents; empty unless they were added."""
    answers: StoredAnswers | None = None
    """What the target answered to each query before the first step run through this variant; None
    unless `spec.comparison.answers` asks for it."""
    diagnostics: list[DiagnosticFile] = []
    """Thread dumps, in the repeat that they are wanted in."""
    pods: list[PodRecord] | None = None
    """Pods of the benchmark; None if not recorded."""
    target: MeasuredTarget | None = None
    """What it was measured on, as the operator saw it when it stored the document."""
    exported: WholeDocument | None = None
    """Where the whole of it is, if it was trimmed: stored again after an export without `SERIES`,
    windows and series of the telemetry; None if all of it is here."""

    @property
    def broke_off(self) -> bool:
        """Whether it is what was left of a step run when its benchmark failed."""
        return self.ended_early is not None and self.ended_early.reason is not None

    def trim(self, whole: WholeDocument) -> Self:
        """Return it without what is large and compared with nothing, which an export has."""
        without: dict[str, Any] = {name: [] for name in SERIES} | {"exported": whole}
        if self.telemetry is not None:
            without["telemetry"] = self.telemetry.model_copy(update={"series": []})
        no_windows = {"windows": SecondSeries()}
        without["requests"] = [each.model_copy(update=no_windows) for each in self.requests]
        return self.model_copy(update=without)

    @property
    def single_requests(self) -> list[RequestResult]:
        """The results without whole transactions, whose times and counts are those of requests."""
        return [each for each in self.requests if not each.is_transaction]

    @property
    def rate_seconds(self) -> float:
        """The time that rates are divided by."""
        return self.seconds if self.duration_seconds is None else self.duration_seconds

    def documents(self, counts: RequestCounts) -> float:
        """Return how many documents good responses in that time had; 0 unless it indexes."""
        good = 1 - counts.failures / counts.requests if counts.requests else 0.0
        return self.rated(counts) * good * (self.batch_size or 0)

    def rated(self, counts: RequestCounts) -> int:
        """Return how many requests of `counts`, which are of this step run, ended in that time."""
        drained = None if self.duration_seconds is None else counts.drain_requests
        return counts.requests - (drained or 0)
