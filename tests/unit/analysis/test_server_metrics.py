"""What the servers did, and after which time documents were found: by step and replica type."""

import math

import pytest

from solrbench.analysis.capacity_trials import read_trial
from solrbench.analysis.metrics import TIME_UNTIL_FOUND
from solrbench.analysis.objectives import evaluate_objectives
from solrbench.analysis.samples import ALL_REQUESTS, RunSamples
from solrbench.analysis.sentences import describe, name_figure
from solrbench.analysis.server_metrics import (
    merge_telemetry,
    merge_visibility,
    run_telemetry,
    slowest_percentile,
)
from solrbench.analysis.step_comparison import compare_variants
from solrbench.api.v1alpha1.findings import ObjectiveResult
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.server_document import ServerFigures, Telemetry, VisibilityResult
from solrbench.contract.step_document import StepRunResult
from solrbench.present.table import table_to_markdown
from solrbench.present.window_tables import visibility_table
from solrbench.telemetry.summary import spreads_of, with_shares
from support.narrowing import not_none
from support.results.builders import make_document, make_result, make_spec, make_variants
from support.results.samples import benchmark_samples, step_samples
from support.results.trials import trial

MIB = 1 << 20


def node(name: str, **figures: float) -> ServerFigures:
    return with_shares(ServerFigures(server=name, seconds=10, readings=2, figures=figures))


def telemetry(*nodes: ServerFigures, zookeeper: ServerFigures | None = None) -> Telemetry:
    spreads = {"solr": spreads_of("solr", nodes)}
    if zookeeper is not None:
        spreads["zookeeper"] = spreads_of("zookeeper", [zookeeper])
    return Telemetry(spreads=spreads, missing=["no metrics from b"])


def document(found: Telemetry | None, repeat: int = 1) -> StepRunResult:
    return make_document("a", repeat, make_result([20_000] * 100), seconds=10, telemetry=found)


def test_of_several_nodes_sums_and_the_worst_count() -> None:
    work = {"cpu_seconds": 8, "cpus": 2, "requests": 60, "request_seconds": 0.6, "gc_seconds": 1}
    sizes = {"heap_after_gc_max_bytes": 90 * MIB, "heap_limit_bytes": 100 * MIB, "index_bytes": 5}
    cache = {"filter_cache_lookups": 30, "filter_cache_hits": 10, "filter_cache_evictions": 20}
    busy = node("a", **work, **sizes, **cache)
    work = {"cpu_seconds": 2, "cpus": 2, "requests": 40, "request_seconds": 0.4, "gc_seconds": 0}
    idle = node("b", **work, index_bytes=6, filter_cache_lookups=10, filter_cache_hits=10)
    found = not_none(run_telemetry(document(telemetry(busy, idle))))
    figures = found.figures
    assert (figures["cpu_cores"], figures["cpu_percent"]) == (1, 40)
    assert figures["cpu_milliseconds_per_request"] == 100
    assert (figures["gc_percent"], figures["heap_after_gc_max_percent"]) == (10, 90)
    assert figures["filter_cache_hit_percent"] == 50
    assert figures["cache_evictions_per_second"] == 2
    assert (figures["index_bytes"], figures["nodes"]) == (11, 2)
    assert (figures["solr_milliseconds"], figures["client_milliseconds"]) == (10, 20)
    assert found.servers["cpu_percent"] == "a"
    assert found.peers["cpu_percent"].lowest == 10
    assert found.missing == ("no metrics from b",)


def test_latency_of_zookeeper_is_that_of_what_it_served() -> None:
    served = {"reads": 90, "read_seconds": 0.1, "updates": 10, "update_seconds": 0.4}
    zookeeper = node("zk", **served, outstanding_requests_max=12, watches=7)
    found = not_none(run_telemetry(document(telemetry(zookeeper=zookeeper))))
    assert found.figures["zookeeper_latency_milliseconds"] == pytest.approx(5)
    assert found.figures["zookeeper_watches"] == 7
    assert found.servers["zookeeper_outstanding_max"] == "zk"


def test_the_status_has_means_over_repeats_and_leaves_out_what_is_unknown() -> None:
    runs = [document(telemetry(node("a", cpu_seconds=s, cpus=2)), s) for s in (2, 4)]
    (entry,) = merge_telemetry(make_spec("a"), [(each, run_telemetry(each)) for each in runs])
    assert (entry.step, entry.cpu_cores, entry.cpu_percent) == ("a", 0.3, 15)
    assert entry.gc_percent is None
    assert entry.missing == ["no metrics from b"]


