"""The step run under way as far as it is measured, in a ConfigMap that outlives load pods."""

import base64
import logging

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import Cluster
from solrbench.decide.ownership import controller_uid
from solrbench.manifests.report import CHUNK_KEY, SHA256_ANNOTATION, build_unfinished
from solrbench.plan import names
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.model.storage import (
    ChunkedDocument,
    DamagedReportError,
    from_chunks,
    to_chunks,
)

log = logging.getLogger("solrbench")


def store_unfinished(cluster: Cluster, benchmark: SolrBenchmark, document: StepRunResult) -> None:
    """Keep a step run in place of what was kept before; one that is too large is left out.

    Raises:
        SolrbenchError: if it cannot be written.

    """
    chunks = to_chunks(document)
    if len(chunks.chunks) == 1:
        cluster.apply(build_unfinished(benchmark, chunks))


def read_unfinished(cluster: Cluster, benchmark: SolrBenchmark) -> StepRunResult | None:
    """Return what is kept; None if there is nothing, or nothing that can be read."""
    namespace, name = benchmark.metadata.namespace, names.unfinished(benchmark)
    body = cluster.get("v1", "ConfigMap", namespace, name)
    if body is None or controller_uid(body) != benchmark.metadata.uid:
        return None
    try:
        chunk = base64.b64decode(body["binaryData"][CHUNK_KEY])
        sha256 = body["metadata"]["annotations"][SHA256_ANNOTATION]
        return from_chunks(ChunkedDocument((chunk,), sha256))
    except (KeyError, TypeError, ValueError, DamagedReportError) as error:
        log.warning("%s: ConfigMap %s cannot be read: %s", benchmark.key, name, error)
        return None
