"""What a step run was measured on, as it is stored with its result."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1.status.target import DatasetStatus
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages import load_results
from solrbench.controller.stages.measured_target import observe_measured_target
from solrbench.results.model.measured_target import MeasuredTarget, VariantTarget
from support.controller.finished_steps import (
    STEP_RUN,
    Master,
    master_pod,
    measured,
    stored,
    world_with,
)
from support.controller.measured_worlds import measured_so_far, solr_pod
from support.controller.world import NOW, World
from support.resources.small_resource import REMOVE, Changes, create, use
from unit.controller.runs import NOW as START
from unit.controller.runs import provisioned
from unit.solr.cloud import Cloud

UPDATES: Changes = {
    "spec.workload.queries": REMOVE,
    "spec.workload.mix": [{"name": "writes", "updates": {"generated": {}}}],
}


def observed(cloud: Cloud, changes: Changes, dataset: DatasetStatus) -> MeasuredTarget:
    run: ReconcileContext = provisioned(cloud, changes)
    run.update(dataset=dataset)
    return observe_measured_target(run)


def test_nodes_and_index_of_an_existing_target_are_recorded() -> None:
    cloud = Cloud(deleted_documents=2)
    found = observed(cloud, create(), DatasetStatus())
    assert found == MeasuredTarget(
        attempt=1,
        pods=cloud.nodes,
        documents=5,
        deleted_documents=2,
        indexed=START,
        solr_versions=["9.10.1"],
    )


VARIANTS = [{"name": "raw", "endpoint": "Nodes"}, {"name": "proxy", "urls": ["http://p:80/solr"]}]


def test_what_a_variant_leads_to_is_recorded() -> None:
    cloud = Cloud()
    run = provisioned(
        cloud, create(urls=["http://search:8983/solr"]) | {"spec.target.variants": VARIANTS}
    )
    assert observe_measured_target(run, "raw").variant is None
    found = observe_measured_target(run, "proxy")
    assert found.variant == VariantTarget(documents=5, solr_versions=["9.10.1"])
    assert found.solr_versions == ["9.10.1"]


def test_a_variant_that_does_not_show_what_it_leads_to_is_no_failure() -> None:
    cloud = Cloud()
    run = provisioned(
        cloud, create(urls=["http://search:8983/solr"]) | {"spec.target.variants": VARIANTS}
    )
    cloud.down = True
    assert observe_measured_target(run, "proxy").variant == VariantTarget()


def test_collection_of_the_user_is_not_filled_by_the_benchmark() -> None:
    cloud = Cloud()
    cloud.make("books", "_default")
    found = observed(cloud, use(), DatasetStatus())
    assert (found.filled, found.indexed) == (False, None)


def test_index_that_the_workload_changes_counts_as_it_was_indexed() -> None:
    indexed = DatasetStatus(documents=4, deleted_documents=1)
    found = observed(Cloud(deleted_documents=9), create() | UPDATES, indexed)
    assert (found.documents, found.deleted_documents) == (4, 1)


def test_index_of_a_solr_that_does_not_respond_is_unknown() -> None:
    run = provisioned(cloud := Cloud(), create())
    cloud.down = True
    found = observe_measured_target(run)
    assert (found.documents, found.deleted_documents) == (None, None)
    assert found.pods == cloud.nodes


@pytest.fixture
def master(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_results, "LoadMasterClient", Master)
    monkeypatch.setattr(Master, "acknowledged", [])


def with_target(world: World, uid: str = "some-uid") -> World:
    pod = solr_pod()
    pod["spec"] = {"nodeName": "n1"}
    pod["metadata"]["uid"] = uid
    image: dict[str, Any] = {"image": "solr:9", "imageID": "docker.io/solr@sha256:00"}
    pod["status"]["containerStatuses"][0] |= image
    world.cluster.put(pod)
    return world


@pytest.mark.usefixtures("master")
def test_pods_nodes_and_images_are_stored_with_the_result() -> None:
    world = with_target(measured_so_far(retries=2))
    world.reconcile("one")
    world.cluster.put(master_pod())
    world.reconcile("one")
    assert Master.acknowledged == [STEP_RUN]
    assert stored(world).target == MeasuredTarget(
        attempt=1,
        pods={"one-solr-0": "some-uid"},
        nodes={"one-solr-0": "n1"},
        images={"solr": "solr:9@sha256:00"},
        indexed=NOW,
    )


@pytest.mark.usefixtures("master")
def test_record_outlives_a_lost_acknowledgement() -> None:
    known = MeasuredTarget(attempt=1, pods={"one-solr-0": "earlier"})
    times = {"start_time": NOW - timedelta(seconds=60), "end_time": NOW}
    world = with_target(world_with(measured(pods=[], target=known, **times)))
    world.reconcile("one")
    world.cluster.put(master_pod())
    world.reconcile("one")
    assert Master.acknowledged == [STEP_RUN]
    assert stored(world).target == known
