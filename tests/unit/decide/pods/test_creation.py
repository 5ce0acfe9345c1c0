"""Pods that the API server refuses: what the events and conditions of their owner say."""

from datetime import UTC, datetime
from typing import Any

import pytest

from solrbench.decide.pods.creation import find_creation_problem
from solrbench.decide.views import PodView
from support.resources.pod_views import pod_view

QUOTA = 'pods "base-solr-1" is forbidden: exceeded quota: compute'
OWNER = {"kind": "StatefulSet", "metadata": {"name": "base-solr", "uid": "s1"}}
CREATED = datetime(2025, 3, 1, 12, tzinfo=UTC)
POD = pod_view("base-solr-0", CREATED)


def event(message: str = QUOTA, uid: str = "s1", **times: Any) -> dict[str, Any]:
    given = times or {"lastTimestamp": "2025-03-01T12:00:00Z"}
    return {"metadata": {}, "involvedObject": {"uid": uid}, "message": message, **given}


def problem(
    *events: dict[str, Any], pods: tuple[PodView, ...] = (), **status: Any
) -> tuple[str, str] | None:
    found = find_creation_problem({**OWNER, "status": status}, pods, events)
    return None if found is None else (found.reason, found.message)


@pytest.mark.parametrize(
    "times",
    [
        {"lastTimestamp": "2025-03-01T12:00:00Z"},
        {"lastTimestamp": None, "eventTime": "2025-03-01T12:00:00.000000Z"},
        {
            "eventTime": "2025-03-01T11:00:00.000000Z",
            "series": {"lastObservedTime": "2025-03-01T12:00:01.000000Z"},
        },
        {"metadata": {"creationTimestamp": "2025-03-01T12:00:00Z"}},
    ],
)
def test_a_refusal_is_named_with_the_words_of_the_api_server(times: dict[str, Any]) -> None:
    found = problem(event(**times), pods=(POD,))
    assert found is not None
    reason, message = found
    assert reason == "FailedCreate"
    assert message.startswith(f"pods of StatefulSet base-solr are refused: {QUOTA};")


def test_the_latest_refusal_counts() -> None:
    first = event("webhook down", lastTimestamp="2025-03-01T11:00:00Z")
    found = problem(event(), first)
    assert found is not None
    assert QUOTA in found[1]


def test_a_refusal_before_the_newest_pod_is_over() -> None:
    assert POD.created == CREATED
    assert problem(event(lastTimestamp="2025-03-01T11:59:59Z"), pods=(POD,)) is None


def test_a_refusal_of_an_earlier_owner_of_the_name_does_not_count() -> None:
    assert problem(event(uid="s0")) is None
    assert problem() is None


def test_the_condition_of_a_replica_set_counts_too() -> None:
    refused = {"type": "ReplicaFailure", "status": "True", "message": QUOTA}
    found = problem(conditions=[{"type": "Other", "status": "True"}, refused])
    assert found is not None
    assert QUOTA in found[1]
    assert problem(conditions=[refused | {"status": "False"}]) is None


def test_long_words_are_cut() -> None:
    found = problem(event("x" * 5000))
    assert found is not None
    assert len(found[1]) < 600