def test_without_telemetry_there_is_no_entry() -> None:
    run = document(None)
    assert run_telemetry(run) is None
    assert merge_telemetry(make_spec("a"), [(run, None)]) == []


def run(repeat: int, *found: VisibilityResult, variant: str = "") -> StepRunResult:
    result = make_result([1000] * 20)
    return make_document("a", repeat, result, variant=variant, visibility=list(found))


def of(
    kind: str, *milliseconds: float, not_found: int = 0, problem: str = "", error: float = 0.0
) -> VisibilityResult:
    return VisibilityResult(
        replica_type=kind,
        documents=len(milliseconds),
        not_found=not_found,
        timeout_milliseconds=60_000,
        milliseconds=list(milliseconds),
        errors=[error] * len(milliseconds),
        problem=problem,
    )


def test_repeats_are_one_sample_for_each_type() -> None:
    documents = (
        run(1, of("NRT", *range(10, 110, 10)), of("PULL", 900.0, not_found=1)),
        run(2, of("NRT", *range(5, 105, 10)), of("PULL", problem="gone")),
    )
    nrt, pull = merge_visibility(make_spec("a"), documents)
    assert (nrt.step, nrt.replica_type, nrt.documents, nrt.not_found) == ("a", "NRT", 20, 0)
    median, high, _ = nrt.percentiles
    assert (median.percent, median.milliseconds) == (50, 50)
    assert (median.lower_milliseconds, median.upper_milliseconds) == (30, 75)
    assert (high.milliseconds, high.upper_milliseconds) == (95, None)
    assert (pull.not_found, pull.max_milliseconds, pull.problem) == (1, 900, "gone")
    text = table_to_markdown(visibility_table([nrt, pull]))
    assert "| a | NRT | 20 | 0 | 50 ms (30 ms to 75 ms) | 95 ms (at least 85 ms) |" in text
    assert not visibility_table([])


def test_a_number_of_what_was_not_found_may_be_anything() -> None:
    found = of("NRT", 5.0, not_found=10**15)
    (nrt,) = merge_visibility(make_spec("a"), [run(1, found)])
    assert (nrt.percentiles, nrt.max_milliseconds) == ([], 5)
    assert not_none(slowest_percentile([found], 95.0)).value == float("inf")


def test_intervals_hold_by_how_much_the_times_may_be_wrong() -> None:
    documents = (
        run(1, of("NRT", *range(10, 110, 10))),
        run(2, of("NRT", *range(5, 105, 10), error=40)),
    )
    (exact,) = merge_visibility(make_spec("a"), documents[:1])
    (found,) = merge_visibility(make_spec("a"), documents)
    assert (exact.error_milliseconds, found.error_milliseconds) == (None, 40)
    median = found.percentiles[0]
    assert (median.milliseconds, median.lower_milliseconds) == (50, 10)
    assert median.upper_milliseconds == 95
    assert "| 40 ms |" in table_to_markdown(visibility_table([found]))


def percentiles(*found: VisibilityResult) -> dict[float, tuple[float, float | None]]:
    """Return the percentiles of the status with the upper bounds of their intervals."""
    (merged,) = merge_visibility(make_spec("a"), [run(1, *found)])
    return {p.percent: (p.milliseconds, p.upper_milliseconds) for p in merged.percentiles}


@pytest.mark.parametrize(
    ("not_found", "known"), [(0, {50, 95, 99}), (5, {50, 95}), (6, {50}), (100, {50}), (101, set())]
)
def test_what_was_not_found_is_longer_than_all_that_was(not_found: int, known: set[float]) -> None:
    """A percentile beyond the share that was found is absent: in the status, which sweeps read,
    and in what is compared and limited."""
    times = of("PULL", *range(10, 1010, 10), not_found=not_found)
    assert percentiles(times).keys() == known
    for percent in (50, 95, 99):
        slowest = not_none(slowest_percentile([of("NRT", *[1.0] * 100), times], percent))
        assert math.isfinite(slowest.value) is (percent in known)
    values = RunSamples(run(1, times)).values("query", [95])
    assert (TIME_UNTIL_FOUND in values) is (95 in known)


def test_percentiles_count_what_was_not_found() -> None:
    times = [float(each) for each in range(10, 1010, 10)]
    assert percentiles(of("NRT", *times))[50][0] == 500
    assert percentiles(of("NRT", *times, not_found=50))[50] == (750, 880)
    assert percentiles(of("NRT", *times, not_found=90))[50] == (950, None)
    assert slowest_percentile([], 95) is None


