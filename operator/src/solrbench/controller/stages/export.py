"""The export of the results, after the end: made by a Job, recorded in the status."""

from datetime import datetime, timedelta

from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.results import Export
from solrbench.api.v1alpha1.status import ExportStatus
from solrbench.contract import names
from solrbench.contract.pod_plans import ExportPlan, location
from solrbench.contract.step_document import WholeDocument
from solrbench.controller.context import ReconcileContext
from solrbench.controller.deletion import delete_components
from solrbench.controller.endpoint import api_server_addresses
from solrbench.controller.objects import apply_job, creation_problem, pods, read_job
from solrbench.decide.conditions import EXPORTED
from solrbench.decide.export import (
    CONTROLLER_DELAY,
    ENDPOINT_FIELD,
    HOSTS_SETTING,
    MAX_KEPT_BYTES,
    TRIM_PATIENCE,
    ExportRun,
    check_export,
    check_number_of_sources,
    describe_export,
    export_hash,
    needs_export,
)
from solrbench.decide.hosts import check_name, host_of, qualify
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.pauses import has_passed
from solrbench.decide.views import view_job
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.kube.facts import read_diagnostics
from solrbench.kube.reader import Manifest
from solrbench.kube.result_documents import (
    delete_leftovers,
    find_documents,
    find_trimmable,
    is_trimmed,
    list_chunks,
)
from solrbench.manifests.results import EXPORT_HASH, build_export
from solrbench.reasons.end import CleanupReason, ExportReason


def check_export_host(context: ReconcileContext) -> None:
    """Check the host of the bucket by its name; the export pod checks addresses as well."""
    export = context.benchmark.spec.results.export
    if export is not None and export.s3 is not None:
        host = host_of(qualify(export.s3.endpoint, context.namespace))
        check_name(host, context.export_hosts, ENDPOINT_FIELD, HOSTS_SETTING)


def export_results(context: ReconcileContext) -> None:
    """Bring the export of a benchmark that is over one step further."""
    export = context.benchmark.spec.results.export
    if not needs_export(context.benchmark.spec, context.status):
        return
    if export is None:
        _stop(context)
        return
    try:
        _advance(context, export)
    except TemporaryError as error:
        context.conditions.set(EXPORTED, "Unknown", error.reason, error.message)
    except SolrbenchError as error:
        context.update(export=_begun(context, export))
        context.conditions.set(EXPORTED, "False", error.reason, error.message)


def _stop(context: ReconcileContext) -> None:
    """End an export that the spec has no more, or it would hold its place in the queue for ever."""
    delete_components(context.owned, (names.EXPORT,))
    written = context.status.export
    if written is not None and written.sha256:  # only the trim was not done
        message = describe_export(written, written.location)
        context.conditions.set(EXPORTED, "True", ExportReason.EXPORTED, message)
        return
    context.update(export=None)
    message = "spec.results.export was removed before the results were written"
    context.conditions.set(EXPORTED, "False", ExportReason.EXPORT_REMOVED, message)


def _advance(context: ReconcileContext, export: Export) -> None:
    written = context.status.export
    if written is not None and written.sha256 and written.spec_hash == export_hash(export):
        _trim_results(context, written)
        return
    body = read_job(context, names.EXPORT)
    annotations = {} if body is None else body["metadata"].get("annotations") or {}
    is_current = body is not None and annotations.get(EXPORT_HASH) == export_hash(export)
    if not is_current and is_trimmed(list_chunks(context.cluster, context.benchmark)):
        _keep_export(context, export)
        return
    check_export_host(context)
    if body is not None and not is_current:
        delete_components(context.owned, (names.EXPORT,))
        raise TemporaryError(CleanupReason.REMOVING_PODS, "the Job of an earlier export is deleted")
    if body is None:
        _start(context, export)
        message = f"writing to {_begun(context, export).location}"
        context.conditions.set(EXPORTED, "Unknown", ExportReason.EXPORTING, message)
        return
    _record(context, export, body)


def _start(context: ReconcileContext, export: Export) -> None:
    documents = find_documents(context.cluster, context.benchmark)
    apply_outcome(check_number_of_sources(sum(len(document.chunks) for document in documents)))
    benchmark = context.benchmark.model_copy(update={"status": context.status})
    evidence = sorted(read_diagnostics(context.cluster, context.benchmark))
    plan = ExportPlan(
        benchmark=context.benchmark.key,
        export=export,
        folder=_folder(context),
        documents=documents,
        allowed_hosts=list(context.export_hosts),
        # A claim is written to without a connection.
        api_server=[] if export.s3 is None else api_server_addresses(context.cluster),
    )
    image, digest = context.settings.image, export_hash(export)
    exported = find_condition(context.status.conditions, EXPORTED)
    since: datetime | None = None
    if exported is not None and exported.status == "Unknown":
        since = exported.last_transition_time
    apply_job(context, build_export(benchmark, plan, image, digest, evidence), since)
    context.update(export=_begun(context, export))


