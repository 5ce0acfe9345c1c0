import gc
import re
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from hack.generate.metrics_reference import render_metrics_reference
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import ReportStatus
from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.status import DatasetStatus, LiveLoad
from solrbench.api.v1alpha1.step_details import OpenLoopStats
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.metrics.benchmarks import FAMILIES, BenchmarkStore
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.metrics.results import RESULT_FAMILIES
from support.results.full_benchmark import COLD_START, NOW, REASON, full_benchmark, make_benchmark
from support.results.statuses import full_status

OWNER = {"namespace": "team", "benchmark": "b"}
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


def _registry(*benchmarks: SolrBenchmark, store: BenchmarkStore | None = None) -> CollectorRegistry:
    store, registry = store or BenchmarkStore(), CollectorRegistry()
    registry.register(store)
    for benchmark in benchmarks:
        store.update(benchmark)
    return registry


def _names(registry: CollectorRegistry) -> set[str]:
    return {sample.name for family in registry.collect() for sample in family.samples}


STEP = {"step": "five", "variant": ""}
REQUEST = STEP | {"request": "query"}
PROXY = {"step": "five", "variant": "proxy"}
OPEN_LOOP = OpenLoopStats(
    **PROXY,
    planned_arrivals=100,
    sent_arrivals=97,
    late_arrivals=0,
    dropped_arrivals=3,
    lag_p99_milliseconds=1.5,
    lag_max_milliseconds=250.0,
)
LIVE = LiveLoad(stage="Measuring", step="five", users=5, requests_per_second=7.5, requests=70)
FIELDS: dict[str, Any] = {
    "results": [
        RESULT.model_copy(update={"response_p99_milliseconds": 700.0, "late_requests": 7}),
        RESULT.model_copy(update={"variant": "proxy"}),
    ],
    "totals": [RESULT],
    "open_loop": [OPEN_LOOP],
    "cold_start": COLD_START,
    "live_load": LIVE,
    "dataset": DatasetStatus(documents=0),
    "phase_start_time": NOW,
    "verdicts": [
        StepVerdict(step="one", verdict="Valid"),
        StepVerdict(**PROXY, verdict="Invalid", reasons=[REASON]),
        StepVerdict(step="two", verdict="Inconclusive"),
    ],
}


@pytest.mark.parametrize(
    ("name", "labels", "value"),
    [
        # Milliseconds become seconds, per cent ratios.
        ("step_service_time_seconds", REQUEST | {"quantile": "0.95"}, 0.00987),
        ("step_service_time_deviation_ratio", REQUEST | {"quantile": "0.95"}, 0.05),
        ("step_response_time_seconds", REQUEST | {"quantile": "0.99"}, 0.7),
        ("step_late_requests", REQUEST, 7),
        ("step_failures", REQUEST, 3),
        ("step_failures", REQUEST | PROXY, 3),
        ("step_all_failures", STEP, 3),
        ("step_all_requests", STEP, RESULT.requests),
        ("step_planned_arrivals", PROXY, 100),
        ("step_sent_arrivals", PROXY, 97),
        ("step_late_arrivals", PROXY, 0),
        ("step_dropped_arrivals", PROXY, 3),
        ("step_send_lag_max_seconds", PROXY, 0.25),
        ("step_send_lag_seconds", PROXY | {"quantile": "0.99"}, 0.0015),
        ("cold_start_first_thousand_seconds", STEP, 2.5),
        ("cold_start_first_thousand_service_time_average_seconds", STEP, 0.008),
        ("cold_start_first_thousand_service_time_max_seconds", STEP, 0.25),
        ("cold_start_steady_service_time_average_seconds", STEP, 0.002),
        ("live_users", STEP, 5),
        ("live_requests_per_second", STEP, 7.5),
        ("live_step_requests", STEP, 70),
        ("benchmark_documents", {}, 0),  # a measured zero is a sample
        ("benchmark_phase_start_timestamp_seconds", {}, NOW.timestamp()),
        ("step_valid", {"step": "one", "variant": ""}, 1),
        ("step_valid", PROXY, 0),
        ("step_valid", {"step": "two", "variant": ""}, 0.5),
        ("step_invalid_reason", PROXY | {"reason": "WorkersLost"}, 1),
    ],
)
def test_field_of_the_status_is_a_sample(name: str, labels: dict[str, str], value: float) -> None:
    registry = _registry(make_benchmark(**FIELDS))
    found = registry.get_sample_value(f"solrbench_{name}", OWNER | labels)
    assert found == pytest.approx(value)


