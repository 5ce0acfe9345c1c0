"""`spec.load.validity`: how far a measurement may go wrong before its numbers are `Invalid`."""

from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Int

Percent = Annotated[Int, Field(ge=1, le=100)]
Permille = Annotated[Int, Field(ge=0, le=1000)]


class Validity(Model):
    """Bounds of the verdict: a step that passes one of them is `Invalid`, and says which."""

    percentile: Annotated[Int, Field(ge=50, le=99)] = 95
    """Percentile of the service time that is asked for. Each request name of a step must have so
    many requests, over all repeats, that 10 of them lie beyond it: 200 for 95, 1000 for 99."""
    max_worker_cpu_percent: Percent = 90
    """CPU time of a load worker in per cent of one core, or of its CPU limit if that is less; and
    time in which the thread that sends ran or waited for a CPU, in per cent of the measured time.
    Above it the worker was the one that was slow."""
    max_throttled_permille: Permille = 10
    """Time that a load worker stood still because its CPU limit was used up, in thousandths of the
    measured time."""
    max_lag_milliseconds: Annotated[Int, Field(ge=1, le=3_600_000)] = 10
    """Open loop: 99th percentile of the time between a request's place in the plan and its being
    sent, where nothing but the worker itself held it up."""
    max_dropped_permille: Permille = 10
    """Open loop: requests of the plan that were never sent, in thousandths of the plan."""
    max_late_permille: Permille = 1000
    """Open loop: requests that were sent late, in thousandths of the plan. How late they were is in
    the response times, so that this is no error unless a bound is set."""
    max_failed_permille: Permille = 500
    """Requests that failed, in thousandths of all; and seconds in which more than this share of the
    requests failed, in thousandths of the step's seconds."""
    max_partial_permille: Permille = 0
    """Answers that lack the results of a shard, in thousandths of all requests."""
    max_empty_permille: Permille = 500
    """Answers that found no document, in thousandths of all requests: queries that do not fit the
    data are fast."""
