"""`spec.load`: workers, the master's pod, steps, and what is done between them."""

from collections.abc import Iterator
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.arrivals import (
    MAX_CHANGES,
    RATE_CHANGE_RULES,
    ArrivalDistribution,
    RateChange,
    Replay,
    ThinkTime,
    WarmUp,
)
from solrbench.api.v1alpha1.fields import (
    Int,
    Milliseconds,
    Percent,
    Percentile,
    Rate,
    Seconds,
    ShortName,
    at_least,
)
from solrbench.api.v1alpha1.objectives import Capacity
from solrbench.api.v1alpha1.pods import ResourceAmounts, Resources
from solrbench.api.v1alpha1.repeats import Repeats
from solrbench.api.v1alpha1.request_mix import StepIndexing
from solrbench.api.v1alpha1.validity import LoadTelemetry, Validity, Visibility


class LoadMaster(Model):
    """The pod of Locust's master, which sends no requests and merges what the workers measured."""

    resources: Resources = Resources(requests=ResourceAmounts(cpu="100m", memory="256Mi"))
    """`resources` are the CPU and memory of the master."""


class Before(StrEnum):
    """Before what something is done."""

    EACH_STEP = "EachStep"
    EACH_REPEAT = "EachRepeat"


class SolrCaches(StrEnum):
    """What happens to Solr's caches."""

    KEEP = "Keep"
    EMPTY = "Empty"


class Between(Model):
    """Preparation of steps: emptied caches, then a warm-up."""

    before: Before = Before.EACH_STEP
    """`before` controls when this is done: before each step, or before the first step of each
    repeat and variant."""
    caches: SolrCaches = SolrCaches.KEEP
    """`caches` controls Solr's caches: `Empty` reloads the collection, and goes on when every core
    reports that its caches have no entries. The page cache of the operating system stays."""
    warm_up: WarmUp | None = None
    """`warmUp` is sent then, in place of `spec.warmUp`; when absent that one is. `requests: 0`
    measures with cold caches."""


DEFAULT_MAX_IN_FLIGHT = 1000
"""Requests in flight that a step with an arrival rate may have by default."""


class OnWorkerLoss(StrEnum):
    """Reaction to the loss of a load worker."""

    REPEAT_STEP = "RepeatStep"
    REDISTRIBUTE = "Redistribute"


def default_name(fields: dict[str, Any]) -> str:
    """Return the name of a step that has none, such as `users-5`, `rate-16` or `rate-0-5`.

    `fields` are the valid ones of the step, by attribute.
    """
    users, rate = fields.get("users"), fields.get("requests_per_second")
    if users is not None:
        return f"users-{users}"
    if fields.get("replay") is not None:
        return "replay"
    # By `f`, since 1000 is `1E+3` when normal, and that is no name.
    return f"rate-{Decimal(str(rate)).normalize():f}".replace(".", "-") if rate else "step"


