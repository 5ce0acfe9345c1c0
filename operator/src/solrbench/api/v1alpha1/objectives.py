"""Limits that results are to keep, the search for the highest load within them, and comparisons."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.arrivals import ArrivalDistribution, ThinkTime
from solrbench.api.v1alpha1.fields import (
    Bool,
    FileName,
    Int,
    ObjectReference,
    Percent,
    Percentile,
    Rate,
    Seconds,
    ShortName,
    at_least,
)
from solrbench.api.v1alpha1.request_mix import UPDATE, StepIndexing

MAX_OBJECTIVES = 16

MAX_OBJECTIVE_RESULTS = 128
"""Objectives times steps times variants: entries of `status.objectives.results`."""

_LimitMilliseconds = Annotated[Int, Field(ge=1, le=3_600_000)]


class ResponseTimeLimit(Model):
    """A limit on a percentile of the response time; in a closed loop that is the service time."""

    percentile: Percentile = 95
    """`percentile` is the share of the requests that must be answered in time, in per cent."""
    max_milliseconds: _LimitMilliseconds
    """`maxMilliseconds` is the longest time that the percentile may have."""


class MeanResponseTimeLimit(Model):
    """A limit on the mean response time; in a closed loop that is the mean service time."""

    max_milliseconds: _LimitMilliseconds
    """`maxMilliseconds` is the longest mean."""


class TimeUntilFoundLimit(Model):
    """A limit on a percentile of the time until documents are found."""

    percentile: Percentile = 95
    """`percentile` is the share of the documents, in per cent."""
    max_milliseconds: _LimitMilliseconds
    """`maxMilliseconds` is the longest time that the percentile may have."""


class FailureLimit(Model):
    """A limit on failed requests."""

    max_percent: Percent
    """`maxPercent` limits the requests that failed, or were dropped from an arrival rate, in per
    cent of all that were planned."""


class ThroughputLimit(Model):
    """A limit on the rate."""

    min_requests_per_second: Rate | None = None
    """`minRequestsPerSecond` is the least rate, at least 0.001."""
    min_documents_per_second: Rate | None = None
    """`minDocumentsPerSecond` is the least rate at which steps with `indexing` add documents, at
    least 0.001."""

    rules: ClassVar = (
        exactly_one("minRequestsPerSecond", "minDocumentsPerSecond"),
        at_least("minRequestsPerSecond", 0.001),
        at_least("minDocumentsPerSecond", 0.001),
    )


class GoodputLimit(Model):
    """A limit on the rate of good responses in time."""

    min_requests_per_second: Rate
    """`minRequestsPerSecond` is the least rate of good responses in time, at least 0.001."""
    within_milliseconds: _LimitMilliseconds
    """`withinMilliseconds` is the response time up to which a response is in time."""

    rules: ClassVar = (at_least("minRequestsPerSecond", 0.001),)


class IndexingTimeLimit(Model):
    """A limit on the time of indexing."""

    max_seconds: Seconds
    """`maxSeconds` is the longest time in which the dataset must be indexed."""


class IndexSizeLimit(Model):
    """A limit on the size of the index."""

    max_bytes: Annotated[Int, Field(ge=1, le=2**53)]
    """`maxBytes` is the most that all replicas together may have."""


class Objective(Model):
    """One limit, which is Met, Missed or Inconclusive by the 95 % interval of the number."""

    name: ShortName
    """`name` is the name of the objective in results and metrics."""
    response_time: ResponseTimeLimit | None = None
    """`responseTime` limits a percentile of the response time."""
    mean_response_time: MeanResponseTimeLimit | None = None
    """`meanResponseTime` limits the mean response time."""
    failures: FailureLimit | None = None
    """`failures` limits the share of failed requests."""
    throughput: ThroughputLimit | None = None
    """`throughput` is the least rate."""
    goodput: GoodputLimit | None = None
    """`goodput` is the least rate of good responses in time."""
    time_until_found: TimeUntilFoundLimit | None = None
    """`timeUntilFound` limits what `load.visibility` measures, of the slowest replica type."""
    indexing_time: IndexingTimeLimit | None = None
    """`indexingTime` limits the time of indexing."""
    index_size: IndexSizeLimit | None = None
    """`indexSize` limits the size of the index after the load."""
    request: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None
    """`request` is the name of the requests that the objective is for; all requests together when
    absent."""
    steps: Annotated[list[ShortName], Field(max_length=32)] = []
    """`steps` are the names of the steps that the objective is for; all steps, and the trials of
    `load.capacity`, when empty."""
    fail_fast: Bool = False
    """`failFast` omits the steps after one that missed the objective, in every repeat, and the
    whole load if the time of indexing missed it. They are recorded as not run."""

    rules: ClassVar = (
        exactly_one(
            *("responseTime", "meanResponseTime", "failures", "throughput", "goodput"),
            *("timeUntilFound", "indexingTime", "indexSize"),
        ),
        Rule(
            cel=(
                "!(has(self.indexingTime) || has(self.indexSize))"
                " || (!has(self.request) && self.steps.size() == 0)"
            ),
            message="request and steps must not go with indexingTime and indexSize, which are one"
            " number of the whole benchmark",
        ),
        Rule(
            cel="!has(self.timeUntilFound) || !has(self.request)",
            message="request must not go with timeUntilFound, which is of no request",
        ),
        Rule(
            cel="!has(self.indexSize) || !self.failFast",
            message="failFast must not go with indexSize, which is known after the load",
        ),
    )

    @property
    def is_of_dataset(self) -> bool:
        """Whether it limits a number of the dataset, not of steps."""
        return self.indexing_time is not None or self.index_size is not None

    @property
    def is_of_documents(self) -> bool:
        """Whether it limits what only steps that index have."""
        limit = self.throughput
        return limit is not None and limit.min_documents_per_second is not None

    @property
    def limits_trials(self) -> bool:
        """Whether trials of the capacity search have to meet it: what grows with the rate."""
        grows = (self.response_time, self.mean_response_time, self.time_until_found, self.failures)
        return not self.steps and any(each is not None for each in grows)

    def limits_trials_of(self, capacity: "Capacity") -> bool:
        """Return whether trials have to meet it, of which those of indexing send updates alone."""
        is_sent = capacity.indexing is None or self.request in (None, UPDATE)
        return is_sent and self.limits_trials


PROBE_SECONDS = 10
"""Time of the probe with users."""

MAX_TRIALS = 50

MAX_TRIAL_SECONDS = 3600

MAX_CONFIRMATIONS = 7
"""Runs that may confirm what a search found: two, unless the target stays slow when overloaded."""

OVERLOAD_TRIALS = 3
"""Time before a confirming run is measured, in times of a trial."""


class SearchFor(StrEnum):
    """What a search raises."""

    REQUESTS_PER_SECOND = "RequestsPerSecond"
    USERS = "Users"


class Capacity(Model):
    """The search for the highest arrival rate, or number of users, that meets the objectives."""

    search_for: SearchFor = SearchFor.REQUESTS_PER_SECOND
    """`searchFor` is what the search raises: `RequestsPerSecond`, sent whether earlier requests are
    completed or not (an open loop), or `Users`, each of which waits for its response (a closed
    loop)."""

    trial_seconds: Annotated[Int, Field(ge=5, le=MAX_TRIAL_SECONDS)] = 40
    """`trialSeconds` is the time to measure each trial for. Longer trials make the result more
    certain: a trial needs thousands of requests."""
    settle_seconds: Annotated[Int, Field(ge=1, le=600)] = 3
    """`settleSeconds` is the time for which each trial sends before it is measured; its users start
    within that time."""
    max_trials: Annotated[Int, Field(ge=8, le=MAX_TRIALS)] = 15
    """`maxTrials` limits the trials, of each variant; the search ends before, but not before the
    eighth, once the rate is known to 1.5 %, or the number of users to 1.5 % or half a user, by
    trials that were long enough for the queue."""
    confirm_seconds: Annotated[Int, Field(ge=5, le=86_400)] = 300
    """`confirmSeconds` is the least time to measure each run for that confirms the result, at 97 %
    of it: one that begins like a trial and, of a rate, one after an overload."""
    probe_users: Annotated[Int, Field(ge=1, le=10_000)] = 50
    """`probeUsers` is the number of users that send for 10 s before the first trial, to find a rate
    that is too high: enough to keep the target busy. A search for users begins from them."""
    max_users: Annotated[Int, Field(ge=1, le=100_000)] = 10_000
    """`maxUsers` limits the users of a search for them."""
    think_time: ThinkTime | None = None
    """`thinkTime` is the wait of a user between a response and the next request, as in a step."""
    arrival_distribution: ArrivalDistribution = ArrivalDistribution.POISSON
    """`arrivalDistribution` is that of the times between arrivals, as in a step."""
    max_in_flight: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """`maxInFlight` limits the requests in flight at once, as in a step; 1000 when absent."""
    indexing: StepIndexing | None = None
    """`indexing` searches for a rate of documents: trials add them in place of the requests of the
    workload."""

    rules: ClassVar = (
        Rule(
            cel="!has(self.thinkTime) || self.searchFor == 'Users'",
            message="thinkTime must go with searchFor Users, an arrival rate has none",
        ),
        Rule(
            cel="!has(self.maxInFlight) || self.searchFor != 'Users'",
            message="maxInFlight must go with searchFor RequestsPerSecond, a user has one request",
        ),
    )


class PrimaryMetric(StrEnum):
    """The figure of each step that decides whether it is better or worse."""

    AVERAGE = "Average"
    P50 = "P50"
    P90 = "P90"
    P95 = "P95"
    P99 = "P99"
    REQUESTS_PER_SECOND = "RequestsPerSecond"
    DOCUMENTS_PER_SECOND = "DocumentsPerSecond"
    TIME_UNTIL_FOUND = "TimeUntilFoundP95"


class StoredReport(ObjectReference):
    """A report, as `solrbench report NAME -o json` prints it, in a ConfigMap of the namespace."""

    key: FileName = "report.json.gz"
    """`key` is the key that holds the report; it may be packed by gzip."""


class BaselineReport(Model):
    """A report that was kept."""

    config_map: StoredReport
    """`configMap` is the ConfigMap that holds the report."""


class Baseline(Model):
    """The results that those of this benchmark are compared with."""

    benchmark: ObjectReference | None = None
    """`benchmark` is another benchmark in the same namespace. This one starts when that one has
    succeeded."""
    report: BaselineReport | None = None
    """`report` is a report that was kept of a benchmark that may be gone."""

    rules: ClassVar = (exactly_one("benchmark", "report"),)


MAX_ANSWER_QUERIES, MAX_ANSWER_DOCUMENTS = 5000, 100


class AnswersSpec(Model):
    """Which answers are compared: those to the queries of the workload, each once."""

    queries: Annotated[Int, Field(ge=0, le=MAX_ANSWER_QUERIES)] = 1000
    """`queries` is the number of distinct queries that are sent before the load, the same for the
    same workload and seed; 0 compares no answers."""
    first: Annotated[Int, Field(ge=1, le=MAX_ANSWER_DOCUMENTS)] = 10
    """`first` is the number of documents of each answer that are compared."""

    rules: ClassVar = (
        Rule(
            cel="self.queries * self.first <= 50000",
            message="queries times first must be at most 50000, use fewer of one",
        ),
    )


class ComparisonSpec(Model):
    """How results are compared: with a baseline, and variants with the first one."""

    baseline: Baseline | None = None
    """`baseline` is what the results are compared with; without it only variants are compared."""
    smallest_effect_percent: Percent = 5
    """`smallestEffectPercent` is the smallest difference that matters: a figure is Same if any
    difference is smaller. Shares of failures matter from one percentage point on."""
    primary: PrimaryMetric = PrimaryMetric.P95
    """`primary` is the figure of all requests of a step that decides whether the step is Better,
    Worse or Same (DocumentsPerSecond, only of steps with `indexing`; TimeUntilFoundP95, of
    `load.visibility`); other figures, and single request names, have a conclusion only where it has
    one."""

    answers: AnswersSpec | None = None
    """`answers` compares the answers to queries, too: through variants, and with `baseline`. In a
    sweep over versions, images or config sets it is there unless the template has it."""

    rules: ClassVar = (
        # As a minimum, the API server would cut it to 0 for whole numbers.
        Rule(
            cel="self.smallestEffectPercent >= 0.1",
            message="smallestEffectPercent must be at least 0.1",
        ),
    )
