"""Results in ConfigMaps: stored, read back, and kept in memory; and the baseline's."""

import base64
import binascii
from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from pydantic import ValidationError

from solrbench.analysis.baseline import (
    ComparisonInput,
    UnreadableReportError,
    benchmark_input,
    report_input,
)
from solrbench.analysis.checks import EvaluatedRun
from solrbench.analysis.samples import BenchmarkSamples
from solrbench.analysis.verdict import evaluate_document
from solrbench.api.identity import BENCHMARKS
from solrbench.api.rules import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.conditions import Attempts
from solrbench.api.v1alpha1.objectives import Baseline, StoredReport
from solrbench.contract.environment import Environment, add_attempt
from solrbench.contract.load_plan import OTHER_VERSION_REMEDY
from solrbench.contract.step_document import StepRunResult, WholeDocument
from solrbench.contract.storage import to_chunks
from solrbench.decide.references import BASELINE
from solrbench.errors import PermanentError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.result_documents import (
    delete_superseded,
    read_documents,
    read_environment,
    read_written,
)
from solrbench.manifests.results import build_environment, build_report
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.load import LoadReason

MAX_CACHE_BYTES = 64 << 20
"""An eighth of the memory limit of the chart."""

_SERVERS_BYTES = 12_000
"""What the figures of the servers of a step run take at most: they are so many, whatever runs."""

_RESULT_BYTES = 11_000
"""Measured: one request name of one step run takes up to so much beside its histograms. Half of it
are the numbers that are kept of its times."""


