"""The start of a repeat on a target, or on data, of its own, or on the target of another point."""

from solrbench.api.identity import BENCHMARKS
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.api.v1alpha1.status import DatasetStatus, TargetStatus
from solrbench.contract.step_runs import FIRST_REPEAT, Reuse, SharedTarget, shared_target
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import latest_attempt
from solrbench.controller.failure_evidence import add_late_pod_events
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.stages.load_results import remaining
from solrbench.decide.conditions import DATA_INDEXED, MEASURED, TARGET_READY
from solrbench.decide.repeats import attempts_for_repeat, begin_after, find_reusable, reuse_target
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.target import TargetReason


def start_repeat(context: ReconcileContext) -> None:
    """Give a repeat its own target or data, when all of the repeat before is stored.

    It comes before the target is looked at: one whose repeat is over is no longer needed, and to
    lose it is no loss.
    """
    start_on, attempts = context.benchmark.spec.load.repeats.start_on, context.status.attempts
    if start_on is RepeatStart.SAME_TARGET or context.conditions.is_true(MEASURED):
        return
    # What is stored decides, so an operator that begins in the middle comes to the same repeat.
    repeat = next((each.repeat for each in remaining(context)), None)
    if repeat in (None, attempts.repeat or FIRST_REPEAT):
        return
    if context.conditions.is_true(TARGET_READY):
        add_late_pod_events(context, provisioner_of(context).pods(context))
    fresh_target = start_on is RepeatStart.FRESH_TARGET
    context.update(
        attempts=attempts_for_repeat(attempts, start_on, repeat),
        target=TargetStatus() if fresh_target else context.status.target,
        dataset=DatasetStatus(),
        live_load=None,
        phase="",  # the deadlines begin anew
    )
    message = f"repeat {repeat} starts on {'a fresh target' if fresh_target else 'fresh data'}"
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(type_, "False", TargetReason.STARTING_REPEAT, message)


def take_over_target(context: ReconcileContext) -> None:
    """Begin with the shared target as the benchmark before left it, if it is whole.

    It is called when a benchmark takes its turn, and what it changes is stored with that. A target
    that is not whole any more is made again, as one of the next attempt.
    """
    shared = shared_target(context.benchmark)
    if shared is None:
        return
    if not context.status.report.stored_steps and _reuse(context, shared):
        return
    context.status = begin_after(context.status, latest_attempt(context.owned))


def _reuse(context: ReconcileContext, shared: SharedTarget) -> bool:
    if shared.previous is None or shared.reuses is None:
        return False
    body = context.cluster.get(*BENCHMARKS, context.namespace, shared.previous)
    before = find_reusable(body, provisioner_of(context).pods(context))
    if before is None:
        return False
    context.status = reuse_target(context.status, before, shared.reuses)
    if shared.reuses is Reuse.INDEX:
        message = f"the index of {shared.previous} is used again"
        context.conditions.set(DATA_INDEXED, "True", IndexingReason.INDEX_REUSED, message)
    return True
