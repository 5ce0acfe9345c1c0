from datetime import UTC, datetime

import pytest
from prometheus_client import CollectorRegistry

from solrbench.api.v1alpha1 import Metadata, SolrBenchmark, Status
from solrbench.api.v1alpha1.status import (
    Condition,
    DatasetStatus,
    Doubt,
    LiveLoad,
    ReportStatus,
    StepResult,
    StepVerdict,
)
from solrbench.telemetry.benchmarks import FAMILIES, BenchmarkCollector, BenchmarkStore
from unit.results.builders import make_spec

NOW = datetime(2026, 1, 2, tzinfo=UTC)
OWNER = {"namespace": "team", "benchmark": "b"}
DOUBT = Doubt(reason="WorkersLost", message="1 of 2 workers were lost, bound 0")
RESULT = StepResult(
    step="five",
    request="query",
    repeats=2,
    requests=3000,
    failures=3,
    requests_per_second=123.4,
    p50_milliseconds=4.0,
    p95_milliseconds=9.87,
    p95_deviation_percent=5.0,
)


def make_benchmark(name: str = "b", **status: object) -> SolrBenchmark:
    return SolrBenchmark(
        metadata=Metadata(name=name, namespace="team"),
        spec=make_spec("five"),
        status=Status.model_validate({"phase": "Measuring", **status}),
    )


def _registry(*benchmarks: SolrBenchmark) -> CollectorRegistry:
    store, registry = BenchmarkStore(), CollectorRegistry()
    registry.register(BenchmarkCollector(store))
    for benchmark in benchmarks:
        store.update(benchmark)
    return registry


def _names(registry: CollectorRegistry) -> set[str]:
    return {sample.name for family in registry.collect() for sample in family.samples}


def test_milliseconds_become_seconds_and_percent_become_ratios() -> None:
    registry = _registry(make_benchmark(results=[RESULT]))
    labels = {**OWNER, "step": "five", "request": "query", "variant": ""}
    times = "solrbench_step_service_time_seconds"
    assert registry.get_sample_value(times, {**labels, "quantile": "0.95"}) == pytest.approx(
        0.00987
    )
    ratio = "solrbench_step_service_time_p95_deviation_ratio"
    assert registry.get_sample_value(ratio, labels) == 0.05
    assert registry.get_sample_value("solrbench_step_failures", labels) == 3


def test_absent_numbers_give_no_sample() -> None:
    registry = _registry(make_benchmark(results=[RESULT]))
    labels = {**OWNER, "step": "five", "request": "query", "variant": "", "quantile": "0.99"}
    assert registry.get_sample_value("solrbench_step_service_time_seconds", labels) is None
    names = _names(registry)
    assert "solrbench_step_service_time_average_seconds" not in names
    assert "solrbench_benchmark_documents" not in names
    assert "solrbench_live_users" not in names


def test_measured_zero_is_a_sample() -> None:
    registry = _registry(make_benchmark(dataset=DatasetStatus(documents=0)))
    assert registry.get_sample_value("solrbench_benchmark_documents", OWNER) == 0


def test_phases_and_conditions_are_labels() -> None:
    condition = Condition(
        type="TargetReady", status="True", reason="AllNodesLive", last_transition_time=NOW
    )
    registry = _registry(make_benchmark(conditions=[condition]), make_benchmark("c"))
    get = registry.get_sample_value
    assert get("solrbench_benchmarks", {"phase": "Measuring"}) == 2
    assert get("solrbench_benchmark_info", {**OWNER, "phase": "Measuring"}) == 1
    labels = {**OWNER, "type": "TargetReady", "status": "True"}
    assert get("solrbench_benchmark_condition", labels) == 1


def test_live_load_has_the_step_as_label() -> None:
    load = LiveLoad(stage="Measuring", step="five", users=5, requests_per_second=7.5, requests=70)
    registry = _registry(make_benchmark(load=load))
    labels = {**OWNER, "step": "five", "variant": ""}
    assert registry.get_sample_value("solrbench_live_users", labels) == 5
    assert registry.get_sample_value("solrbench_live_requests_per_second", labels) == 7.5
    assert registry.get_sample_value("solrbench_live_step_requests", labels) == 70


def test_variants_are_told_apart_by_a_label() -> None:
    results = [RESULT.model_copy(update={"variant": name}) for name in ("raw", "proxy")]
    load = LiveLoad(stage="Measuring", step="five", variant="proxy", users=5)
    registry = _registry(make_benchmark(results=results, load=load))
    live, result = {**OWNER, "step": "five"}, {**OWNER, "step": "five", "request": "query"}
    get = registry.get_sample_value
    assert get("solrbench_live_users", {**live, "variant": "proxy"}) == 5
    for name in ("raw", "proxy"):
        assert get("solrbench_step_failures", {**result, "variant": name}) == 3


def test_the_start_of_a_phase_is_unix_time() -> None:
    registry = _registry(make_benchmark(phase_start_time=NOW))
    name = "solrbench_benchmark_phase_start_timestamp_seconds"
    assert registry.get_sample_value(name, OWNER) == NOW.timestamp()


def test_a_verdict_is_a_number_and_its_reasons_are_labels() -> None:
    good = StepVerdict(step="one", verdict="Valid")
    bad = StepVerdict(step="five", variant="proxy", verdict="Invalid", reasons=[DOUBT])
    registry = _registry(make_benchmark(verdicts=[good, bad]))
    one, five = ({"step": "one", "variant": ""}, {"step": "five", "variant": "proxy"})
    assert registry.get_sample_value("solrbench_step_valid", OWNER | one) == 1
    assert registry.get_sample_value("solrbench_step_valid", OWNER | five) == 0
    because = OWNER | five | {"reason": "WorkersLost"}
    assert registry.get_sample_value("solrbench_step_invalid_reason", because) == 1


def test_an_update_replaces_and_forget_removes() -> None:
    store, registry = BenchmarkStore(), CollectorRegistry()
    registry.register(BenchmarkCollector(store))
    store.update(make_benchmark(report=ReportStatus(stored_steps=1)))
    store.update(make_benchmark(report=ReportStatus(stored_steps=2)))
    assert registry.get_sample_value("solrbench_benchmark_steps_stored", OWNER) == 2
    store.forget("team/b")
    store.forget("team/never-seen")
    assert _names(registry) == set()


def test_a_clash_of_names_is_noticed() -> None:
    registry = _registry()
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        registry.register(BenchmarkCollector(BenchmarkStore()))


def test_every_family_shows_up_with_full_status() -> None:
    registry = _registry(full_benchmark())
    assert {family.full_name for family in FAMILIES} <= _names(registry)


def full_benchmark() -> SolrBenchmark:
    """Return a benchmark whose status has every number."""
    words = {name: name for name in ("step", "variant", "request")}
    others = words.keys() | {"is_transaction"}
    numbers = {name: 1 for name in StepResult.model_fields if name not in others}
    return make_benchmark(
        phase_start_time=NOW,
        dataset=DatasetStatus.model_validate(dict.fromkeys(DatasetStatus.model_fields, 1)),
        load=LiveLoad(
            stage="Measuring",
            step="five",
            users=1,
            planned_requests_per_second=1,
            requests_per_second=1,
            requests=1,
        ),
        report=ReportStatus(stored_steps=1, total_steps=2),
        results=[StepResult.model_validate({**words, **numbers})],
        verdicts=[StepVerdict(step="five", verdict="Invalid", reasons=[DOUBT])],
        conditions=[
            Condition(type="Measured", status="False", reason="Running", last_transition_time=NOW)
        ],
    )
