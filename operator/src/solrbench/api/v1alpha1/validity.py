"""How far a measurement may go wrong, and what is read of servers and JVMs meanwhile."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, Strict, StringConstraints

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Bool, Int, Percent


class Validity(Model):
    """Limits of the verdict; a step that exceeds any of them is `Invalid`, with the reason."""

    percentile: Annotated[Int, Field(ge=50, le=99)] = 95
    """`percentile` is the percentile of the service time that must be supported by the sample:
    each request name of a step needs so many requests, over all repeats, that 10 of them lie
    above it, 200 for 95 and 1000 for 99."""
    max_worker_cpu_percent: Annotated[float, Strict(), Field(ge=1, le=100)] = 90
    """`maxWorkerCpuPercent` limits the CPU time of a load worker, in per cent of one core or of
    its CPU limit if that is less, and the time in which its engine thread ran or waited for a
    CPU, in per cent of the time in which requests were started; both in the whole of it, and in
    every 5 s. Above this limit the load generator, not Solr, is assumed to be the bottleneck."""
    max_worker_difference_percent: Annotated[float, Strict(), Field(ge=0, le=1000)] = 50
    """`maxWorkerDifferencePercent` limits how far the percentile of the service times of one load
    worker's requests may exceed the median of the other workers' percentiles, in per cent of
    it."""
    max_throttled_percent: Percent = 1
    """`maxThrottledPercent` limits the time that a load worker was throttled by its CPU limit, in
    per cent of the time in which requests were started."""
    max_stolen_percent: Percent = 5
    """`maxStolenPercent` limits the CPU time that the host of a load worker's node, a virtual
    machine, gave to others (steal), in per cent of the time in which requests were started; a mean
    over the CPUs of the node."""
    max_cpu_pressure_percent: Percent = 50
    """`maxCpuPressurePercent` limits the time in which a process of a load worker's control group
    waited for a CPU (pressure stall information), in per cent of the time in which requests were
    started."""
    max_others_cpu_percent: Percent = 30
    """`maxOthersCpuPercent` limits the CPU time that processes which are not of the benchmark used
    on a node, in per cent of all its CPUs: on the nodes of pods with telemetry, else on that of the
    load master. Solr's and the load workers' CPU time is known, all other counts as theirs."""
    max_drift_percent: Percent = 10
    """`maxDriftPercent` limits by how many per cent the mean service time may rise or fall over a
    step after its beginning, if that is more than its seconds explain: such a step never became
    steady."""
    max_lag_milliseconds: Annotated[Int, Field(ge=1, le=3_600_000)] = 10
    """`maxLagMilliseconds` limits, in an open loop, the 99th percentile of the delay between
    scheduled and actual send time that the worker itself caused."""
    max_own_delay_percent: Percent = 5
    """`maxOwnDelayPercent` limits, in an open loop, how far the delays that load workers caused
    themselves may raise the percentile of a request name's response times, in per cent of what
    it were without them."""
    max_dropped_percent: Percent = 1
    """`maxDroppedPercent` limits, in an open loop, the planned requests that were never sent, in
    per cent of the plan."""
    max_late_percent: Percent = 100
    """`maxLatePercent` limits, in an open loop, the requests that were sent late, in per cent of
    the plan. Lateness is part of the response times, so it is no error by default."""
    max_failed_percent: Percent = 1
    """`maxFailedPercent` limits the failed requests, in per cent of all; and the seconds in which
    at least half of the requests failed, in per cent of the step's seconds."""
    max_deleted_percent: Percent = 1
    """`maxDeletedPercent` limits the deleted documents that are still in the index, in per cent of
    all that are in it. Index pods that ran again leave them, and so does data that repeats ids. A
    collection that the benchmark did not fill is measured as it is."""
    allow_variant_differences: Bool = False
    """`allowVariantDifferences` says whether `target.variants` may lead to another number of
    documents, or another version of Solr, than the target has."""
    max_partial_percent: Percent = 0
    """`maxPartialPercent` limits the responses that lack the results of a shard, in per cent of
    all requests."""
    max_empty_percent: Percent = 50
    """`maxEmptyPercent` limits the responses that found no document, in per cent of all requests.
    Queries that match nothing are fast and would flatter the result."""
    max_empty_increase_percent: Percent = 1
    """`maxEmptyIncreasePercent` limits by how many per cent of the requests of a name more found
    no document in a later repeat than in the first, beyond what is due to chance."""
    max_repeat_deviation_percent: Percent = 3
    """`maxRepeatDeviationPercent` is the relative standard deviation by which the service times of
    repeats may differ. What they differ by beyond it must be explained by how much they vary
    within each repeat."""
    max_repeat_difference_percent: Annotated[float, Strict(), Field(ge=1, le=1000)] = 25
    """`maxRepeatDifferencePercent` limits how far the mean or the percentile of the times of one
    repeat may be above that of another, in per cent of it, beyond what is due to chance. It is
    checked from ten seconds on; `maxRepeatDeviationPercent` needs longer repeats."""
    allow_shared_nodes: Bool | None = None
    """`allowSharedNodes` says whether Solr pods may share a Kubernetes node with load pods, or
    with each other. By default they may only where all pods of the benchmark run on one node."""


