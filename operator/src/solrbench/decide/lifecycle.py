"""When a benchmark ends, begins again, or is cleaned up."""

from datetime import datetime, timedelta

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.benchmark import Cleanup
from solrbench.api.v1alpha1.conditions import Attempts
from solrbench.api.v1alpha1.status import Status
from solrbench.decide.conditions import (
    ACCEPTED,
    CLEANED_UP,
    DATA_INDEXED,
    MEASURED,
    SUCCEEDED,
    TARGET_READY,
    Conditions,
)
from solrbench.decide.outcome import Outcome, fail
from solrbench.decide.pods import PodProblem
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.load import LoadReason

STOPPING_SECONDS = 86_400
"""More for pods that only end: all steps are stored, but the operator may have been away when the
last one was, and results are not thrown away for that."""


def check_deadline(
    spec: Spec, condition: str, phase: str, seconds: float, blocker: Outcome
) -> Outcome | None:
    """Fail when the stage that makes a condition true has lasted longer than its deadline.

    Earlier stages are gone through again while it indexes and measures, for as long as that may
    take. A benchmark waits in the queue for as long as others run. One that refers to missing
    objects has as long as provisioning may take: they may be applied a moment later.
    """
    # A baseline may take days before it is over, and has deadlines of its own.
    if blocker.reason is LifecycleReason.BASELINE_UNFINISHED:
        return None
    limits = spec.deadlines
    limit = {
        ACCEPTED: limits.provisioning_seconds,
        TARGET_READY: limits.provisioning_seconds,
        DATA_INDEXED: limits.indexing_seconds,
        MEASURED: limits.measuring_seconds,
    }.get(condition)
    of_phase = {"Indexing": limits.indexing_seconds, "Measuring": limits.measuring_seconds}
    limit = None if limit is None else of_phase.get(phase, limit)
    spare = STOPPING_SECONDS if blocker.reason is LoadReason.STOPPING_LOAD else 0
    if limit is None or seconds <= limit + spare:
        return None
    return fail(
        LifecycleReason.DEADLINE_EXCEEDED,
        f"{phase} took {seconds:.0f} s, limit {limit} s (spec.deadlines);"
        f" last seen: {blocker.reason}: {blocker.message}",
    )


def check_starting(problem: PodProblem | None, now: datetime, limit_seconds: int) -> Outcome | None:
    """Wait with the problem of a pod; fail where it has not started for longer than its deadline.

    What holds up a pod that has run has the deadline of the phase.
    """
    if problem is None or problem.since is None:
        return problem
    seconds = (now - problem.since).total_seconds()
    if seconds <= limit_seconds:
        return problem
    return fail(
        LifecycleReason.DEADLINE_EXCEEDED,
        f"pods have not started for {seconds:.0f} s, limit {limit_seconds} s"
        f" (spec.deadlines.startingSeconds); last seen: {problem.reason}: {problem.message}",
    )


def check_target_attempts(
    attempts: Attempts, backoff_limit: int, reason: Reason, message: str
) -> Outcome | None:
    """Fail when the target was lost and there may be no further attempt."""
    if attempts.starts_of_target <= backoff_limit:
        return None
    failed = attempts.starts_of_target
    return fail(reason, f"{message}; {failed} attempts failed (spec.backoffLimit)")


def check_load_attempts(
    attempts: Attempts, backoff_limit: int, reason: Reason, message: str
) -> Outcome | None:
    """Fail when the load was lost and there may be no further attempt on this target."""
    if attempts.load < attempts.index + backoff_limit:
        return None
    failed = attempts.starts_of_load
    return fail(reason, f"{message}; {failed} attempts failed (spec.backoffLimit)")


def next_target_attempt(attempts: Attempts, *, fresh_nodes: bool) -> Attempts:
    """Return the attempts after the target was lost.

    `fresh_nodes` have served no request, unlike those of an existing target.
    """
    load = attempts.load + 1
    changes = {"target": attempts.target + 1, "load": load}
    if fresh_nodes:  # earlier attempts of the load queried other nodes
        changes["first_load_on_target"] = load
    return attempts.model_copy(update=changes)


def wants_cleanup(policy: Cleanup, *, succeeded: bool) -> bool:
    """Return whether `spec.cleanup` wants Solr and ZooKeeper deleted."""
    return policy is Cleanup.ALWAYS or (policy is Cleanup.ON_SUCCESS and succeeded)


def needs_cleanup(conditions: Conditions, policy: Cleanup) -> bool:
    """Return whether objects may exist that `spec.cleanup` wants deleted."""
    match conditions.get(CLEANED_UP).reason:
        case CleanupReason.CLEANED_UP:
            return False
        case CleanupReason.CLEANUP_SKIPPED:  # the policy may have changed
            return wants_cleanup(policy, succeeded=conditions.is_true(SUCCEEDED))
        case _:
            return True


def is_expired(status: Status, ttl_seconds: int | None, now: datetime) -> bool:
    """Return whether the time to live of a finished benchmark is over."""
    ended = status.completion_time
    if ttl_seconds is None or ended is None:
        return False
    return now >= ended + timedelta(seconds=ttl_seconds)


def is_suspended(spec: Spec, status: Status, conditions: Conditions) -> bool:
    """Return whether pods are to go: by `spec.suspend`, or as their removal has begun.

    What is left of the run before must not be taken for a part of the next one: a ZooKeeper still
    knows a collection whose Solr nodes are gone, and an existing target may still have one with a
    part of the documents.
    """
    left = status.start_time is not None or bool(status.target.nodes)
    return spec.suspend or (conditions.get(SUCCEEDED).reason == LifecycleReason.SUSPENDED and left)
