"""Whatever is raised at whatever call: the status shows it, attempts get rare, and it goes on."""

import random
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.controller import sweep_handlers
from solrbench.controller.failures import MAX_PAUSE, ReconcileAttempts
from solrbench.controller.schedule import BenchmarkKey
from solrbench.controller.stages import cleanup, export
from solrbench.decide.queue import MAX_IN_A_ROW
from solrbench.errors import TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.controller.world import NOW, fail_with
from support.fakes.fake_cluster import FakeCluster, Request, no_fault, refusal
from support.fakes.operator_driver import OperatorDriver, SweepDriver, condition
from support.resources.small_resource import Changes, create, resource
from support.resources.small_sweep import sweep_of

KEY = BenchmarkKey("uid", "search", "one")
TOTAL = "solrbench_reconcile_total"
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
    operator = OperatorDriver(FakeCluster(), monkeypatch)  # takes the events
    metrics = operator.telemetry.operator
    attempts = ReconcileAttempts(BENCHMARK, operator.cluster, metrics, FIRST, lambda: NOW)

    def fail() -> timedelta | None:
        with attempts.begin(KEY) as attempt:
            raise TemporaryError(ApiServerReason.API_UNREACHABLE, "failed calling webhook")
        return None if attempt.rest is None else attempt.rest.pause

    pauses = [fail() for _ in range(40)]
    assert pauses[:3] == [FIRST, 2 * FIRST, 4 * FIRST]
    assert pauses[-1] == MAX_PAUSE
    with attempts.begin(KEY):
        pass
    assert fail() == FIRST


def test_an_exception_counts_as_an_error(
    sweeps: SweepDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = partial(sweeps.operator.telemetry.registry.get_sample_value, TOTAL, {"result": "error"})
    sweeps.put(sweep_of(1))
    with monkeypatch.context() as patch:
        patch.setattr(sweep_handlers, "reconcile_sweep", fail_with(KeyError("items")))
        sweeps.reconcile()
    assert count() == 1
    sweeps.reconcile()
    assert count() == 1
    operator = OperatorDriver(FakeCluster(small("one")), monkeypatch)
    count = partial(operator.telemetry.registry.get_sample_value, TOTAL, {"result": "error"})
    operator.cluster.fault = refusal(KeyError("items"), ["apply"])
    operator.reconcile("one", seconds=2)
    assert count() == 1
    operator.cluster.fault = no_fault
    operator.reconcile("one", seconds=2)
    assert count() == 1


Body = dict[str, Any]
ERRORS: tuple[Callable[[], Exception], ...] = (
    lambda: KeyError("items"),
    lambda: ValueError("Port could not be cast to integer value as '80a'"),
    lambda: AttributeError("'list' object has no attribute 'items'"),
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    lambda: RecursionError("maximum recursion depth exceeded"),
    MemoryError,
    lambda: OSError(5, "Input/output error"),
    lambda: ZeroDivisionError("division by zero"),
)
CALLS = ("get", "list", "list_metadata", "apply", "delete", "events")
SEEDS = range(6)
FAULTS = 6


class Faults:
    """A fault that raises at some calls of the API, chosen by chance, as often as asked."""

    def __init__(self, source: random.Random, left: int) -> None:
        self.raised: list[Exception] = []
        self.left = left
        self._source = source

    def __call__(self, request: Request, serve: Callable[[], Any]) -> Any:
        # The resource itself is read outside of what is looked at, and again for the condition.
        may_fail = request.method in CALLS and request.kind not in (BENCHMARK.name, SWEEP.name)
        if may_fail and self.left and self._source.random() < 0.2:
            self.left -= 1
            self.raised.append(self._source.choice(ERRORS)())
            raise self.raised[-1]
        return serve()


@pytest.mark.parametrize("seed", SEEDS)
def test_any_exception_at_any_call_ends_in_a_condition(seed: int, sweeps: SweepDriver) -> None:
    sweeps.cluster.fault = faults = Faults(random.Random(seed), FAULTS)
    sweeps.put(sweep_of(2))
    shown = 0
    for _ in range(100):
        before = len(faults.raised)
        sweeps.get_on()  # raises nothing
        if len(faults.raised) > before:
            shown += 1
            resources = [sweeps.read(), *sweeps.children().values()]
            assert any(map(shows_internal_error, resources)), faults.raised[-1]
        if condition(sweeps.read(), "Complete")[0] == "True":
            break
    assert shown
    assert not faults.left
    body = sweeps.read()
    assert [each["state"] for each in body["status"]["points"]] == ["Inconclusive"] * 2
    assert condition(body, "Succeeded")[0] == "True"


def shows_internal_error(body: Body) -> bool:
    return "InternalError" in str(body.get("status"))


def test_a_sweep_shows_what_its_reconcile_raised(
    sweeps: SweepDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps.put(sweep_of(1))
    with monkeypatch.context() as patch:
        where = "solrbench.controller.sweep_handlers.reconcile_sweep"
        patch.setattr(where, fail_with(KeyError("axis")))
        pause = sweeps.reconcile()
    assert pause.total_seconds() <= 30
    found = condition(sweeps.read(), "Succeeded")
    assert found == ("Unknown", "InternalError", "KeyError: 'axis'")
    assert condition(sweeps.finish(), "Succeeded")[0] == "True"


def test_an_exception_while_a_failure_is_noted_ends_the_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cleanup, "keep_diagnostics", fail_with(TypeError("no logs")))
    body = small("one", deadlines={"provisioningSeconds": 1})
    operator = OperatorDriver(FakeCluster(body), monkeypatch)
    for _ in range(MAX_IN_A_ROW + 1):
        body = operator.reconcile("one", seconds=2)
    assert condition(body, "Succeeded") == ("False", "InternalError", "TypeError: no logs")
    assert body["status"]["phase"] == "Failed"


def test_an_exception_of_an_export_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_advance", fail_with(IndexError("chunk")))
    volume = {"persistentVolumeClaim": {"claimName": "reports"}}
    changes: Changes = create() | {"spec.suspend": False, "spec.results": {"export": volume}}
    claim = {"kind": "PersistentVolumeClaim", "metadata": {"name": "reports", "labels": {}}}
    operator = OperatorDriver(FakeCluster(resource(changes), claim), monkeypatch)
    for _ in range(MAX_IN_A_ROW + 30):
        operator.workloads.advance()
        body = operator.reconcile("base", seconds=2)
    assert condition(body, "Succeeded")[0] == "True"
    assert condition(body, "Exported") == ("False", "InternalError", "IndexError: chunk")
