"""The baseline of a comparison, read from the cluster."""

import base64
import binascii

from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparison import Baseline, StoredReport
from solrbench.cluster.client import BENCHMARKS, Cluster
from solrbench.cluster.reports import Reports
from solrbench.decide.checks.baseline import BaselineBenchmark
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.results.comparison.side import (
    Side,
    UnreadableReportError,
    benchmark_side,
    report_side,
)

MAX_REPORT_BYTES = 16 << 20
"""What a stored report may unpack to: the operator has half a gigabyte for all it does."""

_MOST_PROBLEMS = 2


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


def read_baseline(cluster: Cluster, reports: Reports, namespace: str, baseline: Baseline) -> Side:
    """Return the baseline with its results.

    Raises:
        TemporaryError: `BaselineNotFound` or `ConfigMapNotFound` if it is gone, `ReportDamaged`
            if its results are.
        PermanentError: `BaselineUnreadable` if the report is none.

    """
    if baseline.report is not None:
        return _stored_side(cluster, namespace, baseline.report.config_map)
    name = "" if baseline.benchmark is None else baseline.benchmark.name
    benchmark = _benchmark(cluster, namespace, name)
    if benchmark is None:
        raise TemporaryError(
            LifecycleReason.BASELINE_NOT_FOUND,
            f"spec.comparison.baseline.benchmark: there is no SolrBenchmark {name} in namespace"
            f" {namespace}; create it",
        )
    return benchmark_side(name, benchmark, list(reports.documents(benchmark).values()))


def _benchmark(cluster: Cluster, namespace: str, name: str) -> SolrBenchmark | None:
    body = cluster.get(*BENCHMARKS, namespace, name)
    if body is None:
        return None
    try:
        return SolrBenchmark.parse(body)
    except ValidationError as error:
        found = "; ".join(problems(error)[:_MOST_PROBLEMS])
        raise TemporaryError(
            LifecycleReason.BASELINE_UNREADABLE,
            f"spec.comparison.baseline.benchmark: SolrBenchmark {name} is not one of this version"
            f" ({found}); run it again, or name another baseline",
        ) from error


def _stored_side(cluster: Cluster, namespace: str, stored: StoredReport) -> Side:
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
        return report_side(name, text.encode() if text else packed, MAX_REPORT_BYTES)
    except (UnreadableReportError, binascii.Error) as error:
        raise PermanentError(
            LifecycleReason.BASELINE_UNREADABLE,
            f"{field}: key {stored.key} of ConfigMap {stored.name} cannot be read: {error}; store"
            " what `solrbench report NAME -o json` prints",
        ) from error
