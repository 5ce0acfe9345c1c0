"""What a point needs: time of its steps, CPU and memory of its pods.

Requests count, as for the scheduler; a limit without a request is one too. Memory that has neither
is that of the heap at least.
"""

from dataclasses import dataclass

from solrbench.api.quantities import parse_bytes, parse_cores
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load.load import Step
from solrbench.api.v1alpha1.pod.pods import Resources
from solrbench.api.v1alpha1.rules.duration import search_seconds
from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.plan.step_runs import variant_names
from solrbench.sweep.needs.footprint import PodGroup, pod_groups


@dataclass(frozen=True)
class Amounts:
    """CPU and memory.

    Attributes:
        cores: CPU requests
        memory_bytes: memory requests

    """

    cores: float = 0.0
    memory_bytes: int = 0

    def __add__(self, other: "Amounts") -> "Amounts":
        """Return the sum."""
        return Amounts(self.cores + other.cores, self.memory_bytes + other.memory_bytes)

    def __mul__(self, number: int) -> "Amounts":
        """Return that of so many."""
        return Amounts(self.cores * number, self.memory_bytes * number)


@dataclass(frozen=True)
class Demand:
    """What a point needs.

    Attributes:
        step_seconds: of all steps whose length is known, in all repeats and variants
        target: of Solr and ZooKeeper
        load: of the load's pods
        pods: all of them
        steps_by_requests: those that last as long as their requests take

    """

    step_seconds: int
    target: Amounts
    load: Amounts
    pods: tuple[PodGroup, ...]
    steps_by_requests: int = 0

    @property
    def total(self) -> Amounts:
        """All pods that are there at a time while the load runs."""
        return self.target + self.load


def measure_demand(spec: Spec) -> Demand:
    """Return what a benchmark needs."""
    load = amounts(spec.load.resources) * spec.load.workers + amounts(spec.load.master.resources)
    variants = len(variant_names(spec))
    runs = spec.load.repeats.most * variants
    known = [_seconds_of(each) for each in spec.load.steps]
    return Demand(
        round(sum(each or 0.0 for each in known) * runs) + search_seconds(spec) * variants,
        _target(spec),
        load,
        tuple(pod_groups(spec)),
        known.count(None) * runs,
    )


def _seconds_of(step: Step) -> float | None:
    """Return how long a step lasts; None if that depends on the target, or on a file."""
    ramp = step.ramp_seconds or 0
    if step.duration_seconds is not None:
        return step.duration_seconds + ramp
    if step.requests is not None and step.requests_per_second:
        return step.requests / step.requests_per_second + ramp
    return None


def _target(spec: Spec) -> Amounts:
    solr_cloud = spec.target.solr_cloud
    if solr_cloud is None:
        return Amounts()
    nodes = amounts(solr_cloud.resources, solr_cloud.heap) * solr_cloud.nodes
    zookeeper = solr_cloud.zookeeper
    if zookeeper.mode is ZooKeeperMode.EXTERNAL:
        return nodes
    return nodes + amounts(zookeeper.resources, zookeeper.heap) * zookeeper.replicas


def amounts(resources: Resources, least: str = "0") -> Amounts:
    """Return what the scheduler reserves for one pod, or what its heap takes at least."""
    cpu = resources.requests.cpu or resources.limits.cpu
    memory = resources.requests.memory or resources.limits.memory or least
    return Amounts(parse_cores(cpu) if cpu is not None else 0.0, parse_bytes(memory))
