"""Whether a SolrCloud of the Solr Operator is as requested, and what is missing.

Its status has neither conditions nor `observedGeneration` (Solr Operator v0.9.1 and v0.10.0), so
it is checked together with the StatefulSet that the Solr Operator makes of it.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

PATIENCE = timedelta(seconds=60)
"""A Solr Operator that runs makes the StatefulSet within seconds."""

LOCK = "solr.apache.org/clusterOpsLock"
QUEUE = "solr.apache.org/clusterOpsRetryQueue"
CONTAINER = "solrcloud-node"

Body = dict[str, Any]


def is_unreconciled(cloud: Body, stateful_set: Body | None, now: datetime) -> bool:
    """Return whether the Solr Operator has ignored a SolrCloud for longer than `PATIENCE`."""
    if cloud.get("status") or stateful_set is not None:
        return False
    return now - datetime.fromisoformat(cloud["metadata"]["creationTimestamp"]) > PATIENCE


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
        found = status.get(field, 0)
        if found != wanted:
            yield f"{found} of {wanted} Solr nodes {words}"
    if status.get("targetVersion"):
        yield f"version {status['targetVersion']} is being rolled out"
    nodes = status.get("solrNodes") or []
    if len(nodes) != wanted:
        yield f"the status lists {len(nodes)} of {wanted} Solr nodes"
    for node in nodes:
        yield from _in_node(node)


def _in_node(node: Body) -> Iterator[str]:
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
    if annotations.get(QUEUE) and json.loads(annotations[QUEUE]):
        yield f"the Solr Operator has queued a retry: {annotations[QUEUE]}"
    yield from _in_template(spec, stateful_set["spec"]["template"])


def _in_template(spec: Body, template: Body) -> Iterator[str]:
    """Compare the StatefulSet with the spec: the status may belong to an older spec."""
    node = next(each for each in template["spec"]["containers"] if each["name"] == CONTAINER)
    image = f"{spec['solrImage']['repository']}:{spec['solrImage']['tag']}"
    if node["image"] != image:
        yield f"its StatefulSet has image {node['image']}, not {image}"
    environment = {each["name"]: each.get("value") for each in node.get("env") or []}
    memory = environment.get("SOLR_JAVA_MEM")
    if memory != spec["solrJavaMem"]:
        yield f"its StatefulSet has heap {memory}, not {spec['solrJavaMem']}"
