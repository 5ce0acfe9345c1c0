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
    Conditions,
    is_finished,
    is_over,
    stored_condition,
)
from solrbench.decide.export import needs_export
from solrbench.decide.lifecycle import needs_cleanup
from solrbench.decide.load import build_live_load, check_master_state
from solrbench.decide.queue import IDLE_REASONS, MAX_IN_A_ROW
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

_PLACE = ("stage", "repeat", "variant", "step")


def decide_pause(spec: Spec, status: Status, now: datetime, *, watched: bool = False) -> timedelta:
    """Return how long a benchmark needs no reconcile while its spec stays the same.

    The pause of a clean-up that fails is as long as it has failed, which doubles that time with
    each attempt; so it is while something is missing that the spec refers to. One that meets
    exceptions is tried without a pause until it gives up its place in the queue. A finished
    benchmark has nothing to do until its time to live is over.

    `watched` says that a change of its pods and Jobs wakes the benchmark earlier.
    """
    conditions = Conditions(status.conditions, now, status.observed_generation)
    cleaned_up = conditions.get(CLEANED_UP)
    holds_place = status.start_time is not None and status.internal_errors < MAX_IN_A_ROW
    waiting = (*IDLE_REASONS, CleanupReason.COLLECTION_NOT_REMOVED)  # no other waits for these
    is_retried = cleaned_up.reason in waiting or (
        cleaned_up.reason == LifecycleReason.INTERNAL_ERROR and not holds_place
    )
    if is_retried and (is_finished(status) or status.start_time is None):
        return _clamp(now - cleaned_up.last_transition_time, MAX_RETRY_PAUSE)
    if not is_finished(status):
        return _before_the_end(spec, status, conditions, now, watched=watched)
    if needs_cleanup(conditions, spec.cleanup) or needs_export(spec, status):
        return AT_ONCE
    ttl, ended = spec.ttl_seconds_after_finished, status.completion_time
    if ttl is None or ended is None:
        return FINISHED_PAUSE
    return _clamp(ended + timedelta(seconds=ttl) - now, FINISHED_PAUSE)


def _before_the_end(
    spec: Spec, status: Status, conditions: Conditions, now: datetime, *, watched: bool
) -> timedelta:
    if status.start_time is not None:
        if not watched or status.phase not in POLLED_PHASES or status.phase_start_time is None:
            return AT_ONCE  # a load is asked at the shortest pause
        # What only Solr or an index pod can say: so it delays a phase by a tenth at most.
        return _clamp((now - status.phase_start_time) / 10, MAX_POLL_PAUSE)
    if status.queue is not None:
        return QUEUED_PAUSE
    if spec.suspend and status.phase == "Suspended":
        return SUSPENDED_PAUSE
    accepted = conditions.get(ACCEPTED)
    if accepted.status != "False":
        return AT_ONCE
    return _clamp(now - accepted.last_transition_time, MAX_REFERENCE_PAUSE)


def _clamp(pause: timedelta, most: timedelta) -> timedelta:
    # Times are of several clocks, which may have been set back: a difference may be negative.
    return min(max(pause, AT_ONCE), most)


def has_passed(pause: timedelta, since: datetime, now: datetime) -> bool:
    """Return whether a pause is over; it is, too, if the clock was set back meanwhile."""
    return not AT_ONCE <= now - since < pause


def is_live_load_due(before: LiveLoad | None, after: LiveLoad, now: datetime) -> bool:
    """Return whether live figures are to be written.

    They are when another stage or step began; then whenever there are twice as many requests, so
    that short steps are seen too; and now and then.
    """
    if before is None or before.update_time is None:
        return True
    if any(getattr(before, name) != getattr(after, name) for name in _PLACE):
        return True
    doubled = (after.requests or 0) >= 2 * max(before.requests or 0, 1)
    return doubled or has_passed(LIVE_LOAD_PAUSE, before.update_time, now)


def is_load_due(before: LiveLoad | None, state: LoadState, now: datetime) -> bool:
    """Return whether a load needs a reconcile: for results, a failure or live figures."""
    if state.unacknowledged or check_master_state(state) is not None:
        return True
    return is_live_load_due(before, build_live_load(state, now), now)


def needs_finalizer(*, body: Mapping[str, Any], **_: object) -> bool:
    """Return whether an existing Solr may hold a collection that the operator is to remove.

    All else goes by owner references, so that neither a benchmark nor its namespace waits for an
    operator.
    """
    spec, status = body.get("spec") or {}, body.get("status") or {}
    existing = (spec.get("target") or {}).get("existing")
    if not existing or existing.get("collectionPolicy") == "UseExisting":
        return False
    suspends, nodes = bool(spec.get("suspend")), (status.get("target") or {}).get("nodes")
    if suspends and status.get("phase") == "Suspended" and not nodes:
        return False  # its collection is gone, and no other is made while it is suspended
    # The operator's release was deleted and nothing is measured since: no operator takes the
    # finalizer away.
    annotations = body["metadata"].get("annotations") or {}
    is_released = annotations.get(ANNOTATION_RELEASED) == "true" and (suspends or is_over(body))
    is_cleaned_up = stored_condition(body, CLEANED_UP).get("status") == "True"
    return not (is_released or is_cleaned_up)


def awaits_export(body: Mapping[str, Any]) -> bool:
    """Return whether results are still to be exported, or it is not known yet that they cannot.

    An export that was removed from the spec is still to be ended.
    """
    spec, generation = body.get("spec") or {}, body["metadata"].get("generation", 0)
    exported = stored_condition(body, EXPORTED)
    if (spec.get("results") or {}).get("export") is None:
        return bool(exported.get("status") == "Unknown")
    is_decided = exported.get("status", "Unknown") != "Unknown"
    return not is_decided or int(exported.get("observedGeneration", 0)) < generation


def needs_reconcile(body: Mapping[str, Any]) -> bool:
    """Return whether a benchmark has anything left to do, or a time to live to end."""
    spec, status = body.get("spec") or {}, body.get("status") or {}
    is_cleaned_up = stored_condition(body, CLEANED_UP).get("status") == "True"
    if spec.get("ttlSecondsAfterFinished") is not None or not is_cleaned_up:
        return True
    generation = body["metadata"].get("generation", 0)
    if status.get("observedGeneration", generation) != generation:
        return True  # one that is over may get a new spec, whose generation its status must show
    return awaits_export(body)