class ThreadDumps(Model):
    """Thread dumps of every Solr node, of at most 8 nodes."""

    count: Annotated[Int, Field(ge=0, le=10)] = 3
    """`count` is the number of dumps of each node in each step."""
    interval_seconds: Annotated[Int, Field(ge=1, le=3600)] = 10
    """`intervalSeconds` is the time from the begin of a step to the first dump, and from each dump
    to the next; those due after the end of the step, or beyond 1 MiB packed, are omitted."""


class FlightRecording(Model):
    """A recording of Java Flight Recorder in each step, of at most 2 Solr nodes."""

    duration_seconds: Annotated[Int, Field(ge=1, le=300)] = 30
    """`durationSeconds` is the time from the begin of a step that is recorded; one that ends
    before ends the recording. More than 1 MiB packed is not kept."""


class Diagnostics(Model):
    """What is taken in all steps of one repeat, whose times it may change."""

    repeat: Annotated[Int, Field(ge=1, le=100)] = 1
    """`repeat` is the repeat that it is taken in."""
    thread_dumps: ThreadDumps = ThreadDumps()
    """`threadDumps` says how often Solr is asked for what its threads do."""
    gc_log: bool = False
    """`gcLog` keeps what Solr's garbage collectors log during each step, of at most 8 nodes; pods
    need the agent for it, by load.telemetry.collect: ServersAndPods."""
    flight_recording: FlightRecording | None = None
    """`flightRecording` records what Solr's JVM does, from Java 17 on, with the settings `default`
    and without environment, properties and arguments; none when absent. It needs the agent, as
    `gcLog` does."""


class Collect(StrEnum):
    """What telemetry is made of."""

    SERVERS_AND_PODS = "ServersAndPods"
    SERVERS = "Servers"
    NONE = "None"


class LoadTelemetry(Model):
    """What the load master reads of servers while a step is measured."""

    collect: Collect = Collect.SERVERS
    """`collect` controls what is read. `Servers` reads Solr's metrics and, of an ensemble that the
    benchmark made, ZooKeeper's: heap, garbage collection, CPU, threads, caches, requests, index.
    `ServersAndPods` also reads the control groups of the pods that the benchmark makes for them:
    CPU, throttling, pressure stall, memory, page faults, disk and network. Each of these pods then
    has a small container of the operator's image, and its containers share their processes. `None`
    reads nothing; the results then name no bottleneck."""
    interval_seconds: Annotated[Int, Field(ge=1, le=3600)] = 10
    """`intervalSeconds` is the time between two readings; counters are read at the begin and the
    end of each step."""


_Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class Visibility(Model):
    """Marked documents that are added while steps are measured, until every replica finds them."""

    interval_seconds: Annotated[Int, Field(ge=1, le=3600)] = 10
    """`intervalSeconds` is the mean time between two marked documents; waits are drawn between half
    of it and one and a half times as much."""
    commit_within_milliseconds: Annotated[Int, Field(ge=1, le=3_600_000)] | None = None
    """`commitWithinMilliseconds` is what Solr is asked to commit a marked document within. When
    absent, the commits of the collection and of the workload decide."""
    timeout_seconds: Annotated[Int, Field(ge=1, le=600)] = 60
    """`timeoutSeconds` is the time after which a document counts as not found. The end of a step
    waits at most as long for those under way."""
    fields: Annotated[
        dict[_Name, Annotated[str, StringConstraints(max_length=1024)]], Field(max_length=16)
    ] = {}
    """`fields` are fields that the schema requires beside the unique key, with their values."""
