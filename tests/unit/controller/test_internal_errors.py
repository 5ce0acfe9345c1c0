"""Exceptions without a reason of their own: shown, counted, ended, and no obstacle to others."""

import pytest

from solrbench.controller import reconcile as reconcile_module
from solrbench.controller.reconcile import STAGES
from solrbench.controller.stages import cleanup
from solrbench.controller.stages.queueing import acquire_slot
from solrbench.decide.internal_errors import MAX_IN_A_ROW
from support.cluster.benchmarks import small
from support.controller.world import World, condition_of, fail_with


def broken(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Let the stage of the target raise."""
    stage = reconcile_module.Stage("TargetReady", fail_with(error))
    stages = tuple(stage if each.condition == "TargetReady" else each for each in STAGES)
    monkeypatch.setattr(reconcile_module, "STAGES", stages)


def test_exception_becomes_a_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, ValueError("Port could not be cast\nsecond line"))
    world = World(small("one"))
    status = world.reconcile("one").status
    (message,) = [each.message for each in status.conditions if each.type == "TargetReady"]
    assert message == "ValueError: Port could not be cast"
    assert condition_of(world.reconcile("one"), "Succeeded") == ("Unknown", "InternalError")
    stored = world.cluster.objects["SolrBenchmark", "default", "one"]["status"]
    assert stored["internalErrors"] == 2


def test_exceptions_count_against_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, KeyError("index"))
    world = World(small("one", deadlines={"provisioningSeconds": 60}))
    world.reconcile("one")
    assert condition_of(world.reconcile("one", 61), "Succeeded") == ("False", "DeadlineExceeded")


def test_too_many_exceptions_in_a_row_end_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, KeyError("index"))
    world = World(small("one"), small("two"))
    for _ in range(MAX_IN_A_ROW - 1):
        assert condition_of(world.reconcile("one"), "Succeeded") == ("Unknown", "InternalError")
    after = world.reconcile("one")
    assert (after.status.phase, condition_of(after, "Succeeded")) == (
        "Failed",
        ("False", "InternalError"),
    )
    assert world.reconcile("two").status.phase == "Queued"  # until the first is cleaned up


def test_one_success_in_between_starts_the_count_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(small("one"))
    with monkeypatch.context() as patch:
        broken(patch, KeyError("index"))
        assert world.reconcile("one").status.internal_errors == 1
    assert world.reconcile("one").status.internal_errors == 0


@pytest.mark.parametrize("end", ["clean_up", "suspend"])
def test_exceptions_at_the_end_give_up_the_place(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 1}), small("two"))
    world.reconcile("one")
    if end == "suspend":
        world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["suspend"] = True
    else:
        world.reconcile("one", 2)
    monkeypatch.setattr(cleanup, end, fail_with(AttributeError("items")))
    for _ in range(MAX_IN_A_ROW):
        assert world.reconcile("two").status.phase == "Queued"
        after = world.reconcile("one")
        assert condition_of(after, "CleanedUp") == ("False", "InternalError")
    assert world.reconcile("two").status.phase == "Provisioning"


def test_exception_while_the_end_is_noted_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    done = tuple(
        each
        if each.work in (cleanup.succeed, acquire_slot)
        else reconcile_module.Stage(each.condition, lambda _: None)
        for each in STAGES
    )
    monkeypatch.setattr(reconcile_module, "STAGES", done)
    monkeypatch.setattr(cleanup, "_differences", fail_with(KeyError("differences")))
    world = World(small("one"))
    assert condition_of(world.reconcile("one"), "Succeeded") == ("Unknown", "InternalError")
