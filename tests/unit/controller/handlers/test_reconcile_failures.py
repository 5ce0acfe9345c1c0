"""A status that cannot be written: one event, and attempts get rare."""

from datetime import timedelta

import pytest

from solrbench.api.kinds import BENCHMARK
from solrbench.cluster.client import ForbiddenError
from solrbench.controller.handlers.reconcile_failures import MAX_PAUSE, ReconcileFailures
from solrbench.controller.scheduling.reconcile_schedule import BenchmarkKey
from solrbench.errors import TemporaryError
from solrbench.reasons.api_server import ApiServerReason
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster, no_fault, refusal
from support.fakes.operator_driver import OperatorDriver

KEY = BenchmarkKey("uid", "search", "one")
DENIED = 'admission webhook "policy.example.com" denied the request'
FIRST = timedelta(seconds=2)


def test_a_refused_status_is_an_event_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster(small("one"))
    operator = OperatorDriver(cluster, monkeypatch)
    denied = ForbiddenError(ApiServerReason.API_REFUSED, DENIED)
    cluster.fault = refusal(denied, ["replace_status"])
    for _ in range(3):
        operator.reconcile("one", seconds=2)
    warnings = [each for each in operator.events if each[0] == "Warning"]
    assert [each[1] for each in warnings] == ["ApiRefused"]
    assert DENIED in warnings[0][2]
    cluster.fault = no_fault
    assert operator.reconcile("one", seconds=2)["status"]["phase"] == "Provisioning"


def test_pauses_grow_until_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    OperatorDriver(FakeCluster(), monkeypatch)  # takes the events
    failures = ReconcileFailures(BENCHMARK, FIRST)
    error = TemporaryError(ApiServerReason.API_UNREACHABLE, "failed calling webhook")
    pauses = [failures.note(KEY, error) for _ in range(40)]
    assert pauses[:3] == [FIRST, 2 * FIRST, 4 * FIRST]
    assert pauses[-1] == MAX_PAUSE
    failures.clear(KEY.uid)
    assert failures.note(KEY, error) == FIRST
