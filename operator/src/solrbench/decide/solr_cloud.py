"""Whether a SolrCloud of the Solr Operator is as requested, how far it is, and what is missing.

Its status has neither conditions nor `observedGeneration` (Solr Operator v0.9.1 and v0.10.0), so
it is checked together with the StatefulSet that the Solr Operator makes of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from solrbench.decide.outcome import Outcome, fail, wait
from solrbench.decide.pods import ObservedPods
from solrbench.reasons.target import TargetReason

PATIENCE = timedelta(seconds=60)
"""A Solr Operator that runs makes the StatefulSet within seconds."""

LOCK = "solr.apache.org/clusterOpsLock"
QUEUE = "solr.apache.org/clusterOpsRetryQueue"
NOTHING_QUEUED = (None, "", "[]", "null")
"""What its annotation says then: the Solr Operator writes JSON without blanks."""
CONTAINER = "solrcloud-node"

Body = dict[str, Any]


def unmet_conditions(cloud: Body, stateful_set: Body | None) -> list[str]:
    """Return what keeps a SolrCloud from being ready, as parts of a sentence; none if it is."""
    if stateful_set is None:
        return ["its StatefulSet is not created yet"]
    return [*_in_stateful_set(cloud["spec"], stateful_set), *_in_status(cloud)]


def _in_status(cloud: Body) -> Iterator[str]:
    wanted, status = cloud["spec"]["replicas"], cloud.get("status") or {}
    for field, words in (
        ("replicas", "exist"),
        ("readyReplicas", "are ready"),
        ("upToDateNodes", "are up to date"),
    ):
        count = status.get(field, 0)
        if count != wanted:
            yield f"{count} of {wanted} Solr nodes {words}"
    if status.get("targetVersion"):
        yield f"version {status['targetVersion']} is being rolled out"
    nodes = status.get("solrNodes") or []
    if len(nodes) != wanted:
        yield f"the status lists {len(nodes)} of {wanted} Solr nodes"
    for node in nodes:
        if not node.get("ready"):
            yield f"{node['name']} is not ready"
        if not node.get("specUpToDate"):
            yield f"{node['name']} runs an earlier spec"
        if node.get("scheduledForDeletion"):
            yield f"{node['name']} is about to be deleted"


def _in_stateful_set(spec: Body, stateful_set: Body) -> Iterator[str]:
    metadata, status = stateful_set["metadata"], stateful_set.get("status") or {}
    if status.get("observedGeneration", 0) < metadata.get("generation", 0):
        yield "its StatefulSet has just been changed"
    annotations = metadata.get("annotations") or {}
    if annotations.get(LOCK):
        yield f"the Solr Operator has locked it for an operation: {annotations[LOCK]}"
    # A user who may change the StatefulSet can write anything there: nothing of it is decoded.
    if annotations.get(QUEUE) not in NOTHING_QUEUED:
        yield f"the Solr Operator has queued a retry: {annotations[QUEUE]}"
    # The status may belong to an older spec: it has no `observedGeneration`. So the StatefulSet
    # that the Solr Operator made of the spec is compared with it.
    containers = stateful_set["spec"]["template"]["spec"]["containers"]
    node = next((each for each in containers if each["name"] == CONTAINER), None)
    if node is None:
        yield f"its StatefulSet has no container {CONTAINER}"
        return
    image = f"{spec['solrImage']['repository']}:{spec['solrImage']['tag']}"
    if node["image"] != image:
        yield f"its StatefulSet has image {node['image']}, not {image}"
    environment = {each["name"]: each.get("value") for each in node.get("env") or []}
    memory = environment.get("SOLR_JAVA_MEM")
    if memory != spec["solrJavaMem"]:
        yield f"its StatefulSet has heap {memory}, not {spec['solrJavaMem']}"


@dataclass(frozen=True)
class SolrCloudState(ObservedPods):
    """A SolrCloud resource and what the Solr Operator has made of it."""

    cloud: Body
    stateful_set: Body | None


def check_clouds_served(served: bool) -> Outcome | None:
    """Wait until the cluster serves SolrClouds."""
    if served:
        return None
    return wait(
        TargetReason.SOLR_OPERATOR_MISSING,
        "the cluster does not serve solrclouds.solr.apache.org; install the Apache Solr Operator"
        " (chart solr-operator), or set target.solrCloud.provisioner to StatefulSet",
    )


def check_owned(cloud: Body, owner_uid: str) -> Outcome | None:
    """Wait while the SolrCloud is being deleted; fail if it does not belong to the benchmark."""
    metadata, name = cloud["metadata"], cloud["metadata"]["name"]
    # One of the previous attempt has the same owner, and must be gone before the next is made.
    if metadata.get("deletionTimestamp") is not None:
        message = f"SolrCloud {name} of the previous attempt is being deleted"
        return wait(TargetReason.REMOVING_OLD_TARGET, message)
    if any(owner["uid"] == owner_uid for owner in metadata.get("ownerReferences", [])):
        return None
    return fail(
        TargetReason.SOLR_CLOUD_NAME_TAKEN,
        f"there is a SolrCloud {name} that does not belong to this benchmark; give the"
        " benchmark another name, which is that of its SolrCloud",
    )


def check_reconciled(state: SolrCloudState) -> Outcome | None:
    """Wait, with a hint, if the Solr Operator has not reacted at all."""
    metadata = state.cloud["metadata"]
    is_seen = state.cloud.get("status") or state.stateful_set is not None
    if is_seen or state.now - datetime.fromisoformat(metadata["creationTimestamp"]) <= PATIENCE:
        return None
    return wait(
        TargetReason.SOLR_OPERATOR_NOT_RUNNING,
        f"the Solr Operator has not reconciled SolrCloud {metadata['name']} within"
        f" {PATIENCE.seconds} s; check in its log that it is running, watches namespace"
        f" {metadata['namespace']} and, for zookeeper.mode Provided, was installed with"
        " zookeeper-operator.use",
    )


def check_cloud_ready(state: SolrCloudState) -> Outcome | None:
    """Wait until the SolrCloud is as in its spec, with the problem of a pod if one has any."""
    unmet = unmet_conditions(state.cloud, state.stateful_set)
    if not unmet:
        return None
    if state.problem is not None:
        return state.problem
    if state.stateful_set is not None and not state.pods:
        name = state.stateful_set["metadata"]["name"]
        return wait(
            TargetReason.SOLR_CLOUD_NOT_READY,
            f"no pod is created yet; if that lasts, see: kubectl describe statefulset {name}. A"
            " namespace that enforces Pod Security restricted refuses the init containers of Solr"
            " Operator v0.9: label it baseline, use v0.10, or set target.solrCloud.provisioner to"
            " StatefulSet",
        )
    if state.pods and all(pod.gated or pod.ready for pod in state.pods):
        names = ", ".join(pod.name for pod in state.pods)
        unmet.append(
            f"Solr runs in {names}, but the Solr Operator has not yet opened the readiness gates or"
            " reported it; if that lasts, check that it is running"
        )
    return wait(TargetReason.SOLR_CLOUD_NOT_READY, "; ".join(unmet))
