"""The start of a repeat on a target, or on data, of its own."""

from solrbench.api.v1alpha1.load.repeats import RepeatStart
from solrbench.api.v1alpha1.status.target import DatasetStatus, TargetStatus
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.stages.late_evidence import add_late_pod_events
from solrbench.controller.stages.load_results import remaining
from solrbench.decide.conditions import DATA_INDEXED, MEASURED, TARGET_READY
from solrbench.decide.repeats import attempts_for_repeat, repeat_to_start
from solrbench.reasons.target import TargetReason


def start_repeat(context: ReconcileContext) -> None:
    """Give a repeat its own target or data, when all of the repeat before is stored.

    It comes before the target is looked at: one whose repeat is over is no longer needed, and to
    lose it is no loss.

    Raises:
        TemporaryError: if a stored result cannot be read.

    """
    spec, repeats = context.benchmark.spec, context.benchmark.spec.load.repeats
    if repeats.start_on is RepeatStart.SAME_TARGET or context.conditions.is_true(MEASURED):
        return
    attempts = context.status.attempts
    repeat = repeat_to_start(spec, attempts, remaining(context))
    if repeat is None:
        return
    if context.conditions.is_true(TARGET_READY):
        add_late_pod_events(context, provisioner_of(context).pods(context))
    fresh_target = repeats.start_on is RepeatStart.FRESH_TARGET
    context.update(
        attempts=attempts_for_repeat(attempts, repeats.start_on, repeat),
        target=TargetStatus() if fresh_target else context.status.target,
        dataset=DatasetStatus(),
        live_load=None,
        phase="",  # the deadlines begin anew
    )
    message = f"repeat {repeat} starts on {'a fresh target' if fresh_target else 'fresh data'}"
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(type_, "False", TargetReason.STARTING_REPEAT, message)
