"""What the operator may do is what it does: granted by the chart, used in scenarios in memory.

The calls of its client are those of `support.faults`; what only kopf, another process or an unusual
cluster needs is named with its reason.
"""

import pytest

from chart.rendering import of_kind
from solrbench.api.kinds import KINDS
from support.faults.crossings import Crossings
from support.faults.scenarios import prepare

SCENARIOS = (
    "existing Solr",
    "StatefulSet",
    "Solr Operator",
    "companions",
    "variants",
    "export",
    "time to live",
    "load fails",
    "baseline",
    "sweep that shares a cluster",
)
PLURALS = {"NetworkPolicy": "networkpolicies", **{kind.name: kind.plural for kind in KINDS}}
USED = {
    "get": ("get",),
    "list": ("list",),
    "list_in_parts": ("list",),
    "list_metadata": ("list",),
    "apply": ("get", "create", "patch"),
    "delete": ("delete",),
    "events": ("list",),
}
"""Verbs by the methods of the client."""

FURTHER: dict[str, dict[str, str]] = {
    "kopf watches resources, holds finalizers and posts events": {
        "solrbenchmarks": "watch",
        "solrbenchmarksweeps": "list watch patch",
        "events": "create",
    },
    "`PodWatches` watches what runs": {"jobs": "watch", "pods": "watch"},
    "objects name an owner that waits for them, which admission plugins check": {
        "solrbenchmarks/finalizers": "update",
        "solrbenchmarksweeps/finalizers": "update",
    },
    "a sweep has a time to live, too": {"solrbenchmarksweeps": "delete"},
    "Credentials of targets, with `rbac.secrets`": {"secrets": "get"},
    "nodes are read for pods that run on one, or are overdue": {"nodes": "get"},
    "StatefulSets of the Solr Operator leave claims": {"persistentvolumeclaims": "delete"},
    "pods of companions may outlive their ReplicaSet": {"replicasets": "get"},
    "pods of ZooKeeper lead to their benchmark through it": {"zookeeperclusters": "get"},
    "the operator in memory has no labels that a policy could name": {
        "networkpolicies": "get create patch"
    },
    "a second replica waits for the Lease": {"leases": "get create patch"},
}


def _pairs(words: dict[str, str]) -> set[tuple[str, str]]:
    return {(resource, verb) for resource, verbs in words.items() for verb in verbs.split()}


def _used() -> set[tuple[str, str]]:
    """Return resource and verb of all calls in the scenarios."""
    found = set()
    for scenario in SCENARIOS:
        with pytest.MonkeyPatch.context() as patch:
            crossings = Crossings()
            prepare(scenario, patch)(crossings)()
        for call in crossings.calls:
            kind = call.about.partition("/")[0]
            plural = PLURALS.get(kind, f"{kind.lower()}s")
            if call.to != "cluster" or not kind:
                continue
            if call.method == "replace_status":
                found.add((f"{plural}/status", "update"))
            elif call.method == "pod_log":
                found.add(("pods/log", "get"))
            elif call.method not in ("serves", "server_hosts", "read"):
                found |= {(plural, verb) for verb in USED[call.method]}
    return found


def _granted(case: str) -> set[tuple[str, str]]:
    return {
        (resource, verb)
        for kind in ("Role", "ClusterRole")
        for role in of_kind(case, kind)
        if not any("aggregate-to" in label for label in role["metadata"].get("labels", {}))
        for rule in role["rules"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


@pytest.mark.timeout(300)
def test_rights_are_those_that_are_used() -> None:
    used, further = _used(), set[tuple[str, str]]().union(*map(_pairs, FURTHER.values()))
    granted = _granted("everything")
    assert used - granted == set(), "the operator needs these"
    assert granted - used - further == set(), "nothing needs these"
    assert further - granted == set(), "these are not granted"
    assert further & used == set(), "these are used in the scenarios"
