"""kopf wiring: what is watched goes on the schedule, and the last things to do before one goes.

The reconcile is the only writer of status (docs/adr/0002). kopf watches, keeps the finalizer and
retries deletions that raised; the schedule says when a benchmark is reconciled (docs/adr/0009).
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, cast

import kopf
from pydantic import ValidationError

from solrbench.api.identity import BENCHMARKS
from solrbench.api.kinds import BENCHMARK
from solrbench.api.rules import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.contract import names
from solrbench.contract.load_plan import LoadState
from solrbench.controller.context import ReconcileContext, TargetAccess
from solrbench.controller.deletion import remove_components
from solrbench.controller.events import events_between, post_events, verdict_events
from solrbench.controller.failures import UPGRADE_PAUSE, ReconcileAttempts, mark_invalid
from solrbench.controller.kopf_settings import WORKERS, configure, log_in
from solrbench.controller.objects import LOAD, TARGET
from solrbench.controller.owned_objects import OwnedObjects
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.queue import BenchmarkQueue
from solrbench.controller.reconcile import reconcile
from solrbench.controller.schedule import RETRY, BenchmarkKey, ReconcileSchedule, Rest, utc_now
from solrbench.controller.settings import Settings
from solrbench.controller.watches import PodWatches
from solrbench.decide.conditions import CLEANED_UP, is_finished
from solrbench.decide.failures import holds_collection, without_unreadable_results
from solrbench.decide.pauses import (
    QUEUED_PAUSE,
    decide_pause,
    is_load_due,
    needs_finalizer,
    needs_reconcile,
)
from solrbench.decide.queue import IDLE_REASONS
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.results import BenchmarkResultStore
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.reasons.end import CleanupReason

log = logging.getLogger("solrbench")

SHORTEST_PAUSE = timedelta(seconds=2)
"""Between two reconciles of one benchmark."""
POSITION_SECONDS = 1.0
"""Distance between two benchmarks that write their new place in the queue: when one ends, the
places of all that wait change, which would be hundreds of writes at once."""
DELETE_POLL_SECONDS = 0.5
DELETE_PATIENCE_SECONDS = 20.0
"""Pods have a second to end; when they take longer, something is wrong and worth a log line."""
DELETE_RETRY_SECONDS = 1.0
DELETION_TIMEOUT = timedelta(seconds=120)
"""How long the deletion of a benchmark waits for an existing Solr that does not respond, and how
long one that is gone keeps its place in the queue until its pods are gone, too."""
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
        self._queue = BenchmarkQueue(settings.concurrency, settings.concurrency_per_namespace)
        self._attempts = ReconcileAttempts(
            BENCHMARK, cluster, telemetry.operator, SHORTEST_PAUSE, utc_now
        )
        self._schedule = ReconcileSchedule(self.on_due, WORKERS)
        self._watches = PodWatches(cluster, settings.namespaces, self._schedule.note_change)
        if watches:
            self._watches.start()

    def register(self, registry: kopf.OperatorRegistry) -> None:
        """Register the handlers with kopf."""
        kopf.on.startup(registry=registry)(configure)
        kopf.on.login(registry=registry)(log_in)
        kopf.on.cleanup(registry=registry)(cast(Any, self.on_cleanup))
        probe = kopf.on.probe(registry=registry, id="reconcileSeconds")
        probe(cast(Any, self._schedule.check_health))
        kind = BENCHMARK.group, BENCHMARK.version, BENCHMARK.plural
        # kopf adds the finalizer while this holds, and takes it away as soon as it does not.
        delete = kopf.on.delete(*kind, registry=registry, when=needs_finalizer)
        delete(cast(Any, self.on_delete))
        kopf.on.event(*kind, registry=registry)(cast(Any, self.on_event))

    async def on_event(
        self, *, event: Mapping[str, Any], body: Mapping[str, Any], **_: object
    ) -> None:
        """Take over what the watch shows: the place in the queue, the schedule, the metrics.

        The type of the event is `None` for what was there when the operator started.
        """
        metadata = body["metadata"]
        key = BenchmarkKey(metadata["uid"], metadata["namespace"], metadata["name"])
        if event["type"] == "DELETED":
            self._queue.note_leaving(key.uid)
            # A reconcile could show again, or apply, what was just deleted, or take a place for it.
            await self._schedule.stop_and_wait(key.uid)
            self._forget(key)
            try:
                await self._wait_for_pods(body, key)
            finally:
                # Only now: the next one must not measure beside pods that still end.
                self._queue.forget(key.uid)
        else:
            self._queue.observe(dict(body), utc_now())
            if metadata.get("deletionTimestamp") is not None:
                self._schedule.stop(key.uid)
            elif not needs_reconcile(body):
                self._schedule.stop(key.uid)
                self._reports.forget(key.uid)
                self._show(body)
            else:
                pause = timedelta() if self._schedule.knows(key.uid) else self._first_pause(body)
                self._schedule.add(key, metadata.get("generation", 1), pause)
        for index, uid in enumerate(self._queue.take_moved()):
            self._schedule.wake(uid, index * POSITION_SECONDS)

    async def on_cleanup(self, **_: object) -> None:
        """Begin no further reconcile, and watch nothing more."""
        self._watches.stop()
        self._schedule.close()

    def _first_pause(self, body: Mapping[str, Any]) -> timedelta:
        """Return the pause of a benchmark that is seen first: none unless it waits or is over."""
        now, known = utc_now(), self._show(body)
        if known is None or known.status.observed_generation != known.metadata.generation:
            return timedelta()
        # The start of the operator shows hundreds at once: what is over, or waits, can wait.
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
        self._telemetry.benchmarks.forget(str(key))
        self._reports.forget(key.uid)
        self._attempts.forget(key.uid)

    async def _wait_for_pods(self, body: Mapping[str, Any], key: BenchmarkKey) -> None:
        """Wait until the pods of a benchmark that is gone disturb the next one no more.

        What it left goes by owner references without us, but pods have time to end then. What
        holds that up is an event of the benchmark.
        """
        shown = ""
        end = time.monotonic() + DELETION_TIMEOUT.total_seconds()
        while self._queue.holds_place(key.uid) and time.monotonic() < end:
            left = await asyncio.to_thread(self._remove_rest, key)
            if left is None:
                break
            if left.reason not in (CleanupReason.REMOVING_PODS, shown):
                shown = left.reason
                _warn(cast(kopf.Body, body), left.reason, left.message)
            await asyncio.sleep(DELETE_POLL_SECONDS)

    def _remove_rest(self, key: BenchmarkKey) -> SolrbenchError | None:
        """Remove what a benchmark that is gone has left; return what holds that up."""
        try:
            # What has the name of another benchmark by now is left to the garbage collector, which
            # goes by uids.
            is_replaced = self._cluster.get(*BENCHMARKS, key.namespace, key.name) is not None
            return None if is_replaced else self._delete_objects(key)
        except SolrbenchError as error:
            return error

    def _delete_objects(self, key: BenchmarkKey) -> TemporaryError | None:
        owners = frozenset((key.uid,))
        owned = OwnedObjects(self._cluster, key.namespace, key.name, owners, utc_now())
        return remove_components(owned, (*LOAD, *TARGET))

    def on_delete(self, *, name: str, namespace: str, uid: str, **given: Any) -> None:
        """Stop the load at once, wait until no pod is left, leave nothing on an existing Solr.

        What blocks the deletion is reported once as an event, as the status is no longer written.

        It raises `kopf.TemporaryError` while something is still there.
        """
        key, body = BenchmarkKey(uid, namespace, name), given["body"]
        self._forget(key)
        is_busy = self._schedule.is_busy(uid)
        end = time.monotonic() + DELETE_PATIENCE_SECONDS
        try:
            while (blocker := self._delete_objects(key)) is not None:
                if time.monotonic() > end:
                    raise blocker
                time.sleep(DELETE_POLL_SECONDS)
        except SolrbenchError as error:
            since = datetime.fromisoformat(body["metadata"]["deletionTimestamp"])
            if error.reason in IDLE_REASONS or utc_now() - since >= DELETION_TIMEOUT:
                self._queue.give_up(uid)  # others need not wait for it
            if given["retry"] == 0:
                kopf.event(body, type="Warning", reason=error.reason, message=error.message)
            raise kopf.TemporaryError(str(error), delay=DELETE_RETRY_SECONDS) from error
        self._remove_collection(body)
        if is_busy:  # what the last reconcile has made meanwhile is deleted by the next attempt
            raise kopf.TemporaryError("a reconcile is under way", delay=DELETE_RETRY_SECONDS)

    def _remove_collection(self, body: kopf.Body) -> None:
        """Remove our collection from an existing target, or give up and say where it is left."""
        try:
            benchmark = SolrBenchmark.parse(dict(body))
        except ValidationError as error:
            if holds_collection(dict(body)):
                _warn_left_behind(body, body["metadata"]["name"], "; ".join(problems(error)))
            return
        context = self._context(benchmark, dict(body))
        if context.conditions.is_true(CLEANED_UP):
            return
        # A target that is gone for good must not keep the benchmark, or its namespace, for ever.
        deleted = benchmark.metadata.deletion_timestamp or context.now
        patient = context.now - deleted < DELETION_TIMEOUT
        try:
            provisioner_of(context).remove_collection(context, at_once=not patient)
        except SolrbenchError as error:
            if patient and isinstance(error, TemporaryError):
                raise kopf.TemporaryError(str(error), delay=RETRY.total_seconds()) from error
            _warn_left_behind(body, names.collection(benchmark), str(error))

    def on_due(self, key: BenchmarkKey) -> Rest | None:
        """Reconcile one benchmark; one that goes on waiting needs no request."""
        if self._queue.is_settled(key.uid, utc_now()):
            return Rest(QUEUED_PAUSE, is_running=False)
        with self._attempts.begin(key) as attempt:
            body = self._attempts.read(key)
            if body is None:  # also where the watch has missed its deletion
                self._forget(key)
                # One with a place has pods that end; the event of its deletion waits for them.
                if not self._queue.holds_place(key.uid):
                    self._queue.forget(key.uid)
            elif body["metadata"].get("deletionTimestamp") is not None:
                attempt.rest = Rest(RETRY)  # the watch takes it off the schedule
            elif (before := self._parse(body)) is None:
                attempt.rest = Rest(UPGRADE_PAUSE)
            else:
                context = self._context(before, body)
                after = reconcile(context)
                attempt.has_raised = after.status.internal_errors > 0
                attempt.rest = self._conclude(context, after)
                # After the status is stored, so that no event is ahead of it.
                if before.status.phase != after.status.phase:
                    log.info("%s: phase %s", after.key, after.status.phase)
                events = events_between(before.status.conditions, after.status.conditions)
                events += verdict_events(before.status.verdicts, after.status.verdicts)
                post_events(body, after.key, events)
        return attempt.rest

    def _conclude(self, context: ReconcileContext, after: SolrBenchmark) -> Rest:
        """Show what a reconcile has stored, and return when the next one is due."""
        self._telemetry.benchmarks.update(after)
        namespace, live_load, ask = context.namespace, after.status.live_load, context.ask_load
        is_over = is_finished(after.status)
        if is_over:
            self._reports.forget(after.metadata.uid)
        is_running = after.status.start_time is not None and not is_over
        is_settled = None
        if is_running and ask is not None:
            is_settled = partial(self._is_load_settled, namespace, live_load, ask)
        watched = self._watches.are_open(namespace)
        pause = decide_pause(after.spec, after.status, utc_now(), watched=watched)
        return Rest(max(pause, SHORTEST_PAUSE), is_running, is_settled)

    def _is_load_settled(
        self, namespace: str, shown: LiveLoad | None, ask: Callable[[], LoadState]
    ) -> bool:
        """Return whether the stored status says all about a load; only its master is asked."""
        if not self._watches.are_open(namespace):
            return False  # a pod may have been lost without a word
        try:
            return not is_load_due(shown, ask(), utc_now())
        except SolrbenchError:
            return False

    def _parse(self, body: dict[str, Any]) -> SolrBenchmark | None:
        """Return a benchmark, or `None` after its status says why it cannot be read."""
        try:
            try:
                return SolrBenchmark.parse(body)
            except ValidationError as error:
                # Results in the status of another version are computed anew from what is stored.
                readable = without_unreadable_results(body, error)
                if readable is None:
                    raise
                return SolrBenchmark.parse(readable)
        except ValidationError as error:
            mark_invalid(self._cluster, body, error, utc_now())
            return None

    def _context(self, benchmark: SolrBenchmark, body: dict[str, Any]) -> ReconcileContext:
        return ReconcileContext(
            self._cluster,
            self._reports,
            self._settings,
            benchmark,
            body,
            utc_now(),
            self._access,
            self._queue,
        )


def _warn_left_behind(body: kopf.Body, collection: str, problem: str) -> None:
    message = f"collection {collection} may be left on target.existing, delete it there: {problem}"
    _warn(body, CleanupReason.COLLECTION_LEFT_BEHIND, message)


def _warn(body: kopf.Body, reason: str, message: str) -> None:
    metadata, text = body["metadata"], " ".join(message.split())
    log.warning("%s/%s: %s: %s", metadata["namespace"], metadata["name"], reason, text)
    kopf.event(body, type="Warning", reason=reason, message=message)
