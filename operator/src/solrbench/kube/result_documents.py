"""Results as they lie in ConfigMaps, also of the step run under way, read without evaluation."""

import base64
import logging
from collections import defaultdict
from collections.abc import Iterator

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.contract.environment import Environment
from solrbench.contract.foreign import ForeignDataError, read
from solrbench.contract.names import LABEL_STEP_RUN, selector
from solrbench.contract.pod_plans import StoredDocument
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.storage import ChunkedDocument, DamagedReportError, from_chunks, to_chunks
from solrbench.decide.views import controller_uid
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.reader import Manifest
from solrbench.manifests.results import (
    CHUNK_KEY,
    CHUNKS_ANNOTATION,
    ENVIRONMENT_KEY,
    SHA256_ANNOTATION,
    build_partial_result,
)

READ_AT_ONCE = 10
"""ConfigMaps in one part of a list: each may have a megabyte."""


def read_documents(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str | None = None
) -> Iterator[StepRunResult]:
    """Yield what is stored of every step run, or of one; half-written ones are left out.

    Raises:
        TemporaryError: if a stored document is damaged.
    """
    labels = selector(benchmark, names.REPORT) | (
        {} if step_run_id is None else {LABEL_STEP_RUN: step_run_id}
    )
    namespace = benchmark.metadata.namespace
    by_document: dict[tuple[str, str], list[Manifest]] = defaultdict(list)
    for part in cluster.list_in_parts("v1", "ConfigMap", namespace, labels, READ_AT_ONCE):
        for body in part:
            label = body["metadata"]["labels"].get(LABEL_STEP_RUN)
            # A deleted benchmark of the same name may have left some that are not collected yet.
            if label and controller_uid(body) == benchmark.metadata.uid:
                # By digest, too: chunks that an earlier attempt left are another document's.
                by_document[label, _annotation(body, SHA256_ANNOTATION)].append(body)
        for key in [key for key, bodies in by_document.items() if _complete(bodies)]:
            yield _read(by_document.pop(key))


def sorted_documents(cluster: Cluster, benchmark: SolrBenchmark) -> list[StepRunResult]:
    """Return every stored document with all its series, in the order of measuring."""
    return sorted(read_documents(cluster, benchmark), key=lambda document: document.start_time)


def read_environment(cluster: Cluster, benchmark: SolrBenchmark) -> Environment | None:
    """Return the record of what the benchmark ran on, if it is there and can be read."""
    body = read_owned_config_map(cluster, benchmark, names.environment(benchmark)) or {}
    try:
        return read(Environment, (body.get("data") or {})[ENVIRONMENT_KEY].encode())
    except (KeyError, ForeignDataError):  # one of another version is made anew
        return None


def read_owned_config_map(cluster: Cluster, benchmark: SolrBenchmark, name: str) -> Manifest | None:
    """Return a ConfigMap that a benchmark owns; one of its name that another owns does not count.

    It may be left from a deleted benchmark of the same name, until it is collected.
    """
    body = cluster.get("v1", "ConfigMap", benchmark.metadata.namespace, name)
    is_own = body is not None and controller_uid(body) == benchmark.metadata.uid
    return body if is_own else None


def find_documents(cluster: Cluster, benchmark: SolrBenchmark) -> list[StoredDocument]:
    """Return which ConfigMaps hold which step run, without reading what is in them."""
    by_document: dict[tuple[str, str], list[Manifest]] = defaultdict(list)
    labels, namespace = selector(benchmark, names.REPORT), benchmark.metadata.namespace
    for body in cluster.list_metadata("v1", "ConfigMap", namespace, labels):
        label = body["metadata"]["labels"].get(LABEL_STEP_RUN)
        if label and controller_uid(body) == benchmark.metadata.uid:
            by_document[label, _annotation(body, SHA256_ANNOTATION)].append(body)
    return [
        StoredDocument(
            chunks=[body["metadata"]["name"] for body in sorted(bodies, key=_chunk_number)],
            sha256=sha256,
        )
        for (_, sha256), bodies in sorted(by_document.items())
        if _complete(bodies)
    ]


def _chunk_number(body: Manifest) -> int:
    return int(body["metadata"]["name"].rpartition("-")[2])


def _annotation(body: Manifest, name: str) -> str:
    return str((body["metadata"].get("annotations") or {}).get(name, ""))


def _complete(bodies: list[Manifest]) -> bool:
    return _annotation(bodies[0], CHUNKS_ANNOTATION) == str(len(bodies))


def _read(bodies: list[Manifest]) -> StepRunResult:
    try:
        # By number, not by name: a list is in the order of names, where 10 comes before 2.
        ordered = sorted(bodies, key=_chunk_number)
        chunks = tuple(base64.b64decode(body["binaryData"][CHUNK_KEY]) for body in ordered)
        return from_chunks(ChunkedDocument(chunks, _annotation(bodies[0], SHA256_ANNOTATION)))
    except (KeyError, ValueError, DamagedReportError) as error:
        damage = (
            error
            if isinstance(error, DamagedReportError)
            else DamagedReportError(f"it is not as it was written ({error!r})")
        )
        name = bodies[0]["metadata"]["name"]
        raise TemporaryError(damage.reason, f"ConfigMap {name}: {damage.message}") from error


log = logging.getLogger("solrbench")


def store_partial_result(
    cluster: Cluster, benchmark: SolrBenchmark, document: StepRunResult
) -> None:
    """Keep a step run in place of what was kept before; one that is too large is left out."""
    chunks = to_chunks(document)
    # Several ConfigMaps could not be replaced at once: a reader could find parts of two moments.
    if len(chunks.chunks) == 1:
        cluster.apply(build_partial_result(benchmark, chunks))


def read_partial_result(cluster: Cluster, benchmark: SolrBenchmark) -> StepRunResult | None:
    """Return what is kept; None if there is nothing, or nothing that can be read."""
    name = names.unfinished(benchmark)
    body = read_owned_config_map(cluster, benchmark, name)
    if body is None:
        return None
    try:
        chunk = base64.b64decode(body["binaryData"][CHUNK_KEY])
        sha256 = body["metadata"]["annotations"][SHA256_ANNOTATION]
        return from_chunks(ChunkedDocument((chunk,), sha256))
    except (KeyError, TypeError, ValueError, DamagedReportError) as error:
        log.warning("%s: ConfigMap %s cannot be read: %s", benchmark.key, name, error)
        return None