class Step(Model):
    """One load level: users (closed loop), an arrival rate or the replay of a log (open loop)."""

    users: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """`users` is the number of concurrent users, each of which waits for its response before the
    next request: a closed loop."""
    requests_per_second: Rate | None = None
    """`requestsPerSecond` is the arrival rate, at least 0.001; requests are sent whether earlier
    ones are completed or not: an open loop."""
    replay: Replay | None = None
    """`replay` sends the requests of `workload.queries` in the order of their file, each at the
    time that its line holds, from the first line on: an open loop, too. The step ends after
    `durationSeconds` or `requests`, or with the file."""
    indexing: StepIndexing | None = None
    """`indexing` adds documents in place of the requests of the workload, as often as `users` or
    `requestsPerSecond` say: each request is an update of `batchSize` documents."""
    rate_changes: Annotated[list[RateChange], Field(max_length=MAX_CHANGES)] = []
    """`rateChanges` are times and the arrival rates at these times, between which the rate changes
    linearly; before the first it begins with `requestsPerSecond`, after the last it stays. Two at
    the same time are a jump."""
    arrival_distribution: ArrivalDistribution | None = None
    """`arrivalDistribution` is that of the times between arrivals: `Poisson` arrivals are
    independent of each other, as requests of many users are; `Uniform` arrivals are at equal
    distances. `Poisson` when absent."""
    max_in_flight: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """`maxInFlight` limits the requests of an open loop that are in flight at once, over all
    workers; 1000 when absent. Each node has an equal share, at least one on each worker. Further
    ones wait, and are dropped after `workload.timeoutSeconds`."""
    ramp_seconds: Seconds | None = None
    """`rampSeconds` is the time in which the arrival rate changes linearly from that of the step
    before, or 0, to this one. Its requests come before those of `durationSeconds` or `requests`
    and are kept out of the results."""
    spawn_rate: Annotated[Int, Field(ge=1, le=100_000)] | None = None
    """`spawnRate` is the number of users started per second; all at once when absent. With
    `durationSeconds`, requests sent before the last user has started are kept out of the
    results."""
    think_time: ThinkTime | None = None
    """`thinkTime` is the wait of a user between a response and the next request; none when
    absent. Before its first request, each user waits a random part of it, so that users who start
    together do not send together."""
    pacing_milliseconds: Milliseconds | None = None
    """`pacingMilliseconds` is the time from the begin of a user's request, or transaction, to the
    begin of the next one, which also waits for the response: a steady pace as long as responses
    take no longer. Before its first request, each user waits a random part of it."""
    duration_seconds: Seconds | None = None
    """`durationSeconds` is the time to measure for."""
    requests: Annotated[Int, Field(ge=1, le=1_000_000_000)] | None = None
    """`requests` is the exact number of requests to send."""
    # By the model alone: the API server cannot compute a default.
    name: ShortName = Field(default_factory=default_name)
    """`name` is the name of the step in results and metrics. Defaults to what the step does:
    `users-5`, `rate-16`."""

    rules: ClassVar = (
        exactly_one("users", "requestsPerSecond", "replay"),
        at_least("requestsPerSecond", 0.001, ", one request in 1000 seconds"),
        exactly_one("durationSeconds", "requests"),
        Rule(
            cel=(
                "!has(self.name) || (self.name.matches('^users-[0-9]{1,9}$')"
                " ? has(self.users) && int(self.name.substring(6)) == self.users"
                " : !self.name.matches('^rate-[0-9]{1,7}(-[0-9]{1,9})?$')"
                " || (has(self.requestsPerSecond)"
                " && double(self.name.substring(5).replace('-', '.')) == self.requestsPerSecond))"
            ),
            message="name must not be the default name of a different step, such as users-5",
        ),
        Rule(
            cel=(
                "has(self.users)"
                " || !(has(self.spawnRate) || has(self.thinkTime) || has(self.pacingMilliseconds))"
            ),
            message=(
                "spawnRate, thinkTime and pacingMilliseconds must go with users,"
                " an arrival rate has none"
            ),
        ),
        Rule(
            cel="!(has(self.thinkTime) && has(self.pacingMilliseconds))",
            message="thinkTime and pacingMilliseconds must not both be set, each is the whole wait",
        ),
        Rule(
            cel="!has(self.indexing) || !has(self.replay)",
            message=(
                "indexing must go with users or requestsPerSecond,"
                " replay sends the queries of a log"
            ),
        ),
        *RATE_CHANGE_RULES,
        Rule(
            cel=(
                "has(self.requestsPerSecond)"
                " || !(has(self.arrivalDistribution) || has(self.rampSeconds))"
            ),
            message=(
                "arrivalDistribution and rampSeconds must go with requestsPerSecond,"
                " users start with spawnRate"
            ),
        ),
        Rule(
            cel="!has(self.users) || !has(self.maxInFlight)",
            message="maxInFlight must go with requestsPerSecond or replay, a user has one request",
        ),
    )


def rate_points(step: Step) -> Iterator[tuple[float, float]]:
    """Yield times in seconds and rates, between which the rate changes linearly.

    The last one is the rate at the end of a step with a duration.
    """
    last = step.requests_per_second or 0.0
    yield 0.0, last
    for change in step.rate_changes:
        last = change.requests_per_second
        yield float(change.at_seconds), last
    if step.duration_seconds is not None:
        yield float(step.duration_seconds), last


def mean_rate(step: Step) -> float | None:
    """Return the mean arrival rate of a step; None with users."""
    if not step.rate_changes or step.requests_per_second is None:
        return step.requests_per_second
    # The area below the line is the number of arrivals.
    area = sum((b + a) / 2 * (t - s) for (s, a), (t, b) in pairwise(rate_points(step)))
    return area / (step.duration_seconds or 1)


def last_rate(step: Step) -> float:
    """Return the arrival rate at the end of a step; 0 with users."""
    return list(rate_points(step))[-1][1]


def rate_at(step: Step, seconds: float) -> float | None:
    """Return the arrival rate so long after the begin of a step; None with users."""
    if step.requests_per_second is None:
        return None
    for (s, a), (t, b) in pairwise(rate_points(step)):
        if s <= seconds < t:
            return a + (b - a) * (seconds - s) / (t - s)
    return last_rate(step)


