"""`status` of a `SolrBenchmark`: what was observed and measured, bounded in size.

Raw histograms, windows and the environment are in the report (`status.report`).
A number that was not measured is absent.
"""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints
from pydantic.config import JsonDict

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Bool, Count, Difference, Measure, Text

LIST_MAP_BY_TYPE: JsonDict = {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
}
"""Server-side apply merges the list by the type of its items."""

MAX_RESULTS = 32 * 50
"""Steps of a ladder (times variants) times request names of a query file, the most of each."""


MAX_VERDICTS = 32
"""Steps of a ladder times variants, as the spec bounds them."""


class Observed(Model):
    """Part of a status; fields that another version of the operator wrote are passed over."""

    model_config: ClassVar = Model.model_config | {"extra": "ignore"}


class Condition(Observed):
    """One aspect of the benchmark, as Kubernetes conditions go."""

    type: Annotated[str, StringConstraints(max_length=316)]
    """Accepted, TargetReady, DataIndexed, Measured, CleanedUp, or the summary Succeeded."""
    status: Literal["True", "False", "Unknown"]
    """Whether it holds."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    """CamelCase word for programs."""
    message: Annotated[str, StringConstraints(max_length=32_768)] = ""
    """Sentence for people."""
    last_transition_time: datetime
    """When `status` last changed."""
    observed_generation: Count = 0
    """Generation of the resource that was judged."""


class Attempts(Observed):
    """How often things were started; more than 1 means pods were lost."""

    target: Annotated[int, Field(ge=1, le=1000)] = 1
    """Times the target was made and the data indexed."""
    load: Annotated[int, Field(ge=1, le=1000)] = 1
    """Times the load was started."""
    load_of_target: Annotated[int, Field(ge=1, le=1000)] | None = None
    """The first of them at the present target, if one before asked Solr nodes that are gone."""


class TargetStatus(Observed):
    """The target as Solr and ZooKeeper report it."""

    live_nodes: Count | None = None
    """Solr nodes in ZooKeeper's view."""
    zookeepers: Count | None = None
    """Members of the ensemble as ZooKeeper reports them."""
    solr_version: Text | None = None
    """Version that Solr reports."""
    heap_bytes: Count | None = None
    """Smallest maximum heap of all nodes as their JVMs report it."""
    url: Text | None = None
    """Address of the collection inside the cluster."""
    pods: Annotated[dict[Text, Text], Field(max_length=128)] = {}
    """Uid and restarts of each pod when the target became ready; where they differ, data may be
    lost."""
    nodes: Annotated[dict[Text, Text], Field(max_length=512)] = {}
    """Solr nodes of an existing target, and when the JVM of each was started; where that changes,
    data may be lost."""
    check_time: datetime | None = None
    """When the nodes of an existing target were last seen to be the same."""


class DatasetStatus(Observed):
    """Indexing as measured."""

    documents: Count | None = None
    """Documents accepted by Solr; after indexing, those counted on every shard."""
    documents_total: Count | None = None
    """Documents to be indexed, where that is known beforehand."""
    bytes: Count | None = None
    """Bytes of update requests sent."""
    seconds: Measure | None = None
    """From the first batch to the last, over all pods."""
    documents_per_second: Measure | None = None
    """Documents divided by seconds."""
    bytes_per_second: Measure | None = None
    """Bytes divided by seconds."""
    index_bytes: Count | None = None
    """Size of the index over all replicas as Solr reports it, read again after the last step,
    when merges are over."""


class LiveLoad(Observed):
    """What the load master reports while it runs."""

    stage: Text
    """WaitingForWorkers, WarmingUp, Ramping, Measuring, Storing or Finished."""
    repeat: Count | None = None
    """Repeat under way, from 1."""
    variant: Text | None = None
    """Variant under way, if the target has variants."""
    step: Text | None = None
    """Step under way."""
    users: Count | None = None
    """Users running; absent while a planned rate is sent."""
    planned_requests_per_second: Measure | None = None
    """Rate that the step under way plans; absent with users."""
    requests_per_second: Measure | None = None
    """Rate over the last seconds."""
    requests: Count | None = None
    """Requests of the step under way so far."""


