"""`spec.objectives`: limits that the results are to keep."""

from typing import Annotated, ClassVar

from pydantic import Field, Strict, StringConstraints

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Bool, Int, Percent, Rate, Seconds, ShortName, at_least

MOST_OBJECTIVES = 16

MAX_OBJECTIVE_RESULTS = 128
"""Objectives times steps times variants: entries of `status.objectives.results`."""

_LimitMilliseconds = Annotated[Int, Field(ge=1, le=3_600_000)]


class ResponseTimeLimit(Model):
    """A limit on a percentile of the response time; in a closed loop that is the service time."""

    percentile: Annotated[float, Strict(), Field(ge=1, le=99.999, allow_inf_nan=False)] = 95
    """`percentile` is the share of the requests that must be answered in time, in per cent."""
    max_milliseconds: _LimitMilliseconds
    """`maxMilliseconds` is the longest time that the percentile may have."""


class MeanResponseTimeLimit(Model):
    """A limit on the mean response time; in a closed loop that is the mean service time."""

    max_milliseconds: _LimitMilliseconds
    """`maxMilliseconds` is the longest mean."""


class FailureLimit(Model):
    """A limit on failed requests."""

    max_percent: Percent
    """`maxPercent` limits the requests that failed, or were dropped from an arrival rate, in per
    cent of all that were planned."""


class ThroughputLimit(Model):
    """A limit on the rate."""

    min_requests_per_second: Rate
    """`minRequestsPerSecond` is the least rate, at least 0.001."""

    rules: ClassVar = (at_least("minRequestsPerSecond", 0.001),)


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


_OF_STEPS = ("responseTime", "meanResponseTime", "failures", "throughput", "goodput")
_OF_DATASET = ("indexingTime", "indexSize")


class Objective(Model):
    """One limit, which is Met, Missed or Unclear by the 95 % interval of the number."""

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
    """`failFast` leaves out the steps after one that missed the objective, in every repeat, and the
    whole load if the time of indexing missed it. They are recorded as not run."""

    rules: ClassVar = (
        exactly_one(*_OF_STEPS, *_OF_DATASET),
        Rule(
            cel=(
                "!(has(self.indexingTime) || has(self.indexSize))"
                " || (!has(self.request) && self.steps.size() == 0)"
            ),
            message="request and steps must not go with indexingTime and indexSize, which are one"
            " number of the whole benchmark",
            is_satisfied=lambda o: not o.is_of_dataset or (o.request is None and not o.steps),
        ),
        Rule(
            cel="!has(self.indexSize) || !self.failFast",
            message="failFast must not go with indexSize, which is known after the load",
            is_satisfied=lambda o: o.index_size is None or not o.fail_fast,
        ),
    )

    @property
    def is_of_dataset(self) -> bool:
        """Whether it limits a number of the dataset, not of steps."""
        return self.indexing_time is not None or self.index_size is not None

    @property
    def limits_trials(self) -> bool:
        """Whether trials of the capacity search have to meet it: what grows with the rate."""
        grows = (self.response_time, self.mean_response_time, self.failures)
        return not self.steps and any(each is not None for each in grows)

    @property
    def limits_time(self) -> bool:
        """Whether it limits response times, which a capacity search needs."""
        return self.response_time is not None or self.mean_response_time is not None
