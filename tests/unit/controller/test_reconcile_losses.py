"""What is lost starts again, up to `spec.backoffLimit` times."""

import json
from typing import Any

import pytest

from solrbench.controller.stages import target
from solrbench.errors import TemporaryError
from solrbench.reasons.api_server import ApiServerReason
from support.cluster.benchmarks import small
from unit.controller.test_reconcile import NOW, World, condition_of

TIME = NOW.isoformat()


def measured_so_far(retries: int, **attempts: int) -> World:
    """Return a world with a benchmark whose target was ready, and whose pods are gone."""
    body = small("one", backoffLimit=retries)
    conditions = [
        {"type": type_, "status": "True", "reason": "Test", "lastTransitionTime": TIME}
        for type_ in ("Accepted", "TargetReady", "DataIndexed")
    ]
    body["status"] = {
        "startTime": TIME,
        "phase": "Measuring",
        "phaseStartTime": TIME,
        "attempts": {"target": 1, "load": 1} | attempts,
        "target": {"pods": {"one-solr-0": "some-uid/0"}},
        "conditions": conditions,
    }
    return World(body)


def solr_pod(restarts: int = 0, **ended: Any) -> dict[str, Any]:
    """Return the Solr pod that was there when the target became ready."""
    labels = {
        "solrbench.io/benchmark": "one",
        "app.kubernetes.io/component": "solr",
        "solrbench.io/attempt": "1",
    }
    container = {"name": "solr", "restartCount": restarts, "lastState": {"terminated": ended}}
    return {
        "kind": "Pod",
        "metadata": {"name": "one-solr-0", "uid": "some-uid", "labels": labels},
        "status": {"phase": "Running", "containerStatuses": [container]},
    }


def test_lost_pod_of_the_target_starts_everything_again() -> None:
    world = measured_so_far(retries=2)
    after = world.reconcile("one")
    assert (after.status.attempts.target, after.status.attempts.load) == (2, 2)
    assert after.status.attempts.first_load_on_target == 2
    assert condition_of(after, "TargetReady") == ("False", "TargetPodLost")
    assert condition_of(after, "DataIndexed") == ("False", "TargetPodLost")
    assert condition_of(world.reconcile("one"), "TargetReady") == ("False", "ZooKeeperNotReady")


def test_pods_that_cannot_be_listed_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    world = measured_so_far(retries=1)
    world.cluster.put(solr_pod())

    def no_answer(*_: object) -> None:
        raise TemporaryError(ApiServerReason.API_UNREACHABLE, "connection refused")

    monkeypatch.setattr(target, "verify_target", no_answer)
    after = world.reconcile("one")
    assert condition_of(after, "TargetReady")[0] == "True"
    assert after.status.phase == "Measuring"


def test_retries_are_bounded() -> None:
    after = measured_so_far(retries=1, target=2, load=2).reconcile("one")
    assert after.status.phase == "Failed"
    assert condition_of(after, "Succeeded") == ("False", "TargetPodLost")
    message = next(c.message for c in after.status.conditions if c.type == "Succeeded")
    assert "2 attempts failed (spec.backoffLimit)" in message


def test_solr_that_started_again_has_lost_its_caches() -> None:
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod(restarts=1, reason="Error", exitCode=1))
    assert world.reconcile("one").status.attempts.target == 2


def test_solr_without_memory_would_die_again() -> None:
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod(restarts=1, reason="OOMKilled", exitCode=137))
    after = world.reconcile("one")
    assert after.status.phase == "Failed"
    assert condition_of(after, "Succeeded") == ("False", "OOMKilled")


@pytest.mark.parametrize("component", ["load-master", "load-worker"])
def test_lost_load_starts_again_alone(component: str) -> None:
    world = measured_so_far(retries=2)
    world.cluster.put(solr_pod())
    after = world.reconcile("one")
    assert condition_of(after, "Measured") == ("False", "LoadStarted")
    failed = [{"type": "Failed", "status": "True", "message": "pod was deleted"}]
    world.cluster.objects["Job", "default", f"one-{component}"]["status"] = {"conditions": failed}
    after = world.reconcile("one")
    assert (after.status.attempts.target, after.status.attempts.load) == (1, 2)
    assert after.status.attempts.first_load_on_target is None
    assert condition_of(after, "Measured") == ("False", "LoadPodLost")
    world.reconcile("one")  # removes what is left of the first attempt
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "LoadStarted")


def worker_pod(phase: str = "Failed", **words: str) -> dict[str, Any]:
    """Return a worker that ended; `words` are its last ones."""
    labels = {
        "solrbench.io/benchmark": "one",
        "app.kubernetes.io/component": "load-worker",
        "solrbench.io/attempt": "1",
    }
    ended = {"exitCode": 137, "reason": "OOMKilled"} if not words else {"exitCode": 3}
    message = json.dumps({"stage": "Failed"} | words) if words else ""
    state = {"terminated": ended | {"message": message}}
    return {
        "kind": "Pod",
        "metadata": {"name": "one-load-worker-0-x", "uid": "w", "labels": labels},
        "status": {
            "phase": phase,
            "containerStatuses": [{"name": "load-worker", "state": state}],
        },
    }


def with_worker_lost(mode: str, **words: str) -> World:
    """Return a world whose load has started and has lost a worker."""
    world = measured_so_far(retries=2)
    load = world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["load"]
    load |= {"workers": 2, "onWorkerLoss": mode}
    world.cluster.put(solr_pod())
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "LoadStarted")
    world.cluster.put(worker_pod(**words))
    return world


def test_lost_worker_ends_the_attempt() -> None:
    after = with_worker_lost("RepeatStep").reconcile("one")
    assert condition_of(after, "Measured") == ("False", "OOMKilled")
    assert after.status.attempts.load == 2


def test_load_goes_on_without_a_lost_worker() -> None:
    world = with_worker_lost("Redistribute")
    after = world.reconcile("one")
    assert condition_of(after, "Measured") == ("False", "Starting")
    assert after.status.attempts.load == 1
    # Until its Job gives up.
    failed = [{"type": "Failed", "status": "True", "message": "BackoffLimitExceeded"}]
    world.cluster.objects["Job", "default", "one-load-worker"]["status"] = {"conditions": failed}
    assert condition_of(world.reconcile("one"), "Measured") == ("False", "LoadPodLost")


@pytest.mark.parametrize("mode", ["RepeatStep", "Redistribute"])
def test_locustfile_that_cannot_be_run_ends_the_benchmark(mode: str) -> None:
    message = "locustfile.py, line 3: SyntaxError: invalid syntax"
    world = with_worker_lost(mode, reason="MalformedLocustfile", message=message)
    after = world.reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "MalformedLocustfile")
    assert message in next(c.message for c in after.status.conditions if c.type == "Succeeded")
