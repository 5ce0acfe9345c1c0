"""kopf wiring: what is watched goes on the schedule, and the last things to do before one goes.

The reconcile is the only writer of status (docs/adr/0002). kopf watches, keeps the finalizer and
retries deletions that raised; the schedule says when a benchmark is reconciled (docs/adr/0009).
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import kopf
from pydantic import ValidationError

from solrbench.api.kinds import BENCHMARK
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.controller.context import ReconcileContext, TargetAccess
from solrbench.controller.deletion_handlers import DeletionHandlers
from solrbench.controller.events import events_between, post_events, verdict_events
from solrbench.controller.failures import UPGRADE_PAUSE, ReconcileAttempts, mark_invalid
from solrbench.controller.kopf_settings import WORKERS, configure, log_in
from solrbench.controller.queue import BenchmarkQueue
from solrbench.controller.reconcile import reconcile
from solrbench.controller.running_loads import RunningLoad, RunningLoads
from solrbench.controller.schedule import RETRY, BenchmarkKey, ReconcileSchedule
from solrbench.controller.settings import Settings
from solrbench.controller.watches import PodWatches
from solrbench.decide.conditions import is_finished
from solrbench.decide.failures import without_unreadable_results
from solrbench.decide.pauses import QUEUED_PAUSE, decide_pause, needs_finalizer, needs_reconcile
from solrbench.kube.client import Cluster
from solrbench.kube.results import BenchmarkResultStore
from solrbench.metrics.operator import PrometheusMetrics

log = logging.getLogger("solrbench")


POSITION_SECONDS = 1.0
"""Distance between two benchmarks that write their new place in the queue: when one ends, the
places of all that wait change, which would be hundreds of writes at once."""
CHANGE_SECONDS = 0.5
"""Between a change of a pod or Job and the reconcile: changes often come together."""
START_PAUSE = timedelta(seconds=3)
"""Before benchmarks are looked at that wait when the operator starts: by then it knows all."""


class Handlers:
    """What kopf calls, bound to the adapters."""

    def __init__(
        self,
        cluster: Cluster,
        settings: Settings,
        telemetry: PrometheusMetrics,
        access: TargetAccess | None = None,
        *,
        watches: bool = False,
    ) -> None:
        self._cluster = cluster
        self._settings = settings
        self._telemetry = telemetry
        self._reports = BenchmarkResultStore(cluster)
        self._access = access or TargetAccess()
        self._queue = BenchmarkQueue()
        self._loads = RunningLoads()
        self._shortest = timedelta(seconds=settings.reconcile_seconds)
        self._attempts = ReconcileAttempts(
            BENCHMARK, cluster, telemetry.operator, self._shortest, _utc_now
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watches = PodWatches(cluster, settings.namespaces, self._on_change)
        if watches:
            self._watches.start()
        self._schedule = ReconcileSchedule(self.on_due, WORKERS)
        self._deletion = DeletionHandlers(
            cluster, self._schedule, self._queue, self._context, _utc_now
        )

    def register(self, registry: kopf.OperatorRegistry) -> None:
        """Register the handlers with kopf."""
        kopf.on.startup(registry=registry)(configure)
        kopf.on.login(registry=registry)(log_in)
        kopf.on.cleanup(registry=registry)(cast(Any, self.on_cleanup))
        delete = kopf.on.delete(
            BENCHMARK.group,
            BENCHMARK.version,
            BENCHMARK.plural,
            registry=registry,
            when=needs_finalizer,
        )
        delete(cast(Any, self.on_delete))
        event = kopf.on.event(
            BENCHMARK.group, BENCHMARK.version, BENCHMARK.plural, registry=registry
        )
        event(cast(Any, self.on_event))

    async def on_event(
        self, *, event: Mapping[str, Any], body: Mapping[str, Any], **_: object
    ) -> None:
        """Take over what the watch shows: the place in the queue, the schedule, the metrics.

        Args:
            event: its type is `None` for what was there when the operator started
            body: the benchmark
        """
        self._loop = asyncio.get_running_loop()
        key, metadata = _key(body), body["metadata"]
        if event["type"] == "DELETED":
            self._forget(key)
            self._schedule.stop(key.uid)
            await self._deletion.wait_for_pods(body, key)
            self._queue.forget(key.uid)
        else:
            self._queue.observe(dict(body), _utc_now())
            generation = metadata.get("generation", 1)
            self._loads.observe(key.uid, generation)
            if metadata.get("deletionTimestamp") is not None:
                self._schedule.stop(key.uid)
            elif not needs_reconcile(body):
                self._schedule.stop(key.uid)
                self._reports.forget(key.uid)
                self._show(body)
            else:
                known = self._schedule.knows(key.uid)
                pause = timedelta() if known else self._first_pause(body)
                self._schedule.add(key, generation, pause)
        for index, uid in enumerate(self._queue.take_moved()):
            self._schedule.wake(uid, index * POSITION_SECONDS)

    async def on_cleanup(self, **_: object) -> None:
        """Begin no further reconcile, and watch nothing more."""
        self._watches.stop()
        self._schedule.close()

    def _first_pause(self, body: Mapping[str, Any]) -> timedelta:
        """Return the pause of a benchmark that is seen first: none unless it waits or is over."""
        now, known = _utc_now(), self._show(body)
        if known is None or known.status.observed_generation != known.metadata.generation:
            return timedelta()
        if is_finished(known.status):
            return decide_pause(known.spec, known.status, now)
        return timedelta() if known.status.queue is None else START_PAUSE

    def _show(self, body: Mapping[str, Any]) -> SolrBenchmark | None:
        """Show a benchmark in the metrics; return it, if it is valid."""
        with suppress(ValidationError):
            benchmark = SolrBenchmark.parse(dict(body))
            self._telemetry.benchmarks.update(benchmark)
            return benchmark
        return None

    def _forget(self, key: BenchmarkKey) -> None:
        self._telemetry.benchmarks.forget(f"{key.namespace}/{key.name}")
        self._reports.forget(key.uid)
        self._loads.forget(key)
        self._attempts.forget(key.uid)

    def on_delete(self, *, name: str, namespace: str, uid: str, **given: Any) -> None:
        """Leave nothing of a benchmark that may have a collection on an existing Solr.

        Raises:
            kopf.TemporaryError: while something is still there.
        """
        key = BenchmarkKey(uid, namespace, name)
        self._forget(key)
        self._deletion.remove(key, given["body"], given["retry"])

    def on_due(self, key: BenchmarkKey) -> timedelta | None:
        """Reconcile one benchmark and return the pause until the next time.

        One that goes on waiting needs no request, and one whose load goes on none but that of its
        master: changes of its pods are watched.
        """
        if self._queue.is_settled(key.uid, _utc_now(), self._settings.concurrency):
            return QUEUED_PAUSE
        if self._are_watched(key) and self._loads.is_settled(key.uid, _utc_now()):
            return self._shortest
        with self._attempts.begin(key) as attempt:
            body = self._attempts.read(key)
            if body is None:
                self._queue.forget(key.uid)
            elif body["metadata"].get("deletionTimestamp") is not None:
                attempt.pause = RETRY  # the watch takes it off the schedule
            else:
                attempt.pause = max(self._reconcile(key, body), self._shortest)
        return attempt.pause

    def _reconcile(self, key: BenchmarkKey, body: dict[str, Any]) -> timedelta:
        try:
            before = _parse(body)
        except ValidationError as error:
            mark_invalid(self._cluster, body, error, _utc_now())
            return UPGRADE_PAUSE
        context = self._context(before, body)
        self._loads.begin(key)
        after = reconcile(context)
        if after.status.start_time is None or is_finished(after.status):
            self._loads.end(key)
        elif context.ask_load is not None:
            generation, live_load = after.metadata.generation, after.status.live_load
            self._loads.set(key, RunningLoad(generation, live_load, context.ask_load))
        self._telemetry.benchmarks.update(after)
        if is_finished(after.status):
            self._reports.forget(key.uid)
        _emit_events(body, before, after)
        watched = self._are_watched(key)
        return decide_pause(after.spec, after.status, _utc_now(), watched=watched)

    def _are_watched(self, key: BenchmarkKey) -> bool:
        return self._watches.are_open(key.namespace) and self._loads.runs(key.uid)

    def _on_change(self, namespace: str, name: str) -> None:
        """Wake a benchmark that runs and whose pods or Jobs changed; called by the watches."""
        uid = self._loads.note_change(namespace, name)
        if uid is not None and self._loop is not None:
            with suppress(RuntimeError):  # the operator ends
                self._loop.call_soon_threadsafe(self._schedule.wake, uid, CHANGE_SECONDS)

    def _context(self, benchmark: SolrBenchmark, body: dict[str, Any]) -> ReconcileContext:
        return ReconcileContext(
            self._cluster,
            self._reports,
            self._settings,
            benchmark,
            body,
            _utc_now(),
            self._access,
            self._queue,
        )


def _key(body: Mapping[str, Any]) -> BenchmarkKey:
    metadata = body["metadata"]
    return BenchmarkKey(metadata["uid"], metadata["namespace"], metadata["name"])


def _parse(body: dict[str, Any]) -> SolrBenchmark:
    """Return a benchmark; results in the status of another version are computed anew.

    Raises:
        ValidationError: if it cannot be read.
    """
    try:
        return SolrBenchmark.parse(body)
    except ValidationError as error:
        readable = without_unreadable_results(body, error)
        if readable is None:
            raise
        return SolrBenchmark.parse(readable)


def _utc_now() -> datetime:
    """Return the time as Kubernetes writes it, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def _emit_events(body: dict[str, Any], before: SolrBenchmark, after: SolrBenchmark) -> None:
    if before.status.phase != after.status.phase:
        log.info("%s: phase %s", after.key, after.status.phase)
    events = events_between(before.status.conditions, after.status.conditions)
    events += verdict_events(before.status.verdicts, after.status.verdicts)
    post_events(body, after.key, events)
