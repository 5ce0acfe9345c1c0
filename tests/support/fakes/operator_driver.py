"""The operator's handlers of benchmarks and sweeps, called by a test as kopf would.

The test decides when and in which order, and what the pods do meanwhile.
"""

import asyncio
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import kopf
import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.controller import handlers as benchmark_handlers
from solrbench.controller import reconcile as reconcile_module
from solrbench.controller import sweep_handlers
from solrbench.controller.context import TargetAccess
from solrbench.controller.handlers import Handlers
from solrbench.controller.schedule import BenchmarkKey
from solrbench.controller.settings import Settings
from solrbench.controller.stages import load_results
from solrbench.controller.sweep_handlers import SweepHandlers
from solrbench.decide.pauses import needs_finalizer, needs_reconcile
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.sweep.points import benchmark_name
from support.controller.runs import access_to
from support.controller.world import NOW, SETTINGS
from support.fakes.fake_cluster import WRITES, FakeCluster, Request
from support.fakes.workloads import DOCUMENTS, Workloads
from support.solr.cloud import Cloud

Body = dict[str, Any]


def settings_for(namespace: str) -> Settings:
    """Return the settings of an operator that watches one namespace."""
    return replace(SETTINGS, namespaces=(namespace,))


@dataclass
class OperatorDriver:
    """Handlers of benchmarks on a cluster, with the clock and the events in the test's hands."""

    cluster: FakeCluster
    patch: pytest.MonkeyPatch
    cloud: Cloud = field(default_factory=lambda: Cloud(documents=DOCUMENTS))
    """The Solr that an existing target means."""
    access: TargetAccess | None = None
    """How targets are reached, if not `cloud`."""
    settings: Settings = SETTINGS
    now: datetime = NOW
    watches: bool = False
    events: list[tuple[str, str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    """Tracebacks in the log."""

    def __post_init__(self) -> None:
        self.workloads = Workloads(self.cluster, lambda: self.now)
        self.patch.setattr(load_results, "LoadMasterClient", self.workloads.master)
        self.patch.setattr(benchmark_handlers, "utc_now", lambda: self.now)
        self.patch.setattr(benchmark_handlers, "DELETE_POLL_SECONDS", 0.01)
        self.patch.setattr(kopf, "event", self._note)
        self.patch.setattr(reconcile_module.log, "error", self._note_error)
        self.restart()

    def restart(self) -> None:
        """Forget all that is not in the cluster."""
        self._seen: dict[str, Body] = {}
        self.telemetry = PrometheusMetrics("test")
        access = self.access or access_to(self.cloud)
        self.handlers = Handlers(
            self.cluster, self.settings, self.telemetry, access, watches=self.watches
        )

    def reconcile(self, name: str, namespace: str = "default", seconds: float = 0) -> Body:
        """Reconcile a benchmark after some seconds, and return what is stored then."""
        self.now += timedelta(seconds=seconds)
        body = self.read(name, namespace)
        self.watch()
        self.run(body)
        return self.find(name, namespace) or body

    def run(self, body: Body) -> None:
        """Reconcile a benchmark as the schedule does, if it is there by what was watched."""
        if not needs_reconcile(body):
            return
        metadata, schedule = body["metadata"], self.handlers._schedule
        item = schedule._items.get(metadata["uid"])
        if item is None:
            key = BenchmarkKey(metadata["uid"], metadata["namespace"], metadata["name"])
            self.handlers.on_due(key)
        else:
            schedule.run(item)

    def watch(self) -> None:
        """Pass on what kopf's watch would show."""
        listed: dict[str, Body] = {}
        for namespace in self.settings.namespaces or (None,):
            for each in self.cluster.list(*BENCHMARK.reference, namespace, {}):
                listed[each["metadata"]["uid"]] = each
        gone = [body for uid, body in self._seen.items() if uid not in listed]
        changed = [body for uid, body in listed.items() if self._seen.get(uid) != body]

        async def show() -> None:
            for body in gone:
                await self.handlers.on_event(event={"type": "DELETED"}, body=body)
            for body in changed:
                await self.handlers.on_event(event={"type": "MODIFIED"}, body=body)
            for item in self.handlers._schedule._items.values():
                item.cancel()  # the test says when it is run

        asyncio.run(show())
        self._seen = listed

    def finalize(self, name: str, namespace: str = "default") -> bool:
        """Call the handler of a deletion; return whether kopf would remove the finalizer now."""
        body = self.read(name, namespace)
        if not needs_finalizer(body=body):
            return True
        try:
            self.handlers.on_delete(
                body=kopf.Body(cast(Any, body)),
                name=name,
                namespace=namespace,
                uid=body["metadata"]["uid"],
                retry=0,
            )
        except kopf.TemporaryError:
            return False
        return True

    def find(self, name: str, namespace: str = "default") -> Body | None:
        return self.cluster.get(*BENCHMARK.reference, namespace, name)

    def read(self, name: str, namespace: str = "default") -> Body:
        found = self.find(name, namespace)
        assert found is not None, f"{name} is gone"
        return found

    def _note(self, _: Any, *, type: str, reason: str, message: str) -> None:  # noqa: A002
        self.events.append((type, str(reason), message))

    def _note_error(self, text: str, *arguments: Any, exc_info: BaseException) -> None:
        self.errors.append("".join(traceback.format_exception(exc_info)))


@dataclass
class SweepDriver:
    """Handlers of sweeps beside those of benchmarks."""

    patch: pytest.MonkeyPatch
    cluster: FakeCluster = field(default_factory=FakeCluster)
    namespace: str = "default"
    settings: Settings = SETTINGS

    def __post_init__(self) -> None:
        self._open: set[str] = set()
        self.operator = OperatorDriver(self.cluster, self.patch, settings=self.settings)
        self.workloads = self.operator.workloads
        self.patch.setattr(sweep_handlers, "utc_now", lambda: self.operator.now)
        self.restart()

    def restart(self) -> None:
        """Forget all that is not in the cluster."""
        self.operator.restart()
        self.handlers = SweepHandlers(self.cluster, self.settings, self.operator.telemetry)

    def put(self, body: Body) -> Body:
        """Store a sweep as a user does; a changed spec is a new generation."""
        stored = self.find(body["metadata"]["name"])
        if stored is not None:
            generation = stored["metadata"].get("generation", 1) + 1
            body = stored | {"spec": body["spec"]}
            body["metadata"] |= {"generation": generation}
        return self.cluster.put(body)

    def find(self, name: str = "trial") -> Body | None:
        return self.cluster.get(*SWEEP.reference, self.namespace, name)

    def read(self, name: str = "trial") -> Body:
        found = self.find(name)
        assert found is not None
        return found

    def children(self) -> dict[str, Body]:
        found = self.cluster.list(*BENCHMARK.reference, self.namespace, {})
        return {each["metadata"]["name"]: each for each in found}

    def reconcile(self, name: str = "trial") -> Any:
        """Reconcile a sweep and return the pause that it asks for."""
        rest = self.handlers.on_due(self.key(self.read(name)))
        return None if rest is None else rest.pause

    def key(self, body: Body) -> BenchmarkKey:
        return BenchmarkKey(body["metadata"]["uid"], self.namespace, body["metadata"]["name"])

    def get_on(self) -> None:
        """Let two seconds pass for the sweep and all benchmarks that are not over."""
        self.reconcile()
        found = self.find()
        if found is None:
            return  # its time to live is over
        points = found.get("status", {}).get("points", [])
        self._open |= {
            benchmark_name("trial", each["name"], each.get("rounds", 0) + 1)
            for each in points
            if each["state"] == "Running"
        }
        for child in sorted(self._open):
            body = self.operator.find(child, self.namespace)
            if body is None or condition(body, "CleanedUp")[0] == "True":
                self._open.discard(child)
                continue
            self.workloads.advance()
            self.operator.reconcile(child, self.namespace, 2)

    def finish(self) -> Body:
        for _ in range(400):
            self.get_on()
            if condition(self.read(), "Complete")[0] == "True":
                return self.read()
        raise AssertionError(self.read()["status"])

    def delete(self) -> None:
        """Delete the sweep, and what belongs to it as the garbage collector does."""
        self.cluster.delete(*SWEEP.reference, self.namespace, "trial")
        for child in self.children():
            assert self.operator.finalize(child, self.namespace)
            self.cluster.delete(*BENCHMARK.reference, self.namespace, child)
            self.cluster.collect(child)


def operator_of(patch: pytest.MonkeyPatch, real: Any, namespace: str) -> OperatorDriver:
    """Return the driver of a namespace of a real API server, with pods in memory."""
    now = datetime.now(UTC).replace(microsecond=0)
    cluster, settings = FakeCluster(real=real), settings_for(namespace)
    return OperatorDriver(cluster, patch, settings=settings, now=now)


def sweeps_of(patch: pytest.MonkeyPatch, real: Any, namespace: str) -> SweepDriver:
    """Return the driver of a namespace of a real API server, with pods in memory."""
    sweeps = SweepDriver(patch, FakeCluster(real=real), namespace, settings_for(namespace))
    sweeps.operator.now = datetime.now(UTC).replace(microsecond=0)
    return sweeps


class KilledError(BaseException):
    """The operator was killed: nothing of it goes on, and nothing catches that."""


@dataclass
class Kills:
    """A fault that kills the operator, before odd changes and after even ones."""

    is_due: Callable[[int], bool]
    """Whether to kill it at a change, by the change's number from 1."""
    changes: int = 0
    number: int = 0

    def __call__(self, request: Request, serve: Callable[[], Any]) -> Any:
        return self.around(serve) if request.method in WRITES else serve()

    def around(self, change: Callable[[], Any]) -> Any:
        """Make a change, unless the operator is killed before it."""
        self.changes += 1
        if not self.is_due(number := self.changes):
            return change()
        self.number += 1
        if number % 2 == 0:
            change()
        raise KilledError


def kills_at(moments: set[int]) -> Kills:
    return Kills(moments.__contains__)


def condition(body: Body, type_: str) -> tuple[str, str, str]:
    """Return status, reason and message of a condition as it is stored."""
    for each in (body.get("status") or {}).get("conditions") or []:
        if each["type"] == type_:
            return each["status"], each["reason"], each["message"]
    return "Unknown", "", ""
