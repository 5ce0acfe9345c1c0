"""`status` of a `SolrBenchmark`: what was observed and measured, bounded in size.

Raw histograms, windows and the environment are in the report (`status.report`). A number that was
not measured is absent.
"""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from solrbench.api.v1alpha1.comparisons import (
    MAX_ANSWER_COMPARISONS,
    AnswerComparison,
    BaselineComparison,
    Comparison,
    ReportStatus,
    Summary,
)
from solrbench.api.v1alpha1.conditions import LIST_MAP_BY_TYPE, Attempts, Condition, StatusModel
from solrbench.api.v1alpha1.fields import Count, Int, Measure, Text
from solrbench.api.v1alpha1.findings import (
    INVALID,
    MAX_NOT_RUN,
    MAX_TRENDS,
    MAX_VERDICTS,
    Bottleneck,
    CapacityResult,
    InvalidReason,
    NotRun,
    ObjectivesStatus,
    Scalability,
    StepVerdict,
    Trend,
)
from solrbench.api.v1alpha1.result_rules import MAX_RESULTS
from solrbench.api.v1alpha1.server_metrics import (
    MAX_INDEXING_SERIES,
    IndexingSeries,
    IndexingTelemetry,
    StepTelemetry,
)
from solrbench.api.v1alpha1.step_details import (
    MAX_RESPONSE_GAPS,
    MAX_VISIBILITY,
    ColdStart,
    OpenLoopStats,
    StepResponseGaps,
    StepVisibility,
)
from solrbench.api.v1alpha1.step_result import Distribution, StepResult
from solrbench.api.v1alpha1.target import MAX_VARIANTS


class ExportStatus(StatusModel):
    """The export of `spec.results.export`; the condition `Exported` says how it went."""

    location: Text
    """`location` is the folder: `s3://BUCKET/KEY/` or `pvc://CLAIM/PATH/`."""
    spec_hash: Text
    """`specHash` is the digest of `spec.results.export` that it was made by; another one is
    exported again."""
    time: datetime | None = None
    """`time` is when everything was written and read back; absent until then."""
    files: Count | None = None
    """`files` is the number of files."""
    bytes: Count | None = None
    """`bytes` is the size of all files together."""
    sha256: Annotated[str, StringConstraints(max_length=64)] | None = None
    """`sha256` is the digest of the file SHA256SUMS, which has that of every other file."""
    removed: Count | None = None
    """`removed` is the number of older exports that were deleted (`keep`)."""


class QueueStatus(StatusModel):
    """The place of a benchmark that waits until others end."""

    position: Annotated[Int, Field(ge=1, le=1_000_000)]
    """`position` is the place among the benchmarks that wait, 1 for the next. Where many wait, it
    may be some minutes old."""
    waiting_since: datetime
    """`waitingSince` is the time since which the benchmark waits."""


class TargetStatus(StatusModel):
    """The target as Solr and ZooKeeper report it."""

    live_nodes: Count | None = None
    """`liveNodes` is the number of Solr nodes that are live in ZooKeeper."""
    zookeepers: Count | None = None
    """`zookeepers` is the number of members of the ensemble as ZooKeeper reports them."""
    solr_version: Text | None = None
    """`solrVersion` is the version that Solr reports."""
    heap_bytes: Count | None = None
    """`heapBytes` is the smallest maximum heap of all nodes as their JVMs report it."""
    url: Text | None = None
    """`url` is the address of the collection inside the cluster."""
    pods: Annotated[dict[Text, Text], Field(max_length=128)] = {}
    """`pods` are the uid and restarts of each pod when the target became ready; where they
    change, data may be lost."""
    nodes: Annotated[dict[Text, Text], Field(max_length=512)] = {}
    """`nodes` are the Solr nodes of an existing target, and the start time of each JVM; where that
    changes, data may be lost."""
    reuses: Text | None = None
    """`reuses` is what a point of a sweep took over from the point before: `Cluster`, or `Index`
    with the cluster and its index; absent where the target was made for this benchmark."""
    check_time: datetime | None = None
    """`checkTime` is the last time at which the nodes of an existing target were unchanged."""
    unanswered_since: datetime | None = None
    """`unansweredSince` is the time of the first request to an existing target that was not
    answered; absent while it responds."""


class CompanionsStatus(StatusModel):
    """The companions that were made."""

    sha256: Text | None = None
    """`sha256` is the digest of their manifests when they were first made."""
    services: Annotated[list[Text], Field(max_length=24)] = []
    """`services` are the names of their Services in the manifests."""
    pods: Annotated[dict[Text, Text], Field(max_length=16)] = {}
    """`pods` are the uid and restarts of each of their pods when all were ready."""


