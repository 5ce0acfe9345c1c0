"""The operator's handlers, called by a test as kopf would: at its time, in its order."""

import asyncio
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import kopf
import pytest
from prometheus_client import CollectorRegistry

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import BENCHMARKS, Cluster
from solrbench.controller import reconcile as reconcile_module
from solrbench.controller.context import TargetAccess
from solrbench.controller.handlers import benchmarks as benchmark_handlers
from solrbench.controller.handlers import deletion as deletion_handlers
from solrbench.controller.handlers.benchmarks import Handlers
from solrbench.controller.scheduling.reconcile_schedule import BenchmarkKey
from solrbench.controller.settings import Settings
from solrbench.decide.scheduling.finalizers import needs_finalizer, needs_reconcile
from solrbench.metrics.operator_metrics import PrometheusMetrics

Body = dict[str, Any]
SETTINGS = Settings.from_environment({"SOLRBENCH_IMAGE": "solrbench:1"})
START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def settings_for(namespace: str) -> Settings:
    """Return the settings of an operator that watches one namespace."""
    return replace(SETTINGS, namespaces=(namespace,))


@dataclass
class HandledOperator:
    """Handlers on a cluster, with the clock and the events in the test's hands.

    Attributes:
        cluster: a real one or a fake
        patch: of the test
        access: how targets are reached
        settings: of the operator
        now: its clock
        watches: whether it watches what belongs to benchmarks
        events: type, reason and message of every event
        errors: tracebacks in the log

    """

    cluster: Any
    patch: pytest.MonkeyPatch
    access: TargetAccess | None = None
    settings: Settings = SETTINGS
    now: datetime = START
    watches: bool = False
    events: list[tuple[str, str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.patch.setattr(benchmark_handlers, "_utc_now", lambda: self.now)
        self.patch.setattr(deletion_handlers, "DELETE_POLL_SECONDS", 0.01)
        self.patch.setattr(kopf, "event", self._note)
        self.patch.setattr(reconcile_module.log, "error", self._note_error)
        self.restart()

    def restart(self) -> None:
        """Forget all that is not in the cluster."""
        self._seen: dict[str, Body] = {}
        self.telemetry = PrometheusMetrics(CollectorRegistry(), "test")
        self.handlers = Handlers(
            cast(Cluster, self.cluster),
            self.settings,
            self.telemetry,
            self.access,
            watches=self.watches,
        )

    def reconcile(self, name: str, namespace: str = "default", seconds: float = 0) -> Body:
        """Reconcile a benchmark after some seconds, and return what is stored then."""
        self.now += timedelta(seconds=seconds)
        body = self.read(name, namespace)
        metadata = body["metadata"]
        self.watch()
        if not needs_reconcile(body):
            return body  # it is not on the schedule
        self.handlers.on_due(BenchmarkKey(metadata["uid"], namespace, name))
        return self.find(name, namespace) or body

    def watch(self) -> None:
        """Pass on what kopf's watch would show."""
        listed: dict[str, Body] = {}
        for namespace in self.settings.namespaces or (None,):
            for each in self.cluster.list(*BENCHMARKS, namespace, {}):
                listed[each["metadata"]["uid"]] = each
        gone = [body for uid, body in self._seen.items() if uid not in listed]
        changed = [body for uid, body in listed.items() if self._seen.get(uid) != body]

        async def show() -> None:
            for body in gone:
                await self.handlers.on_event(event={"type": "DELETED"}, body=body)
            for body in changed:
                await self.handlers.on_event(event={"type": "MODIFIED"}, body=body)
            await self.handlers.on_cleanup()  # nothing that this puts on the schedule is run

        asyncio.run(show())
        self._seen = listed

    def settle(self, names: Iterable[str], namespace: str = "default", rounds: int = 6) -> None:
        """Reconcile benchmarks some rounds."""
        for _ in range(rounds):
            for name in names:
                if self.is_there(name, namespace):
                    self.reconcile(name, namespace, 2)

    def finalize(self, name: str, namespace: str = "default", retry: int = 0) -> bool:
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
                retry=retry,
            )
        except kopf.TemporaryError:
            return False
        return True

    def is_there(self, name: str, namespace: str = "default") -> bool:
        return self.find(name, namespace) is not None

    def find(self, name: str, namespace: str = "default") -> Body | None:
        found: Body | None = self.cluster.get(*BENCHMARKS, namespace, name)
        return found

    def read(self, name: str, namespace: str = "default") -> Body:
        found = self.find(name, namespace)
        assert found is not None, f"{name} is gone"
        return found

    def _note(self, _: Any, *, type: str, reason: str, message: str) -> None:  # noqa: A002
        self.events.append((type, str(reason), message))

    def _note_error(self, text: str, *arguments: Any, exc_info: BaseException) -> None:
        self.errors.append("".join(traceback.format_exception(exc_info)))


def condition(body: Body, type_: str) -> tuple[str, str, str]:
    """Return status, reason and message of a condition as it is stored."""
    for each in (body.get("status") or {}).get("conditions") or []:
        if each["type"] == type_:
            return each["status"], each["reason"], each["message"]
    return "Unknown", "", ""


def parsed(body: Body) -> SolrBenchmark:
    """Return the model of a stored benchmark."""
    return SolrBenchmark.parse(body)
