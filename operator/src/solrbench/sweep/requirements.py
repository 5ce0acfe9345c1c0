"""What a point requires: time of its load, CPU and memory of its pods (pure)."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial

from solrbench.api.quantities import parse_bytes, parse_cores
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.objectives import MAX_CONFIRMATIONS
from solrbench.api.v1alpha1.pods import Resources, Toleration
from solrbench.api.v1alpha1.prices import Prices
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.api.v1alpha1.spec_rules import search_seconds
from solrbench.api.v1alpha1.target import ZooKeeperMode
from solrbench.api.v1alpha1.validity import Collect
from solrbench.contract import names
from solrbench.contract.pod_plans import pod_options
from solrbench.contract.step_runs import prepares_each_step, variant_names, warm_up_of
from solrbench.manifests.agent import AGENT_RESOURCES
from solrbench.stats.number_format import GIBIBYTE, format_number

HEAP_FACTOR = 1.25
"""A Java process takes at least so much of its heap: the rule on limits of memory, too."""


@dataclass(frozen=True)
class PodGroup:
    """Pods of one component, and what each requests, or will take at least; 0 without a request.

    Their stage is `target`, `data` or `load`; those of data and load do not run together.
    """

    component: str
    count: int
    cores: float
    memory_bytes: int
    storage_bytes: int
    stage: str
    tolerations: tuple[Toleration, ...] = ()
    has_agent: bool = False

    @property
    def amounts(self) -> "Amounts":
        """The requests of all its pods, without agents: what a server of a user would take."""
        return Amounts(self.count * self.cores, self.count * self.memory_bytes)

    @property
    def of_each(self) -> "Amounts":
        """What each of its pods requests, with the agent that reads its control group."""
        return Amounts(self.cores, self.memory_bytes) + (_AGENT if self.has_agent else Amounts())

    @property
    def requested(self) -> "Amounts":
        """What all its pods request."""
        return Amounts(self.count * self.of_each.cores, self.count * self.of_each.memory_bytes)


def pod_groups(spec: Spec) -> list[PodGroup]:
    """Return the pods of a benchmark, in the order in which they are made."""
    solr, load, groups = spec.target.solr_cloud, spec.load, list[PodGroup]()
    has_agents = load.telemetry.collect is Collect.SERVERS_AND_PODS
    group = partial(_group, spec)
    if solr is not None:
        zookeeper, storage = solr.zookeeper, solr.storage.persistent
        if zookeeper.mode is not ZooKeeperMode.EXTERNAL:
            ensemble = zookeeper.replicas, zookeeper.resources
            members = group(names.ZOOKEEPER, *ensemble, "target", zookeeper.heap)
            is_ours = zookeeper.mode is ZooKeeperMode.ENSEMBLE
            groups.append(replace(members, has_agent=has_agents and is_ours))
        size = parse_bytes(storage.size) if storage is not None else 0
        nodes = group(names.SOLR, solr.nodes, solr.resources, "target", solr.heap, size)
        groups.append(replace(nodes, has_agent=has_agents))
    if spec.dataset is not None and spec.dataset.backup is None:
        indexing = spec.dataset.indexing
        groups.append(group(names.INDEX, indexing.pods, indexing.resources, "data"))
    groups.append(group(names.LOAD_MASTER, 1, load.master.resources, "load"))
    return [*groups, group(names.LOAD_WORKER, load.workers, load.resources, "load")]


def _group(  # noqa: PLR0913, PLR0917 - what a pod has
    spec: Spec,
    component: str,
    count: int,
    resources: Resources,
    stage: str,
    heap: str | None = None,
    storage_bytes: int = 0,
) -> PodGroup:
    requests, limits = resources.requests, resources.limits
    cpu, memory = requests.cpu or limits.cpu, requests.memory or limits.memory
    # Without a request the scheduler counts nothing, but the heap will be there.
    least = 0 if heap is None else int(HEAP_FACTOR * parse_bytes(heap))
    amounts = parse_cores(cpu) if cpu else 0.0, parse_bytes(memory) if memory else least
    tolerations = tuple(pod_options(spec, component).tolerations or ())
    return PodGroup(component, count, *amounts, storage_bytes, stage, tolerations)


def stages(groups: Sequence[PodGroup]) -> list[list[PodGroup]]:
    """Return the pods that run together: those of the target with data, then with load."""
    return [[e for e in groups if e.stage in ("target", stage)] for stage in ("data", "load")]


def peak(groups: Sequence[PodGroup]) -> list[PodGroup]:
    """Return the pods that run together when the most memory is taken."""
    return max(stages(groups), key=lambda part: sum_requests(part).memory_bytes)


def sum_requests(groups: Iterable[PodGroup]) -> "Amounts":
    """Return what all pods of these groups request, with their agents."""
    return sum((each.requested for each in groups), Amounts())


@dataclass(frozen=True)
class LoadDuration:
    """Least and most time of steps, warm-ups and trials, without starts and pauses.

    Attributes:
        step_runs: steps of all repeats through all variants, as many as there may be
        shortest_seconds: with the fewest repeats and trials, and warm-ups that are steady at once
        longest_seconds: with the most of both, and warm-ups that are never steady
        counted_runs: step runs that last as long as their requests take, which are in neither
        counted_warm_ups: warm-ups of which this is true
    """

    step_runs: int
    shortest_seconds: int
    longest_seconds: int
    counted_runs: int
    counted_warm_ups: int

    def __add__(self, other: "LoadDuration") -> "LoadDuration":
        """Return that of both, one after the other."""
        return LoadDuration(*map(operator.add, astuple(self), astuple(other)))


NO_LOAD = LoadDuration(0, 0, 0, 0, 0)


def rounds_of(duration: LoadDuration, least: int, most: int) -> LoadDuration:
    """Return how long so many rounds of a load take."""
    longest = LoadDuration(*(most * each for each in astuple(duration)))
    return replace(longest, shortest_seconds=least * duration.shortest_seconds)


def load_duration(spec: Spec) -> LoadDuration:
    """Return how long the load takes."""
    variants, repeats = len(variant_names(spec)), spec.load.repeats
    known = [_seconds_of(each) for each in spec.load.steps]
    steps = sum(each or 0.0 for each in known)
    each_step = prepares_each_step(spec)
    warm_ups = len(known) if each_step else 1
    warm_up = _warm_up_seconds(spec)
    shortest, longest = warm_up or (0.0, 0.0)
    capacity = spec.load.capacity
    trial_limit = capacity.max_trials + MAX_CONFIRMATIONS if capacity and each_step else 0
    least = repeats.least * (steps + warm_ups * shortest) + search_seconds(spec, 1)
    most = repeats.most * (steps + warm_ups * longest)
    return LoadDuration(
        len(known) * repeats.most * variants,
        round(least * variants),
        round(most * variants + (search_seconds(spec) + trial_limit * longest) * variants),
        known.count(None) * repeats.most * variants,
        0 if warm_up else warm_ups * repeats.most * variants,
    )


def _seconds_of(step: Step) -> float | None:
    """Return how long a step lasts; None if that depends on the target, or on a file."""
    ramp = step.ramp_seconds or 0
    if step.duration_seconds is not None:
        return step.duration_seconds + ramp
    if step.requests is not None and step.requests_per_second:
        return step.requests / step.requests_per_second + ramp
    return None


def _warm_up_seconds(spec: Spec) -> tuple[float, float] | None:
    """Return how long a warm-up takes at least and at most; None if that depends on the target."""
    warm_up = warm_up_of(spec)
    if warm_up is None:
        return 0.0, 0.0
    if warm_up.until_steady is not None:
        until = warm_up.until_steady
        return until.windows * until.window_seconds, until.max_seconds
    seconds = warm_up.duration_seconds
    return None if seconds is None else (seconds, seconds)


def duration_text(duration: LoadDuration) -> str:
    """Return how long the load takes, as `12 to 15 min and 3 steps that end after …`."""
    shortest, longest = map(_in_units, (duration.shortest_seconds, duration.longest_seconds))
    time = longest if shortest == longest else f"{shortest} to {longest}"
    parts = [time] if duration.longest_seconds else []
    for number, what in ((duration.counted_runs, "step"), (duration.counted_warm_ups, "warm-up")):
        plural, verb = ("s", "end") if number > 1 else ("", "ends")
        text = f"{number} {what}{plural} that {verb} after a number of requests"
        parts += [text] if number else []
    return " and ".join(parts)


def _in_units(seconds: int) -> str:
    unit, length = ("s", 1) if seconds < 120 else ("min", 60) if seconds < 7200 else ("h", 3600)
    return f"{format_number(seconds / length)} {unit}"


@dataclass(frozen=True)
class Amounts:
    """CPU and memory."""

    cores: float = 0.0
    memory_bytes: int = 0

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(self.cores + other.cores, self.memory_bytes + other.memory_bytes)


_AGENT = Amounts(parse_cores(AGENT_RESOURCES["cpu"]), parse_bytes(AGENT_RESOURCES["memory"]))


@dataclass(frozen=True)
class PointRequests:
    """What a point needs: the time of its load, and what its pods request.

    `target` is what its servers take, without agents, and `total` what all pods that are there
    while the load runs request. `targets` and `indexes` are how often its repeats make and fill
    one, at least and at most.
    """

    duration: LoadDuration
    target: Amounts
    total: Amounts
    pods: tuple[PodGroup, ...]
    targets: tuple[int, int]
    indexes: tuple[int, int]


def measure_requests(spec: Spec) -> PointRequests:
    """Return what a benchmark needs."""
    pods = tuple(pod_groups(spec))
    servers = (pod.amounts for pod in pods if pod.stage == "target")
    _, with_load = stages(pods)
    repeats = spec.load.repeats
    starts, once, never = (repeats.least, repeats.most), (1, 1), (0, 0)
    targets = starts if repeats.start_on is RepeatStart.FRESH_TARGET else once
    indexes = once if repeats.start_on is RepeatStart.SAME_TARGET else starts
    return PointRequests(
        load_duration(spec),
        sum(servers, Amounts()),
        sum_requests(with_load),
        pods,
        never if spec.target.solr_cloud is None else targets,
        never if spec.dataset is None else indexes,
    )


def find_price(prices: Prices | None, pods: Iterable[PodGroup]) -> float | None:
    """Return what Solr and ZooKeeper cost for an hour; None without prices, or pods of Solr.

    None as well where nothing of what has a price is requested, such as persistent volumes.
    """
    counted = [pod for pod in pods if pod.stage == "target"]
    if prices is None or not any(pod.component == names.SOLR for pod in counted):
        return None
    price = sum(
        pod.count
        * (
            pod.cores * prices.per_core_hour
            + pod.memory_bytes / GIBIBYTE * prices.per_memory_gibibyte_hour
            + pod.storage_bytes / GIBIBYTE * prices.per_disk_gibibyte_hour
        )
        for pod in counted
    )
    return price or None
