"""Pod events during a step run."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.decide.pods.events import add_pod_events, has_new_events
from solrbench.decide.views import PodView, view_pod
from unit.results.builders import START, make_document, make_result

DOCUMENT = make_document("a", 1, make_result([1000] * 9), seconds=10.0)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def ended(seconds: float, reason: str = "Error", code: int = 1) -> dict[str, Any]:
    return {"reason": reason, "exitCode": code, "finishedAt": at(seconds).isoformat()}


def pod(
    *, name: str = "b-solr-0", created: float = -60, restarts: int = 0, **states: Any
) -> PodView:
    container = {"name": "solr", "restartCount": restarts} | states
    return view_pod(
        {
            "metadata": {
                "name": name,
                "uid": "u",
                "creationTimestamp": at(created).astimezone(UTC).isoformat(),
                "labels": {"app.kubernetes.io/component": "solr"},
            },
            "status": {"phase": "Running", "containerStatuses": [container]},
        }
    )


def troubles(*pods: PodView) -> list[tuple[str, str, datetime]]:
    found = add_pod_events(DOCUMENT, pods).pods or []
    return [(record.pod, each.kind, each.time) for record in found for each in record.troubles]


def test_quiet_pods_are_recorded_without_troubles() -> None:
    document = add_pod_events(DOCUMENT, [pod(restarts=2, lastState={"terminated": ended(-30)})])
    assert document.pods is not None
    (record,) = document.pods
    assert (record.pod, record.component, record.restarts) == ("b-solr-0", "solr", 2)
    assert record.troubles == []


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ({"restarts": 1, "lastState": {"terminated": ended(4)}}, "Restarted"),
        ({"restarts": 1, "lastState": {"terminated": ended(4, "OOMKilled", 137)}}, "OOMKilled"),
        ({"state": {"terminated": ended(4)}}, "Restarted"),
        ({"restarts": 1, "lastState": {"terminated": ended(4, "Completed", 0)}}, "Restarted"),
    ],
)
def test_ends_within_the_step_run_are_events(state: dict[str, Any], kind: str) -> None:
    assert troubles(pod(**state)) == [("b-solr-0", kind, at(4))]


@pytest.mark.parametrize("seconds", [-0.5, 10.5])
def test_ends_outside_the_step_run_are_no_events(seconds: float) -> None:
    assert troubles(pod(restarts=1, lastState={"terminated": ended(seconds)})) == []


def test_work_that_is_done_is_no_trouble() -> None:
    assert troubles(pod(state={"terminated": ended(9, "Completed", 0)})) == []


def test_pod_created_within_the_step_run_is_a_replacement() -> None:
    assert troubles(pod(created=3)) == [("b-solr-0", "Replaced", at(3))]
    assert troubles(pod(created=11)) == []


def test_news_are_added_to_what_is_known_and_nothing_is_forgotten() -> None:
    first = add_pod_events(DOCUMENT, [pod(), pod(name="b-zookeeper-0")])
    assert add_pod_events(first, [pod()]) is first
    again = add_pod_events(first, [pod(restarts=1, lastState={"terminated": ended(4)})])
    assert add_pod_events(again, [pod(restarts=1, lastState={"terminated": ended(4)})]) is again
    assert again.pods is not None
    assert [(each.pod, len(each.troubles)) for each in again.pods] == [
        ("b-solr-0", 1),
        ("b-zookeeper-0", 0),
    ]
    replaced = add_pod_events(again, [pod(created=5)])
    assert replaced.pods is not None
    assert [each.kind for each in replaced.pods[0].troubles] == ["Restarted", "Replaced"]


def test_only_pods_with_news_are_worth_a_look() -> None:
    assert not has_new_events([pod(restarts=1, lastState={"terminated": ended(-30)})], START)
    assert not has_new_events([pod(state={"terminated": ended(3, "Completed", 0)})], START)
    assert has_new_events([pod(restarts=1, lastState={"terminated": ended(3)})], START)
    assert has_new_events([pod(created=2)], START)
