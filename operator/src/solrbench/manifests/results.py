"""Where results stay: ConfigMaps that outlive every pod, and the Job that exports them."""

import base64
import gzip
from collections.abc import Mapping, Sequence

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.results import Export
from solrbench.contract import names
from solrbench.contract.names import LABEL_STEP_RUN
from solrbench.contract.pod_plans import (
    ACCESS_KEY,
    DIAGNOSTICS_FOLDER,
    EXIT_PERMANENT,
    EXPORT_CA_FOLDER,
    EXPORT_CREDENTIALS_FOLDER,
    EXPORT_PLAN_FILE,
    EXPORT_PLAN_KEY,
    RESOURCE_KEY,
    RESULTS_FOLDER,
    SECRET_KEY,
    SESSION_TOKEN,
    STEPS_FOLDER,
    VOLUME_FOLDER,
    ExportPlan,
)
from solrbench.contract.storage import ChunkedDocument
from solrbench.manifests.common import Manifest, OperatorImage, config_map, empty_dirs, metadata
from solrbench.manifests.common import resources as container_resources
from solrbench.manifests.index import authorities_volume, secret_volume
from solrbench.manifests.job_pod import JobPod, add_plan, build_job_pod, pod_metadata

CHUNK_KEY = "document.json.gz"
ENVIRONMENT_KEY = "environment.json"
CHUNKS_ANNOTATION = "solrbench.io/chunks"
SHA256_ANNOTATION = "solrbench.io/sha256"


def build_report(
    benchmark: SolrBenchmark, step_run_id: str, document: ChunkedDocument, attempt: int
) -> list[Manifest]:
    """Return one ConfigMap for each chunk; each says how many there are, and the SHA-256 of all."""
    annotations = {
        CHUNKS_ANNOTATION: str(len(document.chunks)),
        SHA256_ANNOTATION: document.sha256,
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _metadata(benchmark, step_run_id, number, attempt)
            | {"annotations": annotations},
            "binaryData": {CHUNK_KEY: base64.b64encode(chunk).decode("ascii")},
        }
        for number, chunk in enumerate(document.chunks)
    ]


def _metadata(benchmark: SolrBenchmark, step_run_id: str, number: int, attempt: int) -> Manifest:
    name = names.report(benchmark, step_run_id, number)
    return metadata(benchmark, name, names.REPORT, attempt, **{LABEL_STEP_RUN: step_run_id})


def build_environment(benchmark: SolrBenchmark, record: str) -> Manifest:
    """Return the ConfigMap that records what the benchmark ran on, as JSON."""
    name = names.environment(benchmark)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(benchmark, name, names.REPORT, 1),
        "data": {ENVIRONMENT_KEY: record},
    }


def build_partial_result(benchmark: SolrBenchmark, document: ChunkedDocument) -> Manifest:
    """Return the ConfigMap with a step run that is under way, which has to fit into one."""
    name = names.unfinished(benchmark)
    body = metadata(benchmark, name, names.REPORT, 1)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": body | {"annotations": {SHA256_ANNOTATION: document.sha256}},
        "binaryData": {CHUNK_KEY: base64.b64encode(document.chunks[0]).decode("ascii")},
    }


