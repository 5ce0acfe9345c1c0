"""kopf wiring of sweeps: what is watched goes on a schedule of their own.

A sweep has no finalizer: its benchmarks belong to it, so Kubernetes deletes them after it, and each
of them removes its pods itself.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast

import kopf
from pydantic import ValidationError

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.contract.names import LABEL_SWEEP
from solrbench.controller.events import events_between, post_events
from solrbench.controller.failures import UPGRADE_PAUSE, ReconcileAttempts, mark_sweep_invalid
from solrbench.controller.schedule import BenchmarkKey, ReconcileSchedule, Rest, utc_now
from solrbench.controller.settings import Settings
from solrbench.controller.sweep_reconcile import SweepContext, reconcile_sweep
from solrbench.decide.conditions import ACCEPTED, holds, is_over
from solrbench.decide.views import controller_uid
from solrbench.kube.client import Cluster
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.reasons.lifecycle import SweepReason
from solrbench.sweep.decision import decide_expiry
from solrbench.sweep.plan import SweepPlan, make_plan
from solrbench.sweep.state import PointState

WORKERS = 2
RUNNING_PAUSE = timedelta(seconds=10)
"""Between two looks at the progress of points; the end of one is noticed at once."""
REMOVAL_PAUSE = timedelta(seconds=1)
"""While a target is removed: the next point waits for that."""
CAPACITY_PAUSE = timedelta(minutes=1)
"""Of a sweep that waits for larger nodes."""
IDLE_PAUSE = timedelta(hours=1)
"""Of a sweep that waits for a change of its spec, or is over."""


class SweepHandlers:
    """What kopf calls for sweeps and their benchmarks, bound to the adapters."""

    def __init__(self, cluster: Cluster, settings: Settings, telemetry: PrometheusMetrics) -> None:
        self._cluster = cluster
        self._settings = settings
        self._telemetry = telemetry
        self._plans: dict[str, tuple[int, SweepPlan]] = {}
        self._attempts = ReconcileAttempts(
            SWEEP, cluster, telemetry.operator, RUNNING_PAUSE, utc_now
        )
        self._schedule = ReconcileSchedule(self.on_due, WORKERS)

    def register(self, registry: kopf.OperatorRegistry) -> None:
        """Register the handlers with kopf."""
        for kind, handler in ((SWEEP, self.on_event), (BENCHMARK, self.on_benchmark_event)):
            watch = kopf.on.event(
                kind.group, kind.version, kind.plural, registry=registry, id=f"sweeps/{kind.plural}"
            )
            watch(cast(Any, handler))
        kopf.on.cleanup(registry=registry, id="sweeps/cleanup")(cast(Any, self.on_cleanup))
        probe = kopf.on.probe(registry=registry, id="sweeps/reconcileSeconds")
        probe(cast(Any, self._schedule.check_health))

    async def on_event(
        self, *, event: Mapping[str, Any], body: Mapping[str, Any], **_: object
    ) -> None:
        """Put a sweep on the schedule, or take it off."""
        metadata = body["metadata"]
        key = BenchmarkKey(metadata["uid"], metadata["namespace"], metadata["name"])
        if event["type"] == "DELETED" or metadata.get("deletionTimestamp") is not None:
            # One under way could show the sweep again.
            await self._schedule.stop_and_wait(metadata["uid"])
            self._forget(key)
            return
        self._schedule.add(key, metadata.get("generation", 1), timedelta())

    def _forget(self, key: BenchmarkKey) -> None:
        self._plans.pop(key.uid, None)
        self._attempts.forget(key.uid)
        self._telemetry.sweeps.forget(str(key))

    async def on_benchmark_event(
        self, *, event: Mapping[str, Any], body: Mapping[str, Any], **_: object
    ) -> None:
        """Wake the sweep of a benchmark that is over or gone."""
        labels = body["metadata"].get("labels") or {}
        owner = controller_uid(dict(body)) if LABEL_SWEEP in labels else None
        if owner is not None and (event["type"] == "DELETED" or is_over(body)):
            self._schedule.wake(owner)

    async def on_cleanup(self, **_: object) -> None:
        """Begin no further reconcile."""
        self._schedule.close()

    def on_due(self, key: BenchmarkKey) -> Rest | None:
        """Reconcile one sweep; what fails is repeated by the next reconcile."""
        with self._attempts.begin(key) as attempt:
            body = self._attempts.read(key)
            if body is None:  # also where the watch has missed its deletion
                self._forget(key)
            else:
                attempt.rest = Rest(self._reconcile(body, utc_now()))
        return attempt.rest

    def _reconcile(self, body: dict[str, Any], now: datetime) -> timedelta:
        if body["metadata"].get("deletionTimestamp") is not None:
            return IDLE_PAUSE  # the watch takes it off the schedule
        try:
            before = SolrBenchmarkSweep.parse(body)
        except ValidationError as error:
            mark_sweep_invalid(self._cluster, body, error, now)
            return UPGRADE_PAUSE
        plan, concurrency = self._plan(before), self._settings.concurrency
        after = reconcile_sweep(SweepContext(self._cluster, before, body, plan, now, concurrency))
        self._telemetry.sweeps.update(after, plan)
        changed = events_between(before.status.conditions, after.status.conditions)
        post_events(body, after.key, changed)
        return _pause(after, now)

    def _plan(self, sweep: SolrBenchmarkSweep) -> SweepPlan:
        """Return the plan, kept while the spec stays: to validate 500 points takes half a second.

        One thread at a time reconciles a sweep.
        """
        uid, generation = sweep.metadata.uid, sweep.metadata.generation
        known = self._plans.get(uid)
        if known is None or known[0] != generation:
            known = self._plans[uid] = generation, make_plan(sweep)
        return known[1]


def _pause(sweep: SolrBenchmarkSweep, now: datetime) -> timedelta:
    """Return how long a sweep needs no reconcile while its spec stays the same."""
    status = sweep.status
    running = {each.name for each in status.points if each.state == PointState.RUNNING}
    if any(each.point not in running for each in status.targets):
        return REMOVAL_PAUSE
    if status.completion_time is not None:
        expiry = decide_expiry(sweep, now)
        return IDLE_PAUSE if expiry is None else min(IDLE_PAUSE, expiry)
    is_accepted = holds(status, ACCEPTED)
    if any(each.reason == SweepReason.POINTS_DO_NOT_FIT for each in status.conditions):
        return CAPACITY_PAUSE
    begins_nothing = sweep.spec.suspend or not is_accepted
    return IDLE_PAUSE if begins_nothing and not status.counts.running else RUNNING_PAUSE
