"""The report of a benchmark, from the ConfigMaps that are mounted into the pod."""

import gzip
from pathlib import Path

from pydantic import ValidationError

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.export.errors import ExportError
from solrbench.manifests.report import ENVIRONMENT_KEY
from solrbench.plan.export_plan import (
    EVIDENCE_FOLDER,
    STEPS_FOLDER,
    ExportPlan,
    StoredDocument,
)
from solrbench.reasons.export import ExportReason
from solrbench.report.model import Report
from solrbench.results.model.environment import Environment
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.model.storage import ChunkedDocument, DamagedReportError, from_chunks


def read_report(plan: ExportPlan, resource: Path, folder: Path) -> Report:
    """Return the report.

    Args:
        plan: names the documents
        resource: file with the resource, gzip
        folder: where the results are mounted

    Raises:
        ExportError: `ExportPlanInvalid` if a file is missing or not what it must be.

    """
    try:
        benchmark = SolrBenchmark.model_validate_json(gzip.decompress(resource.read_bytes()))
        steps = [_read_document(each, folder / STEPS_FOLDER) for each in plan.documents]
        return Report(
            benchmark=plan.benchmark,
            spec=benchmark.spec,
            status=benchmark.status,
            environment=_read_environment(folder),
            evidence=_read_evidence(folder / EVIDENCE_FOLDER),
            steps=sorted(steps, key=lambda each: each.start_time),
        )
    except (OSError, ValidationError, DamagedReportError) as error:
        message = f"the stored results cannot be read: {error}"
        raise ExportError(ExportReason.EXPORT_PLAN_INVALID, message, permanent=True) from error


def _read_document(stored: StoredDocument, folder: Path) -> StepRunResult:
    chunks = tuple((folder / name).read_bytes() for name in stored.chunks)
    return from_chunks(ChunkedDocument(chunks, stored.sha256))


def _read_environment(folder: Path) -> Environment | None:
    file = folder / ENVIRONMENT_KEY
    if not file.exists():
        return None
    try:
        return Environment.model_validate_json(file.read_bytes())
    except ValidationError:
        return None  # of another version


def _read_evidence(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        return {}
    files = sorted(each for each in folder.iterdir() if each.is_file())
    return {each.name: each.read_text("utf-8") for each in files}
