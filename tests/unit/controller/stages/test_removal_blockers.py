"""Clean-up and suspension say what holds up the removal of pods, and end later."""

import pytest

from solrbench.errors import TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.controller.world import World, condition_of, message_of
from support.fakes.fake_cluster import no_fault, refusal

REFUSAL = "deleting StatefulSet one-zookeeper: statefulsets.apps is forbidden"


@pytest.fixture
def world() -> World:
    """Return a world with pods to remove, and without the right to do so."""
    world = World(small("one", deadlines={"provisioningSeconds": 60}, cleanup="Always"))
    world.reconcile("one")
    error = ForbiddenError(ApiServerReason.API_REFUSED, REFUSAL)
    world.cluster.fault = refusal(error, ["delete"], ["StatefulSet"])
    return world


def test_clean_up_names_the_refusal(world: World) -> None:
    assert condition_of(world.reconcile("one", 61), "Succeeded") == ("False", "DeadlineExceeded")
    after = world.reconcile("one", 2)
    assert condition_of(after, "CleanedUp") == ("False", "ApiRefused")
    assert REFUSAL in {each.message for each in after.status.conditions}
    world.cluster.fault = no_fault
    for _ in range(3):
        after = world.reconcile("one", 2)
    assert condition_of(after, "CleanedUp") == ("True", "CleanedUp")


def test_clean_up_ends_beside_pods_that_a_tenant_has_filled(world: World) -> None:
    too_many = TemporaryError(ApiServerReason.API_UNREACHABLE, "the Pods have more than 16 MiB")
    world.cluster.fault = refusal(too_many, ["list"], ["Pod"])
    assert condition_of(world.reconcile("one", 61), "Succeeded") == ("False", "DeadlineExceeded")
    for _ in range(3):
        after = world.reconcile("one", 2)
    assert condition_of(after, "CleanedUp") == ("True", "CleanedUp")


def test_suspension_names_the_refusal(world: World) -> None:
    world.body()["spec"]["suspend"] = True
    after = world.reconcile("one", 2)
    assert condition_of(after, "CleanedUp") == ("False", "ApiRefused")
    assert message_of(after).endswith(f"its pods could not be deleted: {REFUSAL}")
    assert after.status.start_time is not None  # it holds its place: its pods run on
    world.cluster.fault = no_fault
    for _ in range(3):
        after = world.reconcile("one", 2)
    assert (after.status.phase, after.status.start_time) == ("Suspended", None)
    assert condition_of(after, "CleanedUp") == ("Unknown", "Pending")


def test_suspension_gives_up_the_place_that_a_finalizer_of_others_would_hold() -> None:
    world = World(small("one"))
    world.reconcile("one")
    zookeeper = world.cluster.objects["StatefulSet", "default", "one-zookeeper"]
    zookeeper["metadata"]["finalizers"] = ["example.com/hold"]
    world.body()["spec"]["suspend"] = True
    for _ in range(2):
        after = world.reconcile("one", 2)
    assert (after.status.phase, after.status.start_time) == ("Suspended", None)
    assert "waits for example.com/hold" in message_of(after)
    world.body()["spec"]["suspend"] = False
    after = world.reconcile("one", 2)
    assert condition_of(after, "TargetReady") == ("False", "FinalizersLeft")
