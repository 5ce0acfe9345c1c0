"""kopf wiring: what is watched goes on the schedule, and the last things to do before one goes.

The reconcile is the only writer of status (docs/adr/0002). kopf watches, keeps the finalizer and
retries deletions that raised; the schedule says when a benchmark is reconciled (docs/adr/0009).
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, cast

import kopf
from pydantic import ValidationError

from solrbench.api.kinds import BENCHMARK
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.contract.load_plan import LoadState
from solrbench.controller.context import ReconcileContext, TargetAccess
from solrbench.controller.deletion_handlers import DeletionHandlers
from solrbench.controller.events import events_between, post_events, verdict_events
from solrbench.controller.failures import UPGRADE_PAUSE, ReconcileAttempts, mark_invalid
from solrbench.controller.kopf_settings import WORKERS, configure, log_in
from solrbench.controller.queue import BenchmarkQueue
from solrbench.controller.reconcile import reconcile
from solrbench.controller.schedule import RETRY, BenchmarkKey, ReconcileSchedule, Rest
from solrbench.controller.settings import Settings
from solrbench.controller.watches import PodWatches
from solrbench.decide.conditions import is_finished
from solrbench.decide.failures import without_unreadable_results
from solrbench.decide.pauses import (
    QUEUED_PAUSE,
    decide_pause,
    is_load_due,
    needs_finalizer,
    needs_reconcile,
)
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.results import BenchmarkResultStore
from solrbench.metrics.operator import PrometheusMetrics

log = logging.getLogger("solrbench")


POSITION_SECONDS = 1.0
"""Distance between two benchmarks that write their new place in the queue: when one ends, the
places of all that wait change, which would be hundreds of writes at once."""
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
        self._shortest = timedelta(seconds=settings.reconcile_seconds)
        self._attempts = ReconcileAttempts(
            BENCHMARK, cluster, telemetry.operator, self._shortest, _utc_now
        )
        self._schedule = ReconcileSchedule(self.on_due, WORKERS)
        self._watches = PodWatches(cluster, settings.namespaces, self._schedule.note_change)
        if watches:
            self._watches.start()
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

        The type of the event is `None` for what was there when the operator started.
        """
        key, metadata = _key(body), body["metadata"]
        if event["type"] == "DELETED":
            self._forget(key)
            self._schedule.stop(key.uid)
            await self._deletion.wait_for_pods(body, key)
            self._queue.forget(key.uid)
        else:
            self._queue.observe(dict(body), _utc_now())
            generation = metadata.get("generation", 1)
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
        self._attempts.forget(key.uid)

    def on_delete(self, *, name: str, namespace: str, uid: str, **given: Any) -> None:
        """Leave nothing of a benchmark that may have a collection on an existing Solr."""
        key = BenchmarkKey(uid, namespace, name)
        self._forget(key)
        self._deletion.remove(key, given["body"], given["retry"])

    def on_due(self, key: BenchmarkKey) -> Rest | None:
        """Reconcile one benchmark; one that goes on waiting needs no request."""
        if self._queue.is_settled(key.uid, _utc_now(), self._settings.concurrency):
            return Rest(QUEUED_PAUSE, is_running=False)
        with self._attempts.begin(key) as attempt:
            body = self._attempts.read(key)
            if body is None:
                self._queue.forget(key.uid)
            elif body["metadata"].get("deletionTimestamp") is not None:
                attempt.rest = Rest(RETRY)  # the watch takes it off the schedule
            elif (before := self._parse(body)) is None:
                attempt.rest = Rest(UPGRADE_PAUSE)
            else:
                context = self._context(before, body)
                after = reconcile(context)
                attempt.rest = self._conclude(context, after)
                # After the status is stored, so that an event never tells what it does not show.
                _emit_events(body, before, after)
        return attempt.rest

    def _conclude(self, context: ReconcileContext, after: SolrBenchmark) -> Rest:
        """Show what a reconcile has stored, and return when the next one is due."""
        self._telemetry.benchmarks.update(after)
        namespace, live_load, ask = context.namespace, after.status.live_load, context.ask_load
        is_over = is_finished(after.status)
        if is_over:
            self._reports.forget(after.metadata.uid)
        is_settled = None
        if not is_over and after.status.start_time is not None and ask is not None:
            is_settled = partial(self._is_load_settled, namespace, live_load, ask)
        watched = self._watches.are_open(namespace)
        pause = decide_pause(after.spec, after.status, _utc_now(), watched=watched)
        return Rest(
            max(pause, self._shortest),
            is_running=after.status.start_time is not None and not is_over,
            is_settled=is_settled,
        )

    def _is_load_settled(
        self, namespace: str, shown: LiveLoad | None, ask: Callable[[], LoadState]
    ) -> bool:
        """Return whether the stored status says all about a load; only its master is asked."""
        if not self._watches.are_open(namespace):
            return False  # a pod may have been lost without a word
        try:
            return not is_load_due(shown, ask(), _utc_now())
        except SolrbenchError:
            return False

    def _parse(self, body: dict[str, Any]) -> SolrBenchmark | None:
        """Return a benchmark, or `None` after its status says why it cannot be read."""
        try:
            return SolrBenchmark.parse(body)
        except ValidationError as error:
            # Results in the status of another version are computed anew from what is stored.
            readable = without_unreadable_results(body, error)
            if readable is not None:
                return SolrBenchmark.parse(readable)
            mark_invalid(self._cluster, body, error, _utc_now())
            return None

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


def _utc_now() -> datetime:
    """Return the time as Kubernetes writes it, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def _emit_events(body: dict[str, Any], before: SolrBenchmark, after: SolrBenchmark) -> None:
    if before.status.phase != after.status.phase:
        log.info("%s: phase %s", after.key, after.status.phase)
    events = events_between(before.status.conditions, after.status.conditions)
    events += verdict_events(before.status.verdicts, after.status.verdicts)
    post_events(body, after.key, events)
