"""`spec.load`: workers, repeats and the ladder of steps."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Int, Milliseconds, Rate, Seconds, ShortName
from solrbench.api.v1alpha1.load.validity import Validity
from solrbench.api.v1alpha1.pods import ResourceAmounts, Resources

LOAD_RESOURCES = Resources(requests=ResourceAmounts(cpu="250m", memory="256Mi"))


class UniformMilliseconds(Model):
    """A time drawn evenly between two bounds."""

    min: Milliseconds
    """Shortest time."""
    max: Milliseconds
    """Longest time."""

    rules: ClassVar = (
        Rule(
            cel="self.min <= self.max",
            message="min must not be greater than max",
            is_satisfied=lambda u: u.min <= u.max,
        ),
    )


class ThinkTime(Model):
    """How long a user waits between an answer and the next request."""

    constant_milliseconds: Milliseconds | None = None
    """Always this long."""
    uniform_milliseconds: UniformMilliseconds | None = None
    """Drawn evenly."""
    exponential_mean_milliseconds: Milliseconds | None = None
    """Drawn from an exponential distribution with this mean."""

    rules: ClassVar = (
        exactly_one("constantMilliseconds", "uniformMilliseconds", "exponentialMeanMilliseconds"),
    )


DEFAULT_MAX_IN_FLIGHT = 1000
"""Requests under way that a step with a planned rate may have, unless it says otherwise."""


class Arrivals(StrEnum):
    """How the times between planned requests are spread."""

    POISSON = "Poisson"
    UNIFORM = "Uniform"


class OnWorkerLoss(StrEnum):
    """What happens to a step when a load worker is lost."""

    REPEAT_STEP = "RepeatStep"
    REDISTRIBUTE = "Redistribute"


class Step(Model):
    """One load level: a number of users (closed loop) or a planned rate (open loop)."""

    name: ShortName
    """Name of the step in results and metrics."""
    users: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """Users that ask at once, each waiting for its answer: a closed loop."""
    requests_per_second: Rate | None = None
    """Requests planned per second, at least 0.001, sent whether earlier ones are answered or not:
    an open loop."""
    arrivals: Arrivals | None = None
    """`Poisson`: independent of each other, as requests of many people are; `Uniform`: at equal
    distances. `Poisson` when absent."""
    max_in_flight: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """Requests of a planned rate that may be under way at once, over all workers; 1000 when absent.
    Further ones wait for their turn, and are dropped after `workload.timeoutSeconds`."""
    ramp_seconds: Seconds | None = None
    """Time in which the rate moves evenly from that of the step before, or 0, to this one. Its
    requests come before those of `durationSeconds` or `requests` and are kept apart."""
    spawn_rate: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """Users started per second; all at once when absent. With `durationSeconds`, requests sent
    before the last user has started are kept apart."""
    think_time: ThinkTime | None = None
    """Wait between an answer and the next request; none when absent."""
    duration_seconds: Seconds | None = None
    """Time to measure for."""
    requests: Annotated[Int, Field(ge=1, le=1_000_000_000)] | None = None
    """Requests to send, exactly."""

    rules: ClassVar = (
        exactly_one("users", "requestsPerSecond"),
        Rule(
            cel="!has(self.requestsPerSecond) || self.requestsPerSecond >= 0.001",
            message="requestsPerSecond must be at least 0.001, one request in 1000 seconds",
            is_satisfied=lambda s: s.requests_per_second is None or s.requests_per_second >= 0.001,
        ),
        exactly_one("durationSeconds", "requests"),
        Rule(
            cel="has(self.users) || !(has(self.spawnRate) || has(self.thinkTime))",
            message="spawnRate and thinkTime must go with users, a planned rate has none",
            is_satisfied=lambda s: (
                s.users is not None or (s.spawn_rate is None and s.think_time is None)
            ),
        ),
        Rule(
            cel=(
                "has(self.requestsPerSecond)"
                " || !(has(self.arrivals) || has(self.maxInFlight) || has(self.rampSeconds))"
            ),
            message=(
                "arrivals, maxInFlight and rampSeconds must go with requestsPerSecond,"
                " users start with spawnRate"
            ),
            is_satisfied=lambda s: (
                s.requests_per_second is not None
                or (s.arrivals is None and s.max_in_flight is None and s.ramp_seconds is None)
            ),
        ),
    )


class Load(Model):
    """The load."""

    workers: Annotated[Int, Field(ge=1, le=200)] = 1
    """Locust worker pods."""
    repeats: Annotated[Int, Field(ge=1, le=100)] = 1
    """Passes over all steps."""
    steps: Annotated[list[Step], Field(min_length=1, max_length=32)]
    """The ladder, in this order."""
    resources: Resources = LOAD_RESOURCES
    """CPU and memory of each worker."""
    validity: Validity = Validity()
    """When the numbers of a step must not be believed."""
    on_worker_loss: OnWorkerLoss = OnWorkerLoss.REPEAT_STEP
    """`RepeatStep` starts the load again with the step in which a worker was lost; stored steps
    stay. `Redistribute` gives its users to the other workers and goes on; what it had measured in
    a step of `users` and `durationSeconds` is missing, and the step says so. Any other step is
    repeated by the workers that are left, since its count or plan must be kept exactly."""

    rules: ClassVar = (
        Rule(
            cel="self.steps.all(s, self.steps.exists_one(t, t.name == s.name))",
            message="steps must have different names",
            is_satisfied=lambda load: len({step.name for step in load.steps}) == len(load.steps),
        ),
        Rule(
            cel="self.steps.all(s, !has(s.users) || s.users >= self.workers)",
            message="workers must not be more than the users of any step, each needs a user",
            is_satisfied=lambda load: all(
                step.users is None or step.users >= load.workers for step in load.steps
            ),
        ),
        Rule(
            cel="self.steps.all(s, !has(s.maxInFlight) || s.maxInFlight >= self.workers)",
            message=(
                "workers must not be more than maxInFlight of any step, each needs a connection"
            ),
            is_satisfied=lambda load: all(
                step.max_in_flight is None or step.max_in_flight >= load.workers
                for step in load.steps
            ),
        ),
        Rule(
            cel="self.onWorkerLoss == 'RepeatStep' || self.workers >= 2",
            message="onWorkerLoss Redistribute must go with 2 workers or more, one has no others",
            is_satisfied=lambda load: (
                load.on_worker_loss is OnWorkerLoss.REPEAT_STEP or load.workers >= 2
            ),
        ),
    )
