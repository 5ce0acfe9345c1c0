"""What NetworkPolicies let through, by the rules of Kubernetes, for policies that name pods."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Place:
    """A pod, as policies see it."""

    namespace: str
    labels: dict[str, str] = field(default_factory=dict)


def admits(policies: Iterable[dict[str, Any]], target: Place, source: Place, port: int) -> bool:
    """Return whether a connection comes in: by any rule of any policy, or without a policy."""
    about = [
        each["spec"]
        for each in policies
        if each["metadata"]["namespace"] == target.namespace
        and "Ingress" in each["spec"]["policyTypes"]
        and _selects(each["spec"]["podSelector"], target.labels)
    ]
    rules = [rule for each in about for rule in each.get("ingress") or []]
    return not about or any(_permits(rule, target, source, port) for rule in rules)


def _permits(rule: dict[str, Any], target: Place, source: Place, port: int) -> bool:
    if "ports" in rule and port not in [each["port"] for each in rule["ports"]]:
        return False
    return "from" not in rule or any(_is_peer(peer, target, source) for peer in rule["from"])


def _is_peer(peer: dict[str, Any], target: Place, source: Place) -> bool:
    place = {"kubernetes.io/metadata.name": source.namespace}
    near = source.namespace == target.namespace
    near = _selects(peer["namespaceSelector"], place) if "namespaceSelector" in peer else near
    return near and _selects(peer.get("podSelector", {}), source.labels)


def _selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    assert all(each["operator"] == "In" for each in selector.get("matchExpressions", []))
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        labels.get(each["key"]) in each["values"] for each in selector.get("matchExpressions", [])
    )
