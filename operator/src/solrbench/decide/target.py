"""Whether ZooKeeper and the nodes of a provisioned target are, and stay, as the spec requires."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from solrbench.api.solr_versions import MAJORS, is_supported, untested
from solrbench.contract.names import AGENT
from solrbench.decide.outcome import Check, Outcome, fail, restart_target, wait
from solrbench.decide.pods import ObservedPods, first_problem
from solrbench.decide.views import PodView
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import PodReason, TargetReason

HEAP_TOLERANCE = 1 / 8
"""Share of -Xmx by which `Runtime.maxMemory`, which Solr reports, may differ from it.

G1 reports -Xmx rounded to regions. The serial and parallel collectors leave out one survivor space,
with the default ratios of JDK 17 a thirtieth of the heap, or a ninth for the parallel one, where it
may grow to a third of the young generation (MinSurvivorRatio=3, NewRatio=2).
"""


@dataclass(frozen=True)
class TargetNodes:
    """The Solr nodes of a target before it is ready."""

    live: int
    versions: Mapping[str, str]
    wanted: int | None = None
    """Number of nodes of the spec, or `None` where any will do."""
    missing: tuple[str, ...] = ()
    """Names of nodes that must be live and are not."""
    heap_bytes: Mapping[str, int] = field(default_factory=dict)
    wanted_heap_bytes: int = 0
    version_field: str = "spec.target.solrCloud.image"
    """Where to change the version."""


def check_live_nodes(nodes: TargetNodes) -> Outcome | None:
    """Wait for every node of the spec, and for those that an earlier attempt had."""
    if nodes.wanted is not None and nodes.live != nodes.wanted:
        message = f"{nodes.live} of {nodes.wanted} Solr nodes are live in ZooKeeper"
        return wait(TargetReason.SOLR_NOT_LIVE, message)
    if nodes.missing:
        return wait(
            TargetReason.SOLR_NOT_LIVE,
            f"not live: {', '.join(nodes.missing)}; these nodes were live when the benchmark"
            " started; start them again",
        )
    return None


def check_versions(nodes: TargetNodes) -> Outcome | None:
    """Fail for a version of Solr that is not supported."""
    versions = sorted(set(nodes.versions.values()))
    if all(map(is_supported, versions)):
        return None
    return fail(
        TargetReason.UNSUPPORTED_SOLR_VERSION,
        f"the nodes run Solr {', '.join(versions)}, supported are"
        f" {' and '.join(f'{major}.x' for major in MAJORS)}; change {nodes.version_field}",
    )


def describe_acceptance(versions: Iterable[str]) -> tuple[Reason, str]:
    """Return reason and message of `Accepted`, given versions of nodes or the release of a tag."""
    releases = untested(versions)
    if not releases:
        return LifecycleReason.ACCEPTED, "all objects that the spec refers to exist"
    message = (
        f"solrbench has not been tested on Solr {', '.join(releases)}; read what differs in"
        " docs/solr-versions.md, and in the report what is missing, before its numbers"
    )
    return LifecycleReason.VERSION_NOT_TESTED, message


def check_heap(
    heap_bytes: Mapping[str, int | None], wanted_bytes: int, field: str
) -> Outcome | None:
    """Fail if a JVM, by the name of its node, runs with another heap than a field of the spec says.

    A member of ZooKeeper that reports none does not serve `envi` (4lw.commands.whitelist).
    """
    for name, found in sorted(heap_bytes.items()):
        if found is not None and abs(found - wanted_bytes) > HEAP_TOLERANCE * wanted_bytes:
            return fail(
                TargetReason.HEAP_MISMATCH,
                f"{name} reports a maximum heap of {found >> 20} MiB, {field} is"
                f" {wanted_bytes >> 20} MiB; remove heap options from the environment of the image",
            )
    return None


NODE_CHECKS: tuple[Check[TargetNodes], ...] = (
    check_live_nodes,
    check_versions,
    lambda nodes: check_heap(
        nodes.heap_bytes, nodes.wanted_heap_bytes, "spec.target.solrCloud.heap"
    ),
)


def check_pods_unchanged(
    identities: Mapping[str, str], pods: Iterable[PodView], now: datetime
) -> Outcome | None:
    """Restart the target after a pod was replaced or restarted; fail if it lacked memory.

    `identities` are those of the pods when the target was ready, by name.
    """
    by_name = {pod.name: pod for pod in pods}
    for name, identity in identities.items():
        pod = by_name.get(name)
        is_same = pod is not None and pod.identity == identity and pod.phase == "Running"
        # One whose node is lost stays in deletion, and in this phase.
        if pod is not None and is_same and not pod.deleting:
            continue
        problem = None if pod is None else first_problem([_without_agent(pod)], now)
        if is_same and problem is not None and problem.reason == PodReason.OOM_KILLED:
            problem = None  # it ended so before the target was ready; now it is only deleted
        if problem is None:
            message = f"pod {name} was deleted, replaced or restarted"
            return restart_target(TargetReason.TARGET_POD_LOST, message)
        if problem.reason == PodReason.OOM_KILLED:
            # Another attempt with the same limit would end in the same way, hours later.
            return fail(problem.reason, problem.message)
        return restart_target(problem.reason, problem.message)
    return None


def _without_agent(pod: PodView) -> PodView:
    return replace(pod, containers=tuple(each for each in pod.containers if each.name != AGENT))


@dataclass(frozen=True)
class ComponentPods(ObservedPods):
    """The pods of Solr, or the members of an ensemble, of which `ready` ones serve."""

    ready: int
    wanted: int


def check_ensemble(members: ComponentPods) -> Outcome | None:
    """Wait until every member of the ensemble serves."""
    message = f"{members.ready} of {members.wanted} ZooKeeper members have joined the ensemble"
    return _check_ready(members, TargetReason.ZOOKEEPER_NOT_READY, message)


def check_solr_pods(solr: ComponentPods) -> Outcome | None:
    """Wait until every Solr pod is ready."""
    message = f"Waiting for Solr: {solr.ready} of {solr.wanted} pods are ready"
    return _check_ready(solr, TargetReason.SOLR_NOT_READY, message)


def _check_ready(component: ComponentPods, reason: Reason, message: str) -> Outcome | None:
    if component.ready == component.wanted:
        return None
    return component.problem or wait(reason, message)


def check_clusters_served(served: bool) -> Outcome | None:
    """Wait until the cluster serves ZookeeperClusters."""
    if served:
        return None
    return wait(
        TargetReason.ZOOKEEPER_OPERATOR_MISSING,
        "the cluster does not serve zookeeperclusters.zookeeper.pravega.io; install the"
        " ZooKeeper operator with its definition, or set zookeeper.mode to Ensemble",
    )


def check_provided_made(name: str, made: bool) -> Outcome | None:
    """Wait until the Solr Operator has made its ZookeeperCluster."""
    if made:
        return None
    return wait(
        TargetReason.ZOOKEEPER_NOT_READY,
        f"the Solr Operator has not made ZookeeperCluster {name}; it must be installed with"
        " zookeeper-operator.use or zookeeper-operator.install",
    )


def check_reachable(servers: str, reachable: bool) -> Outcome | None:
    """Wait until a member of an outside ensemble takes a connection."""
    if reachable:
        return None
    return wait(
        TargetReason.ZOOKEEPER_UNREACHABLE,
        f"no ZooKeeper of {servers} accepts a connection from the operator; check"
        " spec.target.solrCloud.zookeeper.connectionString, whose names must be resolvable"
        " from every namespace, and network policies",
    )
