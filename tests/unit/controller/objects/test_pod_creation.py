"""Pods that may not be created: the condition says so for every component at once."""

from typing import Any

import pytest

from solrbench.errors import TemporaryError
from solrbench.reasons.api_server import ApiServerReason
from support.cluster.benchmarks import small
from support.controller.measured_worlds import measured_so_far, solr_pod
from support.controller.world import World, condition_of

REFUSAL = 'pods "one" is forbidden: violates PodSecurity "restricted:latest"'


def refusal(kind: str, name: str) -> dict[str, Any]:
    return {
        "kind": "Event",
        "metadata": {"name": f"refusal-of-{name}"},
        "involvedObject": {"kind": kind, "name": name, "uid": f"uid-of-{name}"},
        "reason": "FailedCreate",
        "message": REFUSAL,
        "lastTimestamp": "2026-01-01T12:00:00Z",
    }


def test_zookeeper_that_is_refused() -> None:
    world = World(small("one"), refusal("StatefulSet", "one-zookeeper"))
    after = world.reconcile("one")
    assert condition_of(after, "TargetReady") == ("False", "FailedCreate")
    assert condition_of(after, "Succeeded") == ("Unknown", "FailedCreate")
    (shown,) = {each.message for each in after.status.conditions if each.reason == "FailedCreate"}
    assert REFUSAL in shown


@pytest.mark.parametrize("component", ["load-master", "load-worker"])
def test_load_pods_that_are_refused(component: str) -> None:
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod())
    world.reconcile("one")  # makes the Jobs
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "Starting")
    world.cluster.put(refusal("Job", f"one-{component}"))
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "FailedCreate")


def test_without_the_right_to_read_events_the_operator_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(small("one"), refusal("StatefulSet", "one-zookeeper"))

    def refuse(*_: str) -> None:
        raise TemporaryError(ApiServerReason.API_REFUSED, "events is forbidden")

    monkeypatch.setattr(world.cluster, "events", refuse)
    assert condition_of(world.reconcile("one"), "TargetReady") == ("False", "ZooKeeperNotReady")
