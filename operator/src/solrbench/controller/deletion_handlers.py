"""What is left of benchmarks that are deleted, or gone."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, cast

import kopf
from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import (
    delete_children,
    find_removal_blocker,
    remove_rest,
)
from solrbench.controller.objects import LOAD, TARGET
from solrbench.controller.owned_objects import OwnedObjects
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.queue import BenchmarkQueue
from solrbench.controller.schedule import RETRY, BenchmarkKey, ReconcileSchedule
from solrbench.decide.conditions import CLEANED_UP
from solrbench.decide.failures import holds_collection
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.reasons.end import CleanupReason

log = logging.getLogger("solrbench")

DELETE_POLL_SECONDS = 0.5
DELETE_PATIENCE_SECONDS = 20.0
"""Pods have a second to end; when they take longer, something is wrong and worth a log line."""
DELETE_RETRY_SECONDS = 1.0
DELETION_TIMEOUT = timedelta(seconds=120)
"""How long the deletion of a benchmark waits for an existing Solr that does not respond, and how
long one that is gone keeps its place in the queue until its pods are gone, too."""


class DeletionHandlers:
    """Removes what is left, and waits until it is gone."""

    def __init__(
        self,
        cluster: Cluster,
        schedule: ReconcileSchedule,
        queue: BenchmarkQueue,
        context: Callable[[SolrBenchmark, dict[str, Any]], ReconcileContext],
        now: Callable[[], datetime],
    ) -> None:
        self._cluster = cluster
        self._schedule = schedule
        self._queue = queue
        self._context = context
        self._now = now

    async def wait_for_pods(self, body: Mapping[str, Any], key: BenchmarkKey) -> None:
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
                _emit_warning(body, left)
            await asyncio.sleep(DELETE_POLL_SECONDS)

    def _remove_rest(self, key: BenchmarkKey) -> SolrbenchError | None:
        if self._schedule.is_busy(key.uid):
            return TemporaryError(CleanupReason.REMOVING_PODS, "a reconcile is under way")
        return remove_rest(OwnedObjects(self._cluster, key.namespace, key.name, self._now()))

    def remove(self, key: BenchmarkKey, body: kopf.Body, retry: int) -> None:
        """Stop the load at once, wait until no pod is left, leave nothing on an existing Solr.

        What blocks the deletion is reported once as an event, as the status is no longer written.

        Raises:
            kopf.TemporaryError: while something is still there.
        """
        is_busy = self._schedule.is_busy(key.uid)
        end = time.monotonic() + DELETE_PATIENCE_SECONDS
        try:
            while True:
                owned = OwnedObjects(self._cluster, key.namespace, key.name, self._now())
                if delete_children(owned, (*LOAD, *TARGET)):
                    break
                if time.monotonic() > end:
                    raise find_removal_blocker(owned) or TemporaryError(
                        CleanupReason.REMOVING_PODS, "pods are terminating"
                    )
                time.sleep(DELETE_POLL_SECONDS)
        except SolrbenchError as error:
            if retry == 0:
                kopf.event(body, type="Warning", reason=error.reason, message=error.message)
            raise kopf.TemporaryError(str(error), delay=DELETE_RETRY_SECONDS) from error
        self._remove_collection(body)
        if is_busy:  # what the last reconcile has made meanwhile is deleted by the next attempt
            raise kopf.TemporaryError("a reconcile is under way", delay=DELETE_RETRY_SECONDS)

    def _remove_collection(self, body: kopf.Body) -> None:
        """Remove our collection from an existing target, or give up and say where it is left.

        A target that is gone for good must not keep the benchmark, or its namespace, for ever.
        """
        try:
            benchmark = SolrBenchmark.parse(dict(body))
        except ValidationError as error:
            if holds_collection(dict(body)):
                _report_left_behind(body, body["metadata"]["name"], "; ".join(problems(error)))
            return
        context = self._context(benchmark, dict(body))
        if context.conditions.is_true(CLEANED_UP):
            return
        patient = (
            context.now - (benchmark.metadata.deletion_timestamp or context.now) < DELETION_TIMEOUT
        )
        try:
            provisioner_of(context).remove_collection(context, at_once=not patient)
        except SolrbenchError as error:
            if patient and isinstance(error, TemporaryError):
                raise kopf.TemporaryError(str(error), delay=RETRY.total_seconds()) from error
            _report_left_behind(body, names.collection(benchmark), str(error))


def _emit_warning(body: Mapping[str, Any], error: SolrbenchError) -> None:
    metadata, text = body["metadata"], " ".join(error.message.split())
    log.warning("%s/%s: %s: %s", metadata["namespace"], metadata["name"], error.reason, text)
    kopf.event(cast(kopf.Body, body), type="Warning", reason=error.reason, message=error.message)


def _report_left_behind(body: kopf.Body, collection: str, problem: str) -> None:
    message = f"collection {collection} may be left on target.existing, delete it there: {problem}"
    metadata = body["metadata"]
    log.warning("%s/%s: %s", metadata["namespace"], metadata["name"], message)
    kopf.event(body, type="Warning", reason=CleanupReason.COLLECTION_LEFT_BEHIND, message=message)