class IndexPodsStatus(StatusModel):
    """What index pods with documents used, from their first batch to their last.

    It is read from their control groups; what was not read is absent.
    """

    cpu_cores: Measure | None = None
    """`cpuCores` is the CPU time of all pods, per second."""
    cpu_user_cores: Measure | None = None
    """`cpuUserCores` is the part of it outside the kernel."""
    throttled_percent: Measure | None = None
    """`throttledPercent` is the share of the periods in which the CPU limit stopped the worst
    pod."""
    cpu_some_percent: Measure | None = None
    """`cpuSomePercent` is the share of the time in which a thread of the worst pod waited for a
    CPU."""
    memory_some_percent: Measure | None = None
    """`memorySomePercent` is the same for memory."""
    io_some_percent: Measure | None = None
    """`ioSomePercent` is the same for the disk."""
    working_set_max_bytes: Measure | None = None
    """`workingSetMaxBytes` is the largest memory of any pod that cannot be dropped at once, at the
    begin and at the end."""
    network_sent_bytes_per_second: Measure | None = None
    """`networkSentBytesPerSecond` are the bytes that all pods sent."""
    network_received_bytes_per_second: Measure | None = None
    """`networkReceivedBytesPerSecond` are the bytes that all pods received."""


class CleanedStatus(StatusModel):
    """What `dataset.cleaning` changed."""

    documents: Count = 0
    """`documents` is the number of documents in which anything was cleaned."""
    control_characters: Count = 0
    """`controlCharacters` is the number of control characters that were removed or replaced."""
    invalid_bytes: Count = 0
    """`invalidBytes` is the number of places with bytes that were no UTF-8."""
    markup_characters: Count = 0
    """`markupCharacters` is the number of characters by which the removal of markup shortened
    values."""


class IndexedFile(StatusModel):
    """A file as one index pod read it."""

    name: Text
    """`name` is the path or URL of the file, of a long one the end."""
    documents: Count = 0
    """`documents` is the number of its documents that this pod sent."""
    bytes: Count = 0
    """`bytes` is what was read of it, decompressed."""
    seconds: Measure = 0
    """`seconds` is the time from its opening until the pod went on to the next file."""


class IndexPodStatus(StatusModel):
    """One pod of the index Job."""

    pod: Count
    """`pod` is the number of the pod, from 0."""
    node: Text | None = None
    """`node` is the Kubernetes node that it ran on."""
    documents: Count = 0
    """`documents` is the number of documents that it sent."""
    bytes: Count = 0
    """`bytes` is the size of its update requests."""
    seconds: Measure | None = None
    """`seconds` is the time from its first batch to its last."""
    files: Count | None = None
    """`files` is the number of files that it read; absent without files."""
    slowest_files: Annotated[list[IndexedFile], Field(max_length=16)] = []
    """`slowestFiles` are those that took longest, the slowest first: of all pods together at most
    64, or one of each pod."""


class DatasetStatus(StatusModel):
    """Indexing as measured."""

    documents: Count | None = None
    """`documents` is the number of documents accepted by Solr; after indexing, the number counted
    on every shard."""
    documents_total: Count | None = None
    """`documentsTotal` is the number of documents to index, where it is known beforehand."""
    deleted_documents: Count | None = None
    """`deletedDocuments` is the number of documents that were replaced or deleted while indexing
    and are still in the index, of each shard those of its worst replica."""
    bytes: Count | None = None
    """`bytes` is the size of the update requests sent."""
    seconds: Measure | None = None
    """`seconds` is the time from the first batch to the last, over all pods; of a backup, until the
    operator saw it restored."""
    documents_per_second: Measure | None = None
    """`documentsPerSecond` is documents divided by seconds."""
    bytes_per_second: Measure | None = None
    """`bytesPerSecond` is bytes divided by seconds."""
    pods: IndexPodsStatus | None = None
    """`pods` is what the index pods used; absent until all of them have ended."""
    by_pod: Annotated[list[IndexPodStatus], Field(max_length=64)] = []
    """`byPod` are the index pods one by one, with node, files and times; empty until all of them
    have ended."""
    cleaned: CleanedStatus | None = None
    """`cleaned` is what `spec.dataset.cleaning` changed in all files; absent without it."""
    waiting_percent: Measure | None = None
    """`waitingPercent` is the share of the time in which the streams of the index pods waited for
    Solr; the rest went into reading and preparing documents."""
    commit_seconds: Measure | None = None
    """`commitSeconds` is the time of the commit after the last document, with the merge down to
    `indexing.maxSegments` if there is one."""
    commit_time: datetime | None = None
    """`commitTime` is when that commit was begun, if it took longer than a request may."""
    solr: IndexingTelemetry | None = None
    """`solr` is what the Solr nodes did meanwhile; absent without `load.telemetry`."""
    series: Annotated[list[IndexingSeries], Field(max_length=MAX_INDEXING_SERIES)] = []
    """`series` are figures of the busiest node over time."""
    bottleneck: Bottleneck | None = None
    """`bottleneck` is what held indexing back; absent without `load.telemetry`."""
    verdict: Text | None = None
    """`verdict` is Invalid if the index pods, not Solr, limited the documents per second, else
    Valid; absent until all pods have ended."""
    reasons: Annotated[list[InvalidReason], Field(max_length=4)] = []
    """`reasons` says why the verdict is Invalid: `IndexClientLimits`, or `IndexReportLost` if a pod
    was removed with its report, so that the time is not known."""
    index_bytes: Count | None = None
    """`indexBytes` is the size of the index over all replicas as Solr reports it, read again after
    the last step, when merges are over."""

    @property
    def is_valid(self) -> bool:
        """Whether the time of indexing is Solr's; True until it is known."""
        return self.verdict != INVALID


