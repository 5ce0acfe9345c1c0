"""A benchmark whose status has every number that metrics show."""

import time
from datetime import UTC, datetime

from solrbench.api.v1alpha1 import Metadata, SolrBenchmark, Status
from solrbench.api.v1alpha1.comparisons import AnswerComparison, ReportStatus
from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.findings import Bottleneck, InvalidReason, StepVerdict, Trend
from solrbench.api.v1alpha1.server_metrics import IndexingTelemetry, StepTelemetry
from solrbench.api.v1alpha1.status import (
    CleanedStatus,
    DatasetStatus,
    IndexPodsStatus,
    LiveLoad,
    QueueStatus,
)
from solrbench.api.v1alpha1.step_details import ColdStart, OpenLoopStats, StepVisibility
from solrbench.api.v1alpha1.step_result import Distribution, PercentileResult, StepResult
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.sweep.plan import make_plan
from support.resources.small_sweep import measured_sweep
from support.results.builders import make_spec
from support.results.statuses import CAPACITY_DOCUMENTS, CAPACITY_USERS, full_status

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
"""The end of a benchmark whose results are still shown."""
REASON = InvalidReason(reason="WorkersLost", message="1 of 2 workers were lost (limit 0)")
COLD_START = ColdStart(
    step="five",
    in_warm_up=True,
    first_thousand_seconds=2.5,
    first_thousand_average_milliseconds=8.0,
    first_thousand_max_milliseconds=250.0,
    steady_average_milliseconds=2.0,
)
TREND = Trend(
    step="five",
    figure="HeapAfterGc",
    conclusion="HeapGrows",
    unit="bytes",
    growth_per_hour=3600,
    lower_per_hour=1800,
    upper_per_hour=7200,
    full_in_hours=2,
    message="HeapGrows",
)


def make_benchmark(name: str = "b", **status: object) -> SolrBenchmark:
    return SolrBenchmark(
        metadata=Metadata(name=name, namespace="team"),
        spec=make_spec("five"),
        status=Status.model_validate({"phase": "Measuring", **status}),
    )


def full_benchmark(end: datetime | None = LATER) -> SolrBenchmark:
    """Return a benchmark whose status has every number, which was over at `end`."""
    words = {name: name for name in ("step", "variant", "request")}
    interval = {"lower": 1, "upper": 1}
    percentile = dict.fromkeys(PercentileResult.model_fields, 1)
    pairs = {name: interval for name in StepResult.model_fields if name.endswith("_interval")}
    others = words.keys() | pairs.keys() | {"is_transaction", "percentiles"}
    sent = {name: 1 for name in OpenLoopStats.model_fields if name not in words}
    read = {name: 1 for name in StepTelemetry.model_fields if name not in {"missing", *words}}
    numbers = {name: 1 for name in StepResult.model_fields if name not in others}
    result = StepResult.model_validate({**words, **numbers, **pairs, "percentiles": [percentile]})
    data: dict[str, object] = dict.fromkeys(DatasetStatus.model_fields, 1)
    data |= {
        "pods": dict.fromkeys(IndexPodsStatus.model_fields, 1),
        "by_pod": [{"pod": 0, "node": "worker-1", "slowest_files": [{"name": "books.csv"}]}],
        "cleaned": dict.fromkeys(CleanedStatus.model_fields, 1),
        "solr": dict.fromkeys(IndexingTelemetry.model_fields.keys() - {"missing"}, 1),
        "series": [{"server": "s", "figure": "cpu_percent", "seconds": [1], "values": [1]}],
        "bottleneck": {"step": "indexing", "resource": "Cpu", "message": "99 %"},
        "verdict": "Invalid",
        "reasons": [REASON],
    }
    full = full_status()
    benchmark = make_benchmark(
        phase_start_time=NOW,
        start_time=NOW,
        completion_time=end,
        queue=QueueStatus(position=1, waiting_since=NOW),
        dataset=DatasetStatus.model_validate(data),
        live_load=LiveLoad(
            stage="Measuring",
            step="five",
            users=1,
            planned_requests_per_second=1,
            requests_per_second=1,
            requests=1,
            p50_milliseconds=1,
            p95_milliseconds=1,
            p99_milliseconds=1,
            recent_failures=1,
            recent_failed_percent=1,
        ),
        report=ReportStatus(stored_steps=1, total_steps=2),
        results=[result],
        totals=[result],
        distributions=[
            Distribution(step="five", within=list(range(1, 15)), requests=15, total_seconds=7.5)
        ],
        open_loop=[OpenLoopStats.model_validate({"step": "five"} | sent)],
        cold_start=COLD_START,
        telemetry=[StepTelemetry.model_validate({"step": "five"} | read)],
        visibility=[
            StepVisibility(
                step="five",
                replica_type="NRT",
                documents=1,
                percentiles=[PercentileResult(percent=each, milliseconds=1) for each in (50, 95)],
                error_milliseconds=1,
            )
        ],
        bottlenecks=[Bottleneck(step="five", resource="Cpu", message="99 %")],
        trends=[TREND],
        comparison=full.comparison,
        answer_comparisons=[
            AnswerComparison(
                candidate="b", baseline="juniper", conclusion="Differ", queries=9, different=1
            )
        ],
        objectives=full.objectives,
        capacity=[*full.capacity, CAPACITY_USERS, CAPACITY_DOCUMENTS],
        verdicts=[StepVerdict(step="five", verdict="Invalid", reasons=[REASON])],
        conditions=[
            Condition(type="Measured", status="False", reason="Running", last_transition_time=NOW)
        ],
    )
    metadata = benchmark.metadata.model_copy(update={"creation_timestamp": NOW})
    return benchmark.model_copy(update={"metadata": metadata})


def metrics_of(benchmark: SolrBenchmark) -> PrometheusMetrics:
    """Return metrics with every family: of a benchmark, a sweep and a reconcile."""
    telemetry, sweep = PrometheusMetrics("1"), measured_sweep()
    telemetry.benchmarks.update(benchmark)
    telemetry.sweeps.update(sweep, make_plan(sweep))
    with telemetry.operator.time_reconcile(time.monotonic):
        pass
    return telemetry
