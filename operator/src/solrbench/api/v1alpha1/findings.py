"""What the search for the highest load has found, and how ladders of users scale."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Bool, Count, Difference, Measure, Text
from solrbench.api.v1alpha1.load.capacity import MOST_TRIALS
from solrbench.api.v1alpha1.status.conditions import StatusModel
from solrbench.api.v1alpha1.status.steps.intervals import Interval

MAX_VARIANTS = 8


class CapacityWord(StrEnum):
    """How far a search has come."""

    SEARCHING = "Searching"
    FOUND = "Found"
    UNCLEAR = "Unclear"


class TrialResult(StatusModel):
    """One trial: a point of the curve of latency against rate."""

    requests_per_second: Measure
    """Rate of arrivals; of users the rate of good responses."""
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
    """Whether the load generator or a pod disturbed the trial; it is not used."""


class CapacityResult(StatusModel):
    """The highest rate, or number of users, that meets the objectives, through one variant."""

    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    word: CapacityWord
    """`word` is Searching, Found, or Unclear with the reason in `message`."""
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
    knee_requests_in_flight: Measure | None = None
    """`kneeRequestsInFlight` is the number of requests in flight at which the asymptotes meet: the
    mean response time of a target at a fifth of the probe's rate, times the rate of the probe.
    With more, requests queue."""
    knee_requests_in_flight_interval: Interval | None = None
    """`kneeRequestsInFlightInterval` is its 95 % confidence interval."""
    trials: Annotated[list[TrialResult], Field(max_length=MOST_TRIALS)] = []
    """`trials` are all trials, in their order."""


class Scalability(StatusModel):
    """How throughput grows with users, through one variant: of ladders of steps with users."""

    variant: Text | None = None
    """`variant` is the name of the variant; absent without variants."""
    levels: Count
    """`levels` is the number of steps with users."""
    knee_users: Measure | None = None
    """`kneeUsers` is the number of users at which the two asymptotes of throughput meet: growth in
    proportion to users, and the highest throughput measured."""
    knee_users_interval: Interval | None = None
    """`kneeUsersInterval` is its 95 % confidence interval over the repeats; absent with one."""
    contention: Difference | None = None
    """`contention` is sigma of the Universal Scalability Law."""
    coherency: Difference | None = None
    """`coherency` is kappa of it."""
    peak_users: Measure | None = None
    """`peakUsers` is the number of users with the highest throughput by that law; only where
    throughput was measured to decline beyond it."""
    message: Text
    """`message` is the result as a sentence."""
