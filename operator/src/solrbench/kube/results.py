"""Results in ConfigMaps: stored, read back, listed.

The baseline of a comparison, read from the cluster.
"""

import base64
import binascii
from collections import OrderedDict
from threading import Lock

from pydantic import ValidationError

from solrbench.analysis.baseline import (
    ComparisonInput,
    UnreadableReportError,
    benchmark_input,
    report_input,
)
from solrbench.analysis.bottleneck import find_bottlenecks
from solrbench.analysis.cold_start import first_step_run
from solrbench.analysis.fail_fast import stop_reason
from solrbench.analysis.server_metrics import merge_telemetry
from solrbench.analysis.step_trends import find_trends
from solrbench.analysis.verdict import StepRunSummary, digest, evaluate_steps, find_interference
from solrbench.api.identity import BENCHMARKS
from solrbench.api.rules import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import ColdStart
from solrbench.api.v1alpha1.findings import Bottleneck, StepVerdict, Trend
from solrbench.api.v1alpha1.objectives import Baseline, StoredReport
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.contract.environment import Environment, add_attempt
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.storage import to_chunks
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.decide.references import BaselineBenchmark
from solrbench.errors import PermanentError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.result_documents import read_documents, read_environment
from solrbench.manifests.results import build_environment, build_report
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.load import LoadReason

MAX_CACHE_BYTES = 64 << 20
"""An eighth of the memory limit of the chart."""

_SERVERS_BYTES = 12_000
"""What the figures of the servers of a step run take at most: they are so many, whatever runs."""

_RESULT_BYTES = 5000
"""Measured: one request name of one step run takes up to so much beside its histograms."""


