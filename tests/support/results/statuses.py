"""A status with every field set, and one with few."""

from datetime import UTC, datetime, timedelta

from solrbench.api.v1alpha1.comparisons import (
    BaselineComparison,
    Comparison,
    Conclusion,
    FigureComparison,
    Overhead,
    ReportStatus,
    Summary,
    TrendDifference,
)
from solrbench.api.v1alpha1.conditions import Attempts, Condition
from solrbench.api.v1alpha1.findings import (
    Bottleneck,
    CapacityConclusion,
    CapacityResult,
    InvalidReason,
    NotRun,
    ObjectiveConclusion,
    ObjectiveResult,
    ObjectivesStatus,
    Scalability,
    StepVerdict,
    TrialResult,
)
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import DatasetStatus, LiveLoad, Status, TargetStatus
from solrbench.api.v1alpha1.step_details import StepResponseGaps
from solrbench.api.v1alpha1.step_result import Interval, PercentileResult, StepResult

OBJECTIVES = ObjectivesStatus(
    conclusion=ObjectiveConclusion.MISSED,
    results=[
        ObjectiveResult(
            name="fast",
            step="two-users",
            variant="proxy",
            conclusion=ObjectiveConclusion.MISSED,
            limit=10,
            value=13.3,
            lower=12.8,
            upper=14.1,
            unit="ms",
            message="p95 is 13.3 ms (95 %: 12.8 to 14.1) (limit: at most 10 ms)",
        )
    ],
)
CAPACITY = CapacityResult(
    variant="proxy",
    conclusion=CapacityConclusion.FOUND,
    message="holds 160 requests/s (95 %: 155 to 166) at p95 ≤ 200 ms",
    requests_per_second=160,
    requests_per_second_interval=Interval(lower=155, upper=166),
    highest_met_requests_per_second=161,
    lowest_missed_requests_per_second=158,
    probe_requests_per_second=200,
    trials=[
        TrialResult(requests_per_second=170, excess=0.2, p95_milliseconds=250, failed_percent=0),
        TrialResult(requests_per_second=40, excess=-1, p95_milliseconds=52, failed_percent=0),
    ],
)
TARGET = TargetStatus(
    live_nodes=2,
    zookeepers=3,
    solr_version="9.10.1",
    heap_bytes=2**29,
    url="http://base-solr.default.svc:8983/solr/base",
    pods={"base-solr-0": "0b5b/0", "base-zookeeper-1": "77aa/1"},
)
DATASET = DatasetStatus(
    documents=20_000,
    documents_total=20_000,
    bytes=2**40,
    seconds=12.5,
    documents_per_second=1600.0,
    bytes_per_second=1e9,
    index_bytes=2**45,
)
COMPARISON = BaselineComparison(
    baseline="juniper",
    figures=[
        FigureComparison(
            step="two-users",
            variant="proxy",
            request="all requests",
            figure="p95Milliseconds",
            primary=True,
            baseline=10.1,
            value=12.3,
            difference_percent=21.8,
            low_percent=19.2,
            high_percent=24.4,
            conclusion=Conclusion.WORSE,
            more_repeats=5,
            on_target=True,
            invalid=True,
        )
    ],
    left_out=3,
    trends=[
        TrendDifference(
            step="two-users",
            variant="proxy",
            figure="HeapAfterGc",
            unit="bytes",
            baseline_per_hour=2e6,
            growth_per_hour=4.3e7,
            difference_per_hour=4.1e7,
            low_per_hour=3.6e7,
            high_per_hour=4.6e7,
            conclusion=Conclusion.WORSE,
        )
    ],
    settings=["collection.shards: 1, then 2"],
    differences=["seed: 1, then 2"],
)
VERDICTS = [
    StepVerdict(
        step="two-users",
        variant="proxy",
        verdict="Invalid",
        reasons=[InvalidReason(reason="WorkersLost", message="1 of 2 workers were lost (limit 0)")],
        unchecked=[InvalidReason(reason="PodThrottled", message="no cpu.stat")],
    )
]
RESPONSE_GAPS = [
    StepResponseGaps(
        step="two-users",
        variant="proxy",
        least_user_requests=12,
        median_user_requests=480,
        most_user_requests=502,
        least_user=1,
        least_user_node="solr-1:8983",
        least_user_repeat=2,
        longest_milliseconds=12_300,
        longest_user=1,
        longest_node="solr-1:8983",
        longest_repeat=2,
        longest_second=3.2,
    )
]
TELEMETRY = [
    StepTelemetry(
        step="two-users",
        variant="proxy",
        nodes=2,
        cpu_cores=1.5,
        gc_percent=0.2,
        heap_after_gc_max_bytes=2**28,
        missing=["no response to mntr from ZooKeeper zk-1:2181"],
    )
]
BOTTLENECKS = [
    Bottleneck(
        step="two-users",
        variant="proxy",
        resource="OneNode",
        server="base-solr-0:8983",
        message="95 % of its CPUs used (limit 85 %)",
        field="collection.shards",
    )
]
REPORT = ReportStatus(
    config_map_selector="solrbench.io/benchmark=base,app.kubernetes.io/component=report",
    environment="base-report-environment",
    stored_steps=1,
    total_steps=4,
)
CAPACITY_USERS = CapacityResult(
    variant="direct",
    conclusion=CapacityConclusion.FOUND,
    message="holds 23 users (95 %: 21 to 25) at p95 ≤ 200 ms",
    users=23,
    users_interval=Interval(lower=21, upper=25),
    highest_met_users=24,
    lowest_missed_users=23,
    probe_requests_per_second=200,
    trials=[
        TrialResult(
            requests_per_second=190, users=25, excess=0.1, p95_milliseconds=222, failed_percent=0
        ),
        TrialResult(
            requests_per_second=191, users=9, excess=-1, p95_milliseconds=80, failed_percent=0
        ),
    ],
)
CAPACITY_DOCUMENTS = CapacityResult(
    variant="service",
    conclusion=CapacityConclusion.FOUND,
    message="sustains 5200 documents/s (95 %: 5100 to 5300) at p95 ≤ 500 ms",
    requests_per_second=10.4,
    requests_per_second_interval=Interval(lower=10.2, upper=10.6),
    documents_per_second=5200,
    documents_per_second_interval=Interval(lower=5100, upper=5300),
    highest_met_documents_per_second=5250,
    lowest_missed_documents_per_second=5400,
    probe_requests_per_second=20,
    trials=[
        TrialResult(
            requests_per_second=rate,
            documents_per_second=500 * rate,
            excess=excess,
            p95_milliseconds=time,
            failed_percent=0,
        )
        for rate, excess, time in ((10.8, 0.1, 556), (10.5, -0.1, 455))
    ],
)
START = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)
SUCCEEDED = {
    "phase": "Succeeded",
    "conditions": [
        {
            "type": "Succeeded",
            "status": "True",
            "reason": "Succeeded",
            "message": "all is stored",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ],
}
"""What the API server has of a benchmark that ended well, as little as possible."""


def full_status() -> Status:
    """Return a status in which no field is absent, as no real one is."""
    return Status(
        observed_generation=2,
        phase="Measuring",
        progress_percent=70,
        start_time=START,
        completion_time=START + timedelta(hours=1),
        phase_start_time=START + timedelta(minutes=5),
        attempts=Attempts(target=1, load=2),
        target=TARGET,
        dataset=DATASET,
        live_load=LiveLoad(
            stage="Measuring",
            repeat=2,
            variant="proxy",
            step="two-users",
            users=2,
            planned_requests_per_second=125.5,
            requests_per_second=123.4,
            requests=1000,
            p50_milliseconds=5.25,
            p95_milliseconds=12.3,
            p99_milliseconds=40.1,
            recent_failures=7,
            recent_failed_percent=0.567,
        ),
        summary=Summary(
            step="eight-users",
            requests_per_second=123.4,
            p95_milliseconds=12.3,
            failed_percent=0,
            verdict="Invalid",
        ),
        results=[_result("two-users"), _result("eight-users")],
        objectives=OBJECTIVES,
        not_run=[NotRun(step="twenty-users", step_runs=2, reason="r1-s1-eight-users missed fast")],
        capacity=[CAPACITY],
        scalability=[
            Scalability(levels=4, knee_users=6.1, message="knee at 6.1 users, no decline measured")
        ],
        comparisons=[_comparison("two-users"), _comparison("eight-users")],
        comparison=COMPARISON,
        answers=["p95 of all requests at 2 users: Worse by 21.8 % than juniper"],
        verdicts=VERDICTS,
        response_gaps=RESPONSE_GAPS,
        telemetry=TELEMETRY,
        bottlenecks=BOTTLENECKS,
        report=REPORT,
        conditions=[_condition("Accepted"), _condition("Succeeded")],
    )


def _result(step: str) -> StepResult:
    return StepResult(
        step=step,
        variant="proxy",
        request="query",
        repeats=2,
        requests=2000,
        failures=1,
        ramp_requests=10,
        requests_per_second=123.4,
        requests_per_second_interval=Interval(lower=120.1, upper=126.7),
        goodput_requests_per_second=122.2,
        average_milliseconds=5.5,
        average_milliseconds_interval=Interval(lower=5.2, upper=5.8),
        seconds_per_thousand_requests=5.5,
        percentiles=[
            PercentileResult(
                percent=95, milliseconds=13.3, lower_milliseconds=12.8, upper_milliseconds=14.1
            ),
            PercentileResult(percent=99.9, milliseconds=190.1),
        ],
        response_average_milliseconds_interval=Interval(lower=6.1, upper=6.9),
        min_milliseconds=0.7,
        max_milliseconds=99.9,
        p50_milliseconds=5.1,
        p75_milliseconds=7.2,
        p95_milliseconds=12.3,
        p99_milliseconds=40.1,
        requests_per_second_mean=123.5,
        requests_per_second_deviation_percent=1.5,
        p95_milliseconds_mean=12.2,
        p95_deviation_percent=2.5,
        response_average_milliseconds=6.5,
        response_max_milliseconds=199.9,
        response_p50_milliseconds=5.2,
        response_p75_milliseconds=7.4,
        response_p95_milliseconds=13.3,
        response_p99_milliseconds=80.1,
        response_p95_deviation_percent=3.5,
        late_requests=7,
        dropped_requests=3,
        steady_from_second=7,
        outlier_windows=3,
        drain_requests=2,
        drain_seconds=0.4,
    )


def _comparison(step: str) -> Comparison:
    return Comparison(
        step=step,
        variant="proxy",
        baseline="raw",
        request="query",
        repeats=2,
        failures=1,
        average=Overhead(percent=12.3, low_percent=9.8, high_percent=14.8),
        p95=Overhead(percent=0.1, low_percent=-2.5, high_percent=2.7),
        requests_per_second=Overhead(percent=-11.1, low_percent=-13.0, high_percent=-9.2),
    )


def _condition(type_: str) -> Condition:
    return Condition(
        type=type_,
        status="True",
        reason="Accepted",
        message="everything the spec refers to is there",
        last_transition_time=START,
        observed_generation=2,
    )
