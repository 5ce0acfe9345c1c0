"""ConfigMaps that keep the results: they outlive every pod and go with the benchmark."""

import base64
from collections.abc import Mapping

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.manifests.common import Manifest, metadata
from solrbench.plan import names
from solrbench.plan.names import LABEL_STEP_RUN
from solrbench.results.model.storage import ChunkedDocument

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


def build_unfinished(benchmark: SolrBenchmark, document: ChunkedDocument) -> Manifest:
    """Return the ConfigMap with a step run that is under way, which has to fit into one."""
    name = names.unfinished(benchmark)
    body = metadata(benchmark, name, names.REPORT, 1)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": body | {"annotations": {SHA256_ANNOTATION: document.sha256}},
        "binaryData": {CHUNK_KEY: base64.b64encode(document.chunks[0]).decode("ascii")},
    }


def build_evidence(benchmark: SolrBenchmark, entries: Mapping[str, str]) -> Manifest:
    """Return the ConfigMap with what is kept of failures, an entry for each attempt."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(benchmark, names.evidence(benchmark), names.REPORT, 1),
        "data": dict(entries),
    }
