"""`status` of a `SolrBenchmark`: what was observed and measured, bounded in size.

Raw histograms, windows and the environment are in the report (`status.report`).
A number that was not measured is absent.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model


class Condition(Model):
    """One aspect of the benchmark, as Kubernetes conditions go."""

    type: Annotated[str, StringConstraints(max_length=316)]
    """Accepted, TargetReady, DataIndexed, Measured, CleanedUp, or the summary Succeeded."""
    status: Literal["True", "False", "Unknown"]
    """Whether it holds."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    """CamelCase word for programs."""
    message: Annotated[str, StringConstraints(max_length=4096)] = ""
    """Sentence for people."""
    last_transition_time: datetime
    """When `status` last changed."""
    observed_generation: Annotated[int, Field(ge=0)] = 0
    """Generation of the resource that was judged."""


class Attempts(Model):
    """How often things were started; more than 1 means pods were lost."""

    target: Annotated[int, Field(ge=1)] = 1
    """Times the target was made and the data indexed."""
    load: Annotated[int, Field(ge=1)] = 1
    """Times the load was started."""


class TargetStatus(Model):
    """The target as Solr and ZooKeeper report it."""

    live_nodes: int | None = None
    """Solr nodes in ZooKeeper's view."""
    zookeepers: int | None = None
    """Members of the ensemble as ZooKeeper reports them."""
    solr_version: str | None = None
    """Version that Solr reports."""
    heap_bytes: int | None = None
    """Smallest maximum heap of all nodes as their JVMs report it."""
    url: str | None = None
    """Address of the collection inside the cluster."""
    pod_uids: Annotated[dict[str, str], Field(max_length=128)] = {}
    """Pods of the target when it became ready; another pod in their place has lost its data."""


class DatasetStatus(Model):
    """Indexing as measured."""

    documents: int | None = None
    """Documents accepted by Solr; after indexing, those counted on every shard."""
    documents_total: int | None = None
    """Documents to be indexed, where that is known beforehand."""
    bytes: int | None = None
    """Bytes of update requests sent."""
    seconds: float | None = None
    """From the first batch to the last, over all pods."""
    documents_per_second: float | None = None
    """Documents divided by seconds."""
    bytes_per_second: float | None = None
    """Bytes divided by seconds."""
    index_bytes: int | None = None
    """Size of the index over all replicas, as Solr reports it."""


class LiveLoad(Model):
    """What the load master reports while it runs."""

    stage: str
    """WaitingForWorkers, WarmingUp, Ramping, Measuring or Finished."""
    repeat: int | None = None
    """Repeat under way, from 1."""
    step: str | None = None
    """Step under way."""
    users: int | None = None
    """Users running."""
    requests_per_second: float | None = None
    """Rate over the last seconds."""
    requests: int | None = None
    """Requests of the step under way so far."""


class StepResult(Model):
    """One step and request name, merged over all repeats that are stored."""

    step: str
    """Name of the step."""
    request: str
    """Name of the request."""
    repeats: int
    """Repeats behind these numbers."""
    requests: int
    """Requests measured, failures included."""
    failures: int
    """Requests whose answer was wrong, missing or late."""
    ramp_requests: int | None = None
    """Requests sent while users were still being started; not in any other number."""
    requests_per_second: float
    """Requests divided by the seconds of the repeats."""
    average_milliseconds: float | None = None
    """Mean service time."""
    min_milliseconds: float | None = None
    """Shortest service time."""
    max_milliseconds: float | None = None
    """Longest service time."""
    p50_milliseconds: float | None = None
    """Median service time, from the merged histogram as all percentiles here."""
    p75_milliseconds: float | None = None
    """75th percentile of the service time."""
    p95_milliseconds: float | None = None
    """95th percentile of the service time."""
    p99_milliseconds: float | None = None
    """99th percentile of the service time."""
    requests_per_second_mean: float | None = None
    """Mean of the repeats' rates."""
    requests_per_second_deviation_percent: float | None = None
    """Relative standard deviation of the repeats' rates; absent with one repeat."""
    p95_milliseconds_mean: float | None = None
    """Mean of the repeats' 95th percentiles."""
    p95_deviation_percent: float | None = None
    """Relative standard deviation of the repeats' 95th percentiles; absent with one repeat."""


class ReportStatus(Model):
    """Where the full report is."""

    config_maps: Annotated[list[str], Field(max_length=1024)] = []
    """ConfigMaps of the report, one for each stored step of each repeat and its chunks."""
    stored_steps: int = 0
    """Steps stored, over all repeats."""
    total_steps: int = 0
    """Steps of all repeats."""


class Summary(Model):
    """The headline of the printer columns: the last step of the ladder, all requests."""

    requests_per_second: str = ""
    """Rate, formatted."""
    p95: str = ""
    """95th percentile of the service time, formatted with its unit."""
    failures: str = ""
    """Share of failed requests, formatted in per cent."""


class Status(Model):
    """What was observed."""

    observed_generation: int = 0
    """Generation of the resource that this status speaks of."""
    phase: str = "Pending"
    """For printing only; programs read the conditions."""
    progress: str = ""
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
    results: Annotated[list[StepResult], Field(max_length=512)] = []
    """One entry for each step and request name."""
    report: ReportStatus = ReportStatus()
    """Where the full report is."""
    conditions: Annotated[list[Condition], Field(max_length=16)] = []
    """The truth that programs act on."""