def test_absent_numbers_give_no_sample() -> None:
    registry = _registry(make_benchmark(results=[RESULT]))
    labels = OWNER | REQUEST | {"quantile": "0.99"}
    assert registry.get_sample_value("solrbench_step_service_time_seconds", labels) is None
    names = _names(registry)
    assert "solrbench_step_service_time_average_seconds" not in names
    assert "solrbench_benchmark_documents" not in names
    assert "solrbench_live_users" not in names


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


def test_live_load_has_the_variant_as_label() -> None:
    load = LIVE.model_copy(update={"variant": "proxy"})
    registry = _registry(make_benchmark(live_load=load))
    assert registry.get_sample_value("solrbench_live_users", OWNER | PROXY) == 5


def test_a_closed_loop_that_was_never_steady_gives_no_sample_of_what_it_lacks() -> None:
    start = COLD_START.model_copy(update={"steady_average_milliseconds": None})
    silent = OpenLoopStats(step="five", sent_arrivals=1, late_arrivals=0, dropped_arrivals=0)
    closed = _names(_registry(make_benchmark(results=[RESULT])))
    assert not [name for name in closed if "arrivals" in name or "response_time" in name]
    assert not [name for name in closed if "lag" in name or "cold_start" in name]
    found = _names(_registry(make_benchmark(open_loop=[silent], cold_start=start)))
    assert "solrbench_step_sent_arrivals" in found
    assert "solrbench_step_planned_arrivals" not in found
    assert not [name for name in found if "lag" in name]
    assert "solrbench_cold_start_first_thousand_seconds" in found
    assert "solrbench_cold_start_steady_service_time_average_seconds" not in found


def test_an_update_replaces_and_forget_removes() -> None:
    store = BenchmarkStore()
    stored = [make_benchmark(report=ReportStatus(stored_steps=steps)) for steps in (1, 2)]
    registry = _registry(*stored, store=store)
    assert registry.get_sample_value("solrbench_benchmark_steps_stored", OWNER) == 2
    store.forget("team/b")
    store.forget("team/never-seen")
    assert _names(registry) == set()


@pytest.mark.parametrize(("seconds_later", "shown"), [(9, True), (10, False)])
def test_results_are_shown_for_a_while_after_the_end(seconds_later: int, shown: bool) -> None:
    ended, running = datetime(2026, 1, 1, tzinfo=UTC), full_benchmark(None)
    metadata = running.metadata.model_copy(update={"name": "running"})
    store = BenchmarkStore(10, lambda: ended.timestamp() + seconds_later)
    others = running.model_copy(update={"metadata": metadata})
    registry = _registry(full_benchmark(ended), others, store=store)
    found = {
        family.name: {sample.labels.get("benchmark") for sample in family.samples}
        for family in registry.collect()
    }
    assert found["solrbench_benchmark_info"] == {"b", "running"}
    assert found["solrbench_step_valid"] == ({"b", "running"} if shown else {"running"})


def test_finished_benchmark_shows_what_it_showed_while_it_ran() -> None:
    store, registry = BenchmarkStore(10, NOW.timestamp), CollectorRegistry()
    registry.register(store)
    shown = []
    for end in (None, NOW):
        store.update(full_benchmark(end))
        lines = generate_latest(registry).decode().splitlines()
        shown.append([line for line in lines if "end_timestamp_seconds{" not in line])
    assert shown[0] == shown[1]


def test_results_are_not_kept_longer_than_they_are_shown() -> None:
    now = [0.0]
    done = full_benchmark(datetime.fromtimestamp(5, UTC))
    store = BenchmarkStore(10, lambda: now[0])
    store.update(done)
    (before,) = store.all()
    now[0] = 15
    (after,) = store.all()
    lost = {family.name for family in FAMILIES if list(before.read(family))} - {
        family.name for family in FAMILIES if list(after.read(family))
    }
    assert lost == {family.name for family in RESULT_FAMILIES}
    assert after.phase == done.status.phase


