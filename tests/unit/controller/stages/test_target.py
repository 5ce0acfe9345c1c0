"""What a step run was measured on is stored with it; what is lost of it starts again."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract import names
from solrbench.contract.environment import MeasuredTarget, VariantTarget
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages import target
from solrbench.controller.stages.target import observe_measured_target
from solrbench.decide.conditions import DATA_INDEXED
from solrbench.errors import TemporaryError
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.end import ApiServerReason
from support.controller.runs import NOW as START
from support.controller.runs import provisioned, stored_status
from support.controller.world import NOW, World, condition_of, fail_with, message_of
from support.controller.worlds import (
    STEP_RUN,
    Master,
    master_pod,
    master_with_result,
    measured,
    measured_so_far,
    solr_pod,
    stored,
    with_worker_lost,
    world_with,
)
from support.fakes.fake_cluster import refusal
from support.resources.small_resource import REMOVE, Changes, create, use
from support.solr.cloud import Cloud

UPDATES: Changes = {
    "spec.workload.queries": REMOVE,
    "spec.workload.mix": [{"name": "writes", "updates": {"generated": {}}}],
}


def indexed(cloud: Cloud, changes: Changes, **dataset: Any) -> ReconcileContext:
    """Return the first reconcile after the one that found the data indexed."""
    run = provisioned(cloud, changes)
    run.update(dataset=DatasetStatus(**dataset))
    run.conditions.set(DATA_INDEXED, "True", IndexingReason.INDEXED, "")
    run.benchmark = run.benchmark.model_copy(update={"status": stored_status(run)})
    return run


def test_nodes_and_index_of_an_existing_target_are_recorded() -> None:
    cloud = Cloud(deleted_documents=2)
    assert observe_measured_target(indexed(cloud, create())) == MeasuredTarget(
        attempt=1,
        pods=cloud.nodes,
        documents=5,
        deleted_documents=2,
        indexed=START,
        solr_versions=["9.10.1"],
    )


def test_time_of_the_index_is_the_stored_one() -> None:
    run = indexed(Cloud(), create())
    run.benchmark = run.benchmark.model_copy(update={"status": run.status})
    assert observe_measured_target(run).indexed is None, "after a crash it would be another"


VARIANTS = [{"name": "raw", "endpoint": "Nodes"}, {"name": "proxy", "urls": ["http://p:80/solr"]}]


def test_what_a_variant_leads_to_is_recorded() -> None:
    run = provisioned(Cloud(), create() | {"spec.target.variants": VARIANTS})
    assert observe_measured_target(run, "raw").variant is None
    found = observe_measured_target(run, "proxy")
    assert found.variant == VariantTarget(documents=5, solr_versions=["9.10.1"])
    assert found.solr_versions == ["9.10.1"]


def test_a_variant_that_does_not_show_what_it_leads_to_is_no_failure() -> None:
    cloud = Cloud()
    run = provisioned(cloud, create() | {"spec.target.variants": VARIANTS})
    cloud.down = True
    assert observe_measured_target(run, "proxy").variant == VariantTarget()


def test_collection_of_the_user_is_not_filled_by_the_benchmark() -> None:
    cloud = Cloud()
    cloud.make("books", "_default")
    found = observe_measured_target(indexed(cloud, use()))
    assert (found.filled, found.indexed) == (False, None)


def test_index_that_the_workload_changes_counts_as_it_was_indexed() -> None:
    run = indexed(Cloud(deleted_documents=9), create() | UPDATES, documents=4, deleted_documents=1)
    found = observe_measured_target(run)
    assert (found.documents, found.deleted_documents) == (4, 1)


def test_index_of_a_solr_that_does_not_respond_is_unknown() -> None:
    run = provisioned(cloud := Cloud(), create())
    cloud.down = True
    found = observe_measured_target(run)
    assert (found.documents, found.deleted_documents) == (None, None)
    assert found.pods == cloud.nodes


@pytest.fixture
def master(monkeypatch: pytest.MonkeyPatch) -> Master:
    return master_with_result(monkeypatch)


def with_pods(world: World) -> World:
    """Return it with the pods of Solr and of the load master."""
    pod = solr_pod()
    pod["spec"] = {"nodeName": "n1"}
    image: dict[str, Any] = {"image": "solr:9", "imageID": "docker.io/solr@sha256:00"}
    pod["status"]["containerStatuses"][0] |= image
    pod["status"]["containerStatuses"].append({"name": names.AGENT, "image": "solrbench:1"})
    world.cluster.put(pod)
    world.reconcile("one")
    world.cluster.put(master_pod())
    return world


def test_pods_nodes_and_images_are_stored_with_the_result(master: Master) -> None:
    world = with_pods(measured_so_far(retries=2))
    world.reconcile("one")
    assert master.acknowledged == [STEP_RUN]
    assert stored(world).target == MeasuredTarget(
        attempt=1,
        pods={"one-solr-0": "some-uid/0"},
        nodes={"one-solr-0": "n1"},
        images={"solr": "solr:9@sha256:00"},
        indexed=NOW,
    )


def test_nothing_is_stored_of_a_target_that_could_not_be_looked_at(master: Master) -> None:
    world = with_pods(measured_so_far(retries=2))
    solr = world.cluster.objects["Pod", "default", "one-solr-0"]
    solr["status"]["containerStatuses"][0]["restartCount"] = 1
    error = TemporaryError(ApiServerReason.API_UNREACHABLE, "429")
    world.cluster.fault = refusal(error, kinds=["Pod"], times=1)
    after = world.reconcile("one")
    assert (master.acknowledged, after.status.phase) == ([], "Measuring")
    assert world.reconcile("one").status.attempts.target == 2
    assert master.acknowledged == []


def test_nothing_ends_while_the_target_cannot_be_looked_at() -> None:
    world = world_with(measured(pods=[]))
    world.body()["spec"]["load"].pop("repeats")
    error = TemporaryError(ApiServerReason.API_UNREACHABLE, "429")
    world.cluster.fault = refusal(error, kinds=["Pod"])
    after = world.reconcile("one")
    assert condition_of(after, "Measured") == ("False", "ApiUnreachable")
    assert condition_of(after, "TargetReady")[0] == "True"


def test_record_outlives_a_lost_acknowledgement(master: Master) -> None:
    known = MeasuredTarget(attempt=1, pods={"one-solr-0": "earlier"})
    times = {"start_time": NOW - timedelta(seconds=60), "end_time": NOW}
    world = with_pods(world_with(measured(pods=[], target=known, **times)))
    world.reconcile("one")
    assert master.acknowledged == [STEP_RUN]
    assert stored(world).target == known


def test_lost_pod_of_the_target_starts_everything_again() -> None:
    world = measured_so_far(retries=2)
    world.body()["status"]["dataset"] = {"documents": 9}
    after = world.reconcile("one")
    assert (after.status.attempts.target, after.status.attempts.load) == (2, 2)
    assert after.status.dataset == DatasetStatus()  # else it counts as progress of the next index
    assert after.status.attempts.first_load_on_target == 2
    assert condition_of(after, "TargetReady") == ("False", "TargetPodLost")
    assert condition_of(after, "DataIndexed") == ("False", "TargetPodLost")
    assert condition_of(world.reconcile("one"), "TargetReady") == ("False", "ZooKeeperNotReady")


def test_pods_that_cannot_be_listed_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    world = measured_so_far(retries=1)
    world.cluster.put(solr_pod())
    away = TemporaryError(ApiServerReason.API_UNREACHABLE, "connection refused")
    monkeypatch.setattr(target, "verify_target", fail_with(away))
    after = world.reconcile("one")
    assert condition_of(after, "TargetReady")[0] == "True"
    assert after.status.phase == "Measuring"


def test_retries_are_bounded() -> None:
    after = measured_so_far(retries=1, target=2, load=2).reconcile("one")
    assert after.status.phase == "Failed"
    assert condition_of(after, "Succeeded") == ("False", "TargetPodLost")
    assert "2 attempts failed (spec.backoffLimit)" in message_of(after)


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
    assert message in message_of(after)
