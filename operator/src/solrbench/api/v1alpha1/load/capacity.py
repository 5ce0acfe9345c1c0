"""`spec.load.capacity`: the search for the highest rate that meets the objectives."""

from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Int
from solrbench.api.v1alpha1.load.arrivals import ArrivalDistribution

PROBE_SECONDS = 10
"""Time of the probe with users."""

MOST_TRIALS = 50


class Capacity(Model):
    """The search for the highest arrival rate that meets the objectives."""

    trial_seconds: Annotated[Int, Field(ge=5, le=3600)] = 40
    """`trialSeconds` is the time to measure each trial for. Longer trials make the result more
    certain: a trial needs thousands of requests."""
    settle_seconds: Annotated[Int, Field(ge=1, le=600)] = 3
    """`settleSeconds` is the time for which each trial sends before it is measured."""
    max_trials: Annotated[Int, Field(ge=8, le=MOST_TRIALS)] = 15
    """`maxTrials` limits the trials, of each variant; the search ends before, but not before the
    eighth, once the rate is known to 2 %."""
    probe_users: Annotated[Int, Field(ge=1, le=10_000)] = 50
    """`probeUsers` is the number of users that send for 10 s before the first trial, to find a rate
    that is too high: enough to keep the target busy."""
    arrival_distribution: ArrivalDistribution = ArrivalDistribution.POISSON
    """`arrivalDistribution` is that of the times between arrivals, as in a step."""
    max_in_flight: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """`maxInFlight` limits the requests in flight at once, as in a step; 1000 when absent."""