def test_of_very_many_times_a_part_stands_for_those_not_found_too() -> None:
    kept = of("NRT", *range(10, 1010, 10))
    many = kept.model_copy(update={"documents": 100_000, "not_found": 4_000})
    assert percentiles(many).keys() == {50, 95}
    assert percentiles(many)[95][0] == 990


def test_a_repeat_whose_documents_were_not_found_leaves_no_time_to_compare() -> None:
    documents = [
        run(repeat, of("NRT", *[100.0] * 10, not_found=missing))
        for repeat, missing in ((1, 0), (2, 0), (3, 10))
    ]
    assert TIME_UNTIL_FOUND in step_samples(documents[:2]).values("query", [95])
    assert TIME_UNTIL_FOUND not in step_samples(documents).values("query", [95])


LOAD = {
    "visibility": {},
    "repeats": {"count": 3},
    "steps": [{"name": "a", "users": 2, "requests": 10}],
}


def seen_within(milliseconds: int) -> Objective:
    limit = {"percentile": 50, "maxMilliseconds": milliseconds}
    return Objective.model_validate({"name": "seen", "timeUntilFound": limit})


def evaluated(objective: Objective, *found: VisibilityResult) -> ObjectiveResult:
    spec = make_spec(objectives=[objective.model_dump(by_alias=True, exclude_none=True)], load=LOAD)
    samples = benchmark_samples(spec, [run(1, *found)])
    (result,) = not_none(evaluate_objectives(samples, DatasetStatus())).results
    return result


@pytest.mark.parametrize(
    ("limit", "conclusion"), [(2000, "Met"), (500, "Inconclusive"), (200, "Missed")]
)
def test_objective_limits_the_time_of_the_slowest_type(limit: int, conclusion: str) -> None:
    objective = seen_within(limit)
    result = evaluated(objective, of("PULL", *range(10, 1010, 10)), of("NRT", 1.0))
    assert (result.value, result.unit, result.conclusion) == (500, "ms", conclusion)
    assert result.message.startswith("The p50 of the time until found is 500 ms (95 % confidence")
    assert describe(objective) == f"p50 of the time until found ≤ {limit} ms"
    nothing = evaluated(objective)
    assert nothing.conclusion == "Inconclusive"
    assert "See status.visibility" in nothing.message


@pytest.mark.parametrize(
    ("not_found", "value", "upper", "conclusion", "text"),
    [
        (0, 500, 600, "Met", "is 500 ms (95 % confidence interval "),
        (90, 950, None, "Inconclusive", "is 950 ms (95 % confidence interval "),
        (110, None, None, "Inconclusive", "is longer than load.visibility.timeoutSeconds (95 %"),
        (900, None, None, "Missed", "is longer than load.visibility.timeoutSeconds; the limit is"),
    ],
)
def test_objective_is_never_met_by_what_was_not_found(
    not_found: int, value: float | None, upper: float | None, conclusion: str, text: str
) -> None:
    result = evaluated(seen_within(2000), of("PULL", *range(10, 1010, 10), not_found=not_found))
    assert (result.value, result.conclusion) == (value, conclusion)
    assert (result.upper is None) is (upper is None)
    assert text in result.message


def test_trials_must_meet_the_time_until_found() -> None:
    document = trial(1, 100, 50).model_copy(update={"visibility": [of("NRT", *[400.0] * 100)]})
    found = read_trial(RunSamples(document), [seen_within(200)])
    assert found.excess == pytest.approx(0.5)
    assert found.is_long
    lost = document.model_copy(update={"visibility": [of("NRT", *[1.0] * 90, not_found=100)]})
    assert read_trial(RunSamples(lost), [seen_within(200)]).excess == 1


def test_variants_are_compared_by_the_time_until_found() -> None:
    spec = make_spec(load=LOAD, comparison={"primary": "TimeUntilFoundP95"})
    documents = [
        run(repeat, of("NRT", *[time + repeat] * 10), variant=variant)
        for repeat in (1, 2, 3)
        for variant, time in (("direct", 100), ("proxy", 200))
    ]
    samples = benchmark_samples(make_variants(spec, "direct", "proxy"), documents)
    (compared,) = compare_variants(samples)
    assert (compared.figure, compared.request) == ("timeUntilFoundP95Milliseconds", "query")
    percentile = not_none(compared.percentile)
    assert percentile.percent == pytest.approx(98, abs=1)
    assert percentile.conclusion == "Worse"
    values = samples.of("a", "direct").values(ALL_REQUESTS, [95])
    assert [each.value for each in values[TIME_UNTIL_FOUND]] == [101, 102, 103]
    said = "the p95 of the time until documents are found"
    assert name_figure(TIME_UNTIL_FOUND.label, "query") == said
