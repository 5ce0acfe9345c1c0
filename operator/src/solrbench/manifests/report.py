"""ConfigMaps that keep the results: they outlive every pod and go with the benchmark."""

import base64
from collections.abc import Sequence

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.manifests.common import Manifest, metadata
from solrbench.plan import names
from solrbench.plan.names import LABEL_PASS

CHUNK_KEY = "document.json.gz"
ENVIRONMENT_KEY = "environment.json"
CHUNKS_ANNOTATION = "solrbench.io/chunks"


def build_report(
    benchmark: SolrBenchmark, step_run_id: str, chunks: Sequence[bytes], attempt: int
) -> list[Manifest]:
    """Return one ConfigMap for each chunk of a stored document."""
    return [
        _config_map(benchmark, step_run_id, number, len(chunks), chunk, attempt)
        for number, chunk in enumerate(chunks)
    ]


def _config_map(  # noqa: PLR0913, PLR0917 - the parts of one object
    benchmark: SolrBenchmark, step_run_id: str, number: int, total: int, chunk: bytes, attempt: int
) -> Manifest:
    meta = metadata(
        benchmark,
        names.report(benchmark, step_run_id, number),
        names.REPORT,
        attempt,
        **{LABEL_PASS: step_run_id},
    )
    meta["annotations"] = {CHUNKS_ANNOTATION: str(total)}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": meta,
        "binaryData": {CHUNK_KEY: base64.b64encode(chunk).decode("ascii")},
    }


def build_environment(benchmark: SolrBenchmark, record: str) -> Manifest:
    """Return the ConfigMap that records what the benchmark ran on, as JSON."""
    name = names.environment(benchmark)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(benchmark, name, names.REPORT, 1),
        "data": {ENVIRONMENT_KEY: record},
    }
