"""The ends: success, failure, clean-up, time to live, suspension."""

from solrbench.api.identity import BENCHMARKS
from solrbench.api.v1alpha1.repeats import RepeatStart
from solrbench.api.v1alpha1.status import TargetStatus
from solrbench.contract import names
from solrbench.contract.step_runs import preparation_note, shared_target
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import delete_budgets, remove_components
from solrbench.controller.failure_evidence import keep_diagnostics
from solrbench.controller.objects import LOAD, TARGET
from solrbench.controller.provisioners.registry import provisioner_of
from solrbench.controller.report_limit import limit_reports
from solrbench.controller.stages.load_results import conclude_partial_result, note_environment
from solrbench.decide.conditions import CLEANED_UP, DATA_INDEXED, MEASURED, SUCCEEDED, TARGET_READY
from solrbench.decide.export import needs_export
from solrbench.decide.lifecycle import is_expired, wants_cleanup
from solrbench.decide.queue import IDLE_REASONS
from solrbench.decide.repeats import attempts_for_repeat
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.result_documents import (
    delete_leftovers,
    delete_partial_result,
    list_chunks,
    read_environment,
)
from solrbench.present.fact_tables import completion_note
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason

MAX_FAILURE = 1500
"""Characters of a failure's message, so that a condition has room for where its evidence is."""


def succeed(context: ReconcileContext) -> None:
    """Note that everything was measured."""
    notes = [completion_note(context.status.verdicts), preparation_note(context.benchmark.spec)]
    environment = read_environment(context.cluster, context.benchmark)
    if environment is not None:
        note_environment(context)
        if environment.differences:
            first, *more = environment.differences
            others = f" and {len(more)} more in the report's environment" if more else ""
            notes.append(f"the environment differs between repeats: {first}{others}")
    message = "; ".join(["every step is measured and stored", *filter(None, notes)])
    context.conditions.set(SUCCEEDED, "True", LifecycleReason.SUCCEEDED, message)
    context.update(completion_time=context.now)
    context.set_phase("Succeeded")


def fail(context: ReconcileContext, reason: Reason, message: str) -> None:
    """Note why the benchmark ends early, and keep the evidence before its pods go."""
    # Both before the end is in the status: clean-up begins with the next reconcile.
    where = keep_diagnostics(context, reason, message)
    conclude_partial_result(context, reason, message)
    context.conditions.set(SUCCEEDED, "False", reason, f"{message[:MAX_FAILURE]}{where}")
    context.update(completion_time=context.now, live_load=None)
    context.set_phase("Failed")


def clean_up(context: ReconcileContext) -> None:
    """Delete what the benchmark made, results apart, as `spec.cleanup` says; wait until it is gone.

    The load is always deleted: with nothing left to measure it would only burn CPU.
    """
    try:
        _clean_up(context)
    except TemporaryError as late:
        # It may wait for ever, and the results of the namespace must not grow meanwhile.
        if late.reason in (*IDLE_REASONS, CleanupReason.COLLECTION_NOT_REMOVED):
            _delete_results(context)
        raise


def _clean_up(context: ReconcileContext) -> None:
    succeeded, policy = context.conditions.is_true(SUCCEEDED), context.benchmark.spec.cleanup
    is_shared = shared_target(context.benchmark) is not None
    # Solr and ZooKeeper that a sweep lends are its own; after a failure they are of no more use.
    is_lent = succeeded and is_shared
    target = tuple(each for each in TARGET if not is_lent or each not in names.NODES)
    if not wants_cleanup(policy, succeeded=succeeded):
        delete_budgets(context.owned, target)  # pods that are kept may be moved from now on
        # Index pods that did not come to their end go on, or are still to start.
        is_indexed = context.conditions.is_true(DATA_INDEXED)
        _delete(context, LOAD if is_indexed else (*LOAD, names.INDEX))
        owner, change = "sweep" if is_shared else "benchmark", ", or set it to Always,"
        message = (
            f"spec.cleanup is {policy.value}: Solr and ZooKeeper are kept; delete the {owner}"
            f"{'' if is_lent else change} when they are no longer needed"
        )
        message += _delete_results(context)
        context.conditions.set(CLEANED_UP, "False", CleanupReason.CLEANUP_SKIPPED, message)
        return
    _delete(context, (*LOAD, *target))
    _remove_collection(context)
    message = "everything except the results is deleted"
    message += "; Solr and ZooKeeper are left to the sweep" if is_lent else ""
    message += _delete_results(context)
    context.conditions.set(CLEANED_UP, "True", CleanupReason.CLEANED_UP, message)


