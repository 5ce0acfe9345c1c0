"""Whether pods shared Kubernetes nodes that must not, by the record of what a benchmark ran on."""

from collections.abc import Callable, Sequence

from solrbench.api.v1alpha1 import Spec
from solrbench.plan.names import LOAD_MASTER, LOAD_WORKER, SOLR
from solrbench.results.model.environment import AttemptRecord, Environment
from solrbench.results.validity.checks.finding import Finding, NotEvaluated, Outcome, worst

PlacementCheck = Callable[[Spec, Environment | None], Outcome]

_MOST_NAMED = 3


def check_load_shares_nodes(spec: Spec, environment: Environment | None) -> Outcome:
    """Look for Kubernetes nodes with Solr pods and load pods."""
    if spec.load.validity.allow_shared_nodes:
        return None
    if spec.target.solr_cloud is None:
        return NotEvaluated("the Kubernetes nodes of an existing target are not known")
    attempts = environment.attempts if environment is not None else []
    if not attempts:
        return NotEvaluated("the Kubernetes nodes of the pods were not recorded")
    if _is_one_node(spec, attempts):
        return NotEvaluated("all pods ran on one Kubernetes node, where they share its CPUs")
    return worst(found for each in attempts if (found := _shared_with_load(each)) is not None)


def check_solr_shares_nodes(spec: Spec, environment: Environment | None) -> Outcome:
    """Look for several Solr pods on one Kubernetes node; gaps are those of the other check."""
    cloud = spec.target.solr_cloud
    attempts = environment.attempts if environment is not None else []
    if cloud is None or spec.load.validity.allow_shared_nodes or _is_one_node(spec, attempts):
        return None
    return worst(
        Finding(
            cloud.nodes - used,
            f"{cloud.nodes} Solr pods ran on {used} Kubernetes nodes (limit 1 pod on each)",
        )
        for each in attempts
        if 0 < (used := len(each.nodes.get(SOLR, []))) < cloud.nodes
    )


def _is_one_node(spec: Spec, attempts: Sequence[AttemptRecord]) -> bool:
    """Say whether there was no choice, and the spec does not demand one."""
    used = {node for each in attempts for nodes in each.nodes.values() for node in nodes}
    return spec.load.validity.allow_shared_nodes is None and len(used) == 1


def _shared_with_load(attempt: AttemptRecord) -> Finding | None:
    solr = attempt.nodes.get(SOLR, [])
    load = {*attempt.nodes.get(LOAD_WORKER, []), *attempt.nodes.get(LOAD_MASTER, [])}
    shared = [node for node in solr if node in load]
    if not shared:
        return None
    return Finding(
        len(shared),
        f"{len(shared)} of {len(solr)} Kubernetes nodes with Solr pods also ran load pods:"
        f" {', '.join(shared[:_MOST_NAMED])} (limit 0)",
    )
