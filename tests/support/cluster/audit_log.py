"""The rights that service accounts were granted, and those they used by the API server's audit log.

A right is as in the rules of roles: API group, resource, verb.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

Body = dict[str, Any]

ACCOUNT = "system:serviceaccount:"
DECISION = "authorization.k8s.io/decision"
_CREATED = 201


class Right(NamedTuple):
    """A verb on a resource, or on a subresource as in `pods/log`."""

    group: str
    resource: str
    verb: str

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}" + (f".{self.group}" if self.group else "")


class Requests(NamedTuple):
    """How often each right was used, and how often it was missing."""

    used: Counter[Right]
    refused: Counter[Right]


def read_log(kubeconfig: str) -> Iterator[str]:
    """Yield the lines of the log, if the cluster is one of `hack/cluster`, which has one."""
    for file in Path(kubeconfig).parent.glob("log/audit*.log"):
        with file.open(encoding="utf-8") as lines:
            yield from (line for line in lines if line.endswith("\n"))  # the last may be half


def read_requests(lines: Iterable[str], since: datetime) -> dict[str, Requests]:
    """Return the requests for objects that arrived since then, by the name of the account."""
    found: dict[str, Requests] = {}
    for line in lines:
        event = json.loads(line)
        account, about = event["user"]["username"], event.get("objectRef")
        # What may last, as watches do, is written when it begins and when it ends.
        is_counted = (event["stage"] == "ResponseStarted") == (event["verb"] == "watch")
        received = datetime.fromisoformat(event["requestReceivedTimestamp"])
        if about is None or not is_counted or received < since or not account.startswith(ACCOUNT):
            continue
        requests = found.setdefault(account, Requests(Counter(), Counter()))
        is_refused = (event.get("annotations") or {}).get(DECISION) == "forbid"
        counted = requests.refused if is_refused else requests.used
        resource = "/".join(filter(None, (about["resource"], about.get("subresource"))))
        right = Right(about.get("apiGroup", ""), resource, event["verb"])
        counted[right] += 1
        # An apply that finds no object needs the right to create it, too, and gets this code.
        if right.verb == "patch" and event["responseStatus"]["code"] == _CREATED:
            counted[right._replace(verb="create")] += 1
    return found


def granted_rights(objects: Collection[Body]) -> dict[str, set[Right]]:
    """Return what roles grant by bindings of their own scope, by the name of the account."""
    found: dict[str, set[Right]] = {}
    for role, binding in product(objects, objects):
        reference, namespace = binding.get("roleRef", {}), role["metadata"].get("namespace")
        wanted = reference.get("kind"), reference.get("name"), binding["metadata"].get("namespace")
        if (role["kind"], role["metadata"]["name"], namespace) != wanted:
            continue
        for subject, rule in product(binding["subjects"], role["rules"]):
            rights = product(rule["apiGroups"], rule["resources"], rule["verbs"])
            granted = found.setdefault(f"{ACCOUNT}{subject['namespace']}:{subject['name']}", set())
            granted.update(Right(*each) for each in rights)
    return found
