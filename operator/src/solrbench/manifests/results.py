"""The Job that exports the results, and what its pod reads: plan, results, credentials."""

import base64
import gzip
from collections.abc import Sequence

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.export import Export
from solrbench.manifests.common import Manifest, OperatorImage, config_map, empty_dirs, metadata
from solrbench.manifests.common import resources as container_resources
from solrbench.manifests.download_files import authorities_volume, secret_volume
from solrbench.manifests.job_pod import JobPod, add_plan, build_job_pod
from solrbench.manifests.pod_options import pod_metadata
from solrbench.manifests.report import CHUNK_KEY, ENVIRONMENT_KEY
from solrbench.plan import names
from solrbench.plan.export_plan import (
    ACCESS_KEY,
    EVIDENCE_FOLDER,
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
    found = [_source(each, {CHUNK_KEY: f"{STEPS_FOLDER}/{each}"}) for each in chunks]
    # Optional: a benchmark that failed early has none.
    found.append(
        _source(names.environment(benchmark), {ENVIRONMENT_KEY: ENVIRONMENT_KEY}, optional=True)
    )
    if evidence:
        items = {key: f"{EVIDENCE_FOLDER}/{key}" for key in evidence}
        found.append(_source(names.evidence(benchmark), items, optional=True))
    return found


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