class BenchmarkResultStore:
    """The stored results of benchmarks, read once and then kept in memory as digests.

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
        self._known: OrderedDict[str, dict[str, StepRunSummary]] = OrderedDict()
        self._verdicts: dict[str, list[StepVerdict]] = {}
        self._stops: dict[str, dict[str, str | None]] = {}
        self._environments: dict[str, Environment] = {}

    def documents(self, benchmark: SolrBenchmark) -> dict[str, StepRunResult]:
        """Return the stored results by step run id, in the order of measuring, without series.

        Half-written ones are left out: they were never acknowledged and come again.

        Raises:
            TemporaryError: if a stored document is damaged.
        """
        return {
            key: step_run_summary.document
            for key, step_run_summary in self._summaries(benchmark).items()
        }

    def cold_start(self, benchmark: SolrBenchmark) -> ColdStart | None:
        """Return the cold start of the step run that was measured first, as `documents`."""
        digests = self._summaries(benchmark)
        first = first_step_run([step_run_summary.document for step_run_summary in digests.values()])
        return None if first is None else digests[first.id].cold_start

    def whole_document(self, benchmark: SolrBenchmark, step_run_id: str) -> StepRunResult | None:
        """Return a stored result with all its series, read anew, if it is there."""
        read = read_documents(self._cluster, benchmark, step_run_id)
        return next((document for document in read if document.id == step_run_id), None)

    def _summaries(self, benchmark: SolrBenchmark) -> dict[str, StepRunSummary]:
        uid = benchmark.metadata.uid
        with self._lock:
            known = self._known.get(uid)
            if known is not None:
                self._known.move_to_end(uid)
                return known
        load = benchmark.spec.load
        read = (digest(each, load) for each in read_documents(self._cluster, benchmark))
        return self._keep(uid, _in_order({each.document.id: each for each in read}))

    def _keep(self, uid: str, documents: dict[str, StepRunSummary]) -> dict[str, StepRunSummary]:
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
        known = self._summaries(benchmark)
        self._forget_documents(benchmark.metadata.uid)  # unknown until it is read back
        for manifest in build_report(benchmark, document.id, to_chunks(document), attempt):
            self._cluster.apply(manifest)
        if self.whole_document(benchmark, document.id) != document:
            raise TemporaryError(
                LoadReason.RESULT_NOT_STORED,
                f"the stored result of {document.id} differs from the one written; it is stored"
                " again",
            )
        stored = {document.id: digest(document, benchmark.spec.load)}
        self._keep(benchmark.metadata.uid, _in_order(known | stored))

    def stop_reasons(self, benchmark: SolrBenchmark) -> dict[str, str]:
        """Return why step runs are the last of their ladders, by id; each is looked at once.

        Raises:
            TemporaryError: as `documents`.
        """
        spec, uid = benchmark.spec, benchmark.metadata.uid
        reasons: dict[str, str] = {}
        for key, step_run_summary in self._summaries(benchmark).items():
            known = self._stops.setdefault(uid, {})
            if key not in known:
                known[key] = stop_reason(spec.objectives, spec.load.stop, step_run_summary.document)
            reason = known[key]
            if reason is not None and step_run_summary.document.trial is None:
                reasons[key] = reason
        return reasons

    def interferences(self, benchmark: SolrBenchmark) -> dict[str, str]:
        """Return why step runs do not show what the target can do, by id, as `documents`."""
        digests = self._summaries(benchmark)
        reasons = {
            key: find_interference(step_run_summary.evaluated)
            for key, step_run_summary in digests.items()
        }
        return {key: text for key, text in reasons.items() if text}

    def verdicts(self, benchmark: SolrBenchmark) -> list[StepVerdict]:
        """Return the verdicts on what is stored, brought together once after each change of it.

        Each document is looked through once: to go through all windows of a long ladder takes more
        than a second of CPU, on a node that may be measured.

        Raises:
            TemporaryError: as `documents`.
        """
        uid, digests = benchmark.metadata.uid, self._summaries(benchmark)
        with self._lock:
            known = self._verdicts.get(uid)
        if known is not None:
            return known
        documents = [step_run_summary.document for step_run_summary in digests.values()]
        runs = {key: step_run_summary.evaluated for key, step_run_summary in digests.items()}
        environment = self.environment(benchmark) if documents else None
        verdicts = evaluate_steps(benchmark.spec, documents, environment, runs)
        with self._lock:
            if self._known.get(uid) is digests:  # neither changed nor dropped meanwhile
                self._verdicts[uid] = verdicts
        return verdicts

    def telemetry(self, benchmark: SolrBenchmark) -> list[StepTelemetry]:
        """Return what the servers did in each step that is stored, as `documents`."""
        digests = self._summaries(benchmark).values()
        return merge_telemetry(
            benchmark.spec,
            [(step_run_summary.document, step_run_summary.servers) for step_run_summary in digests],
        )

    def trends(self, benchmark: SolrBenchmark) -> list[Trend]:
        """Return what grew in each step that is stored, as `documents`."""
        digests = self._summaries(benchmark).values()
        return find_trends(
            benchmark.spec,
            [(step_run_summary.document, step_run_summary.trends) for step_run_summary in digests],
        )

    def bottlenecks(self, benchmark: SolrBenchmark) -> list[Bottleneck]:
        """Return what held each step back that is stored, as `documents`."""
        digests = self._summaries(benchmark).values()
        return find_bottlenecks(
            benchmark.spec,
            [
                (step_run_summary.evaluated, step_run_summary.servers)
                for step_run_summary in digests
            ],
        )

    def environment(self, benchmark: SolrBenchmark) -> Environment | None:
        """Return the record of what the benchmark ran on, if it is there and can be read."""
        return read_environment(self._cluster, benchmark)

    def has_attempt(self, benchmark: SolrBenchmark) -> bool:
        """Return whether the environment of the attempt under way is recorded."""
        uid, attempts = benchmark.metadata.uid, benchmark.status.attempts
        known = self._environments.get(uid) or self.environment(benchmark)
        if known is None:
            return False
        self._environments[uid] = known
        under_way = attempts.target, attempts.load
        return any((attempt.target, attempt.load) == under_way for attempt in known.attempts)

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
            self._stops.pop(uid, None)
            self._known.pop(uid, None)
            self._verdicts.pop(uid, None)


def _estimate_bytes(documents: dict[str, StepRunSummary]) -> int:
    """Return about what documents take in memory: histograms and blocks are most of it."""
    return sum(map(_document_bytes, documents.values()))


def _document_bytes(kept: StepRunSummary) -> int:
    results = kept.document.requests
    # Histograms, with and without delays, and blocks of time are texts; other texts are short.
    texts = sum(len(text) for result in results for _, text in result if isinstance(text, str))
    seconds = len(kept.evaluated.second_means) * kept.evaluated.second_means.itemsize
    servers = 0 if kept.servers is None else _SERVERS_BYTES
    return _RESULT_BYTES * len(results) + texts + seconds + servers


def _in_order(digests: dict[str, StepRunSummary]) -> dict[str, StepRunSummary]:
    ordered = sorted(
        digests.values(), key=lambda step_run_summary: step_run_summary.document.start_time
    )
    return {step_run_summary.document.id: step_run_summary for step_run_summary in ordered}


MAX_REPORT_BYTES = 16 << 20
"""What a stored report may unpack to: the operator has half a gigabyte for all it does."""

_MAX_PROBLEMS = 2


def observe_baseline(cluster: Cluster, namespace: str, name: str) -> BaselineBenchmark:
    """Return how far the benchmark is that another one is compared with.

    Raises:
        TemporaryError: `BaselineUnreadable` if it is of another version.
    """
    benchmark = _benchmark(cluster, namespace, name)
    if benchmark is None:
        return BaselineBenchmark(name, namespace, exists=False)
    return BaselineBenchmark(
        name,
        namespace,
        exists=True,
        finished=is_finished(benchmark.status),
        succeeded=holds(benchmark.status, SUCCEEDED),
        phase=benchmark.status.phase,
    )


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
    benchmark = _benchmark(cluster, namespace, name)
    if benchmark is None:
        raise TemporaryError(
            LifecycleReason.BASELINE_NOT_FOUND,
            f"spec.comparison.baseline.benchmark: there is no SolrBenchmark {name} in namespace"
            f" {namespace}; create it",
        )
    return benchmark_input(name, benchmark, list(reports.documents(benchmark).values()))


def _benchmark(cluster: Cluster, namespace: str, name: str) -> SolrBenchmark | None:
    body = cluster.get(*BENCHMARKS, namespace, name)
    if body is None:
        return None
    try:
        return SolrBenchmark.parse(body)
    except ValidationError as error:
        message = "; ".join(problems(error)[:_MAX_PROBLEMS])
        raise TemporaryError(
            LifecycleReason.BASELINE_UNREADABLE,
            f"spec.comparison.baseline.benchmark: SolrBenchmark {name} is not one of this version"
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
        name = f"report {stored.name}"
        return report_input(name, text.encode() if text else packed, MAX_REPORT_BYTES)
    except (UnreadableReportError, binascii.Error) as error:
        raise PermanentError(
            LifecycleReason.BASELINE_UNREADABLE,
            f"{field}: key {stored.key} of ConfigMap {stored.name} cannot be read: {error}; store"
            " what `solrbench report NAME -o json` prints",
        ) from error
