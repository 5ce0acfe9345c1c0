"""`spec.load.capacity`: the search for the highest load that meets the objectives."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Int
from solrbench.api.v1alpha1.load.arrivals import ArrivalDistribution
from solrbench.api.v1alpha1.load.think_time import ThinkTime

PROBE_SECONDS = 10
"""Time of the probe with users."""

MOST_TRIALS = 50


class SearchFor(StrEnum):
    """What a search raises."""

    REQUESTS_PER_SECOND = "RequestsPerSecond"
    USERS = "Users"


class Capacity(Model):
    """The search for the highest arrival rate, or number of users, that meets the objectives."""

    search_for: SearchFor = SearchFor.REQUESTS_PER_SECOND
    """`searchFor` is what the search raises: `RequestsPerSecond`, sent whether earlier requests are
    completed or not (an open loop), or `Users`, each of which waits for its response (a closed
    loop). How many requests users send depends on the target; a rate is what users of a website
    cause."""

    trial_seconds: Annotated[Int, Field(ge=5, le=3600)] = 40
    """`trialSeconds` is the time to measure each trial for. Longer trials make the result more
    certain: a trial needs thousands of requests."""
    settle_seconds: Annotated[Int, Field(ge=1, le=600)] = 3
    """`settleSeconds` is the time for which each trial sends before it is measured; its users start
    within that time."""
    max_trials: Annotated[Int, Field(ge=8, le=MOST_TRIALS)] = 15
    """`maxTrials` limits the trials, of each variant; the search ends before, but not before the
    eighth, once the rate is known to 1.5 %, or the number of users to 1.5 % or half a user."""
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

    rules: ClassVar = (
        Rule(
            cel="!has(self.thinkTime) || self.searchFor == 'Users'",
            message="thinkTime must go with searchFor Users, an arrival rate has none",
            is_satisfied=lambda c: c.think_time is None or c.search_for is SearchFor.USERS,
        ),
        Rule(
            cel="!has(self.maxInFlight) || self.searchFor != 'Users'",
            message="maxInFlight must go with searchFor RequestsPerSecond, a user has one request",
            is_satisfied=lambda c: c.max_in_flight is None or c.search_for is not SearchFor.USERS,
        ),
    )