class LiveLoad(StatusModel):
    """State of the running load as the load master reports it."""

    stage: Text
    """`stage` is WaitingForWorkers, SendingQueries, EmptyingCaches, WarmingUp, Ramping, Measuring,
    Storing or Finished."""
    repeat: Count | None = None
    """`repeat` is the current repeat, from 1."""
    variant: Text | None = None
    """`variant` is the current variant; absent without variants."""
    step: Text | None = None
    """`step` is the current step."""
    users: Count | None = None
    """`users` is the number of running users; absent in an open loop."""
    planned_requests_per_second: Measure | None = None
    """`plannedRequestsPerSecond` is the arrival rate of the current step; absent with users."""
    requests_per_second: Measure | None = None
    """`requestsPerSecond` is the rate over the last seconds."""
    requests: Count | None = None
    """`requests` is the number of requests of the current step so far."""
    p50_milliseconds: Measure | None = None
    """`p50Milliseconds` is the median of the last ten seconds over all workers, known to 2 %: of
    the service time, in an open loop of the response time."""
    p95_milliseconds: Measure | None = None
    """`p95Milliseconds` is the 95th percentile of the same requests."""
    p99_milliseconds: Measure | None = None
    """`p99Milliseconds` is the 99th percentile of the same requests."""
    recent_failures: Count | None = None
    """`recentFailures` is the number of requests that failed in the last ten seconds."""
    recent_failed_percent: Measure | None = None
    """`recentFailedPercent` is their share of the requests of the last ten seconds."""
    update_time: datetime | None = None
    """`updateTime` is the time of these figures; while the stage and the step stay the same, they
    are written when the requests have doubled, else every 15 seconds."""


MAX_COMPARISONS = MAX_RESULTS
"""Rows of comparisons; where names make more of them, the last ones are omitted."""

MAX_ANSWERS = 32
"""Sentences of a status."""


