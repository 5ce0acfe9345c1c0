"""Results as they lie in ConfigMaps, also of the step run under way, read without evaluation."""

import base64
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from solrbench.analysis.answers import asks_queries, first_answers
from solrbench.api.identity import BENCHMARKS
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.contract.answers import StoredAnswers
from solrbench.contract.environment import Environment
from solrbench.contract.foreign import ForeignDataError, read
from solrbench.contract.pod_plans import EXPORT_PLAN_KEY, ExportPlan, StoredDocument
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import all_step_runs
from solrbench.contract.storage import (
    MAX_CHUNKS,
    ChunkedDocument,
    DamagedReportError,
    from_chunks,
    to_chunks,
)
from solrbench.decide.views import controller_uid
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.reader import Manifest
from solrbench.manifests.results import (
    BYTES_ANNOTATION,
    CHUNK_KEY,
    CHUNKS_ANNOTATION,
    ENVIRONMENT_KEY,
    SHA256_ANNOTATION,
    TRIMMED_ANNOTATION,
    build_partial_result,
)
from solrbench.reasons.load import LoadReason

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Chunk:
    """What the metadata of a ConfigMap says of the part of a document in it.

    Anyone may have written it. So bodies are read only of what these say is whole.
    """

    namespace: str
    name: str
    uid: str
    number: int
    """Its place in the document; -1 if its name has none."""
    version: int
    """When it was written: versions grow, and may be compared (KEP-5504)."""
    step_run: str
    sha256: str
    count: str
    size: int
    """Bytes that it takes in etcd, as far as it is known."""
    is_trimmed: bool

    @classmethod
    def of(cls, body: Manifest) -> "Chunk":
        """Return what the metadata of a ConfigMap says."""
        metadata = body["metadata"]
        annotations = metadata.get("annotations") or {}
        return cls(
            metadata["namespace"],
            metadata["name"],
            metadata["uid"],
            _parse_number(metadata["name"].rpartition("-")[2], _DIGITS, -1),
            int(metadata["resourceVersion"]),
            metadata["labels"][names.LABEL_STEP_RUN],
            annotations.get(SHA256_ANNOTATION, ""),
            annotations.get(CHUNKS_ANNOTATION, ""),
            _parse_number(annotations.get(BYTES_ANNOTATION, ""), _SIZE_DIGITS, 0),
            TRIMMED_ANNOTATION in annotations,
        )


_DIGITS = len(str(MAX_CHUNKS))
_SIZE_DIGITS = 9
"""Of the bytes of a ConfigMap, which are a megabyte at most."""


def _parse_number(text: str, max_digits: int, default: int) -> int:
    # Anyone may have written it, also digits that are no number, and numbers without an end.
    return int(text) if text.isdecimal() and len(text) <= max_digits else default


def read_documents(
    cluster: Cluster,
    benchmark: SolrBenchmark,
    keep: Callable[[StepRunResult], Kept],
    step_run_id: str | None = None,
) -> list[Kept]:
    """Return what `keep` makes of the newest stored document of every step run, or of one.

    Half-written ones are left out. No more than one is in memory beside what is kept.

    It raises `TemporaryError` if a stored document is damaged.
    """
    newest: dict[str, tuple[int, Kept]] = {}
    for chunks in _newest(list_chunks(cluster, benchmark, step_run_id)):
        with _naming_damage(chunks):
            document, version = _read(cluster, chunks), _version(chunks)
            if document.id not in newest or version > newest[document.id][0]:
                newest[document.id] = version, keep(document)
    return [kept for _, kept in newest.values()]


def read_written(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str, sha256: str
) -> StepRunResult | None:
    """Return the document of a step run that has this digest, if all of it is stored."""
    for chunks in _whole(list_chunks(cluster, benchmark, step_run_id)):
        if chunks[0].sha256 == sha256:
            with _naming_damage(chunks):
                return _read(cluster, chunks)
    return None


def delete_superseded(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str, sha256: str
) -> None:
    """Delete every chunk of a step run that is not of the document with this digest."""
    listed = list_chunks(cluster, benchmark, step_run_id)
    delete_chunks(cluster, [chunk for chunk in listed if chunk.sha256 != sha256])


def delete_leftovers(cluster: Cluster, listed: list[Chunk]) -> None:
    """Delete every chunk of no document that counts, when no more was written since the list.

    An operator that was killed while it wrote or replaced a document has left such.
    """
    kept = {chunk.name for chunks in _newest(listed) for chunk in chunks}
    delete_chunks(cluster, [chunk for chunk in listed if chunk.name not in kept])


def delete_chunks(cluster: Cluster, chunks: list[Chunk]) -> None:
    """Delete chunks, and none of another writer that has taken the name meanwhile."""
    for chunk in chunks:
        cluster.delete("v1", "ConfigMap", chunk.namespace, chunk.name, uid=chunk.uid)


def list_chunks(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str | None = None
) -> list[Chunk]:
    """Return the chunks of every step run, or of one, without what is in them."""
    one = {} if step_run_id is None else {names.LABEL_STEP_RUN: step_run_id}
    labels, namespace = names.selector(benchmark, names.REPORT) | one, benchmark.metadata.namespace
    listed = cluster.list_metadata("v1", "ConfigMap", namespace, labels)
    return [
        Chunk.of(body)
        for body in listed
        # A deleted benchmark of the same name may have left some that are not collected yet.
        if controller_uid(body) == benchmark.metadata.uid
        and names.LABEL_STEP_RUN in body["metadata"]["labels"]
    ]


