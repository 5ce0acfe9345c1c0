"""Whether results may be exported as the spec says, and what became of the export Job."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.results import Export
from solrbench.api.v1alpha1.status import ExportStatus, Status
from solrbench.contract.foreign import ForeignDataError, read
from solrbench.contract.pod_plans import ExportOutcome
from solrbench.decide.conditions import EXPORTED, Truth
from solrbench.decide.outcome import Outcome, fail
from solrbench.decide.pods import ObservedPods, shorten
from solrbench.decide.views import JobView, PodView
from solrbench.reasons.end import ExportReason
from solrbench.reasons.kinds import Reason
from solrbench.reasons.registry import find_reason

ENDPOINT_FIELD = "spec.results.export.s3.endpoint"
HOSTS_SETTING = "exports.allowedHosts"

MAX_SOURCES = 2000
"""ConfigMaps that a pod mounts: each takes 200 bytes of the pod, which may have 1.5 MB."""

CONTROLLER_DELAY = timedelta(seconds=60)
"""Within this long after its deadline, the Job's controller has ended it."""

MAX_KEPT_BYTES = 1 << 20
"""What all results of a benchmark may take in etcd beside an export that has them."""

TRIM_PATIENCE = timedelta(minutes=5)
"""How long errors may keep results from being trimmed: a benchmark holds its place meanwhile."""


def export_hash(export: Export) -> str:
    """Return the digest of where and how results are exported."""
    text = export.model_dump_json(by_alias=True, exclude_none=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def needs_export(spec: Spec, status: Status) -> bool:
    """Return whether a benchmark that is over has results to export, which is not decided yet.

    An export that was removed from the spec is still to be ended.
    """
    export, exported = spec.results.export, find_condition(status.conditions, EXPORTED)
    if export is None:
        return exported is not None and exported.status == "Unknown"
    if not (status.report.stored_steps or status.report.evidence):
        return False
    if status.export is None or status.export.spec_hash != export_hash(export):
        return True
    return exported is None or exported.status == "Unknown"


def check_number_of_sources(config_maps: int) -> Outcome | None:
    """Fail if the results are in more ConfigMaps than a pod mounts."""
    if config_maps <= MAX_SOURCES:
        return None
    return fail(
        ExportReason.EXPORT_TOO_LARGE,
        f"the results are in {config_maps} ConfigMaps, a pod mounts {MAX_SOURCES} at most; write"
        " them with solrbench report NAME -o json",
    )


@dataclass(frozen=True)
class ExportRun(ObservedPods):
    """The export Job."""

    job: JobView
    ends: datetime
    """When it is over, whatever the Job's controller does."""


@dataclass(frozen=True)
class ExportResult:
    """What became of an export so far."""

    status: Truth
    reason: Reason
    message: str
    outcome: ExportOutcome | None = None
    """What the pod wrote; None until it has."""


def check_export(run: ExportRun, location: str) -> ExportResult:
    """Return what the condition `Exported` says."""
    said = _last_outcome(run.pods)
    if run.job.succeeded:
        if said is None or said.reason is not None:
            message = f"written to {location}; its pod is gone, with the number of files"
            return ExportResult("True", ExportReason.EXPORTED, message, ExportOutcome())
        message = describe_export(said, location)
        return ExportResult("True", ExportReason.EXPORTED, message, said)
    problem = run.problem
    if run.job.failed or run.now > run.ends:
        return _failure(run, said)
    if said is not None and said.message:
        return ExportResult("Unknown", ExportReason.EXPORTING, f"tried again: {said.message}")
    if problem is not None:
        return ExportResult("Unknown", problem.reason, problem.message)
    return ExportResult("Unknown", ExportReason.EXPORTING, f"writing to {location}")


def describe_export(written: ExportOutcome | ExportStatus, location: str) -> str:
    """Return how much an export wrote, and where."""
    removed = f"; {written.removed} older exports deleted" if written.removed else ""
    return f"{written.files} files, {written.bytes} bytes in {location}{removed}"


def _failure(run: ExportRun, said: ExportOutcome | None) -> ExportResult:
    if said is not None and said.reason is not None:
        reason = find_reason(said.reason) or ExportReason.EXPORT_JOB_FAILED
        return ExportResult("False", reason, said.message or "")
    seen = f"; last seen: {run.problem.message}" if run.problem else ""
    failure = shorten(run.job.failure) or "it did not end by its deadline (deadlineSeconds)"
    message = f"{failure}{seen}; read the log of its pod"
    return ExportResult("False", ExportReason.EXPORT_JOB_FAILED, message)


def _last_outcome(pods: Sequence[PodView]) -> ExportOutcome | None:
    for pod in sorted(pods, key=lambda pod_view: pod_view.created, reverse=True):
        if pod.termination_message:
            try:
                return read(ExportOutcome, pod.termination_message.encode())
            except ForeignDataError:
                continue
    return None