def _folder(context: ReconcileContext) -> str:
    """Return the name of the folder of an export: in the order of time, and one for each run."""
    ended = context.status.completion_time or context.now
    return f"{ended:%Y%m%dT%H%M%SZ}-{context.benchmark.metadata.uid[:8]}"


def _record(context: ReconcileContext, export: Export, body: Manifest) -> None:
    seen = pods(context, names.EXPORT)
    job = view_job(body)
    creation = creation_problem(context, "Job", job.name, 1, seen)
    begun = _begun(context, export)
    created = datetime.fromisoformat(body["metadata"]["creationTimestamp"])
    ends = created + timedelta(seconds=export.deadline_seconds) + CONTROLLER_DELAY
    run = ExportRun(seen, context.now, job, ends, creation=creation)
    result = check_export(run, begun.location)
    if result.status == "False" and not job.failed:
        delete_components(context.owned, (names.EXPORT,))  # else its pod could run on
    context.conditions.set(EXPORTED, result.status, result.reason, result.message)
    context.update(export=begun)
    if result.outcome is None:
        return
    written = result.outcome.model_dump(include={"files", "bytes", "sha256", "removed"})
    context.update(export=begun.model_copy(update={"time": context.now} | written))
    # Nothing is removed before the status has where it is, which the next reconcile finds there.
    if not result.outcome.sha256:
        return
    chunks = list_chunks(context.cluster, context.benchmark)
    if find_trimmable(context.cluster, context.benchmark, chunks, MAX_KEPT_BYTES):
        message = f"{result.message}; series and files leave the cluster next"
        context.conditions.set(EXPORTED, "Unknown", ExportReason.EXPORTING, message)


MAX_TRIMMED_AT_ONCE = 50
"""Step runs in one reconcile, so that none takes minutes."""


def _trim_results(context: ReconcileContext, written: ExportStatus) -> None:
    """Store step runs again without what is large, which the export has (docs/adr/0025)."""
    message = describe_export(written, written.location)
    whole = WholeDocument(location=written.location, sha256=written.sha256 or "")
    try:
        chunks = list_chunks(context.cluster, context.benchmark)
        step_runs = find_trimmable(context.cluster, context.benchmark, chunks, MAX_KEPT_BYTES)
        is_begun = bool(step_runs) or is_trimmed(chunks)
        if is_begun:
            # An operator that was killed may have left what another document takes the place of,
            # or the half of one that is written again.
            delete_leftovers(context.cluster, chunks)
        for step_run_id in step_runs[:MAX_TRIMMED_AT_ONCE]:
            context.reports.trim(context.benchmark, step_run_id, whole)
        left = len(step_runs[MAX_TRIMMED_AT_ONCE:])
        if left:
            message += f"; series and files of {left} step runs leave the cluster next"
            context.conditions.set(EXPORTED, "Unknown", ExportReason.EXPORTING, message)
            return
        if is_begun:
            message += "; series over time and diagnostic files are only there"
    except SolrbenchError as error:
        is_late = has_passed(TRIM_PATIENCE, written.time or context.now, context.now)
        if isinstance(error, TemporaryError) and not is_late:
            raise
        message += f"; the cluster keeps what could not be trimmed: {error.message}"
    context.conditions.set(EXPORTED, "True", ExportReason.EXPORTED, message)


def _keep_export(context: ReconcileContext, export: Export) -> None:
    """Leave an export as it is: written anew, it would lack what only the one before has."""
    wanted = _begun(context, export)
    before = context.status.export or wanted
    context.update(export=before.model_copy(update={"spec_hash": wanted.spec_hash}))
    message = f"series over time and diagnostic files are only in {before.location}"
    if before.location == wanted.location:
        message += ", which is not written again"
        context.conditions.set(EXPORTED, "True", ExportReason.EXPORTED, message)
        return
    message += f"; copy it to {wanted.location}"
    context.conditions.set(EXPORTED, "False", ExportReason.EXPORTED_BEFORE, message)


def _begun(context: ReconcileContext, export: Export) -> ExportStatus:
    where = location(export, context.benchmark.key, _folder(context))
    return ExportStatus(location=where, spec_hash=export_hash(export))
