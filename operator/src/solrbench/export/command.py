"""The command of the export pod: reads the report from mounted ConfigMaps and writes it."""

import gzip
import logging
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from solrbench.analysis.answers import compare_variant_answers, stored_answers
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.environment import Environment
from solrbench.contract.pod_plans import (
    DIAGNOSTICS_FOLDER,
    EXIT_PERMANENT,
    EXPORT_CA_FOLDER,
    EXPORT_CREDENTIALS_FOLDER,
    RESOURCE_KEY,
    RESULTS_FOLDER,
    STEPS_FOLDER,
    VOLUME_FOLDER,
    ExportOutcome,
    ExportPlan,
    parent_folder,
)
from solrbench.contract.storage import ChunkedDocument, DamagedReportError, from_chunks
from solrbench.decide.export import ENDPOINT_FIELD, HOSTS_SETTING
from solrbench.decide.hosts import check_addresses, check_name, host_of, qualify
from solrbench.errors import PermanentError
from solrbench.export.destination import (
    Destination,
    ExportError,
    open_bucket,
    open_volume,
    remove_older,
    write_files,
)
from solrbench.manifests.results import ENVIRONMENT_KEY
from solrbench.net.deadline import lookup
from solrbench.present.files import report_files
from solrbench.present.report import Report
from solrbench.reasons.end import ExportReason


def read_report(plan: ExportPlan, resource: Path, folder: Path) -> Report:
    """Return the report of the documents that the plan names, whose folders are in `folder`.

    `resource` is a file with the resource, packed by gzip. It raises `ExportError` with
    `ExportPlanInvalid` if a file is missing or not what it must be.
    """
    try:
        benchmark = SolrBenchmark.parse_admitted(gzip.decompress(resource.read_bytes()))
        steps = []
        for stored in plan.documents:
            # A document that is larger than a ConfigMap is in several of them.
            chunks = tuple((folder / STEPS_FOLDER / name).read_bytes() for name in stored.chunks)
            steps.append(from_chunks(ChunkedDocument(chunks, stored.sha256)))
        return Report(
            benchmark=plan.benchmark,
            spec=benchmark.spec,
            status=benchmark.status,
            answers=compare_variant_answers(stored_answers(steps)),
            environment=_read_environment(folder),
            evidence=_read_diagnostics(folder / DIAGNOSTICS_FOLDER),
            steps=sorted(steps, key=lambda each: each.start_time),
        )
    except (OSError, EOFError, zlib.error, ValueError, DamagedReportError) as error:
        message = f"the stored results cannot be read: {error}"
        raise ExportError(ExportReason.EXPORT_PLAN_INVALID, message, permanent=True) from error


def _read_environment(folder: Path) -> Environment | None:
    # An environment of another version is worth less than an export of the results without it.
    with suppress(FileNotFoundError, ValidationError):
        return Environment.model_validate_json((folder / ENVIRONMENT_KEY).read_bytes())
    return None


def _read_diagnostics(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        return {}
    # Kubernetes mounts a ConfigMap with folders of its own, which hold the files' versions.
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return {file.name: file.read_text("utf-8") for file in files}


EXIT_RETRYABLE = 1
_MAX_MESSAGE = 1000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ExportPodEnvironment:
    """What is around the command in its pod: what is mounted where, and the check of addresses."""

    results: Path = Path(RESULTS_FOLDER)
    volume: Path = Path(VOLUME_FOLDER)
    credentials: Path = Path(EXPORT_CREDENTIALS_FOLDER)
    ca: Path = Path(EXPORT_CA_FOLDER)
    termination_log: Path = Path("/dev/termination-log")
    check: Callable[[str, Iterable[str], Iterable[str], str], None] = check_addresses


def run_export(plan_file: Path, pod: ExportPodEnvironment | None = None) -> int:
    """Write the results and say how it went.

    It returns 0, or `EXIT_PERMANENT` when no other try can help, or `EXIT_RETRYABLE`.
    """
    pod = pod or ExportPodEnvironment()
    code = 0
    try:
        outcome = _export(plan_file, pod)
    except ExportError as error:
        code = EXIT_PERMANENT if error.permanent else EXIT_RETRYABLE
        outcome = ExportOutcome(reason=error.reason, message=error.message[:_MAX_MESSAGE])
    except Exception as error:  # noqa: BLE001 - the termination message must say what happened
        _log.exception("the export failed")
        code = EXIT_RETRYABLE
        message = repr(error)[:_MAX_MESSAGE]
        outcome = ExportOutcome(reason=ExportReason.EXPORT_JOB_FAILED, message=message)
    text = outcome.model_dump_json(by_alias=True, exclude_none=True)
    try:
        pod.termination_log.write_text(text, "utf-8")
    except OSError as error:  # outside a container there is no such file
        _log.warning("no termination message: %s", error)
    _log.log(logging.ERROR if code else logging.INFO, "%s", text)
    return code


def _export(plan_file: Path, pod: ExportPodEnvironment) -> ExportOutcome:
    try:
        plan = ExportPlan.parse_admitted(plan_file.read_bytes())
    except (OSError, ValidationError) as error:
        message = f"{plan_file}: {error}; the operator writes it"
        raise ExportError(ExportReason.EXPORT_PLAN_INVALID, message, permanent=True) from error
    report = read_report(plan, plan_file.with_name(RESOURCE_KEY), pod.results)
    destination = _open(plan, pod)
    parent = parent_folder(plan.export, plan.benchmark)
    outcome = write_files(destination, f"{parent}/{plan.folder}", report_files(report))
    if plan.export.keep is None:
        return outcome
    removed = remove_older(destination, parent, plan.folder, plan.export.keep)
    return outcome.model_copy(update={"removed": removed})


def _open(plan: ExportPlan, pod: ExportPodEnvironment) -> Destination:
    if plan.export.s3 is None:
        claim = plan.export.persistent_volume_claim
        return open_volume(pod.volume, claim.claim_name if claim else "")
    url = qualify(plan.export.s3.endpoint, plan.benchmark.partition("/")[0])
    host = host_of(url)
    # What the name resolves to is checked here, where the connection is made.
    try:
        check_name(host, plan.allowed_hosts, ENDPOINT_FIELD, HOSTS_SETTING)
        pod.check(host, lookup(host), plan.api_server, ENDPOINT_FIELD)
    except PermanentError as error:
        raise ExportError(error.reason, error.message, permanent=True) from error
    except (OSError, UnicodeError) as error:
        message = f"{ENDPOINT_FIELD}: {host} cannot be resolved: {error}; correct it"
        raise ExportError(ExportReason.EXPORT_UNREACHABLE, message, permanent=False) from error
    bucket = plan.export.s3.model_copy(update={"endpoint": url})
    return open_bucket(bucket, pod.credentials, pod.ca)