def _whole(chunks: list[Chunk]) -> list[list[Chunk]]:
    """Return the chunks of each document of which all are there, in their order, oldest first."""
    # A step run that was extended has two documents for a moment.
    by_document: dict[tuple[str, str], list[Chunk]] = defaultdict(list)
    # By number, not by name: a list is in the order of names, where 10 comes before 2.
    for chunk in sorted(chunks, key=lambda chunk: chunk.number):
        by_document[chunk.step_run, chunk.sha256].append(chunk)
    return sorted(filter(_complete, by_document.values()), key=_version)


def _newest(chunks: list[Chunk]) -> list[list[Chunk]]:
    """Return the chunks of the last whole document of each step run, in the order of ids."""
    newest = {document[0].step_run: document for document in _whole(chunks)}
    return [document for _, document in sorted(newest.items())]


def _complete(chunks: list[Chunk]) -> bool:
    count = len(chunks)
    numbers, said = [chunk.number for chunk in chunks], {chunk.count for chunk in chunks}
    return count <= MAX_CHUNKS and numbers == list(range(count)) and said == {str(count)}


def _version(chunks: list[Chunk]) -> int:
    """Return when the last chunk was written."""
    return max(chunk.version for chunk in chunks)


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
    return [
        StoredDocument(chunks=[chunk.name for chunk in chunks], sha256=chunks[0].sha256)
        for chunks in _newest(list_chunks(cluster, benchmark))
    ]


def is_trimmed(listed: list[Chunk]) -> bool:
    """Return whether the whole of a stored step run is in an export alone."""
    return any(chunk.is_trimmed for chunk in listed)


def find_trimmable(
    cluster: Cluster, benchmark: SolrBenchmark, listed: list[Chunk], max_bytes: int
) -> list[str]:
    """Return the step runs that are to be trimmed: those that the export Job was made for.

    There are none if all results take `max_bytes` at most, unless some were trimmed already: the
    operator may have been killed in between.
    """
    documents = _newest(listed)
    chunks = [chunk for document in documents for chunk in document]
    is_begun = is_trimmed(chunks)
    if not is_begun and sum(chunk.size for chunk in chunks) <= max_bytes:
        return []
    body = read_owned_config_map(cluster, benchmark, names.child(benchmark, names.EXPORT)) or {}
    try:
        plan = read(ExportPlan, body["data"][EXPORT_PLAN_KEY].encode())
    except (KeyError, ForeignDataError):  # then it is not known what the export has
        return []
    exported = {document.sha256 for document in plan.documents}
    return [chunks[0].step_run for chunks in documents if chunks[0].sha256 in exported]


def _read(cluster: Cluster, chunks: list[Chunk]) -> StepRunResult:
    """Return the document in these ConfigMaps, of which one at a time is in memory."""
    parts = tuple(_read_part(cluster, chunk) for chunk in chunks)
    return from_chunks(ChunkedDocument(parts, chunks[0].sha256))


def _read_part(cluster: Cluster, chunk: Chunk) -> bytes:
    body = cluster.get("v1", "ConfigMap", chunk.namespace, chunk.name)
    if body is None or body["metadata"]["uid"] != chunk.uid:
        raise DamagedReportError("it was deleted meanwhile")
    return base64.b64decode(body["binaryData"][CHUNK_KEY])


@contextmanager
def _naming_damage(chunks: list[Chunk]) -> Iterator[None]:
    """Name a ConfigMap of a document that cannot be read, or whose numbers no load measures."""
    try:
        yield
    except (DamagedReportError, KeyError, ValueError, ArithmeticError) as error:
        raise _name_damage(chunks, error) from error


def _name_damage(chunks: list[Chunk], error: Exception) -> TemporaryError:
    if not isinstance(error, DamagedReportError):
        error = DamagedReportError(f"it is not as it was written ({error!r})")
    return TemporaryError(error.reason, f"ConfigMap {chunks[0].name}: {error.message}")


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


def delete_partial_result(cluster: Cluster, benchmark: SolrBenchmark) -> None:
    """Delete what is kept, which takes up to a megabyte, of a benchmark that is over."""
    body = read_owned_config_map(cluster, benchmark, names.unfinished(benchmark))
    if body is not None:
        namespace, name, uid = (body["metadata"][key] for key in ("namespace", "name", "uid"))
        cluster.delete("v1", "ConfigMap", namespace, name, uid=uid)


def read_answers(cluster: Cluster, namespace: str, name: str) -> StoredAnswers | None:
    """Return the answers that a benchmark of a sweep has stored; None without any.

    They are in the first step run of all, so that no other document is read. A damaged one counts
    as none; `TemporaryError` if the API server does not respond.
    """
    try:
        benchmark = SolrBenchmark.parse(cluster.get(*BENCHMARKS, namespace, name) or {})
    except ValidationError:  # it is gone, or of another version
        return None
    if not asks_queries(benchmark.spec):
        return None
    first = next((str(each) for each in all_step_runs(benchmark.spec)), None)
    return first_answers(read_undamaged(cluster, benchmark, first))


def read_undamaged(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str | None
) -> list[StepRunResult]:
    """Return the stored documents of every step run, or of one; none if any is damaged."""
    try:
        return read_documents(cluster, benchmark, lambda document: document, step_run_id)
    except TemporaryError as error:
        if error.reason is not LoadReason.REPORT_DAMAGED:
            raise
        return []
