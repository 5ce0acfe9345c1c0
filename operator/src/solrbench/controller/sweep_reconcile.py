"""One reconcile over one sweep: observe, decide, store the status, apply benchmarks.

The status is stored first: a benchmark whose point is not under way in the stored status does not
exist, so one that is cut short anywhere is taken up again as it was (docs/adr/0012).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import chain
from typing import Any

from solrbench.analysis.answers import compare_answers
from solrbench.api.identity import BENCHMARKS
from solrbench.api.kinds import SWEEP
from solrbench.api.rules import plain
from solrbench.api.v1alpha1.comparisons import MAX_ANSWER_COMPARISONS, AnswerComparison
from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint, SweepStatus, SweepTarget
from solrbench.contract import names
from solrbench.contract.answers import StoredAnswers
from solrbench.controller.deletion import delete_budgets, remove_components
from solrbench.controller.owned_objects import OwnedObjects
from solrbench.decide.conditions import SUCCEEDED, SWEEP_TYPES, Conditions
from solrbench.decide.lifecycle import wants_cleanup
from solrbench.errors import ConflictError, PermanentError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.result_documents import read_answers
from solrbench.reasons.end import ApiServerReason, CleanupReason
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import SweepReason
from solrbench.sweep.answers import compares_answers, point_label
from solrbench.sweep.cluster_capacity import ClusterCapacity, capacity_of_nodes
from solrbench.sweep.decision import SweepDecision, decide_expiry, decide_sweep
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.points import benchmark_name
from solrbench.sweep.state import (
    ChildView,
    PointState,
    SweepObservation,
    ended_well,
    round_of,
    view_child,
)
from solrbench.sweep.target_reuse import find_idle, target_annotations
from solrbench.sweep.validation import build_child

MAX_BLOCKED = timedelta(minutes=10)
"""How long the benchmark of a point is tried to be made: a name that another has stays taken."""


@dataclass
class SweepContext:
    """One reconcile."""

    cluster: Cluster
    sweep: SolrBenchmarkSweep
    body: dict[str, Any]
    plan: SweepPlan
    now: datetime
    concurrency: int

    @property
    def namespace(self) -> str:
        """Namespace of the sweep and its benchmarks."""
        return self.sweep.metadata.namespace


def reconcile_sweep(context: SweepContext) -> SolrBenchmarkSweep:
    """Bring a sweep one reconcile further and return it with its new status.

    Raises:
        ConflictError: if the sweep changed meanwhile; nothing is lost.
        TemporaryError: if the API server does not respond.
    """
    seen = _observe(context)
    decision, stored = decide_sweep(seen), context.sweep.status
    if (decision.status.points, decision.status.targets) != (stored.points, stored.targets):
        # First: a benchmark of a point that the stored status does not name would be begun again.
        # What is in the way is known only afterwards, so nothing else is worth this write.
        _store(context, decision.status)
    status = _apply(context, decision, seen.children)
    _store(context, _remove_targets(context, status))
    if decide_expiry(context.sweep, context.now) == timedelta():
        # Its benchmarks go with it.
        metadata = context.sweep.metadata
        context.cluster.delete(*SWEEP.reference, context.namespace, metadata.name, uid=metadata.uid)
    return context.sweep


def _observe(context: SweepContext) -> SweepObservation:
    under_way = (each for each in context.sweep.status.points if each.state == PointState.RUNNING)
    children = {}
    for point in under_way:
        name = benchmark_name(context.sweep.metadata.name, point.name, round_of(point))
        body = context.cluster.get(*BENCHMARKS, context.namespace, name)
        child = view_child(body, context.sweep.metadata.uid)
        if child is not None:
            children[point.name] = child
    return SweepObservation(
        context.sweep,
        context.plan,
        children,
        context.now,
        context.concurrency,
        _observe_capacity(context),
        _compare_answers(context, children),
    )


def _compare_answers(
    context: SweepContext, children: Mapping[str, ChildView]
) -> list[AnswerComparison]:
    """Return the comparisons of the stored status, and of each point that was measured since."""
    stored, baseline = context.sweep.status, context.plan.baseline
    ended = {
        point.name
        for point in stored.points
        if point.rounds
        or ended_well(point)
        or (point.name in children and children[point.name].has_succeeded)
    }
    found = list(stored.answer_comparisons)
    if baseline is None:
        return found
    known, sweep = {each.candidate for each in found}, context.sweep.metadata.name
    labels = {
        each.point.name: point_label(each.point.values, baseline.point.values)
        for each in context.plan.points
    }
    # As all figures, within a condition: other data, or another load, have other answers.
    bases = context.plan.find_baselines(context.sweep.spec)
    due = {
        labels[name]: name
        for name, base in bases.items()
        if name != base and {name, base} <= ended and labels[name] not in known
    }
    # Those of one point may have two megabytes: no more are read than are kept, one at a time.
    wanted = [*due.items()][: MAX_ANSWER_COMPARISONS - len(found)]
    if not wanted or not compares_answers(context.sweep.spec):
        return found

    def read(name: str) -> StoredAnswers | None:
        return read_answers(context.cluster, context.namespace, benchmark_name(sweep, name))

    read_base = lru_cache(maxsize=1)(read)  # most points have the same one
    return found + [
        compare_answers(read_base(bases[name]), read(name), labels[bases[name]], label).summary
        for label, name in wanted
    ]


def _observe_capacity(context: SweepContext) -> ClusterCapacity | None:
    """Return what the nodes could give, before anything began; None if they may not be listed."""
    if context.sweep.status.fixed_hash is not None:
        return None
    try:
        # There may be thousands, each with the names of 50 images.
        nodes = context.cluster.list_in_parts("v1", "Node", None, {})
        first = next(nodes, None)
        return None if first is None else capacity_of_nodes(chain((first,), nodes))
    except ForbiddenError:
        return None


def _store(context: SweepContext, status: SweepStatus) -> None:
    if status == context.sweep.status:
        return
    context.body = context.cluster.store_status(context.body, plain(status))
    context.sweep = context.sweep.model_copy(update={"status": status})


def _say(context: SweepContext, status: SweepStatus, reason: Reason, text: str) -> SweepStatus:
    """Return the status of a sweep that goes on, with what is in its way."""
    generation = context.sweep.metadata.generation
    conditions = Conditions(status.conditions, context.now, generation, SWEEP_TYPES)
    conditions.set(SUCCEEDED, "Unknown", reason, text)
    return status.model_copy(update={"conditions": conditions.as_list()})


def _apply(
    context: SweepContext, decision: SweepDecision, children: Mapping[str, ChildView]
) -> SweepStatus:
    """Apply the benchmarks that are missing or to be changed; return the status after that."""
    status, name = decision.status, context.sweep.metadata.name
    stored = {sweep_point.name: sweep_point for sweep_point in status.points}
    for point in decision.applied:
        due = stored[point.name]
        annotations = target_annotations(name, due, status.targets)
        try:
            context.cluster.apply(build_child(context.sweep, point, annotations, round_of(due)))
        except ConflictError:
            continue  # it changed at this moment; the next reconcile looks again
        except (TemporaryError, PermanentError) as error:
            status = _note_refusal(context, status, due, error, exists=point.name in children)
        else:
            status = _change_point(status, point.name, blocked_since=None)
    for point_name in decision.suspended:
        due = stored[point_name]
        key = *BENCHMARKS, context.namespace, benchmark_name(name, point_name, round_of(due))
        try:
            context.cluster.merge(*key, {"spec": {"suspend": context.sweep.spec.suspend}})
        except (TemporaryError, PermanentError) as error:
            status = _note_refusal(context, status, due, error, exists=True)
    return status


def _note_refusal(
    context: SweepContext,
    status: SweepStatus,
    due: SweepPoint,
    error: TemporaryError | PermanentError,
    *,
    exists: bool,
) -> SweepStatus:
    """Return the status with a point that is tried again, or has failed; counts follow later."""
    since = due.blocked_since or context.now
    # One that does not respond has not refused it.
    is_refused = error.reason != ApiServerReason.API_UNREACHABLE
    is_late = is_refused and context.now - since >= MAX_BLOCKED
    is_final = isinstance(error, PermanentError) or is_late
    # A benchmark that is there goes on, and so does its point: only a change of it was refused.
    if is_final and not exists:
        failed = {"state": PointState.FAILED, "reason": str(error.reason)}
        return _change_point(status, due.name, **failed, blocked_since=None)
    status = _say(context, status, SweepReason.POINT_NOT_CREATED, f"{due.name}: {error}")
    return _change_point(status, due.name, blocked_since=None if exists else since)


def _remove_targets(context: SweepContext, status: SweepStatus) -> SweepStatus:
    """Remove targets that no point uses; return the status without those that are gone."""
    idle = find_idle(status.points, status.targets)
    blockers = {each.name: _remove_target(context, status, each) for each in idle}
    gone = {name for name, blocker in blockers.items() if blocker is None}
    left = [each for each in status.targets if each.name not in gone]
    status = status.model_copy(update={"targets": left})
    decided = find_condition(status.conditions, SUCCEEDED)
    texts = [
        f"target {name}: {blocker}"
        for name, blocker in blockers.items()
        if blocker is not None and blocker.reason != CleanupReason.REMOVING_PODS
    ]
    # No point that needs a target of its own begins before they are gone.
    if not texts or decided is None or decided.reason != SweepReason.RUNNING_POINTS:
        return status
    return _say(context, status, SweepReason.RUNNING_POINTS, "; ".join([decided.message, *texts]))


def _remove_target(
    context: SweepContext, status: SweepStatus, target: SweepTarget
) -> TemporaryError | None:
    """Delete what is there of a target, unless it is to be kept; return what holds that up."""
    succeeded = target.point is None or any(
        point.name == target.point and ended_well(point) for point in status.points
    )
    owners = frozenset((context.sweep.metadata.uid,))
    owned = OwnedObjects(context.cluster, context.namespace, target.name, owners, context.now)
    try:
        if wants_cleanup(context.sweep.spec.cleanup, succeeded=succeeded):
            return remove_components(owned, names.NODES)
        delete_budgets(owned, names.NODES)  # pods that are kept may be moved from now on
    except TemporaryError as error:
        return error  # the next reconcile goes on
    return None


def _change_point(status: SweepStatus, name: str, **changes: object) -> SweepStatus:
    points = [
        each.model_copy(update=changes) if each.name == name else each for each in status.points
    ]
    return status.model_copy(update={"points": points})
