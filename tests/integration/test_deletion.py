"""A benchmark deleted in any phase is gone with all it made, and so is its namespace.

The API server and its controllers are real; pods and the existing Solr are faked.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from bench.harness.processes import wait_until
from solrbench.api.v1alpha1 import GROUP
from solrbench.controller.uninstall import Uninstall
from solrbench.decide.pauses import needs_finalizer
from solrbench.kube.client import connect
from support.cluster.admission import ApiServer, RejectedError
from support.cluster.benchmark_objects import BenchmarkObjects, own_namespace
from support.controller.runs import access_to
from support.fakes.operator_driver import condition, operator_of, settings_for
from support.resources.small_resource import SOLR, Changes, create, resource

pytestmark = pytest.mark.cluster

Body = dict[str, Any]
NAME = "one"
SECONDS = 30
STARTED: Changes = create() | {"spec.suspend": False, "spec.load.repeats.count": 20}
OWN: Changes = {"spec.suspend": False, f"{SOLR}.provisioner": "StatefulSet"}


def phase(name: str) -> Callable[[Body], bool]:
    return lambda body: bool((body.get("status") or {}).get("phase") == name)


PHASES: dict[str, tuple[Changes, Callable[[Body], bool]]] = {
    "before the first reconcile": (STARTED, lambda _: True),
    "pending": (
        STARTED | {"spec.workload.queries": {"configMap": {"name": "missing"}}},
        phase("Pending"),
    ),
    "provisioning": (OWN, phase("Provisioning")),
    "creating the collection": (STARTED, phase("Provisioning")),
    "indexing": (STARTED, phase("Indexing")),
    "measuring": (
        STARTED,
        lambda body: bool(body.get("status", {}).get("report", {}).get("storedSteps")),
    ),
    "suspended": (STARTED | {"spec.suspend": True}, phase("Suspended")),
    "succeeded, kept": (
        STARTED | {"spec.load.repeats.count": 1, "spec.cleanup": "Never"},
        phase("Succeeded"),
    ),
    "succeeded": (
        STARTED | {"spec.load.repeats.count": 1},
        lambda body: condition(body, "CleanedUp")[0] == "True",
    ),
    "failed": (OWN | {"spec.deadlines": {"provisioningSeconds": 1}}, phase("Failed")),
}


class World:
    """One namespace with an operator that a test may stop and start."""

    def __init__(self, objects: BenchmarkObjects, patch: pytest.MonkeyPatch) -> None:
        self.objects = objects
        self.namespace = objects.namespace
        self.operator = operator_of(patch, connect(), self.namespace)
        self.cluster = self.operator.cluster
        self.cloud = self.operator.cloud
        self.advance = self.operator.workloads.advance

    def bring(self, changes: Changes, there: Callable[[Body], bool]) -> None:
        """Store a benchmark, with kopf's finalizer where it has one, and bring it to a phase."""
        body = resource(changes | {"metadata.name": NAME})
        if needs_finalizer(body=body):
            body["metadata"]["finalizers"] = [f"{GROUP}/finalizer"]
        body = self.objects.store(body)
        for _ in range(40):
            if there(body):
                return
            self.advance()
            body = self.operator.reconcile(NAME, self.namespace, 2)
        raise AssertionError(body["status"])

    def uninstall(self) -> None:
        """Do what the chart's Job does before the release is deleted; no operator runs."""
        self.operator.restart()
        self.said: list[str] = []
        settings, access = settings_for(self.namespace), access_to(self.cloud)
        say = self.said.append
        Uninstall(self.cluster, settings, say, access, lambda _: self.advance()).release(3)

    def finalize(self) -> None:
        """Do what kopf does with a benchmark that is being deleted, and with one that is gone."""
        if self.operator.find(NAME, self.namespace) is not None:
            assert self.operator.finalize(NAME, self.namespace)
            self.objects.patch(NAME, {"metadata": {"finalizers": None}})
        self.operator.watch()

    def check_gone(self) -> None:
        """Wait until nothing is left in the namespace and on the existing Solr."""
        wait_until(lambda: self.objects.names() == set(), SECONDS, "the benchmark to be gone")
        wait_until(lambda: self.objects.config_maps() == [], SECONDS, "its ConfigMaps to be gone")
        wait_until(lambda: self.objects.services() == [], SECONDS, "its Services to be gone")
        assert self.cluster.pods_of(NAME) == set()
        assert (self.cloud.collections, self.cloud.config_sets) == ({}, {"_default"})


@pytest.fixture(scope="module")
def objects(server: ApiServer) -> Iterator[BenchmarkObjects]:
    with own_namespace("deletion") as found:
        yield found