def build_diagnostics(benchmark: SolrBenchmark, entries: Mapping[str, str]) -> Manifest:
    """Return the ConfigMap with what is kept of failures, an entry for each attempt."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(benchmark, names.evidence(benchmark), names.REPORT, 1),
        "data": dict(entries),
    }


RETRIES = 3
GRACE_SECONDS = 5
EXPORT_HASH = "solrbench.io/export"
"""Annotation of the Job: the digest of what it was made by."""


def build_export(
    benchmark: SolrBenchmark,
    plan: ExportPlan,
    image: OperatorImage,
    export_hash: str,
    evidence: Sequence[str],
) -> list[Manifest]:
    """Return the ConfigMap of the plan, with the whole resource, and the Job.

    Args:
        benchmark: with the status that the report shows
        plan: where to write what
        image: of the pod
        export_hash: digest of `spec.results.export`
        evidence: keys of what was kept of failures
    """
    text = plan.model_dump_json(by_alias=True, exclude_none=True)
    planned = config_map(benchmark, names.EXPORT, _attempt(benchmark), {EXPORT_PLAN_KEY: text})
    resource = benchmark.model_dump_json(by_alias=True, exclude_none=True).encode()
    packed = base64.b64encode(gzip.compress(resource, mtime=0)).decode("ascii")
    return [
        planned | {"binaryData": {RESOURCE_KEY: packed}},
        _job(benchmark, plan, image, export_hash, evidence),
    ]


def _job(
    benchmark: SolrBenchmark,
    plan: ExportPlan,
    image: OperatorImage,
    export_hash: str,
    evidence: Sequence[str],
) -> Manifest:
    name = names.child(benchmark, names.EXPORT)
    meta = metadata(benchmark, name, names.EXPORT, _attempt(benchmark))
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta | {"annotations": {EXPORT_HASH: export_hash}},
        "spec": {
            "backoffLimit": RETRIES,
            "activeDeadlineSeconds": plan.export.deadline_seconds,
            "podFailurePolicy": {
                "rules": [
                    {
                        "action": "FailJob",
                        "onExitCodes": {
                            "containerName": names.EXPORT,
                            "operator": "In",
                            "values": [EXIT_PERMANENT],
                        },
                    },
                    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
                ]
            },
            "template": {
                "metadata": pod_metadata(benchmark, names.EXPORT, meta["labels"]),
                "spec": _pod(benchmark, plan, image, evidence),
            },
        },
    }


def _attempt(benchmark: SolrBenchmark) -> int:
    return benchmark.status.attempts.load


def _pod(
    benchmark: SolrBenchmark, plan: ExportPlan, image: OperatorImage, evidence: Sequence[str]
) -> Manifest:
    volumes, mounts = empty_dirs(tmp="/tmp")  # noqa: S108
    add_plan(volumes, mounts, names.child(benchmark, names.EXPORT), EXPORT_PLAN_FILE)
    sources = _sources(benchmark, plan, evidence)
    volumes.append({"name": "results", "projected": {"sources": sources}})
    mounts.append({"name": "results", "mountPath": RESULTS_FOLDER, "readOnly": True})
    _add_destination(plan.export, volumes, mounts)
    container: Manifest = {
        "args": ["export-results", "--plan", EXPORT_PLAN_FILE],
        "resources": container_resources(plan.export.resources),
    }
    pod = JobPod(benchmark, names.EXPORT, GRACE_SECONDS)
    return build_job_pod(pod, image, container, volumes, mounts)


def _sources(benchmark: SolrBenchmark, plan: ExportPlan, evidence: Sequence[str]) -> list[Manifest]:
    chunks = [name for each in plan.documents for name in each.chunks]
    sources = [_source(each, {CHUNK_KEY: f"{STEPS_FOLDER}/{each}"}) for each in chunks]
    # Optional: a benchmark that failed early has none.
    sources.append(
        _source(names.environment(benchmark), {ENVIRONMENT_KEY: ENVIRONMENT_KEY}, optional=True)
    )
    if evidence:
        items = {key: f"{DIAGNOSTICS_FOLDER}/{key}" for key in evidence}
        sources.append(_source(names.evidence(benchmark), items, optional=True))
    return sources


def _source(name: str, items: dict[str, str], *, optional: bool = False) -> Manifest:
    paths = [{"key": key, "path": path} for key, path in items.items()]
    return {"configMap": {"name": name, "items": paths, "optional": optional}}


def _add_destination(export: Export, volumes: list[Manifest], mounts: list[Manifest]) -> None:
    if export.persistent_volume_claim is not None:
        claim = {"claimName": export.persistent_volume_claim.claim_name}
        volumes.append({"name": "export", "persistentVolumeClaim": claim})
        mounts.append({"name": "export", "mountPath": VOLUME_FOLDER})
    if export.s3 is not None:
        keys = {key: key for key in (ACCESS_KEY, SECRET_KEY, SESSION_TOKEN)}
        # The pod starts without them as well, so that it can say what is missing.
        credentials = secret_volume(export.s3.credentials_secret.name, keys)
        volumes.append({"name": "credentials", **credentials})
        folder = EXPORT_CREDENTIALS_FOLDER
        mounts.append({"name": "credentials", "mountPath": folder, "readOnly": True})
        authorities = authorities_volume(export.s3.tls)
        if authorities is not None:
            volumes.append({"name": "ca", **authorities})
            mounts.append({"name": "ca", "mountPath": EXPORT_CA_FOLDER, "readOnly": True})
