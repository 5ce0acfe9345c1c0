"""How far the Solr Operator is with the SolrCloud of a benchmark."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from solrbench.decide.checks.outcome import Check, Outcome, fail, wait
from solrbench.decide.pods.problems import PodProblem, first_problem
from solrbench.decide.solr_cloud_readiness import PATIENCE, is_unreconciled, unmet_conditions
from solrbench.decide.views import PodView
from solrbench.reasons.target import TargetReason


@dataclass(frozen=True)
class SolrCloudState:
    """A SolrCloud resource and what the Solr Operator has made of it.

    Attributes:
        cloud: the resource
        stateful_set: of its nodes, if there is one
        pods: of its nodes
        benchmark_uid: uid of the benchmark that must own it
        now: time of the observation
        creation: why pods are missing, if they may not be created

    """

    cloud: dict[str, Any]
    stateful_set: dict[str, Any] | None
    pods: tuple[PodView, ...]
    benchmark_uid: str
    now: datetime
    creation: PodProblem | None = None

    @property
    def name(self) -> str:
        """Name of the SolrCloud, which is that of the benchmark."""
        return str(self.cloud["metadata"]["name"])


def check_clouds_served(served: bool) -> Outcome | None:
    """Wait until the cluster serves SolrClouds."""
    if served:
        return None
    return wait(
        TargetReason.SOLR_OPERATOR_MISSING,
        "the cluster does not serve solrclouds.solr.apache.org; install the Apache Solr Operator"
        " (chart solr-operator), or set target.solrCloud.provisioner to StatefulSet",
    )


def check_not_deleted(state: SolrCloudState) -> Outcome | None:
    """Wait while the SolrCloud of the previous attempt is being deleted."""
    if state.cloud["metadata"].get("deletionTimestamp") is None:
        return None
    message = f"SolrCloud {state.name} of the previous attempt is being deleted"
    return wait(TargetReason.REMOVING_OLD_TARGET, message)


def check_owned(state: SolrCloudState) -> Outcome | None:
    """Fail if the SolrCloud does not belong to the benchmark."""
    owners = {each["uid"] for each in state.cloud["metadata"].get("ownerReferences", [])}
    if state.benchmark_uid in owners:
        return None
    return fail(
        TargetReason.SOLR_CLOUD_NAME_TAKEN,
        f"there is a SolrCloud {state.name} that does not belong to this benchmark; give the"
        " benchmark another name, which is that of its SolrCloud",
    )


def check_reconciled(state: SolrCloudState) -> Outcome | None:
    """Wait, with a hint, if the Solr Operator has not reacted at all."""
    if not is_unreconciled(state.cloud, state.stateful_set, state.now):
        return None
    namespace = state.cloud["metadata"]["namespace"]
    return wait(
        TargetReason.SOLR_OPERATOR_NOT_RUNNING,
        f"the Solr Operator has not reconciled SolrCloud {state.name} within {PATIENCE.seconds} s;"
        f" check in its log that it is running, watches namespace {namespace} and, for"
        " zookeeper.mode Provided, was installed with zookeeper-operator.use",
    )


def check_cloud_ready(state: SolrCloudState) -> Outcome | None:
    """Wait until the SolrCloud is as in its spec, with the problem of a pod if one has any."""
    unmet = unmet_conditions(state.cloud, state.stateful_set)
    if not unmet:
        return None
    problem = first_problem(state.pods, state.now) or state.creation
    if problem is not None:
        return wait(problem.reason, problem.message)
    if state.stateful_set is not None and not state.pods:
        return _no_pods(state.stateful_set["metadata"]["name"])
    if state.pods and all(pod.gated or pod.ready for pod in state.pods):
        names = ", ".join(pod.name for pod in state.pods)
        unmet.append(
            f"Solr runs in {names}, but the Solr Operator has not yet opened the readiness gates or"
            " reported it; if that lasts, check that it is running"
        )
    return wait(TargetReason.SOLR_CLOUD_NOT_READY, "; ".join(unmet))


def _no_pods(stateful_set: str) -> Outcome:
    return wait(
        TargetReason.SOLR_CLOUD_NOT_READY,
        f"no pod is created yet; if that lasts, see: kubectl describe statefulset {stateful_set}. A"
        " namespace that enforces Pod Security restricted refuses the init containers of Solr"
        " Operator v0.9: label it baseline, use v0.10, or set target.solrCloud.provisioner to"
        " StatefulSet",
    )


OWNERSHIP_CHECKS: tuple[Check[SolrCloudState], ...] = (check_not_deleted, check_owned)