@pytest.mark.parametrize(("end", "bytes_each"), [(None, (40_000, 400_000)), (NOW, (0, 46_000))])
def test_finished_benchmark_takes_little_memory(
    end: datetime | None, bytes_each: tuple[int, int]
) -> None:
    benchmark = full_benchmark()
    results = [RESULT.model_copy(update={"request": f"q{number}"}) for number in range(30)]
    status = benchmark.status.model_copy(update={"completion_time": end, "results": results})
    store = BenchmarkStore(10, NOW.timestamp)
    tracemalloc.start()
    for number in range(10):
        metadata = benchmark.metadata.model_copy(update={"name": f"b{number}"})
        changes = {"metadata": metadata, "status": status.model_copy(deep=True)}
        store.update(benchmark.model_copy(update=changes))
    del changes, metadata
    gc.collect()  # what waits for a collection is not kept
    taken = tracemalloc.get_traced_memory()[0] / 10
    tracemalloc.stop()
    assert bytes_each[0] < taken < bytes_each[1]


def test_a_clash_of_names_is_noticed() -> None:
    registry = _registry()
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        registry.register(BenchmarkStore())


def test_growth_is_shown_in_base_units() -> None:
    registry = _registry(full_benchmark())
    samples = [each for family in registry.collect() for each in family.samples]
    numbers = {each.name.removeprefix("solrbench_"): each.value for each in samples}
    assert numbers["step_growth_bytes_per_second"] == 1
    assert numbers["step_full_seconds"] == 7200


def test_growth_beside_the_baseline_is_shown_in_base_units() -> None:
    get = _registry(make_benchmark(comparison=full_status().comparison)).get_sample_value
    labels = OWNER | PROXY | {"step": "two-users", "figure": "HeapAfterGc"}
    assert get("solrbench_comparison_trend_conclusion", labels | {"conclusion": "Worse"}) == 1
    grown = get("solrbench_comparison_growth_difference_bytes_per_second", labels)
    assert grown == pytest.approx(4.1e7 / 3600)


def test_every_family_shows_up_with_full_status() -> None:
    registry = _registry(full_benchmark())
    found = {family.name for family in registry.collect() if family.samples}
    assert {family.full_name for family in FAMILIES} <= found


def test_durations_are_a_histogram_with_a_sum_and_all_requests() -> None:
    registry = _registry(full_benchmark())
    labels = OWNER | STEP
    name = "solrbench_step_request_duration_seconds"
    get = registry.get_sample_value
    assert get(f"{name}_bucket", {**labels, "le": "0.005"}) == 3
    assert get(f"{name}_bucket", {**labels, "le": "30"}) == 14
    assert get(f"{name}_bucket", {**labels, "le": "+Inf"}) == 15
    assert (get(f"{name}_count", labels), get(f"{name}_sum", labels)) == (15, 7.5)


def test_no_metric_has_a_quantile_in_its_name() -> None:
    assert not [each.name for each in FAMILIES if re.search(r"(^|_)p\d+(_|$)", each.name)]


PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"
REFERENCE = render_metrics_reference()


def _families() -> dict[str, str]:
    families = {each.name: each.type for each in PrometheusMetrics("1").registry.collect()}
    return {
        f"{name}_total" if kind == "counter" else name: kind
        for name, kind in families.items()
        if name.startswith("solrbench_")
    }


def test_the_pages_list_every_metric_with_its_type_and_no_other() -> None:
    text = PAGE.read_text() + REFERENCE
    rows = re.findall(r"^\| `(solrbench_\w+)` \| (\w+) \|", text, re.MULTILINE)
    wanted = _families()
    assert wanted.pop("solrbench_benchmarks") == "gauge"
    assert "`solrbench_benchmarks`, a gauge" in PAGE.read_text()
    assert dict(rows) == wanted
    assert len(rows) == len(wanted)


def test_the_reference_lists_every_label_and_a_unit() -> None:
    for family in FAMILIES:
        (row,) = re.findall(rf"^\| `{family.full_name}` .*$", REFERENCE, re.MULTILINE)
        _, kind, unit, labels, meaning = row.strip("| ").split(" | ")
        assert re.findall(r"`(\w+)`", labels) == list(family.labels)
        assert (kind, unit, meaning) == (family.kind, family.unit, family.text)
        assert unit
        assert meaning


def test_the_page_names_metrics_that_exist() -> None:
    # What a colon precedes is a recording; three dots stand for the rest of a name.
    text = PAGE.read_text()
    names = set(re.findall(r"(?<!:)\bsolrbench_\w+\b(?!\.\.\.)", text))
    assert names <= _families().keys()
    for beginning in re.findall(r"\b(solrbench_\w+)\.\.\.", text):
        assert any(name.startswith(beginning) for name in _families())
