"""What is read of an audit log, and which requests the policy has written."""

import json
from datetime import UTC, datetime
from typing import Any

import yaml

from support.cluster.audit_log import DECISION, read_requests
from support.repository import ROOT

ACCOUNT = "system:serviceaccount:solrbench:operator"
STARTED: dict[str, Any] = {"stage": "ResponseStarted"}
LEASES = "leases.coordination.k8s.io"


def line(verb: str, resource: str, code: int = 200, **changes: Any) -> str:
    """Return a line as kube-apiserver writes it, of a resource with its group."""
    resource, _, group = resource.partition(".")
    resource, _, subresource = resource.partition("/")
    reference = {"resource": resource, "subresource": subresource, "apiGroup": group}
    event = {
        "stage": "ResponseComplete",
        "verb": verb,
        "user": {"username": ACCOUNT},
        "objectRef": {key: text for key, text in reference.items() if text},
        "responseStatus": {"metadata": {}, "code": code},
        "requestReceivedTimestamp": "2026-11-26T12:00:01.123456Z",
        "annotations": {DECISION: "allow"},
    }
    return json.dumps(event | changes)


def test_requests_are_counted_by_right() -> None:
    lines = [
        line("list", "pods"),
        line("list", "pods", requestReceivedTimestamp="2026-11-26T11:59:59.9Z"),
        line("watch", "pods", **STARTED),
        line("watch", "pods"),
        line("get", "pods/log", **STARTED),
        line("get", "pods/log"),
        line("patch", LEASES, 201),
        line("patch", LEASES),
        line("create", "pods", 403),  # refused by a quota
        line("get", "secrets", 403, annotations={DECISION: "forbid"}),
        line("get", "", objectRef=None),  # of no object, such as /readyz
        line("get", "nodes", user={"username": "system:node:solrbench"}),
    ]
    ((account, requests),) = read_requests(lines, datetime(2026, 11, 26, 12, tzinfo=UTC)).items()
    assert account == ACCOUNT
    once = ("list pods", "watch pods", "get pods/log", "create pods", f"create {LEASES}")
    twice = {f"patch {LEASES}": 2}
    assert {str(each): n for each, n in requests.used.items()} == dict.fromkeys(once, 1) | twice
    assert {str(each): n for each, n in requests.refused.items()} == {"get secrets": 1}


def test_the_policy_has_requests_of_pods_written_without_bodies() -> None:
    policy = yaml.safe_load((ROOT / "hack/cluster/config/audit.yaml").read_text("utf-8"))
    assert (policy["apiVersion"], policy["kind"]) == ("audit.k8s.io/v1", "Policy")
    levels = [[each["level"], *each.get("userGroups", [])] for each in policy["rules"]]
    pods, controllers = "system:serviceaccounts", "system:serviceaccounts:kube-system"
    assert levels == [["None", controllers], ["Metadata", pods], ["None"]]
