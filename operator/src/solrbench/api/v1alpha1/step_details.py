"""What the status has of a step beside results: open loop, cold start, waits, time until found."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.conditions import (
    PrometheusMetric,
    Shown,
    StepPart,
    Unit,
    shown,
    with_metric,
)
from solrbench.api.v1alpha1.fields import Bool, Count, Measure, Text
from solrbench.api.v1alpha1.step_result import PercentileResult


class OpenLoopStats(StepPart):
    """How the arrivals of one step with a planned rate were sent, over all repeats stored.

    An arrival is one request or one whole transaction; those of the ramp are not counted.
    """

    planned_arrivals: Count | None = shown(Unit.ARRIVALS, "step_planned_arrivals")
    """Arrivals that the planned rate schedules."""
    sent_arrivals: Annotated[Count, with_metric(Unit.ARRIVALS, "step_sent_arrivals")]
    """Arrivals that were sent, late ones included."""
    late_arrivals: Annotated[Count, with_metric(Unit.ARRIVALS, "step_late_arrivals")]
    """Arrivals sent more than 10 ms after their intended start."""
    dropped_arrivals: Annotated[Count, with_metric(Unit.ARRIVALS, "step_dropped_arrivals")]
    """Arrivals never sent, for want of a free connection."""
    lag_p99_milliseconds: Measure | None = Shown(
        Unit.MILLISECONDS,
        metric=PrometheusMetric(
            "step_send_lag_seconds",
            "0.99",
            "Quantiles of the worker's own delay, from the intended start to sending where a"
            " connection was free, of the worst worker and repeat; absent if a worker did not"
            " report it.",
        ),
    ).optional()
    """99th percentile of the worker's own delay, from the intended start to sending where a
    connection was free, of the worst worker and repeat; absent if a worker did not report it."""
    lag_max_milliseconds: Measure | None = shown(Unit.MILLISECONDS, "step_send_lag_max_seconds")
    """Longest delay by a worker itself."""


class ColdStart(StepPart):
    """The first thousand requests to the target, beside the steady part of the first step run."""

    in_warm_up: Annotated[Bool, Shown(Unit.NONE)]
    """Whether the first thousand requests were those of the warm-up before that step."""
    first_thousand_seconds: Annotated[
        Measure, with_metric(Unit.SECONDS, "cold_start_first_thousand_seconds")
    ]
    """Time from the first request sent to the end of the thousandth, of the first step run."""
    first_thousand_average_milliseconds: Annotated[
        Measure,
        with_metric(Unit.MILLISECONDS, "cold_start_first_thousand_service_time_average_seconds"),
    ]
    """Mean service time of the first thousand requests."""
    first_thousand_max_milliseconds: Annotated[
        Measure,
        with_metric(Unit.MILLISECONDS, "cold_start_first_thousand_service_time_max_seconds"),
    ]
    """Longest service time of the first thousand requests."""
    steady_average_milliseconds: Measure | None = shown(
        Unit.MILLISECONDS, "cold_start_steady_service_time_average_seconds"
    )
    """Mean service time of the step from the second on from which it was steady; absent if it was
    too short or never became steady."""


MAX_RESPONSE_GAPS = 8
"""Steps and variants in the status."""


class StepResponseGaps(StepPart):
    """Who waited in one step through one variant, over all repeats stored."""

    least_user_requests: Count | None = None
    """Requests of the user with the fewest, in the repeat in which it is farthest below the median;
    absent in an open loop and with a locustfile, as the following ones."""
    median_user_requests: Count | None = None
    """Median of the requests of a user in that repeat."""
    most_user_requests: Count | None = None
    """Requests of the user with the most in that repeat."""
    least_user: Count | None = None
    """Number of the user with the fewest requests, from 0."""
    least_user_node: Text | None = None
    """Host and port of its node."""
    least_user_repeat: Count | None = None
    """That repeat."""
    longest_milliseconds: Measure | None = None
    """The longest time that a user waited for a response; in an open loop, that no response came
    from a node although requests waited for it."""
    longest_user: Count | None = None
    """Number of that user, from 0; absent in an open loop."""
    longest_node: Text | None = None
    """Host and port of its node."""
    longest_repeat: Count | None = None
    """The repeat in which that was."""
    longest_second: Measure | None = None
    """When it began: seconds since the step began to be measured."""


MAX_VISIBILITY = 96
"""Entries of steps, variants and replica types."""


class StepVisibility(StepPart):
    """After which time replicas of one type found the marked documents of a step."""

    replica_type: Text | None = None
    """`replicaType` is NRT, TLOG or PULL; absent if the replicas could not be listed."""
    documents: Count = 0
    """`documents` is the number of times that a replica found a marked document, over all
    repeats."""
    not_found: Count = 0
    """`notFound` is the number of times that one did not within `timeoutSeconds`: these are longer
    than all others."""
    percentiles: Annotated[list[PercentileResult], Field(max_length=3)] = []
    """`percentiles` are the median, the 95th and the 99th percentile of the times from the response
    to the update until the replica found the document, with 95 % intervals, which also hold
    `errorMilliseconds`; absent beyond the share that was found."""
    max_milliseconds: Measure | None = None
    """`maxMilliseconds` is the longest of those found."""
    error_milliseconds: Measure | None = None
    """`errorMilliseconds` is how exactly 95 % of the times are known at least: half of what passed
    between the last query that did not find the document and the first response that had it."""
    problem: Text | None = None
    """`problem` is what went wrong last; absent if nothing did."""