@pytest.fixture
def world(objects: BenchmarkObjects, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(objects, monkeypatch)


@pytest.mark.parametrize("name", PHASES)
def test_nothing_is_left(world: World, name: str) -> None:
    world.bring(*PHASES[name])
    world.objects.delete(NAME)
    world.finalize()
    world.check_gone()


@pytest.mark.parametrize("name", ["creating the collection", "indexing", "measuring"])
def test_nothing_is_left_when_the_operator_was_away(world: World, name: str) -> None:
    world.bring(*PHASES[name])
    world.objects.delete(NAME)
    world.operator.restart()
    body = world.operator.reconcile(NAME, world.namespace, 60)  # a timer may come first
    assert body["metadata"]["deletionTimestamp"]
    world.finalize()
    world.check_gone()


@pytest.mark.parametrize("name", ["provisioning", "failed"])
def test_nothing_is_left_without_an_operator(world: World, name: str) -> None:
    world.bring(*PHASES[name])
    world.objects.delete(NAME)
    world.cluster.collect(NAME)  # pods are faked; all else is collected by Kubernetes
    world.check_gone()


@pytest.mark.parametrize("name", ["measuring", "succeeded"])
def test_a_deleted_namespace_is_gone(
    name: str, objects: BenchmarkObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    del objects  # the definition is installed
    with own_namespace("deletion") as own:
        world = World(own, monkeypatch)
        world.bring(*PHASES[name])
        own.delete_namespace()
        wait_until(
            lambda: not own.names() or "deletionTimestamp" in metadata_of(world),
            SECONDS,
            "the deletion to reach the benchmark",
        )
        world.finalize()
        wait_until(lambda: not own.is_namespace_there(), 60, "the namespace to be gone")
        assert (world.cloud.collections, world.cloud.config_sets) == ({}, {"_default"})


@pytest.mark.parametrize(
    "name",
    ["before the first reconcile", "creating the collection", "measuring", "succeeded, kept"],
)
def test_nothing_waits_for_an_operator_whose_release_is_deleted(world: World, name: str) -> None:
    world.bring(*PHASES[name])
    stored = stored_steps(world)
    world.uninstall()
    assert not metadata_of(world).get("finalizers")
    assert stored_steps(world) == stored
    if name != "succeeded, kept":  # what was to be kept is kept, and named
        assert (world.cloud.collections, world.cloud.config_sets) == ({}, {"_default"})
        assert not [each for each in world.said if "may be left" in each]
    else:
        assert "collection may be left on target.existing" in "".join(world.said)
    world.objects.delete(NAME)
    world.cluster.collect(NAME)
    wait_until(lambda: world.objects.names() == set(), SECONDS, "the benchmark to be gone")


def test_a_point_whose_sweep_is_gone_holds_no_uninstallation_up(world: World) -> None:
    world.bring(*PHASES["measuring"])
    sweep = {"kind": "SolrBenchmarkSweep", "name": "gone", "uid": "of-a-sweep-that-is-gone"}
    owner = {"apiVersion": f"{GROUP}/v1alpha1", **sweep}
    world.objects.patch(NAME, {"metadata": {"ownerReferences": [owner]}})
    world.uninstall()
    assert world.cloud.collections == {}
    assert not [each for each in world.said if "may be left" in each]
    with suppress(RejectedError):  # Kubernetes, which knows that its owner is gone, may be faster
        world.objects.delete(NAME)
    world.cluster.collect(NAME)
    wait_until(lambda: world.objects.names() == set(), SECONDS, "the benchmark to be gone")


def test_a_target_that_is_away_holds_no_uninstallation_up(world: World) -> None:
    world.bring(*PHASES["measuring"])
    world.objects.delete(NAME)  # it waits for its finalizer already
    world.cloud.down = True
    world.uninstall()
    wait_until(lambda: world.objects.names() == set(), SECONDS, "the benchmark to be gone")
    assert "collection may be left on target.existing" in "".join(world.said)
    world.cluster.collect(NAME)


def test_a_benchmark_that_goes_on_under_another_release_is_held_again(world: World) -> None:
    world.bring(*PHASES["measuring"])
    world.cloud.down = True
    world.uninstall()
    released = world.operator.read(NAME, world.namespace)
    assert not needs_finalizer(body=released)
    resumed = world.objects.patch(NAME, {"spec": {"suspend": False}})
    assert needs_finalizer(body=resumed)  # kopf sets it
    world.objects.patch(NAME, {"metadata": {"finalizers": [f"{GROUP}/finalizer"]}})
    world.cloud.down = False
    world.objects.delete(NAME)
    world.finalize()
    world.check_gone()


def stored_steps(world: World) -> int:
    status = world.operator.read(NAME, world.namespace).get("status") or {}
    return int(status.get("report", {}).get("storedSteps", 0))


def metadata_of(world: World) -> Body:
    metadata: Body = world.operator.read(NAME, world.namespace)["metadata"]
    return metadata