class StepResult(Observed):
    """One step, variant and request name, merged over all repeats that are stored."""

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    request: Text
    """Name of the request."""
    is_transaction: Bool | None = None
    """Whether whole transactions are counted; their requests have results of their own."""
    repeats: Count
    """Repeats behind these numbers."""
    requests: Count
    """Requests measured, failures included."""
    failures: Count
    """Requests whose answer was wrong, missing or late."""
    ramp_requests: Count | None = None
    """Requests sent while users were still being started, or the rate still rose; not in any other
    number."""
    requests_per_second: Measure
    """Requests divided by the seconds of the repeats."""
    average_milliseconds: Measure | None = None
    """Mean service time."""
    min_milliseconds: Measure | None = None
    """Shortest service time."""
    max_milliseconds: Measure | None = None
    """Longest service time."""
    p50_milliseconds: Measure | None = None
    """Median service time, from the merged histogram as all percentiles here."""
    p75_milliseconds: Measure | None = None
    """75th percentile of the service time."""
    p95_milliseconds: Measure | None = None
    """95th percentile of the service time."""
    p99_milliseconds: Measure | None = None
    """99th percentile of the service time."""
    requests_per_second_mean: Measure | None = None
    """Mean of the repeats' rates."""
    requests_per_second_deviation_percent: Measure | None = None
    """Relative standard deviation of the repeats' rates; absent with one repeat."""
    p95_milliseconds_mean: Measure | None = None
    """Mean of the repeats' 95th percentiles."""
    p95_deviation_percent: Measure | None = None
    """Relative standard deviation of the repeats' 95th percentiles; absent with one repeat."""
    response_average_milliseconds: Measure | None = None
    """Mean response time, from the intended start on; as all response times only with a planned
    rate, with the time waited by requests that were dropped."""
    response_max_milliseconds: Measure | None = None
    """Longest response time."""
    response_p50_milliseconds: Measure | None = None
    """Median response time."""
    response_p75_milliseconds: Measure | None = None
    """75th percentile of the response time."""
    response_p95_milliseconds: Measure | None = None
    """95th percentile of the response time."""
    response_p99_milliseconds: Measure | None = None
    """99th percentile of the response time."""
    response_p95_deviation_percent: Measure | None = None
    """Relative standard deviation of the repeats' 95th percentiles of the response time; absent
    with one repeat."""
    late_requests: Count | None = None
    """Requests sent more than 10 ms after their intended start; only with a planned rate."""
    dropped_requests: Count | None = None
    """Requests planned but never sent, for want of a free connection; in no other number but the
    response times."""
    steady_from_second: Count | None = None
    """Second after which the service times of all requests of the step were steady, of the repeat
    in which that took longest; absent if one was too short to tell or never became steady."""
    outlier_windows: Count | None = None
    """Seconds of all repeats that were unlike the others, all requests of the step together."""


class StepSending(Observed):
    """How the arrivals of one step with a planned rate were sent, over all repeats stored.

    An arrival is one request or one whole transaction; those of the ramp are not counted.
    """

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    planned_arrivals: Count | None = None
    """Arrivals of the plan."""
    sent_arrivals: Count
    """Those that were sent, late ones included."""
    late_arrivals: Count
    """Those sent more than 10 ms after their intended start."""
    dropped_arrivals: Count
    """Those never sent, for want of a free connection."""
    lag_p99_milliseconds: Measure | None = None
    """99th percentile of the time from intended start to sending where a connection was free, of
    the worst worker and repeat; absent if a worker did not tell."""
    lag_max_milliseconds: Measure | None = None
    """Longest such time."""


class ColdStart(Observed):
    """The first thousand requests that the target got, beside the steady part of the same pass."""

    step: Text
    """Name of the step that was measured first."""
    variant: Text | None = None
    """Name of the variant it went through; absent without variants."""
    in_warm_up: Bool
    """Whether the first thousand requests were those of the warm-up before that step."""
    first_thousand_seconds: Measure
    """From the first request sent to the end of the thousandth."""
    first_thousand_average_milliseconds: Measure
    """Mean service time of the first thousand."""
    first_thousand_max_milliseconds: Measure
    """Longest service time of the first thousand."""
    steady_average_milliseconds: Measure | None = None
    """Mean service time of the step from the second on after which it was steady; absent if it was
    too short to tell or never became steady."""


class Overhead(Observed):
    """How much more one variant shows than the baseline, in per cent of the baseline."""

    percent: Difference
    """Geometric mean over the repeats; negative where the variant shows less."""
    low_percent: Difference | None = None
    """Lower end of the 95 % confidence interval of the mean; absent with one repeat."""
    high_percent: Difference | None = None
    """Upper end of it."""


