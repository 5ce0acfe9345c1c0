"""Where results stay: ConfigMaps that outlive every pod, and the Job that exports them."""

import base64
import gzip
from collections.abc import Mapping, Sequence

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.contract.pod_plans import (
    ACCESS_KEY,
    DIAGNOSTICS_FOLDER,
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
from solrbench.manifests.common import Manifest, OperatorImage, config_map, metadata, resources
from solrbench.manifests.index import authorities_volume
from solrbench.manifests.pods import PodBuilder, build_job, pod_failures, secret_volume

CHUNK_KEY = "document.json.gz"
ENVIRONMENT_KEY = "environment.json"
CHUNKS_ANNOTATION = "solrbench.io/chunks"
SHA256_ANNOTATION = "solrbench.io/sha256"
BYTES_ANNOTATION = "solrbench.io/bytes"
TRIMMED_ANNOTATION = "solrbench.io/trimmed"
"""Of the chunks of a step run, the whole of which is in an export alone."""


def build_report(
    benchmark: SolrBenchmark,
    step_run_id: str,
    document: ChunkedDocument,
    attempt: int,
    *,
    trimmed: bool = False,
) -> list[Manifest]:
    """Return one ConfigMap for each chunk; each says how many there are, and the SHA-256 of all."""
    # A reader finds by these whether all chunks are there, and of one writing.
    annotations = {
        CHUNKS_ANNOTATION: str(len(document.chunks)),
        SHA256_ANNOTATION: document.sha256,
    } | ({TRIMMED_ANNOTATION: "true"} if trimmed else {})
    chunks = []
    for number, chunk in enumerate(document.chunks):
        name = names.report(benchmark, step_run_id, document.sha256, number)
        label = {names.LABEL_STEP_RUN: step_run_id}
        meta = metadata(benchmark, names.REPORT, attempt, name, **label)
        packed = base64.b64encode(chunk).decode("ascii")
        # What all take is added up from metadata alone.
        sized = {"annotations": annotations | {BYTES_ANNOTATION: str(len(chunk))}}
        chunks.append(config_map(meta | sized, binaryData={CHUNK_KEY: packed}))
    return chunks


def build_environment(benchmark: SolrBenchmark, record: str) -> Manifest:
    """Return the ConfigMap that records what the benchmark ran on, as JSON."""
    meta = metadata(benchmark, names.REPORT, 1, names.environment(benchmark))
    return config_map(meta, data={ENVIRONMENT_KEY: record})


def build_partial_result(benchmark: SolrBenchmark, document: ChunkedDocument) -> Manifest:
    """Return the ConfigMap with a step run that is under way, which has to fit into one."""
    meta = metadata(benchmark, names.REPORT, 1, names.unfinished(benchmark))
    packed = base64.b64encode(document.chunks[0]).decode("ascii")
    annotations = {SHA256_ANNOTATION: document.sha256}
    return config_map(meta | {"annotations": annotations}, binaryData={CHUNK_KEY: packed})


def build_diagnostics(benchmark: SolrBenchmark, entries: Mapping[str, str]) -> Manifest:
    """Return the ConfigMap with what is kept of failures, an entry for each attempt."""
    meta = metadata(benchmark, names.REPORT, 1, names.evidence(benchmark))
    return config_map(meta, data=dict(entries))


RETRIES = 3
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

    `export_hash` is the digest of `spec.results.export`; `evidence` has the keys of what was kept
    of failures. The report shows the benchmark's status as it is given.
    """
    attempt = benchmark.status.attempts.load
    resource = benchmark.model_dump_json(by_alias=True, exclude_none=True).encode()
    # Without a time in it, the same resource gives the same bytes, and an apply changes nothing.
    packed = base64.b64encode(gzip.compress(resource, mtime=0)).decode("ascii")
    job = build_job(
        _pod(benchmark, plan, evidence),
        attempt,
        image,
        {
            "args": ["export-results", "--plan", EXPORT_PLAN_FILE],
            "resources": resources(plan.export.resources),
        },
        grace_seconds=5,
        activeDeadlineSeconds=plan.export.deadline_seconds,
        **pod_failures(names.EXPORT, RETRIES),
    )
    job["metadata"]["annotations"] = {EXPORT_HASH: export_hash}
    return [
        config_map(
            metadata(benchmark, names.EXPORT, attempt),
            data={EXPORT_PLAN_KEY: plan.model_dump_json(by_alias=True, exclude_none=True)},
            binaryData={RESOURCE_KEY: packed},
        ),
        job,
    ]


def _pod(benchmark: SolrBenchmark, plan: ExportPlan, evidence: Sequence[str]) -> PodBuilder:
    pod = PodBuilder(benchmark, names.EXPORT)
    pod.add_scratch(tmp="/tmp")  # noqa: S108
    pod.add_plan(names.EXPORT, EXPORT_PLAN_FILE)
    sources = _sources(benchmark, plan, evidence)
    pod.add("results", RESULTS_FOLDER, {"projected": {"sources": sources}})
    if plan.export.persistent_volume_claim is not None:
        claim = {"claimName": plan.export.persistent_volume_claim.claim_name}
        pod.add("export", VOLUME_FOLDER, {"persistentVolumeClaim": claim}, read_only=False)
    if plan.export.s3 is not None:
        keys = {key: key for key in (ACCESS_KEY, SECRET_KEY, SESSION_TOKEN)}
        credentials = secret_volume(plan.export.s3.credentials_secret.name, keys)
        pod.add("credentials", EXPORT_CREDENTIALS_FOLDER, credentials)
        if authorities := authorities_volume(plan.export.s3.tls):
            pod.add("ca", EXPORT_CA_FOLDER, authorities)
    return pod


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
