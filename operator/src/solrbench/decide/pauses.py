"""How soon a benchmark is reconciled again, and how long it needs the operator at all."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status import LiveLoad, Status
from solrbench.contract.load_plan import LoadState
from solrbench.contract.names import ANNOTATION_RELEASED
from solrbench.decide.conditions import (
    ACCEPTED,
    CLEANED_UP,
    EXPORTED,
    SUCCEEDED,
    Conditions,
    is_finished,
)
from solrbench.decide.export import needs_export
from solrbench.decide.lifecycle import needs_cleanup
from solrbench.decide.load import build_live_load, check_master_state
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.lifecycle import LifecycleReason

AT_ONCE = timedelta(0)
"""After the shortest pause."""

MAX_RETRY_PAUSE = timedelta(minutes=10)
MAX_REFERENCE_PAUSE = timedelta(seconds=30)
"""Between two looks for an object that the spec refers to: the operator watches its own only."""

QUEUED_PAUSE = timedelta(minutes=5)
SUSPENDED_PAUSE = timedelta(minutes=10)
FINISHED_PAUSE = timedelta(hours=1)
"""Of those that something wakes: a change of the spec, or a place that gets free."""

MAX_POLL_PAUSE = timedelta(seconds=10)
POLLED_PHASES = ("Provisioning", "Indexing")
"""Phases in which the state of Solr and the progress of documents are asked for, while changes of
pods and Jobs are watched."""

LIVE_LOAD_PAUSE = timedelta(seconds=15)
"""Between two writes of live figures alone: each writes the whole status, results included."""

_RETRIED = (CleanupReason.COLLECTION_NOT_REMOVED, LifecycleReason.INTERNAL_ERROR)


def decide_pause(spec: Spec, status: Status, now: datetime, *, watched: bool = False) -> timedelta:
    """Return how long a benchmark needs no reconcile while its spec stays the same.

    The pause of a clean-up that fails is as long as it has failed, which doubles that time with
    each attempt; so it is while something is missing that the spec refers to. A finished benchmark
    has nothing to do until its time to live is over.

    `watched` says that a change of its pods and Jobs wakes the benchmark earlier.
    """
    conditions = Conditions(status.conditions, now, status.observed_generation)
    cleaned_up = conditions.get(CLEANED_UP)
    if cleaned_up.reason in _RETRIED and (is_finished(status) or status.start_time is None):
        return _as_long_as_before(cleaned_up.last_transition_time, now, MAX_RETRY_PAUSE)
    if not is_finished(status):
        return _before_the_end(spec, status, conditions, now, watched=watched)
    if needs_cleanup(conditions, spec.cleanup) or needs_export(spec, status):
        return AT_ONCE
    return min(FINISHED_PAUSE, _until_expiry(spec, status, now))


def _before_the_end(
    spec: Spec, status: Status, conditions: Conditions, now: datetime, *, watched: bool
) -> timedelta:
    if status.start_time is not None:
        return _until_poll(status, now) if watched else AT_ONCE
    if status.queue is not None:
        return QUEUED_PAUSE
    if spec.suspend and status.phase == "Suspended":
        return SUSPENDED_PAUSE
    accepted = conditions.get(ACCEPTED)
    if accepted.status != "False":
        return AT_ONCE
    return _as_long_as_before(accepted.last_transition_time, now, MAX_REFERENCE_PAUSE)


def _until_poll(status: Status, now: datetime) -> timedelta:
    """Return the pause of one that waits for what only Solr or an index pod can say.

    It delays a phase by a tenth at most. A load is asked at the shortest pause.
    """
    if status.phase not in POLLED_PHASES or status.phase_start_time is None:
        return AT_ONCE
    return min(max((now - status.phase_start_time) / 10, AT_ONCE), MAX_POLL_PAUSE)


def _as_long_as_before(since: datetime, now: datetime, most: timedelta) -> timedelta:
    return min(max(now - since, AT_ONCE), most)


def _until_expiry(spec: Spec, status: Status, now: datetime) -> timedelta:
    ttl, ended = spec.ttl_seconds_after_finished, status.completion_time
    if ttl is None or ended is None:
        return FINISHED_PAUSE
    return max(ended + timedelta(seconds=ttl) - now, AT_ONCE)


def has_passed(pause: timedelta, since: datetime, now: datetime) -> bool:
    """Return whether a pause is over; it is, too, if the clock was set back meanwhile."""
    return not AT_ONCE <= now - since < pause


def is_live_load_due(before: LiveLoad | None, after: LiveLoad, now: datetime) -> bool:
    """Return whether live figures are to be written.

    They are when another stage or step began; then whenever there are twice as many requests, so
    that short steps are seen too; and now and then.
    """
    if before is None or before.update_time is None or _place(before) != _place(after):
        return True
    doubled = (after.requests or 0) >= 2 * max(before.requests or 0, 1)
    return doubled or has_passed(LIVE_LOAD_PAUSE, before.update_time, now)


def is_load_due(before: LiveLoad | None, state: LoadState, now: datetime) -> bool:
    """Return whether a load needs a reconcile: for results, a failure or live figures."""
    if state.unacknowledged or check_master_state(state) is not None:
        return True
    return is_live_load_due(before, build_live_load(state, now), now)


def _place(load: LiveLoad) -> tuple[object, ...]:
    return load.stage, load.repeat, load.variant, load.step


def needs_finalizer(*, body: Mapping[str, Any], **_: object) -> bool:
    """Return whether an existing Solr may hold a collection that the operator is to remove.

    All else goes by owner references, so that neither a benchmark nor its namespace waits for an
    operator.
    """
    spec = body.get("spec") or {}
    existing = (spec.get("target") or {}).get("existing")
    if not existing or existing.get("collectionPolicy") == "UseExisting":
        return False
    return not (_is_cleaned_up(body) or _is_empty_handed(body) or _is_released(body))


def _is_empty_handed(body: Mapping[str, Any]) -> bool:
    """Return whether a benchmark is suspended and nothing of it is left on the existing Solr."""
    status = body.get("status") or {}
    is_suspended = (body.get("spec") or {}).get("suspend") and status.get("phase") == "Suspended"
    return bool(is_suspended and not (status.get("target") or {}).get("nodes"))


def _is_released(body: Mapping[str, Any]) -> bool:
    """Return whether the operator's release is gone, and nothing is measured since."""
    annotations = body["metadata"].get("annotations") or {}
    if annotations.get(ANNOTATION_RELEASED) != "true":
        return False
    return bool((body.get("spec") or {}).get("suspend")) or is_over(body)