def _delete(context: ReconcileContext, components: tuple[str, ...]) -> None:
    blocker = remove_components(context.owned, components, CleanupReason.CLEANING_UP)
    if blocker is not None:
        raise blocker


def _delete_results(context: ReconcileContext) -> str:
    """Delete results that count no more; return what the condition adds.

    It comes after the pods, and what a policy of the cluster refuses stays: the place in the queue
    is not held for it.
    """
    try:
        delete_leftovers(context.cluster, list_chunks(context.cluster, context.benchmark))
        delete_partial_result(context.cluster, context.benchmark)
        return limit_reports(context)
    except ForbiddenError as error:
        return f"; results that are not needed could not be deleted: {error.message}"


def _remove_collection(context: ReconcileContext) -> None:
    """Remove our collection from an existing target; tried again after a pause.

    Raises:
        TemporaryError: in place of any error, as the benchmark has ended with stored results.
    """
    try:
        provisioner_of(context).remove_collection(context)
    except SolrbenchError as error:
        message = f"the collection could not be deleted from target.existing: {error}"
        raise TemporaryError(CleanupReason.COLLECTION_NOT_REMOVED, message) from error


def delete_expired(context: ReconcileContext) -> None:
    """Delete the benchmark when its time to live is over."""
    spec = context.benchmark.spec
    if spec.results.export and needs_export(spec, context.status):
        return  # it has a limit of its own; no operator may have been there until now
    if is_expired(context.status, spec.ttl_seconds_after_finished, context.now):
        metadata = context.benchmark.metadata
        context.cluster.delete(*BENCHMARKS, metadata.namespace, metadata.name, uid=metadata.uid)


def suspend(context: ReconcileContext) -> None:
    """Remove every pod and give up the place; stored results stay.

    A collection on an existing Solr that does not respond is no load: it is removed later, and at
    the latest before the benchmark runs again.
    """
    try:
        blocker = remove_components(context.owned, (*LOAD, *TARGET))
    except TemporaryError as error:
        _show_suspension(context, f"its pods could not be deleted: {error.message}")
        raise
    context.set_phase("Suspended")
    context.update(live_load=None)
    # The next run waits for what is left; it may stay for ever, and others wait for the place.
    if blocker is None or blocker.reason in IDLE_REASONS:
        if context.status.start_time is not None:
            # The next run has pods and data of its own, and so a record of what it ran on.
            attempts = context.status.attempts
            again = attempts_for_repeat(attempts, RepeatStart.FRESH_TARGET, attempts.repeat)
            context.update(attempts=again, start_time=None)
        _show_suspension(context, blocker.message if blocker else "")
        try:
            _remove_collection(context)
        except TemporaryError as error:
            _show_suspension(context, error.message)
            raise
        # After the collection: by the nodes in the status it is known that there may be one.
        context.update(target=TargetStatus())
        # The next run has its own end to clean up after.
        context.conditions.set(CLEANED_UP, "Unknown", LifecycleReason.PENDING, "")
        return
    _show_suspension(context, blocker.message)


def _show_suspension(context: ReconcileContext, remark: str) -> None:
    setting = f"spec.suspend is {str(context.benchmark.spec.suspend).lower()}"
    message = f"{setting}; {remark}" if remark else setting
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(type_, "Unknown", LifecycleReason.SUSPENDED, message)
    if not context.conditions.is_true(MEASURED):
        context.conditions.set(MEASURED, "Unknown", LifecycleReason.SUSPENDED, message)
    context.conditions.set(SUCCEEDED, "Unknown", LifecycleReason.SUSPENDED, message)
