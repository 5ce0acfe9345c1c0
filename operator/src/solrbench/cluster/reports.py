"""Results in ConfigMaps: stored, read back, listed."""

import base64
from collections import OrderedDict, defaultdict
from threading import Lock

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status.verdicts import StepVerdict
from solrbench.cluster.client import Cluster, Manifest
from solrbench.decide.ownership import controller_uid
from solrbench.errors import TemporaryError
from solrbench.manifests.report import (
    CHUNK_KEY,
    CHUNKS_ANNOTATION,
    ENVIRONMENT_KEY,
    SHA256_ANNOTATION,
    build_environment,
    build_report,
)
from solrbench.plan import names
from solrbench.plan.names import LABEL_STEP_RUN, selector
from solrbench.reasons.load import LoadReason
from solrbench.results.model.environment import Environment, add_attempt
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.model.storage import (
    ChunkedDocument,
    DamagedReportError,
    from_chunks,
    to_chunks,
)
from solrbench.results.validity.verdict import evaluate_steps

MAX_CACHE_BYTES = 128 << 20
"""A quarter of the memory limit of the chart."""

_WINDOW_BYTES = 1000
"""Measured: 10 request names over 600 s take 6 MB."""


class Reports:
    """The stored results of benchmarks, read once and then kept in memory.

    The operator is the only writer, so what was read or written before need not be read again
    in every reconcile. After a restart everything is read anew, and so are the results of a
    benchmark that was not looked at for longest when all together were too large.

    Args:
        cluster: where they are stored
        max_bytes: estimate of what the results may take; those of the latest benchmark stay

    """

    def __init__(self, cluster: Cluster, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._cluster = cluster
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._known: OrderedDict[str, dict[str, StepRunResult]] = OrderedDict()
        self._verdicts: dict[str, list[StepVerdict]] = {}
        self._environments: dict[str, Environment] = {}

    def documents(self, benchmark: SolrBenchmark) -> dict[str, StepRunResult]:
        """Return the stored results by step run id, in the order of measuring.

        Half-written ones are left out: they were never acknowledged and come again.

        Raises:
            TemporaryError: if a stored document is damaged.

        """
        uid = benchmark.metadata.uid
        with self._lock:
            known = self._known.get(uid)
            if known is not None:
                self._known.move_to_end(uid)
                return known
        return self._keep(uid, _stored(self._cluster, benchmark))

    def _keep(self, uid: str, documents: dict[str, StepRunResult]) -> dict[str, StepRunResult]:
        """Keep documents as the latest, and drop the oldest of other benchmarks if need be."""
        with self._lock:
            self._known[uid] = documents
            self._known.move_to_end(uid)
            self._verdicts.pop(uid, None)
            size = sum(map(_estimate_bytes, self._known.values()))
            while len(self._known) > 1 and size > self._max_bytes:
                oldest, dropped = self._known.popitem(last=False)
                self._verdicts.pop(oldest, None)
                size -= _estimate_bytes(dropped)
        return documents

    def store(self, benchmark: SolrBenchmark, document: StepRunResult, attempt: int) -> None:
        """Store a result and read it back.

        Raises:
            TemporaryError: if what is read is not what was written.

        """
        known = self.documents(benchmark)
        self._forget_documents(benchmark.metadata.uid)  # unknown until it is read back
        for manifest in build_report(benchmark, document.id, to_chunks(document), attempt):
            self._cluster.apply(manifest)
        stored = _stored(self._cluster, benchmark, document.id)
        if stored.get(document.id) != document:
            raise TemporaryError(
                LoadReason.RESULT_NOT_STORED,
                f"the stored result of {document.id} differs from the one written; it is stored"
                " again",
            )
        self._keep(benchmark.metadata.uid, _in_order(known | stored))

    def verdicts(self, benchmark: SolrBenchmark) -> list[StepVerdict]:
        """Return the verdicts on what is stored, evaluated once after each change of it.

        To go through all windows of a long ladder takes more than a second of CPU, on a node that
        may be measured.

        Raises:
            TemporaryError: as `documents`.

        """
        uid, documents = benchmark.metadata.uid, self.documents(benchmark)
        with self._lock:
            known = self._verdicts.get(uid)
        if known is not None:
            return known
        environment = self.environment(benchmark) if documents else None
        verdicts = evaluate_steps(benchmark.spec, documents.values(), environment)
        with self._lock:
            if self._known.get(uid) is documents:  # neither changed nor dropped meanwhile
                self._verdicts[uid] = verdicts
        return verdicts

    def environment(self, benchmark: SolrBenchmark) -> Environment | None:
        """Return the record of what the benchmark ran on, if it is there."""
        namespace, name = benchmark.metadata.namespace, names.environment(benchmark)
        body = self._cluster.get("v1", "ConfigMap", namespace, name)
        if body is None or controller_uid(body) != benchmark.metadata.uid:
            return None
        return _environment(body)

    def has_attempt(self, benchmark: SolrBenchmark) -> bool:
        """Return whether the environment of the attempt under way is recorded."""
        uid, attempts = benchmark.metadata.uid, benchmark.status.attempts
        known = self._environments.get(uid) or self.environment(benchmark)
        if known is None:
            return False
        self._environments[uid] = known
        under_way = attempts.target, attempts.load
        return any((each.target, each.load) == under_way for each in known.attempts)

    def store_environment(self, benchmark: SolrBenchmark, record: Environment) -> Environment:
        """Store the record of what the benchmark runs on, added to that of earlier attempts."""
        known = self.environment(benchmark)
        whole = record if known is None else add_attempt(known, record)
        text = whole.model_dump_json(by_alias=True, indent=2)
        self._cluster.apply(build_environment(benchmark, text))
        self._environments[benchmark.metadata.uid] = whole
        return whole

    def forget(self, uid: str) -> None:
        """Drop what is kept of a benchmark that is gone."""
        self._forget_documents(uid)
        self._environments.pop(uid, None)

    def _forget_documents(self, uid: str) -> None:
        with self._lock:
            self._known.pop(uid, None)
            self._verdicts.pop(uid, None)


def _estimate_bytes(documents: dict[str, StepRunResult]) -> int:
    """Return about what documents take in memory: windows are nearly all of it."""
    return sum(
        _WINDOW_BYTES * len(result.windows) + len(result.service_time_histogram)
        for document in documents.values()
        for result in document.requests
    )


def _environment(body: Manifest) -> Environment:
    return Environment.model_validate_json(body["data"][ENVIRONMENT_KEY])


def _stored(
    cluster: Cluster, benchmark: SolrBenchmark, step_run_id: str | None = None
) -> dict[str, StepRunResult]:
    """Return what is stored of every step run, or of one."""
    labels = selector(benchmark, names.REPORT) | (
        {} if step_run_id is None else {LABEL_STEP_RUN: step_run_id}
    )
    by_document: dict[tuple[str, str], list[Manifest]] = defaultdict(list)
    for body in cluster.list("v1", "ConfigMap", benchmark.metadata.namespace, labels):
        found = body["metadata"]["labels"].get(LABEL_STEP_RUN)
        # A deleted benchmark of the same name may have left some that are not collected yet.
        if found and controller_uid(body) == benchmark.metadata.uid:
            # By digest, too: chunks that an earlier attempt left behind are another document's.
            by_document[found, _annotation(body, SHA256_ANNOTATION)].append(body)
    documents = [_read(bodies) for bodies in by_document.values() if _complete(bodies)]
    return _in_order({each.id: each for each in documents})


def _in_order(documents: dict[str, StepRunResult]) -> dict[str, StepRunResult]:
    return {each.id: each for each in sorted(documents.values(), key=lambda each: each.start_time)}


def _annotation(body: Manifest, name: str) -> str:
    return str((body["metadata"].get("annotations") or {}).get(name, ""))


def _complete(bodies: list[Manifest]) -> bool:
    return _annotation(bodies[0], CHUNKS_ANNOTATION) == str(len(bodies))


def _read(bodies: list[Manifest]) -> StepRunResult:
    ordered = sorted(bodies, key=lambda body: int(body["metadata"]["name"].rsplit("-", 1)[1]))
    chunks = tuple(base64.b64decode(body["binaryData"][CHUNK_KEY]) for body in ordered)
    try:
        return from_chunks(ChunkedDocument(chunks, _annotation(ordered[0], SHA256_ANNOTATION)))
    except DamagedReportError as error:
        name = ordered[0]["metadata"]["name"]
        raise TemporaryError(error.reason, f"ConfigMap {name}: {error.message}") from error
