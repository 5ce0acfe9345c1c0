"""What the watch shows of benchmarks wakes their sweep; what a sweep costs while it waits."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from solrbench.controller.failures import CONFLICT_PAUSE, UPGRADE_PAUSE
from solrbench.controller.schedule import ReconcileSchedule
from solrbench.controller.sweep_handlers import IDLE_PAUSE, RUNNING_PAUSE
from solrbench.errors import ConflictError, TemporaryError
from solrbench.reasons.end import ApiServerReason
from support.fakes.fake_cluster import refusal
from support.fakes.operator_driver import SweepDriver, condition
from support.resources.small_sweep import small_sweep, sweep_of

Body = dict[str, Any]


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    uids: list[str] = []

    def note(_: ReconcileSchedule, uid: str, *pause: float) -> None:
        if not pause:  # the first one of a benchmark that is added has one
            uids.append(uid)

    monkeypatch.setattr(ReconcileSchedule, "wake", note)
    return uids


def show(sweeps: SweepDriver, body: Body, type_: str = "MODIFIED") -> None:
    asyncio.run(sweeps.handlers.on_benchmark_event(event={"type": type_}, body=body))


def test_the_end_of_a_benchmark_wakes_its_sweep(sweeps: SweepDriver, woken: list[str]) -> None:
    sweeps.put(sweep_of(1))
    sweeps.reconcile()
    (child,) = sweeps.children().values()
    show(sweeps, child)
    assert woken == []
    show(sweeps, child, "DELETED")
    assert woken == ["uid-of-trial"]
    sweeps.finish()
    (child,) = sweeps.children().values()
    show(sweeps, child)
    assert woken == ["uid-of-trial"] * 2


def test_a_benchmark_without_a_sweep_wakes_nothing(sweeps: SweepDriver, woken: list[str]) -> None:
    show(sweeps, {"metadata": {"name": "own", "uid": "1"}}, "DELETED")
    assert woken == []


def test_a_reconcile_under_way_leaves_no_metrics_of_a_sweep_that_is_gone(
    sweeps: SweepDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps.put(sweep_of(1))
    under_way = [sweeps.reconcile]
    is_busy = "solrbench.controller.schedule.ReconcileSchedule.is_busy"
    monkeypatch.setattr(is_busy, lambda *_: bool(under_way and under_way.pop()()))
    asyncio.run(sweeps.handlers.on_event(event={"type": "DELETED"}, body=sweeps.read()))
    assert under_way == []
    assert sweeps.operator.telemetry.sweeps.all() == []


def test_a_sweep_is_looked_at_often_only_while_points_are_under_way(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1))
    assert sweeps.reconcile() == RUNNING_PAUSE
    sweeps.finish()
    assert sweeps.reconcile() == IDLE_PAUSE
    sweeps.put(small_sweep({"spec.maxPoints": 1}))
    assert sweeps.reconcile() == IDLE_PAUSE
    sweeps.put(small_sweep({"spec.suspend": True, "metadata.name": "later"}))
    assert sweeps.reconcile("later") == IDLE_PAUSE


def test_a_sweep_that_is_gone_leaves_the_schedule(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1))
    sweeps.reconcile()
    body = sweeps.read()
    assert sweeps.operator.telemetry.sweeps.all() != []
    sweeps.cluster.objects.clear()
    assert sweeps.handlers.on_due(sweeps.key(body)) is None
    assert sweeps.operator.telemetry.sweeps.all() == []


@pytest.mark.parametrize(
    ("error", "pause"),
    [
        (ConflictError(ApiServerReason.CONFLICT, "changed"), CONFLICT_PAUSE),
        (TemporaryError(ApiServerReason.API_UNREACHABLE, "away"), RUNNING_PAUSE),
    ],
)
def test_what_fails_is_repeated(sweeps: SweepDriver, error: Exception, pause: timedelta) -> None:
    sweeps.put(sweep_of(1))
    sweeps.cluster.fault = refusal(error, ["replace_status"])
    assert sweeps.reconcile() == pause
    assert sweeps.children() == {}  # nothing begins before it is written down


def test_an_unreadable_sweep_waits_for_another_version(sweeps: SweepDriver) -> None:
    sweeps.put(small_sweep({"spec.later": 1}))
    assert sweeps.reconcile() == UPGRADE_PAUSE
    assert condition(sweeps.read(), "Accepted")[:2] == ("False", "DefinitionNewer")
    version = sweeps.read()["metadata"]["resourceVersion"]
    assert sweeps.reconcile() == UPGRADE_PAUSE
    assert sweeps.read()["metadata"]["resourceVersion"] == version


def test_an_unreadable_sweep_that_is_over_keeps_its_end(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1))
    body = sweeps.finish()
    body["spec"]["later"] = 1
    sweeps.cluster.put(body)
    assert sweeps.reconcile() == UPGRADE_PAUSE
    assert condition(sweeps.read(), "Accepted")[:2] == ("False", "DefinitionNewer")
    assert condition(sweeps.read(), "Succeeded")[0] == "True"
    body = sweeps.read()
    body["metadata"]["generation"] = 2  # points were added
    sweeps.cluster.put(body)
    sweeps.reconcile()
    assert condition(sweeps.read(), "Succeeded")[0] == "Unknown"


def test_an_unchanged_sweep_is_not_written(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(2))
    sweeps.reconcile()
    version = sweeps.read()["metadata"]["resourceVersion"]
    sweeps.reconcile()
    assert sweeps.read()["metadata"]["resourceVersion"] == version
