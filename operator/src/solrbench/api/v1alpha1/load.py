"""`spec.load`: workers, repeats and the ladder of steps."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import Int, Milliseconds, Seconds, ShortName
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
            holds=lambda u: u.min <= u.max,
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


class OnWorkerLoss(StrEnum):
    """What happens to a step when a load worker is lost."""

    REPEAT_STEP = "RepeatStep"
    REDISTRIBUTE = "Redistribute"


class Step(Model):
    """One load level."""

    name: ShortName
    """Name of the step in results and metrics."""
    users: Annotated[Int, Field(ge=1, le=100_000)]
    """Users that ask at once, each waiting for its answer: a closed loop."""
    spawn_rate: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """Users started per second; all at once when absent. With `durationSeconds`, requests sent
    before the last user has started are kept apart."""
    think_time: ThinkTime | None = None
    """Wait between an answer and the next request; none when absent."""
    duration_seconds: Seconds | None = None
    """Time to measure for."""
    requests: Annotated[Int, Field(ge=1, le=1_000_000_000)] | None = None
    """Requests to send, exactly."""

    rules: ClassVar = (exactly_one("durationSeconds", "requests"),)


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
    on_worker_loss: OnWorkerLoss = OnWorkerLoss.REPEAT_STEP
    """`RepeatStep` starts the load again with the step in which a worker was lost; stored steps
    stay. `Redistribute` gives its users to the other workers and goes on; what it had measured in
    a step of `durationSeconds` is missing, and the step says so. A step of `requests` is repeated
    by the workers that are left, since its count must be exact."""

    rules: ClassVar = (
        Rule(
            cel="self.steps.all(s, self.steps.exists_one(t, t.name == s.name))",
            message="steps must have different names",
            holds=lambda load: len({step.name for step in load.steps}) == len(load.steps),
        ),
        Rule(
            cel="self.steps.all(s, s.users >= self.workers)",
            message="workers must not be more than the users of any step, each needs a user",
            holds=lambda load: all(step.users >= load.workers for step in load.steps),
        ),
        Rule(
            cel="self.onWorkerLoss == 'RepeatStep' || self.workers >= 2",
            message="onWorkerLoss Redistribute must go with 2 workers or more, one has no others",
            holds=lambda load: load.on_worker_loss is OnWorkerLoss.REPEAT_STEP or load.workers >= 2,
        ),
    )