class Status(StatusModel):
    """Observed state of the benchmark."""

    observed_generation: Count = 0
    """`observedGeneration` is the generation of the resource that this status describes."""
    fencing_number: Count | None = None
    """`fencingNumber` is that of the operator's Lease when this was written; an operator with a
    lower one writes nothing."""
    phase: Text = "Pending"
    """`phase` is for printing only; automation should read the conditions."""
    progress_percent: Annotated[Int, Field(ge=0, le=100)] = 0
    """`progressPercent` is the progress of the whole benchmark, for printing only."""
    start_time: datetime | None = None
    """`startTime` is the time at which the benchmark left the queue."""
    completion_time: datetime | None = None
    """`completionTime` is the time at which the benchmark succeeded or failed."""
    phase_start_time: datetime | None = None
    """`phaseStartTime` is the time at which the present phase began; deadlines count from it."""
    queue: QueueStatus | None = None
    """`queue` is the place in the queue; absent unless the benchmark waits for others."""
    attempts: Attempts = Attempts()
    """`attempts` are the numbers of attempts."""
    internal_errors: Count = 0
    """`internalErrors` is the number of reconciles in a row that ended with InternalError."""
    target: TargetStatus = TargetStatus()
    """`target` is the target as Solr and ZooKeeper report it."""
    companions: CompanionsStatus | None = None
    """`companions` are the objects of `spec.companions` as they were made; absent without any."""
    dataset: DatasetStatus = DatasetStatus()
    """`dataset` is the indexing as measured."""
    live_load: LiveLoad | None = None
    """`liveLoad` is the state of the load while it runs."""
    summary: Summary = Summary()
    """`summary` is the result that the printer columns show."""
    results: Annotated[list[StepResult], Field(max_length=MAX_RESULTS)] = []
    """`results` has one entry for each step, variant and request name."""
    totals: Annotated[list[StepResult], Field(max_length=MAX_VERDICTS)] = []
    """`totals` has one entry for each step and variant: all requests together."""
    distributions: Annotated[list[Distribution], Field(max_length=MAX_VERDICTS)] = []
    """`distributions` has one entry for each step and variant: how long all requests took."""
    comparisons: Annotated[list[Comparison], Field(max_length=MAX_COMPARISONS)] = []
    """`comparisons` compare each variant with the first, by step and request name; of several
    request names, all requests together come first. Beyond 256, the last ones are omitted."""
    open_loop: Annotated[list[OpenLoopStats], Field(max_length=MAX_VERDICTS)] = []
    """`openLoop` has one entry for each stored step with an arrival rate, and variant."""
    response_gaps: Annotated[list[StepResponseGaps], Field(max_length=MAX_RESPONSE_GAPS)] = []
    """`responseGaps` has one entry for each stored step and variant: which user got the fewest
    responses, and who waited longest. Of more than 8, those stay in which users differ most."""
    cold_start: ColdStart | None = None
    """`coldStart` describes the first thousand requests; absent if a point before used the target,
    or fewer were sent before the end of the warm-up, or of the first step without one."""
    comparison: BaselineComparison | None = None
    """`comparison` compares the results with those of `spec.comparison.baseline`."""
    answer_comparisons: Annotated[
        list[AnswerComparison], Field(max_length=MAX_ANSWER_COMPARISONS)
    ] = []
    """`answerComparisons` say whether queries are answered the same: through each variant beside
    the first one, and beside `spec.comparison.baseline`. `solrbench report` shows examples."""
    answers: Annotated[list[Text], Field(max_length=MAX_ANSWERS)] = []
    """`answers` are what the numbers say, in short sentences."""
    verdicts: Annotated[list[StepVerdict], Field(max_length=MAX_VERDICTS)] = []
    """`verdicts` has one entry for each stored step and variant: whether its results are valid."""
    telemetry: Annotated[list[StepTelemetry], Field(max_length=MAX_VERDICTS)] = []
    """`telemetry` has one entry for each stored step and variant: what the servers did."""
    visibility: Annotated[list[StepVisibility], Field(max_length=MAX_VISIBILITY)] = []
    """`visibility` has one entry for each stored step, variant and replica type: after which time
    documents were found; empty without `spec.load.visibility`."""
    bottlenecks: Annotated[list[Bottleneck], Field(max_length=MAX_VERDICTS)] = []
    """`bottlenecks` has one entry for each stored step and variant: what held it back."""
    trends: Annotated[list[Trend], Field(max_length=MAX_TRENDS)] = []
    """`trends` has one entry for each figure of each stored step of five minutes or more, and
    variant: whether heap, memory, latency, failures or the index grew. Beyond 64, those that did
    not grow are omitted first."""
    objectives: ObjectivesStatus | None = None
    """`objectives` says whether `spec.objectives` are met; absent without any."""
    not_run: Annotated[list[NotRun], Field(max_length=MAX_NOT_RUN)] = []
    """`notRun` has one entry for each step and variant that was omitted, with the reason."""
    capacity: Annotated[list[CapacityResult], Field(max_length=MAX_VARIANTS)] = []
    """`capacity` has one entry for each variant: the highest rate, or number of users, that meets
    the objectives."""
    scalability: Annotated[list[Scalability], Field(max_length=MAX_VARIANTS)] = []
    """`scalability` has one entry for each variant with three or more different numbers of users:
    the knee, and how throughput grows with users."""
    report: ReportStatus = ReportStatus()
    """`report` names the ConfigMaps of the full report."""
    export: ExportStatus | None = None
    """`export` is where the results were written; absent without `spec.results.export`."""
    conditions: Annotated[
        list[Condition], Field(max_length=16, json_schema_extra=LIST_MAP_BY_TYPE)
    ] = []
    """`conditions` are the machine-readable state. Automation should read these, not `phase`."""