def is_over(body: Mapping[str, Any]) -> bool:
    """Return whether a benchmark succeeded or failed, as its conditions say."""
    conditions = (body.get("status") or {}).get("conditions") or []
    return any(
        condition["type"] == SUCCEEDED and condition["status"] != "Unknown"
        for condition in conditions
    )


def needs_reconcile(body: Mapping[str, Any]) -> bool:
    """Return whether a benchmark has anything left to do, or a time to live to end.

    One that is over may get a new spec, whose generation its status is to show.
    """
    spec = body.get("spec") or {}
    if spec.get("ttlSecondsAfterFinished") is not None or not _is_cleaned_up(body):
        return True
    return _is_changed(body) or _may_need_export(body)


def _is_changed(body: Mapping[str, Any]) -> bool:
    """Return whether the status is not about the present spec."""
    generation = body["metadata"].get("generation")
    status = body.get("status") or {}
    return bool(status.get("observedGeneration", generation) != generation)


def _may_need_export(body: Mapping[str, Any]) -> bool:
    """Return whether the export is not decided for the present generation."""
    if ((body.get("spec") or {}).get("results") or {}).get("export") is None:
        return False
    conditions = (body.get("status") or {}).get("conditions") or []
    generation = body["metadata"].get("generation", 0)
    return not any(
        condition["type"] == EXPORTED
        and condition["status"] != "Unknown"
        and condition.get("observedGeneration", 0) >= generation
        for condition in conditions
    )


def _is_cleaned_up(body: Mapping[str, Any]) -> bool:
    conditions = (body.get("status") or {}).get("conditions") or []
    return any(
        condition["type"] == CLEANED_UP and condition["status"] == "True"
        for condition in conditions
    )
