"""What is lost starts again, up to `spec.backoffLimit` times."""

import pytest

from solrbench.controller.stages import target
from solrbench.errors import TemporaryError
from solrbench.reasons.api_server import ApiServerReason
from support.controller.measured_worlds import measured_so_far, solr_pod, with_worker_lost
from support.controller.world import condition_of


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
