"""Results as they lie in ConfigMaps, also of the step run under way, read without evaluation."""

import base64
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

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

Kept = TypeVar("Kept")

READ_AT_ONCE = 10
"""ConfigMaps in one part of a list: each may have a megabyte."""


def read_documents(
    cluster: Cluster,
    benchmark: SolrBenchmark,
    keep: Callable[[StepRunResult], Kept],
    step_run_id: str | None = None,
) -> list[Kept]:
    """Return what `keep` makes of the newest stored document of every step run, or of one.

    Half-written ones are left out. No more than one is in memory beside what is kept.

    Raises:
        TemporaryError: if a stored document is damaged.
    """
    newest: dict[str, tuple[int, Kept]] = {}
    for bodies in _whole_documents(cluster, benchmark, step_run_id):
        with _naming_damage(bodies):
            document, version = _read(bodies), _version(bodies)
            if document.id not in newest or version > newest[document.id][0]:
                newest[document.id] = version, keep(document)
    return [kept for _, kept in newest.values()]


def read_written(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str, sha256: str
) -> StepRunResult | None:
    """Return the document of a step run that has this digest, if all of it is stored."""
    for bodies in _whole_documents(cluster, benchmark, step_run_id):
        if _annotation(bodies[0], SHA256_ANNOTATION) == sha256:
            with _naming_damage(bodies):
                return _read(bodies)
    return None


def delete_superseded(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str, sha256: str
) -> None:
    """Delete every chunk of a step run that is not of the document with this digest."""
    listed = _list_chunks(cluster, benchmark, step_run_id)
    _delete(cluster, [body for body in listed if _annotation(body, SHA256_ANNOTATION) != sha256])


def delete_leftovers(cluster: Cluster, benchmark: SolrBenchmark) -> None:
    """Delete every chunk of no document that counts, when no more is written.

    An operator that was killed while it wrote or replaced a document has left such.
    """
    listed = _list_chunks(cluster, benchmark)
    kept = {name for document in _newest(listed) for name in document.chunks}
    _delete(cluster, [body for body in listed if body["metadata"]["name"] not in kept])


def _delete(cluster: Cluster, chunks: list[Manifest]) -> None:
    for metadata in (chunk["metadata"] for chunk in chunks):
        place = metadata["namespace"], metadata["name"]
        cluster.delete("v1", "ConfigMap", *place, uid=metadata["uid"])


def _whole_documents(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str | None
) -> Iterator[list[Manifest]]:
    """Yield the ConfigMaps of each document of which all chunks are there."""
    labels, namespace = _labels(benchmark, step_run_id), benchmark.metadata.namespace
    by_document: dict[tuple[str, str], list[Manifest]] = defaultdict(list)
    for part in cluster.list_in_parts("v1", "ConfigMap", namespace, labels, READ_AT_ONCE):
        for body in part:
            if _is_chunk(body, benchmark):
                by_document[_document(body)].append(body)
        for key in [key for key, bodies in by_document.items() if _complete(bodies)]:
            yield by_document.pop(key)


def _list_chunks(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str | None = None
) -> list[Manifest]:
    """Return the chunks of every step run, or of one, without what is in them."""
    labels, namespace = _labels(benchmark, step_run_id), benchmark.metadata.namespace
    listed = cluster.list_metadata("v1", "ConfigMap", namespace, labels)
    return [body for body in listed if _is_chunk(body, benchmark)]


def _labels(benchmark: SolrBenchmark, step_run_id: str | None) -> dict[str, str]:
    one = {} if step_run_id is None else {LABEL_STEP_RUN: step_run_id}
    return selector(benchmark, names.REPORT) | one


def _is_chunk(body: Manifest, benchmark: SolrBenchmark) -> bool:
    # A deleted benchmark of the same name may have left some that are not collected yet.
    is_own = controller_uid(body) == benchmark.metadata.uid
    return is_own and LABEL_STEP_RUN in body["metadata"]["labels"]


def _document(body: Manifest) -> tuple[str, str]:
    """Return step run and digest: a step run that was extended has two documents for a moment."""
    return body["metadata"]["labels"][LABEL_STEP_RUN], _annotation(body, SHA256_ANNOTATION)


def _version(bodies: list[Manifest]) -> int:
    """Return when the last chunk was written: versions grow, and may be compared (KEP-5504)."""
    return max(int(body["metadata"]["resourceVersion"]) for body in bodies)


def sorted_documents(cluster: Cluster, benchmark: SolrBenchmark) -> list[StepRunResult]:
    """Return every stored document with all its series, in the order of measuring."""
    whole = read_documents(cluster, benchmark, lambda document: document)
    return sorted(whole, key=lambda document: document.start_time)


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
    return _newest(_list_chunks(cluster, benchmark))


def _newest(chunks: list[Manifest]) -> list[StoredDocument]:
    by_document: dict[tuple[str, str], list[Manifest]] = defaultdict(list)
    for body in chunks:
        by_document[_document(body)].append(body)
    whole = {key: bodies for key, bodies in by_document.items() if _complete(bodies)}
    # The last one of each step run wins.
    newest = {key[0]: key for key in sorted(whole, key=lambda key: _version(whole[key]))}
    return [
        StoredDocument(
            chunks=[body["metadata"]["name"] for body in sorted(whole[key], key=_chunk_number)],
            sha256=key[1],
        )
        for _, key in sorted(newest.items())
    ]


def _chunk_number(body: Manifest) -> int:
    return int(body["metadata"]["name"].rpartition("-")[2])


def _annotation(body: Manifest, name: str) -> str:
    return str((body["metadata"].get("annotations") or {}).get(name, ""))


def _complete(bodies: list[Manifest]) -> bool:
    return _annotation(bodies[0], CHUNKS_ANNOTATION) == str(len(bodies))


def _read(bodies: list[Manifest]) -> StepRunResult:
    # By number, not by name: a list is in the order of names, where 10 comes before 2.
    ordered = sorted(bodies, key=_chunk_number)
    chunks = tuple(base64.b64decode(body["binaryData"][CHUNK_KEY]) for body in ordered)
    return from_chunks(ChunkedDocument(chunks, _annotation(bodies[0], SHA256_ANNOTATION)))


@contextmanager
def _naming_damage(bodies: list[Manifest]) -> Iterator[None]:
    """Name a ConfigMap of a document that cannot be read, or whose numbers no load measures."""
    try:
        yield
    except (KeyError, ValueError, ArithmeticError, DamagedReportError) as error:
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
