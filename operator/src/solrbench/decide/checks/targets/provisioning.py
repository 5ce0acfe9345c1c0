"""How far ZooKeeper and the Solr nodes of a provisioned target are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from solrbench.decide.checks.outcome import Outcome, fail, wait
from solrbench.decide.checks.targets.target import is_other_heap
from solrbench.decide.pods.problems import PodProblem, first_problem
from solrbench.decide.views import PodView
from solrbench.reasons.kinds import Reason
from solrbench.reasons.target import TargetReason


@dataclass(frozen=True)
class ComponentPods:
    """The pods of Solr, or the members of an ensemble.

    Attributes:
        ready: how many of them serve
        wanted: how many there must be
        pods: their pods, for the problems that they have
        now: time of the observation
        creation: why pods are missing, if they may not be created

    """

    ready: int
    wanted: int
    pods: tuple[PodView, ...]
    now: datetime
    creation: PodProblem | None = None


def check_ensemble(members: ComponentPods) -> Outcome | None:
    """Wait until every member of the ensemble serves."""
    message = f"{members.ready} of {members.wanted} ZooKeeper members have joined the ensemble"
    return _check_ready(members, TargetReason.ZOOKEEPER_NOT_READY, message)


@dataclass(frozen=True)
class ZooKeeperHeap:
    """The heap of an ensemble.

    Attributes:
        heap_bytes: maximum heap that each member reports, by host; `None` if it reports none
        wanted: heap of the spec in bytes

    """

    heap_bytes: Mapping[str, int | None]
    wanted: int


def check_zookeeper_heap(ensemble: ZooKeeperHeap) -> Outcome | None:
    """Fail if a member runs with another heap than the one of the spec."""
    for host, found in sorted(ensemble.heap_bytes.items()):
        if found is not None and is_other_heap(found, ensemble.wanted):
            return fail(
                TargetReason.HEAP_MISMATCH,
                f"{host} reports a maximum heap of {found >> 20} MiB,"
                f" spec.target.solrCloud.zookeeper.heap is {ensemble.wanted >> 20} MiB; remove heap"
                " options from the environment of the image",
            )
    return None


def check_solr_pods(solr: ComponentPods) -> Outcome | None:
    """Wait until every Solr pod is ready."""
    message = f"{solr.ready} of {solr.wanted} Solr pods are ready"
    return _check_ready(solr, TargetReason.SOLR_NOT_READY, message)


def _check_ready(component: ComponentPods, reason: Reason, message: str) -> Outcome | None:
    if component.ready == component.wanted:
        return None
    problem = first_problem(component.pods, component.now) or component.creation
    return wait(reason, message) if problem is None else wait(problem.reason, problem.message)
