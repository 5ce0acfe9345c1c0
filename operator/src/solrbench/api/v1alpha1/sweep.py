"""The `SolrBenchmarkSweep` resource and its `status`: its points in a few numbers each.

A sweep of 500 points has a status of at most 120 kB; all results of a point are in the status and
the report of its benchmark.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from solrbench.api.v1alpha1.benchmark import StoredResource, name_rules
from solrbench.api.v1alpha1.comparisons import (
    MAX_ANSWER_COMPARISONS,
    MAX_REPEATS,
    AnswerComparison,
    Conclusion,
)
from solrbench.api.v1alpha1.conditions import LIST_MAP_BY_TYPE, Condition, StatusModel
from solrbench.api.v1alpha1.fields import Bool, Count, Int, Measure, Text
from solrbench.api.v1alpha1.sweep_spec import MAX_AXES, MAX_POINTS, SweepSpec

MAX_ANSWERS = 32


class SweepPoint(StatusModel):
    """One point: a combination of values, and what its benchmark measured."""

    name: Text
    """`name` is the name of the point: values in short and a hash of them. Its benchmark is called
    `<sweep>-<point>`."""
    values: Annotated[list[Count], Field(max_length=MAX_AXES)]
    """`values` has the place of its value in `values` of each axis, from 0."""
    state: Text
    """`state` is Planned, Running, NotMeasured or Failed; of a point that succeeded its verdict:
    Valid, or Invalid or Inconclusive if one of its steps is."""
    reason: Text | None = None
    """`reason` is why it failed, or why it is not measured, a CamelCase word."""
    blocked_since: datetime | None = None
    """`blockedSince` is the time since which its benchmark cannot be created; after 600 s the
    point fails."""
    reuses: Text | None = None
    """`reuses` is what it takes over from the point before: `Cluster`, or `Index` with the cluster
    and its index; of a planned point what it is to take over. It is absent where it makes all of
    its own; with more than 300 points it is omitted from measured ones, whose benchmarks have it in
    `status.target`."""
    requests_per_second: Measure | None = None
    """`requestsPerSecond` is the rate of the last step, rounded to four digits."""
    p95_milliseconds: Measure | None = None
    """`p95Milliseconds` is the 95th percentile of the last step, rounded to four digits: of the
    service time, in an open loop of the response time."""
    failed_percent: Measure | None = None
    """`failedPercent` is the share of failed requests of the last step."""
    value: Measure | None = None
    """`value` is the figure of `spec.objective`, rounded to four digits; absent where that is the
    rate or the p95 of the last step, the first variant and all requests."""
    cpu_milliseconds_per_request: Measure | None = None
    """`cpuMillisecondsPerRequest` is the CPU time of all Solr processes for each query of the last
    step; as the next ones, absent where it was not read, and with more than 300 points, whose
    benchmarks have it in `status.telemetry`."""
    read_bytes_per_request: Measure | None = None
    """`readBytesPerRequest` is what all pods of Solr read from disk for each query."""
    read_bytes_deviation: Measure | None = None
    """`readBytesDeviation` is the standard deviation of `readBytesPerRequest` over the repeats;
    absent with one repeat."""
    reads_per_request: Measure | None = None
    """`readsPerRequest` is the number of those reads; absent where the kernel does not count them
    for a pod."""
    index_bytes: Measure | None = None
    """`indexBytes` is the size of the index over all replicas."""
    repeats: Count | None = None
    """`repeats` is the number of repeats behind these numbers; with more than 300 points, absent
    where that is the number of `repeatValues`."""
    rounds: Count | None = None
    """`rounds` is the number of rounds that are measured; absent where the sweep has none. The
    benchmark of the second one is called `<sweep>-<point>-2`. Figures are those of all rounds."""
    inconclusive_rounds: Count | None = None
    """`inconclusiveRounds` is how many of the rounds behind these numbers are Inconclusive; absent
    if none is."""
    deviation_percent: Measure | None = None
    """`deviationPercent` is the relative standard deviation over the repeats of the figure of
    `spec.objective`; absent with one repeat, and with more than 300 points, whose repeats are in
    `repeatValues`."""
    repeat_values: Annotated[list[Measure], Field(max_length=MAX_REPEATS)] | None = None
    """`repeatValues` are the values of the figure of `spec.objective` in the repeats, which points
    are compared by, rounded to four digits. In rounds with several repeats, each value is the
    geometric mean of a round; of a sweep with more than 100 points whose points have many repeats,
    it is that of some of them."""
    repeat_rounds: Annotated[list[Count], Field(max_length=MAX_REPEATS)] | None = None
    """`repeatRounds` are the rounds of the sweep in which these values were measured: values of one
    round are compared with each other."""
    repeat_targets: Annotated[list[Count], Field(max_length=MAX_REPEATS)] | None = None
    """`repeatTargets` are the numbers of the targets of these repeats; absent unless a target was
    lost, so that some of them ran on another one than the others."""
    headrooms: Annotated[list[Measure], Field(max_length=MAX_REPEATS)] | None = None
    """`headrooms` are, where the cost is minimised, how often the load would fit into what each
    round has held: with a search the rate that was found by the one that is asked, else the limit
    by what was measured, of the objective nearest to its limit. Each is 0.25 to 4."""
    conclusion: Conclusion | None = None
    """`conclusion` is Better, Worse, Same or Inconclusive: the figure of `spec.objective` beside
    that of the baseline, tested together with all other points; absent with fewer than 3
    repeats."""
    on_target: Bool | None = None
    """`onTarget` is true where the point or the baseline was measured on one target only and the
    other one not on the same: the conclusion is then about these targets, not about topologies."""


class PointCounts(StatusModel):
    """Numbers of points."""

    total: Count = 0
    """`total` is the number of all points."""
    running: Count = 0
    """`running` is the number of points whose benchmark waits or runs."""
    succeeded: Count = 0
    """`succeeded` is the number of points whose benchmark succeeded."""
    failed: Count = 0
    """`failed` is the number of points whose benchmark failed."""
    invalid: Count = 0
    """`invalid` is the number of succeeded points with an Invalid step."""
    inconclusive: Count = 0
    """`inconclusive` is the number of the others with an Inconclusive step."""
    not_measured: Count = 0
    """`notMeasured` is the number of points that cannot be the cheapest and were not begun."""
    text: Text = ""
    """`text` is done and total for printing, such as 3/12."""


class SweepEstimate(StatusModel):
    """What the sweep needs, by its spec and by the points that are done."""

    remaining_seconds: Count | None = None
    """`remainingSeconds` is the time of the points that are left, one after another: the
    least that their load takes, and for each as much beside as the finished points took on
    average."""
    max_cores: Measure | None = None
    """`maxCores` are the CPU requests of all pods of the largest point; pods without a request
    count as nothing."""
    max_memory_bytes: Count | None = None
    """`maxMemoryBytes` are the memory requests of all pods of the largest point."""
    allocatable_cores: Measure | None = None
    """`allocatableCores` are the CPUs that all nodes that take pods could give when the sweep
    began; absent where the operator may not read nodes."""
    allocatable_memory_bytes: Count | None = None
    """`allocatableMemoryBytes` is the memory that they could give."""


MAX_BEST = 8
"""Conditions with a best point that the status lists."""


class BestPoint(StatusModel):
    """The cheapest point of a condition that is not distinguished from the best by its mean."""

    name: Text
    """`name` is the name of the point."""
    condition: Text | None = None
    """`condition` has the values of the axes that are conditions, such as `users 8`; absent where
    the sweep has none."""
    values: Text
    """`values` are its values, such as `heap 2Gi, nodes 3`."""
    requests_per_second: Measure | None = None
    """`requestsPerSecond` is the rate of the last step."""
    p95_milliseconds: Measure | None = None
    """`p95Milliseconds` is the 95th percentile of the last step."""
    value: Measure | None = None
    """`value` is the figure of `spec.objective` where that is neither of them."""
    cores: Measure | None = None
    """`cores` are the CPU requests of Solr and ZooKeeper."""
    memory_bytes: Count | None = None
    """`memoryBytes` are the memory requests of Solr and ZooKeeper."""
    price_per_hour: Measure | None = None
    """`pricePerHour` is its price by `spec.prices`."""


class SizingConclusion(StrEnum):
    """What is known of the cheapest point that holds its load."""

    MEASURING = "Measuring"
    """A cheaper one may still be found."""
    FOUND = "Found"
    """One holds it, and all that are cheaper do not."""
    NOT_HELD = "NotHeld"
    """None of the points holds it."""
    INCONCLUSIVE = "Inconclusive"
    """Points that may hold it remain open after all rounds."""


MAX_SIZINGS = 32


class SizingResult(StatusModel):
    """The cheapest point that holds its load, under one condition."""

    condition: Text | None = None
    """`condition` has the values of the axes that are conditions; absent where the sweep has
    none."""
    conclusion: SizingConclusion
    """`conclusion` is Measuring, Found, NotHeld or Inconclusive."""
    message: Text
    """`message` is the result as a sentence, which the answers begin with."""
    point: Text | None = None
    """`point` is the name of the cheapest point that certainly holds it; absent if none does."""
    price_per_hour: Measure | None = None
    """`pricePerHour` is its price in the currency of `spec.prices`."""


class SweepTarget(StatusModel):
    """A target that points share, from before it is made until nothing of it is left."""

    name: Text
    """`name` is the name of the benchmark that it was made for."""
    point: Text | None = None
    """`point` is the name of the point that uses it, or used it last; absent if no other point is
    to use it."""
    previous: Text | None = None
    """`previous` is the name of the point that used it before; absent if it was made for
    `point`."""
    previous_round: Count | None = None
    """`previousRound` is the number of the benchmark of that point which used it, in rounds."""


class SweepStatus(StatusModel):
    """Observed state of the sweep."""

    observed_generation: Count = 0
    """`observedGeneration` is the generation of the resource that this status describes."""
    fencing_number: Count | None = None
    """`fencingNumber` is that of the operator's Lease when this was written; an operator with a
    lower one writes nothing."""
    phase: Text = "Pending"
    """`phase` is for printing only; automation should read the conditions."""
    progress_percent: Annotated[Int, Field(ge=0, le=100)] = 0
    """`progressPercent` is the progress of the whole sweep, for printing only."""
    start_time: datetime | None = None
    """`startTime` is the time at which the first point was begun."""
    completion_time: datetime | None = None
    """`completionTime` is the time at which the last point ended."""
    fixed_hash: Text | None = None
    """`fixedHash` identifies the template and the baseline with which the sweep began."""
    finished_seconds: Count = 0
    """`finishedSeconds` is the time that the finished points took beyond the least of their
    load."""
    counts: PointCounts = PointCounts()
    """`counts` are the numbers of points."""
    estimate: SweepEstimate = SweepEstimate()
    """`estimate` is what the sweep needs."""
    points: Annotated[list[SweepPoint], Field(max_length=MAX_POINTS)] = []
    """`points` are all points, in the order in which they are measured."""
    targets: Annotated[list[SweepTarget], Field(max_length=64)] = []
    """`targets` are the targets that points share, as far as something of them may be there."""
    best: Annotated[list[BestPoint], Field(max_length=MAX_BEST)] = []
    """`best` has for each condition the cheapest point so far that is not Invalid and not
    distinguished from the one with the best mean of `spec.objective`, that of the baseline's
    condition first; none where that has fewer than 3 repeats, or where a single point was measured.
    Where the cost is minimised, it is the cheapest point that holds its load."""
    sizing: Annotated[list[SizingResult], Field(max_length=MAX_SIZINGS)] = []
    """`sizing` has, where `spec.objective` minimises the cost, a result for each condition."""
    answer_comparisons: Annotated[
        list[AnswerComparison], Field(max_length=MAX_ANSWER_COMPARISONS)
    ] = []
    """`answerComparisons` say whether each point answers queries as the baseline does; of more than
    16, those that were measured first. `solrbench report` shows examples."""
    answers: Annotated[list[Text], Field(max_length=MAX_ANSWERS)] = []
    """`answers` say in sentences what each axis shows."""
    answered_points: Count = 0
    """`answeredPoints` is the number of measured points that `answers` and conclusions are made of;
    in rounds a point counts once for each."""
    round: Count = 0
    """`round` is the number of the round under way, or of the last one; 0 without rounds."""
    conditions: Annotated[
        list[Condition], Field(max_length=8, json_schema_extra=LIST_MAP_BY_TYPE)
    ] = []
    """`conditions` are the machine-readable state: Accepted, Succeeded and Complete, as those of a
    benchmark."""


MAX_SWEEP_NAME = 24
"""Leaves room for the hash of a point in the name of its benchmark, which has at most 32."""


class SolrBenchmarkSweep(StoredResource):
    """A sweep over SolrCloud topologies, data and loads: a benchmark for each point."""

    kind: Literal["SolrBenchmarkSweep"] = "SolrBenchmarkSweep"
    """`kind` is the kind of the resource."""
    spec: SweepSpec
    """`spec` is the desired state of the sweep."""
    status: SweepStatus = Field(default_factory=SweepStatus)
    """`status` is the observed state, written only by the operator."""

    rules: ClassVar = name_rules(MAX_SWEEP_NAME)