DEFAULT_PERCENTILES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
"""Those with intervals, by default."""

MAX_PERCENTILES = 8


class StopRules(Model):
    """When the steps after one are not run; objectives with `failFast` do the same."""

    max_failed_percent: Percent | None = None
    """`maxFailedPercent` omits the steps after one in which more requests failed, in per cent
    of all, in every repeat. They are recorded as not run."""
    collapse_seconds: Annotated[Int, Field(ge=5, le=3600)] | None = None
    """`collapseSeconds` ends a step in which requests fail and no good response came for so long;
    it must be more than the time between two requests. What was measured until then is kept, the
    step is Invalid, and the steps after it are recorded as not run. When absent, steps go on."""


class Load(Model):
    """The load and the workers that generate it."""

    workers: Annotated[Int, Field(ge=1, le=200)] = 1
    """`workers` is the number of Locust worker pods."""
    repeats: Repeats = Repeats()
    """`repeats` are the runs of all steps."""
    between: Between | None = None
    """`between` prepares steps alike: it empties Solr's caches, or warms up, before each. When
    absent, caches are as the requests before left them, and the warm-up comes before the first step
    of each repeat and variant."""
    steps: Annotated[list[Step], Field(max_length=32)] = []
    """`steps` are the load levels, run in this order; required unless `capacity` is set."""
    capacity: Capacity | None = None
    """`capacity` searches for the highest arrival rate, or number of users, that meets the
    objectives, after all steps; none when absent."""
    stop: StopRules = StopRules()
    """`stop` omits the rest of the steps when there is nothing more to learn from them."""
    resources: Resources = Resources(requests=ResourceAmounts(cpu="250m", memory="256Mi"))
    """`resources` are the CPU and memory of each worker."""
    master: LoadMaster = LoadMaster()
    """`master` is the pod of Locust's master."""
    telemetry: LoadTelemetry = LoadTelemetry()
    """`telemetry` is what the load master reads of servers while steps are measured."""
    visibility: Visibility | None = None
    """`visibility` measures after which time each replica finds a document that was added; nothing
    is added when absent."""
    validity: Validity = Validity()
    """`validity` are the limits beyond which a step is `Invalid`."""
    percentiles: Annotated[list[Percentile], Field(min_length=1, max_length=MAX_PERCENTILES)] = (
        list(DEFAULT_PERCENTILES)
    )
    """`percentiles` are those that results show with 95 % intervals, in this order: of the response
    time in steps with an arrival rate, else of the service time."""
    on_worker_loss: OnWorkerLoss = OnWorkerLoss.REPEAT_STEP
    """`onWorkerLoss` controls what happens when a worker is lost. `RepeatStep` starts the load
    again with the step in which it was lost; stored steps stay. `Redistribute` moves its users to
    the other workers and goes on; its measurements of a step with `users` and `durationSeconds`
    are missing, and the verdict reports that. Any other step is repeated by the remaining
    workers, since its count or plan must be kept exactly."""

    rules: ClassVar = (
        Rule(
            cel="self.steps.size() > 0 || has(self.capacity)",
            message="steps must be set, or capacity, there is no load without",
        ),
        Rule(
            # Default names are not stored, and to compute them here would cost more than the API
            # server allows: what they are made of is compared (ADR 8).
            cel=(
                "self.steps.all(s, self.steps.exists_one(t, has(s.name)"
                " ? has(t.name) && s.name == t.name : !has(t.name)"
                " && has(s.users) == has(t.users) && has(s.replay) == has(t.replay)"
                " && (has(s.replay) || (has(s.users) ? s.users == t.users"
                " : s.requestsPerSecond == t.requestsPerSecond))))"
            ),
            message="steps must have different names, set name where two do the same",
        ),
        Rule(
            cel="self.percentiles.all(p, self.percentiles.exists_one(q, q == p))",
            message="percentiles must be different numbers",
        ),
        Rule(
            cel="self.steps.all(s, !has(s.users) || s.users >= self.workers)",
            message="workers must not be more than the users of any step, each worker needs a user",
        ),
        Rule(
            cel="!has(self.capacity) || self.capacity.maxUsers >= self.workers",
            message="workers must not be more than capacity.maxUsers, each worker needs a user",
        ),
        Rule(
            cel="self.steps.all(s, !has(s.maxInFlight) || s.maxInFlight >= self.workers)",
            message=(
                "workers must not be more than maxInFlight of any step, each needs a connection"
            ),
        ),
        Rule(
            cel="self.onWorkerLoss == 'RepeatStep' || self.workers >= 2",
            message="onWorkerLoss Redistribute must go with 2 workers or more",
        ),
    )
