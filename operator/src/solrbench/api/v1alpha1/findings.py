"""What the status concludes: verdicts, objectives, capacity, bottlenecks, stalls, trends.

Nothing here needs numpy, so that readers of results start without it.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.conditions import StatusModel, StepPart
from solrbench.api.v1alpha1.fields import Bool, Count, Difference, Measure, Text
from solrbench.api.v1alpha1.objectives import MAX_CONFIRMATIONS, MAX_OBJECTIVE_RESULTS, MAX_TRIALS
from solrbench.api.v1alpha1.step_result import Interval


class Resource(StrEnum):
    """What holds a step back, in the order in which it is looked for."""

    LOAD_GENERATOR = "LoadGenerator"
    THROTTLING = "Throttling"
    MEMORY = "Memory"
    GARBAGE_COLLECTION = "GarbageCollection"
    ONE_NODE = "OneNode"
    CPU = "Cpu"
    DISK = "Disk"
    ZOOKEEPER = "ZooKeeper"
    THREADS = "Threads"
    PROXY = "Proxy"
    NETWORK = "Network"
    MACHINE = "Machine"
    MERGES = "Merges"
    INDEX_CLIENT = "IndexClient"
    NONE = "None"
    INCONCLUSIVE = "Inconclusive"


class Bottleneck(StepPart):
    """What held one step back."""

    resource: Text
    """`resource` is LoadGenerator, Throttling, Memory, GarbageCollection, OneNode, Cpu, Disk,
    ZooKeeper, Threads, Proxy, Network, Machine, None if nothing is saturated, or Inconclusive if
    repeats do not agree. Of indexing it may also be Merges or IndexClient, and is Inconclusive if
    too little was read."""
    suspected: Text | None = None
    """`suspected` is what a single repeat shows."""
    server: Text | None = None
    """`server` is the node, pod or worker that shows it most; absent if it is no single one."""
    message: Text
    """`message` gives the measured value and its limit, or in what repeats differ."""
    field: Text | None = None
    """`field` is the field of the spec to vary next, as an axis of a sweep; absent without one."""


CAPACITY_UNITS = {
    "users": "users",
    "documents/s": "documents_per_second",
    "requests/s": "requests_per_second",
}
"""Fields of a capacity by its unit; of several that are set, the first is that of the search."""


class CapacityConclusion(StrEnum):
    """How far a search has come."""

    SEARCHING = "Searching"
    FOUND = "Found"
    INCONCLUSIVE = "Inconclusive"


class TrialResult(StatusModel):
    """One trial: a point of the curve of latency against rate."""

    requests_per_second: Measure
    """Rate of arrivals; of users the rate of good responses."""
    documents_per_second: Measure | None = None
    """The same in documents, of `indexing`."""
    users: Count | None = None
    """Number of users; absent in a search for a rate."""
    excess: Difference
    """1 - limit / measured of the objective that was exceeded most, at least -1: 0 just meets
    it."""
    p95_milliseconds: Measure | None = None
    """95th percentile of the response time of all requests; of users of the service time."""
    failed_percent: Measure
    """Share of the planned requests that failed or were dropped."""
    disturbed: Bool = False
    """Whether the load generator or a pod disturbed the trial."""


class CapacityResult(StatusModel):
    """The highest rate, or number of users, that meets the objectives, through one variant."""

    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    conclusion: CapacityConclusion
    """`conclusion` is Searching, Found, or Inconclusive with the reason in `message`."""
    message: Text
    """`message` is the result as a sentence."""
    requests_per_second: Measure | None = None
    """`requestsPerSecond` is the highest rate that meets the objectives; absent unless Found, and
    in a search for users."""
    requests_per_second_interval: Interval | None = None
    """`requestsPerSecondInterval` is its 95 % confidence interval."""
    highest_met_requests_per_second: Measure | None = None
    """`highestMetRequestsPerSecond` is the highest rate of a trial that met all objectives."""
    lowest_missed_requests_per_second: Measure | None = None
    """`lowestMissedRequestsPerSecond` is the lowest rate of a trial that missed one."""
    documents_per_second: Measure | None = None
    """`documentsPerSecond` is that rate in documents, of `indexing`; requests are its updates."""
    documents_per_second_interval: Interval | None = None
    """`documentsPerSecondInterval` is its 95 % confidence interval."""
    highest_met_documents_per_second: Measure | None = None
    """`highestMetDocumentsPerSecond` is that of a trial that met all objectives."""
    lowest_missed_documents_per_second: Measure | None = None
    """`lowestMissedDocumentsPerSecond` is that of a trial that missed one."""
    users: Count | None = None
    """`users` is the highest number of users that meets the objectives; absent unless Found, and in
    a search for a rate, as the following ones."""
    users_interval: Interval | None = None
    """`usersInterval` is its 95 % confidence interval, in whole users."""
    highest_met_users: Count | None = None
    """`highestMetUsers` is the highest number of users of a trial that met all objectives."""
    lowest_missed_users: Count | None = None
    """`lowestMissedUsers` is the lowest number of users of a trial that missed one."""
    probe_requests_per_second: Measure | None = None
    """`probeRequestsPerSecond` is the rate of good responses to the users of the probe."""
    recovered_requests_per_second: Measure | None = None
    """`recoveredRequestsPerSecond` is the rate at which a target that stays slow once it is
    overloaded recovered; absent of others, and if it recovered at none."""
    trials: Annotated[list[TrialResult], Field(max_length=MAX_TRIALS)] = []
    """`trials` are all trials, in their order."""
    confirmations: Annotated[list[TrialResult], Field(max_length=MAX_CONFIRMATIONS)] = []
    """`confirmations` are the longer runs that confirm the result, in their order."""


def capacity_unit(parts: Iterable[CapacityResult | TrialResult]) -> str:
    """Return the unit of a search by its results or trials: the first that any of them has."""
    known = [*parts]
    found = (u for u, field in CAPACITY_UNITS.items() if any(getattr(p, field) for p in known))
    return next(found, "requests/s")


class Scalability(StatusModel):
    """How throughput grows with users, through one variant: of ladders of steps with users."""

    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    levels: Count
    """`levels` is the number of steps with users."""
    knee_users: Measure | None = None
    """`kneeUsers` is the number of users at which the two asymptotes of throughput meet: growth in
    proportion to users, and the highest throughput measured; absent with fewer than 3 repeats."""
    knee_users_interval: Interval | None = None
    """`kneeUsersInterval` is its 95 % confidence interval over the repeats."""
    contention: Difference | None = None
    """`contention` is sigma of the Universal Scalability Law."""
    coherency: Difference | None = None
    """`coherency` is kappa of it."""
    peak_users: Measure | None = None
    """`peakUsers` is the number of users with the highest throughput by that law; only where
    throughput was measured to decline beyond it."""
    declines: bool | None = None
    """`declines` is true where throughput with the most users was measured to be below the highest,
    and false where it was not; absent with fewer than 3 repeats."""
    message: Text
    """`message` is the result as a sentence."""


MAX_NOT_RUN = 32


class ObjectiveConclusion(StrEnum):
    """What a number and its interval say of a limit."""

    MET = "Met"
    """The whole 95 % interval keeps the limit."""
    MISSED = "Missed"
    """The whole interval is beyond the limit."""
    INCONCLUSIVE = "Inconclusive"
    """The limit is within the interval, or there is none."""


def overall_conclusion(words: Sequence[ObjectiveConclusion]) -> ObjectiveConclusion:
    """Return Missed if one is, Met if there are some and all are, else Inconclusive."""
    if ObjectiveConclusion.MISSED in words:
        return ObjectiveConclusion.MISSED
    all_met = bool(words) and set(words) == {ObjectiveConclusion.MET}
    return ObjectiveConclusion.MET if all_met else ObjectiveConclusion.INCONCLUSIVE


class ObjectiveResult(StatusModel):
    """One objective in one step and variant, or for the dataset."""

    name: Text
    """`name` is the name of the objective."""
    step: Text | None = None
    """`step` is the name of the step; absent for objectives of the dataset."""
    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    conclusion: ObjectiveConclusion
    """`conclusion` is Met, Missed, or Inconclusive where the limit is within the 95 % interval."""
    limit: Measure
    """`limit` is the limit of the objective, in `unit`."""
    value: Measure | None = None
    """`value` is the number that was measured, in `unit`; absent if nothing was."""
    lower: Measure | None = None
    """`lower` is the lower bound of its 95 % confidence interval; absent without one."""
    upper: Measure | None = None
    """`upper` is the upper bound."""
    unit: Text
    """`unit` is the unit of the numbers: ms, %, requests/s, s or bytes."""
    message: Text
    """`message` is the same as a sentence."""


class NotRun(StepPart):
    """A step that was not run."""

    step_runs: Count
    """`stepRuns` is the number of repeats in which it was not run."""
    reason: Text
    """`reason` gives the objective or rule, the number and its limit."""


class ObjectivesStatus(StatusModel):
    """All objectives."""

    conclusion: ObjectiveConclusion
    """`conclusion` is Missed if one is, Met if all are, else Inconclusive."""
    results: Annotated[list[ObjectiveResult], Field(max_length=MAX_OBJECTIVE_RESULTS)] = []
    """`results` has one entry for each objective, and each step and variant that it is for."""


MAX_TRENDS = 64
"""Trends in the status; of more, those that grow come first."""


class TrendFigure(StrEnum):
    """A figure that may grow."""

    HEAP = "HeapAfterGc"
    MEMORY = "ResidentMemory"
    LATENCY = "Latency"
    FAILURES = "FailedRequests"
    INDEX = "IndexSize"


class TrendConclusion(StrEnum):
    """What a figure did."""

    HEAP_GROWS = "HeapGrows"
    MEMORY_GROWS = "MemoryGrows"
    LATENCY_GROWS = "LatencyGrows"
    FAILURES_GROW = "FailuresGrow"
    INDEX_GROWS = "IndexGrows"
    SLOWS_DOWN = "SlowsDown"
    ROSE_ONCE = "RoseOnce"
    STEADY = "Steady"
    INCONCLUSIVE = "Inconclusive"


class Trend(StepPart):
    """What one figure did in a step, for steps of five minutes and more."""

    figure: Text
    """`figure` is HeapAfterGc, ResidentMemory, Latency, FailedRequests or IndexSize."""
    conclusion: Text
    """`conclusion` is HeapGrows, MemoryGrows, LatencyGrows, FailuresGrow or IndexGrows; SlowsDown
    if it grows less and less; RoseOnce for a single step upwards; Steady; or Inconclusive if the
    step was too short or too uneven to say."""
    server: Text | None = None
    """`server` is the node or pod that grows most; absent for what the load measured."""
    unit: Text
    """`unit` is the unit of the figure: bytes, milliseconds or percent."""
    growth_per_hour: Difference
    """`growthPerHour` is the growth in an hour, beside caches that fill and load that moves; mean
    over the repeats."""
    lower_per_hour: Difference
    """`lowerPerHour` is the lower bound of its 95 % confidence interval, the lowest of any
    repeat."""
    upper_per_hour: Difference
    """`upperPerHour` is the upper bound, the highest of any repeat."""
    full_in_hours: Measure | None = None
    """`fullInHours` is the time until the figure reaches its limit at this pace: that of the heap,
    or the memory limit of the pod; absent if it does not grow, slows down, or has no limit."""
    message: Text
    """`message` gives the numbers in words."""


VALID, INCONCLUSIVE, INVALID = "Valid", "Inconclusive", "Invalid"

MAX_VERDICTS = 32
"""Steps times variants, as the spec bounds them."""


STEP_TOO_SHORT = "StepTooShort"
"""Why numbers have no interval. The step is Inconclusive: nothing is known to be wrong."""

CHECKS_OF_NUMBERS = frozenset(
    (STEP_TOO_SHORT, "NotSteady", "RepeatsDisagree", "RepeatTimesDiffer", "WorkerSaturated")
)
"""Without one of these checks a step is Inconclusive; others only lack evidence of a cause."""


# Of one step: with all reasons that there are, the status of a long ladder would be too large.
MAX_REASONS = 16


class InvalidReason(StatusModel):
    """One reason why the results of a step are invalid."""

    reason: Text
    """`reason` is a CamelCase word: WorkerSaturated, ScheduleLag, WorkersLost, PodThrottled,
    PodRestarted, TooFewSamples, PartialResults, EmptyResults, RequestsFailed, EndedEarly,
    ConnectionsRanOut, RequestsDropped, RequestsLate, QueriesMayRepeat, WorkersDiffer,
    DelayedByGenerator, FirstRepeatDiffers, RepeatsDrift, RepeatsDisagree, EmptyResultsIncreased,
    LoadSharesNodes, SolrSharesNodes, DeletedDocuments, VariantDiffers, CpuStolen, OthersUseCpu,
    CpuPressure, NotSteady, TargetChanged, RepeatTimesDiffer, DocumentsLost."""
    message: Text
    """`message` gives what happened, the measured value, its limit and the remedy, of the worst
    repeat."""


class StepVerdict(StepPart):
    """Verdict on one step and variant, over all stored repeats."""

    verdict: Text
    """`verdict` is Valid; Invalid if a limit was passed; or Inconclusive if none was, but a check
    of the numbers themselves could not be made: StepTooShort, NotSteady, RepeatsDisagree,
    RepeatTimesDiffer or WorkerSaturated is in `unchecked`."""
    reasons: Annotated[list[InvalidReason], Field(max_length=MAX_REASONS)] = []
    """`reasons` are the reasons why it is Invalid; beyond 16 they are omitted."""
    unchecked: Annotated[list[InvalidReason], Field(max_length=MAX_REASONS)] = []
    """`unchecked` are the reasons that could not be checked, and why, first those that make the
    step Inconclusive; beyond 16 they are left out."""

    @property
    def causes(self) -> list[InvalidReason]:
        """Why the step is not Valid: what was found, or what could not be checked."""
        if self.verdict != INCONCLUSIVE:
            return self.reasons
        return [each for each in self.unchecked if each.reason in CHECKS_OF_NUMBERS]


def overall_verdict(verdicts: Iterable[StepVerdict]) -> str:
    """Return the worst verdict, and an empty text without verdicts."""
    distinct = {verdict.verdict for verdict in verdicts}
    return next((each for each in (INVALID, INCONCLUSIVE, VALID) if each in distinct), "")


def steps_that_are(word: str, verdicts: Iterable[StepVerdict]) -> list[StepVerdict]:
    """Return the verdicts that are this word, such as Invalid."""
    return [verdict for verdict in verdicts if verdict.verdict == word]