class Comparison(Observed):
    """One variant against the first one, repeat by repeat."""

    step: Text
    """Name of the step."""
    variant: Text
    """Name of the variant."""
    baseline: Text
    """Name of the variant that it is compared with: the first of `spec.target.variants`."""
    request: Text
    """Name of the request."""
    repeats: Count
    """Repeats in which both were measured."""
    failures: Count
    """Failed requests of both in those repeats; errors are compared with answers if there are
    any."""
    average: Overhead | None = None
    """Mean service time; with a planned rate, mean response time."""
    p95: Overhead | None = None
    """95th percentile of the service time; with a planned rate, of the response time."""
    requests_per_second: Overhead | None = None
    """Rate; positive is better here."""


class Doubt(Observed):
    """One reason why the numbers of a step must not be believed."""

    reason: Text
    """CamelCase word: WorkerSaturated, ScheduleLag, WorkersLost, PodThrottled, PodRestarted,
    TooFewSamples, PartialAnswers, EmptyAnswers, RequestsFailed, ConnectionsRanOut,
    RequestsDropped, RequestsLate, QueriesMayRepeat."""
    message: Text
    """What was measured and its bound, of the repeat in which it was worst."""


class StepVerdict(Observed):
    """Whether the numbers of one step and variant may be believed, over all repeats stored."""

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    verdict: Text
    """Valid or Invalid."""
    reasons: Annotated[list[Doubt], Field(max_length=32)] = []
    """Why it is Invalid; one entry for each reason."""
    unchecked: Annotated[list[Doubt], Field(max_length=32)] = []
    """Reasons that could not be looked for, and why."""


class ReportStatus(Observed):
    """Where the full report is."""

    selector: Text = ""
    """Labels of the ConfigMaps that hold the report; `solrbench report NAME -o json` joins them."""
    environment: Text = ""
    """ConfigMap that records what the benchmark ran on, once the load runs."""
    stored_steps: Count = 0
    """Steps stored, over all repeats."""
    total_steps: Count = 0
    """Steps of all repeats, through every variant."""


class Summary(Observed):
    """The headline of the printer columns: last step of the ladder, first variant, all requests."""

    requests_per_second: Text = ""
    """Rate, formatted."""
    p95: Text = ""
    """95th percentile of the service time, with a planned rate of the response time; formatted with
    its unit."""
    failures: Text = ""
    """Share of failed requests, formatted in per cent."""
    verdict: Text = ""
    """Valid, or Invalid if one step is; `status.verdicts` says which, and why."""


class Status(Observed):
    """What was observed."""

    observed_generation: Count = 0
    """Generation of the resource that this status speaks of."""
    phase: Text = "Pending"
    """For printing only; programs read the conditions."""
    progress: Text = ""
    """For printing only: how far the whole benchmark is, in per cent."""
    start_time: datetime | None = None
    """When the benchmark got its turn."""
    completion_time: datetime | None = None
    """When it succeeded or failed."""
    phase_start_time: datetime | None = None
    """When the phase under way began; deadlines count from here."""
    attempts: Attempts = Attempts()
    """How often things were started."""
    target: TargetStatus = TargetStatus()
    """The target as it reports itself."""
    dataset: DatasetStatus = DatasetStatus()
    """Indexing."""
    load: LiveLoad | None = None
    """Live figures of the load."""
    summary: Summary = Summary()
    """The headline."""
    results: Annotated[list[StepResult], Field(max_length=MAX_RESULTS)] = []
    """One entry for each step, variant and request name."""
    comparisons: Annotated[list[Comparison], Field(max_length=MAX_RESULTS)] = []
    """Each variant but the first compared with the first, by step and request name."""
    sending: Annotated[list[StepSending], Field(max_length=MAX_VERDICTS)] = []
    """One entry for each step with a planned rate, and variant, that is stored."""
    cold_start: ColdStart | None = None
    """How the load began; absent if fewer than a thousand requests were sent before the end of the
    warm-up, or of the first step without one."""
    verdicts: Annotated[list[StepVerdict], Field(max_length=MAX_VERDICTS)] = []
    """One entry for each step and variant that is stored: may its numbers be believed?"""
    report: ReportStatus = ReportStatus()
    """Where the full report is."""
    conditions: Annotated[
        list[Condition], Field(max_length=16, json_schema_extra=LIST_MAP_BY_TYPE)
    ] = []
    """The truth that programs act on."""