class BenchmarkResultStore:
    """The stored results of benchmarks, read once and then kept in memory without their series.

    The operator is the only writer, so what was read or written before need not be read again
    in every reconcile. After a restart everything is read anew, and so are the results of a
    benchmark that was not looked at for longest when all together took more than `max_bytes`.
    What is found in the series of a document is found as it comes, since the series are not kept;
    all else is concluded elsewhere, from `samples`.
    """

    def __init__(self, cluster: Cluster, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._cluster = cluster
        # Reconciles of several benchmarks and the thread of evidence read and store at once.
        self._lock = Lock()
        self._max_bytes = max_bytes
        self._known: OrderedDict[str, dict[str, EvaluatedRun]] = OrderedDict()
        self._samples: dict[str, BenchmarkSamples] = {}
        self._recorded: dict[str, Attempts] = {}
        """The last attempts whose environment is known to be recorded."""

    def documents(self, benchmark: SolrBenchmark) -> dict[str, StepRunResult]:
        """Return the stored results by step run id, in the order of measuring, without series.

        Half-written ones are left out: they were never acknowledged and come again.

        It raises `TemporaryError` if a stored document is damaged.
        """
        return {key: run.document for key, run in self.runs(benchmark).items()}

    def runs(self, benchmark: SolrBenchmark) -> dict[str, EvaluatedRun]:
        """Return what `documents` returns, with what was found in the series of each."""
        uid = benchmark.metadata.uid
        with self._lock:
            known = self._known.get(uid)
            if known is not None:
                self._known.move_to_end(uid)
                return known
        load = benchmark.spec.load
        read = read_documents(self._cluster, benchmark, lambda each: evaluate_document(each, load))
        return self._keep(uid, read)

    def samples(self, benchmark: SolrBenchmark) -> BenchmarkSamples:
        """Return the times of the stored results; it is the same object until these change."""
        uid, runs = benchmark.metadata.uid, [run.samples for run in self.runs(benchmark).values()]
        with self._lock:
            known = self._samples.get(uid)
        before = known if known is not None and known.spec == benchmark.spec else None
        if before is not None and before.runs == runs:
            return before
        samples = BenchmarkSamples(benchmark.spec, runs, before)
        with self._lock:
            if uid in self._known:  # not dropped meanwhile
                self._samples[uid] = samples
        return samples

    def whole_document(self, benchmark: SolrBenchmark, step_run_id: str) -> StepRunResult | None:
        """Return a stored result with all its series, read anew, if it is there."""
        read = read_documents(self._cluster, benchmark, lambda document: document, step_run_id)
        return next((document for document in read if document.id == step_run_id), None)

    def _keep(self, uid: str, runs: Iterable[EvaluatedRun]) -> dict[str, EvaluatedRun]:
        """Keep results as the latest, and drop the oldest of other benchmarks if need be."""
        ordered = sorted(runs, key=lambda run: run.document.start_time)
        kept = {run.document.id: run for run in ordered}
        with self._lock:
            self._known[uid] = kept
            self._known.move_to_end(uid)
            size = sum(map(_estimate_bytes, self._known.values()))
            # The benchmark that is kept now stays however large it is: its reconcile needs it.
            while len(self._known) > 1 and size > self._max_bytes:
                oldest, dropped = self._known.popitem(last=False)
                self._samples.pop(oldest, None)
                size -= _estimate_bytes(dropped)
        return kept

    def store(self, benchmark: SolrBenchmark, document: StepRunResult, attempt: int) -> None:
        """Store a result and read it back; one that it takes the place of goes only then.

        Raises:
            TemporaryError: if it cannot be evaluated, or what is read is not what was written.
        """
        known = self.runs(benchmark)
        try:
            evaluated = evaluate_document(document, benchmark.spec.load)
        except (ValueError, ArithmeticError) as error:
            raise TemporaryError(
                LoadReason.VERSION_MISMATCH,
                f"the result of {document.id} holds numbers that no load measures ({error});"
                f" {OTHER_VERSION_REMEDY}",
            ) from error
        with self._lock:
            self._known.pop(benchmark.metadata.uid, None)  # unknown until it is read back
        self._write(benchmark, document, attempt)
        self._keep(benchmark.metadata.uid, (known | {document.id: evaluated}).values())

    def _write(self, benchmark: SolrBenchmark, document: StepRunResult, attempt: int) -> None:
        """Write a document and read it back in place of one before; errors are those of `store`."""
        chunks, is_trimmed = to_chunks(document), document.exported is not None
        for manifest in build_report(benchmark, document.id, chunks, attempt, trimmed=is_trimmed):
            self._cluster.apply(manifest)
        # Only what can be read back is acknowledged to the master, which then forgets it.
        written = read_written(self._cluster, benchmark, document.id, chunks.sha256)
        if written != document:
            raise TemporaryError(
                LoadReason.RESULT_NOT_STORED,
                f"the stored result of {document.id} differs from the one written; it is stored"
                " again",
            )
        delete_superseded(self._cluster, benchmark, document.id, chunks.sha256)

    def trim(self, benchmark: SolrBenchmark, step_run_id: str, whole: WholeDocument) -> None:
        """Store a result again without what is large, which an export has."""
        document = self.whole_document(benchmark, step_run_id)
        if document is not None and document.exported is None:
            self._write(benchmark, document.trim(whole), document.attempt)

    def has_attempt(self, benchmark: SolrBenchmark) -> bool:
        """Return whether the environment of the attempt under way is recorded."""
        uid, under_way = benchmark.metadata.uid, benchmark.status.attempts
        if self._recorded.get(uid) == under_way:
            return True
        known = read_environment(self._cluster, benchmark)
        recorded = [] if known is None else [(each.target, each.load) for each in known.attempts]
        if (under_way.target, under_way.load) not in recorded:
            return False
        self._recorded[uid] = under_way
        return True

    def store_environment(self, benchmark: SolrBenchmark, record: Environment) -> Environment:
        """Store the record of what the benchmark runs on, added to that of earlier attempts."""
        known = read_environment(self._cluster, benchmark)
        whole = record if known is None else add_attempt(known, record)
        text = whole.model_dump_json(by_alias=True, indent=2)
        self._cluster.apply(build_environment(benchmark, text))
        self._recorded[benchmark.metadata.uid] = benchmark.status.attempts
        return whole

    def forget(self, uid: str) -> None:
        """Drop what is kept of a benchmark that is gone."""
        with self._lock:
            self._known.pop(uid, None)
            self._samples.pop(uid, None)
            self._recorded.pop(uid, None)


def _estimate_bytes(runs: dict[str, EvaluatedRun]) -> int:
    """Return about what documents take in memory: histograms and blocks are most of it."""
    size = 0
    for run in runs.values():
        results = run.document.requests
        # Histograms, with and without delays, and blocks of time are texts; other texts are short.
        size += sum(len(text) for result in results for _, text in result if isinstance(text, str))
        size += _RESULT_BYTES * len(results) + len(run.second_means) * run.second_means.itemsize
        size += 0 if run.servers is None else _SERVERS_BYTES
        size += 0 if run.document.answers is None else len(run.document.answers.packed)
    return size


_MAX_PROBLEMS = 2

STORE_ANEW = "store what `solrbench report NAME -o json` prints"
"""What to do about a report that is no baseline."""


def read_baseline(
    cluster: Cluster, reports: BenchmarkResultStore, namespace: str, baseline: Baseline
) -> ComparisonInput:
    """Return the baseline with its results.

    Raises:
        TemporaryError: `BaselineNotFound` or `ConfigMapNotFound` if it is gone, `ReportDamaged`
            if its results are.
        PermanentError: `BaselineUnreadable` if the report is none.
    """
    if baseline.report is not None:
        return _stored_input(cluster, namespace, baseline.report.config_map)
    name = "" if baseline.benchmark is None else baseline.benchmark.name
    benchmark = find_baseline(cluster, namespace, name)
    runs = reports.samples(benchmark).runs
    if not runs:
        raise no_results(benchmark)
    return benchmark_input(name, benchmark, runs)


def no_results(baseline: SolrBenchmark) -> TemporaryError:
    """Return the error about a baseline whose results were dropped by the limit of a namespace."""
    export = baseline.status.export
    where = f" (exported to {export.location})" if export is not None and export.time else ""
    text = f"{BASELINE}: SolrBenchmark {baseline.metadata.name} has no stored results any more"
    remedy = "run it again, or name another baseline"
    return TemporaryError(LifecycleReason.BASELINE_NOT_FOUND, f"{text}{where}; {remedy}")


def find_baseline(cluster: Cluster, namespace: str, name: str) -> SolrBenchmark:
    """Return the benchmark that another one is compared with.

    It raises `TemporaryError`, with `BaselineNotFound` or, if it is of another version,
    `BaselineUnreadable`.
    """
    body = cluster.get(*BENCHMARKS, namespace, name)
    if body is None:
        raise TemporaryError(
            LifecycleReason.BASELINE_NOT_FOUND,
            f"{BASELINE}: SolrBenchmark {name} does not exist in namespace {namespace}."
            " Create it, or name another.",
        )
    try:
        return SolrBenchmark.parse(body)
    except ValidationError as error:
        message = "; ".join(problems(error)[:_MAX_PROBLEMS])
        raise TemporaryError(
            LifecycleReason.BASELINE_UNREADABLE,
            f"{BASELINE}: SolrBenchmark {name} is not one of this version"
            f" ({message}); run it again, or name another baseline",
        ) from error


def _stored_input(cluster: Cluster, namespace: str, stored: StoredReport) -> ComparisonInput:
    field = "spec.comparison.baseline.report.configMap"
    body = cluster.get("v1", "ConfigMap", namespace, stored.name)
    if body is None:
        raise TemporaryError(
            LifecycleReason.CONFIG_MAP_NOT_FOUND,
            f"{field}: there is no ConfigMap {stored.name} in namespace {namespace}; create it",
        )
    try:
        text = (body.get("data") or {}).get(stored.key)
        packed = base64.b64decode((body.get("binaryData") or {}).get(stored.key, ""))
        return report_input(f"report {stored.name}", text.encode() if text else packed)
    except (UnreadableReportError, binascii.Error) as error:
        raise PermanentError(
            LifecycleReason.BASELINE_UNREADABLE,
            f"{field}: key {stored.key} of ConfigMap {stored.name} cannot be read: {error};"
            f" {STORE_ANEW}",
        ) from error
