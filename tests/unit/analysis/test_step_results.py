import random

import pytest

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.analysis.step_comparison import compare_variants
from solrbench.analysis.step_results import merge_steps, merge_totals, summarise
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.contract.windows import EndedEarly
from solrbench.present.result_tables import results_note, results_table
from solrbench.present.table import table_to_markdown
from support.narrowing import not_none
from support.results.builders import (
    ReferenceHistogram,
    make_document,
    make_result,
    make_spec,
    make_variants,
    with_response_times,
)
from support.results.samples import benchmark_samples


def planned(service: list[int], response: list[int], late: int = 0) -> RequestResult:
    """Return the result of planned requests; what has a response time alone was dropped."""
    dropped = len(response) - len(service)
    sent = make_result(service, late_requests=late, dropped_requests=dropped)
    return with_response_times(sent, make_result(response))


STALLED = [1000] * 900 + [500_000] * 100


def merged(*documents: StepRunResult, spec: Spec | None = None) -> list[StepResult]:
    """Return the results of step runs, of step a unless there is a spec."""
    return merge_steps(benchmark_samples(spec or make_spec("a"), documents))


def headline(*documents: StepRunResult, spec: Spec | None = None) -> Summary:
    return summarise(benchmark_samples(spec or make_spec("a"), documents))


def test_response_times_are_merged_from_all_repeats() -> None:
    documents = [
        make_document("a", 1, planned([1000] * 900, STALLED, late=7)),
        make_document("a", 2, planned([1000] * 1000, [2000] * 1000)),
    ]
    (result,) = merged(*documents)
    assert (result.requests, result.late_requests, result.dropped_requests) == (1900, 7, 100)
    assert result.p95_milliseconds == 1.0
    assert (result.response_p50_milliseconds, result.response_p75_milliseconds) == (2.0, 2.0)
    assert result.response_p99_milliseconds == result.response_max_milliseconds == 500.0
    assert result.response_average_milliseconds == (900 + 100 * 500 + 2000) / 2000
    assert result.response_p95_deviation_percent is not None


def test_a_closed_loop_of_one_repeat_has_no_numbers_of_others() -> None:
    (result,) = merged(make_document("a", 1, make_result([1000] * 9)))
    of_repeats = {"requests_per_second", "p95"}
    of_open_loop = {name for name in StepResult.model_fields if name.startswith("response_")}
    assert len(of_open_loop) == 8
    absent = of_open_loop | {"late_requests", "dropped_requests", "ramp_requests", "variant"}
    absent |= {f"{name}_deviation_percent" for name in of_repeats}
    absent |= {"requests_per_second_mean", "p95_milliseconds_mean"}
    # Documents of older versions know neither.
    absent |= {"steady_from_second", "outlier_windows"}
    assert {getattr(result, name) for name in absent} == {None}
    assert result.repeats == 1
    (stalled,) = merged(make_document("a", 1, planned([1000] * 900, STALLED)))
    assert stalled.response_p95_milliseconds == 500.0
    assert stalled.response_p95_deviation_percent is None


def test_headline_is_the_response_time() -> None:
    stalled = make_document("a", 1, planned([1000] * 900, STALLED))
    assert headline(stalled).p95_milliseconds == 500
    closed = make_document("a", 1, make_result([1000] * 900))
    assert headline(closed).p95_milliseconds == 1


def test_variants_are_compared_by_response_time() -> None:
    spec = make_variants(make_spec("a"), "raw", "proxy")
    documents = [
        make_document("a", 1, planned([1000] * 9, [1000] * 9), variant="raw"),
        make_document("a", 1, planned([1000] * 9, [2000] * 9), variant="proxy"),
    ]
    (comparison,) = compare_variants(benchmark_samples(spec, documents))
    assert not_none(comparison.average).percent == not_none(comparison.p95).percent == 100.0


def _results(*planned_steps: bool) -> list[StepResult]:
    closed = make_document("a", 1, make_result([1000] * 9))
    stalled = make_document("a", 1, planned([1000] * 900, STALLED, late=7))
    return [merged(stalled if each else closed)[0] for each in planned_steps]


def test_documents_stored_before_there_was_an_open_loop_are_read() -> None:
    old = make_document("a", 1, make_result([1000])).model_dump(mode="json", by_alias=True)
    for name in ("requestsPerSecond", "plannedRequests"):
        del old[name]
    for name in ("responseTimeHistogram", "droppedRequests", "rampDroppedRequests"):
        del old["requests"][0][name]
    read = StepRunResult.model_validate(old)
    assert (read.users, read.requests[0].response_time_histogram) == (2, None)


def test_table_shows_response_times_and_the_service_time_beside_them() -> None:
    table = results_table(_results(True))
    cells = dict(zip(table.head, table.texts[0], strict=True))
    assert (cells["P50"], cells["P95"], cells["Max"]) == ("1 ms", "500 ms", "500 ms")
    assert (cells["Service P95"], cells["Late"], cells["Dropped"]) == ("1 ms", "7", "100")
    assert "Min" not in cells


def test_columns_of_an_open_loop_are_there_only_with_one() -> None:
    closed, mixed = (
        table_to_markdown(results_table(_results(*k))) for k in ([False], [False, True])
    )
    assert "Dropped" not in closed
    assert "| Service P95 | Late | Dropped |" in mixed
    assert len({line.count(" |") for line in mixed.splitlines()}) == 1


def test_note_says_which_times_are_shown() -> None:
    assert results_note(_results(False)).startswith("Times are service times. Percentiles")
    assert results_note(_results(True)).startswith("Times are response times, from")
    mixed = results_note(_results(False, True))
    assert "in steps with a planned rate response times" in mixed


def _draw(seed: int, count: int) -> list[int]:
    source = random.Random(seed)
    return [int(source.lognormvariate(9, 1)) + 1 for _ in range(count)]


def test_percentiles_are_those_of_all_samples_together() -> None:
    fast = make_document("a", 1, make_result([1_000] * 900))
    slow = make_document("a", 2, make_result([1_000_000] * 100))
    (result,) = merged(fast, slow)
    assert result.p50_milliseconds == pytest.approx(1.0, rel=1e-3)
    assert result.p95_milliseconds == pytest.approx(1000.0, rel=1e-3)
    assert result.p95_milliseconds_mean == pytest.approx(500.5, rel=1e-3)


def test_merged_numbers_equal_those_of_the_raw_samples() -> None:
    samples = [_draw(seed, 5_000) for seed in range(3)]
    documents = [
        make_document("a", repeat + 1, make_result(values)) for repeat, values in enumerate(samples)
    ]
    everything = [value for values in samples for value in values]
    whole = ReferenceHistogram(1, 3_600_000_000, 3)
    for value in everything:
        whole.record_value(value)
    (result,) = merged(*documents)
    assert result.average_milliseconds == round(sum(everything) / len(everything) / 1000, 3)
    assert result.min_milliseconds == min(everything) / 1000
    assert result.max_milliseconds == max(everything) / 1000
    for percent in (50, 75, 95, 99):
        exact = sorted(everything)[round(percent / 100 * len(everything)) - 1]
        found = getattr(result, f"p{percent}_milliseconds")
        assert found == whole.get_value_at_percentile(percent) / 1000
        assert found == pytest.approx(exact / 1000, rel=1e-3)


def test_no_percentile_is_above_the_exact_maximum() -> None:
    (result,) = merged(make_document("a", 1, make_result([1_000_003] * 5)))
    assert result.p99_milliseconds == result.max_milliseconds == 1000.003


def test_the_rate_is_all_requests_over_all_seconds() -> None:
    (result,) = merged(
        make_document("a", 1, make_result([1] * 100), seconds=1.0),
        make_document("a", 2, make_result([1] * 100), seconds=3.0),
    )
    assert result.requests_per_second == 50.0
    assert result.requests_per_second_mean == pytest.approx(66.667)
    assert result.requests_per_second_deviation_percent == pytest.approx(70.711)


def test_the_rate_of_a_step_with_a_duration_is_what_ended_in_it() -> None:
    straggling = make_document(
        "a",
        1,
        make_result([1] * 100, drain_requests=4),
        make_result([1] * 50, "whole", is_transaction=True),
        seconds=42.0,
        duration_seconds=12,
        drain_seconds=30.0,
    )
    calm = make_document(
        "a", 2, make_result([1] * 96), seconds=11.9, duration_seconds=12, drain_seconds=0.25
    )
    result = merged(straggling, calm)[0]
    assert (result.requests, result.drain_requests, result.drain_seconds) == (196, None, 30.0)
    assert (result.requests_per_second, result.requests_per_second_mean) == (8.0, 8.0)
    assert result.requests_per_second_deviation_percent == 0
    assert headline(straggling, calm).requests_per_second == 8.0


def test_results_follow_the_ladder_then_the_request_names() -> None:
    documents = [
        make_document("second", 1, make_result([1], "b"), make_result([1], "a")),
        make_document("first", 1, make_result([1], "b")),
    ]
    results = merged(*documents, spec=make_spec("first", "second"))
    found = [(each.step, each.request) for each in results]
    assert found == [("first", "b"), ("second", "a"), ("second", "b")]


def test_the_order_of_documents_does_not_matter() -> None:
    documents = [make_document("a", n, make_result(_draw(n, 50))) for n in (1, 2, 3)]
    assert merged(*documents) == merged(*documents[::-1])


def test_last_attempt_of_a_step_run_counts_once() -> None:
    documents = [
        make_document("a", 1, make_result([1] * 7), attempt=2),
        make_document("a", 1, make_result([1] * 3), attempt=1),
    ]
    (result,) = merged(*documents)
    assert (result.repeats, result.requests) == (1, 7)


def test_a_name_that_a_repeat_never_sent_has_no_rate_there() -> None:
    documents = [
        make_document("a", 1, make_result([1] * 10), make_result([1] * 4, "rare")),
        make_document("a", 2, make_result([1] * 10)),
    ]
    rare = merged(*documents)[1]
    assert (rare.repeats, rare.p95_milliseconds_mean) == (2, None)
    assert rare.requests_per_second == rare.requests_per_second_mean == 2.0


def test_a_repeat_that_broke_off_takes_nothing_from_the_rates_of_names() -> None:
    early = EndedEarly(second=5, last_good_second=5, failures=0, reason="DeadlineExceeded")
    documents = [
        *(make_document("a", n, make_result([1] * 10, "find"), seconds=10) for n in (1, 2)),
        make_document("a", 3, make_result([1] * 5, ALL_REQUESTS), seconds=5, ended_early=early),
    ]
    (found,) = [each for each in merged(*documents) if each.request == "find"]
    assert found.requests_per_second == found.requests_per_second_mean == 1.0
    assert found.requests_per_second_deviation_percent == 0


def test_failures_and_ramp_are_added() -> None:
    spec = make_spec(
        "a", load={"steps": [{"name": "a", "users": 2, "spawnRate": 1, "durationSeconds": 5}]}
    )
    ramped = make_result([1] * 10, failures=2, ramp_requests=3)
    (result,) = merged(make_document("a", 1, ramped), make_document("a", 2, ramped), spec=spec)
    assert (result.requests, result.failures, result.ramp_requests) == (20, 4, 6)


def test_no_samples_leave_times_absent() -> None:
    (result,) = merged(make_document("a", 1, make_result([]), seconds=2))
    assert result.requests_per_second == 0
    assert result.p95_milliseconds is result.average_milliseconds is None


def test_nothing_measured_gives_nothing() -> None:
    assert merged() == []
    assert merged(make_document("a", 1, seconds=0)) == []
    assert headline() == Summary()


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (make_document("b", 1), r"step b is not in spec\.load\.steps"),
        (make_document("a", 1, variant="raw"), r"variant 'raw' is not in spec\.target\.variants"),
        (make_document("a", 1, make_result([1]), seconds=0), "seconds is 0"),
    ],
)
def test_a_foreign_step_run_and_one_without_duration_are_refused(
    document: StepRunResult, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        merged(document)


def test_variants_are_merged_apart_and_stand_side_by_side() -> None:
    documents = [
        make_document("a", 1, make_result([3_000] * 4), variant="proxy"),
        make_document("a", 1, make_result([1_000] * 2), variant="raw"),
        make_document("a", 2, make_result([1_000] * 3), variant="raw"),
        make_document("b", 1, make_result([1_000] * 9), variant="raw"),
    ]
    results = merged(*documents, spec=make_variants(make_spec("a", "b"), "raw", "proxy"))
    found = [(each.step, each.variant, each.repeats, each.requests) for each in results]
    assert found == [("a", "raw", 2, 5), ("a", "proxy", 1, 4), ("b", "raw", 1, 9)]
    assert [each.average_milliseconds for each in results] == [1.0, 3.0, 1.0]


def test_the_headline_is_that_of_the_first_variant() -> None:
    documents = [
        make_document("a", 1, make_result([10_000] * 100), variant="raw"),
        make_document("a", 1, make_result([90_000] * 10), variant="proxy"),
    ]
    summary = headline(*documents, spec=make_variants(make_spec("a"), "raw", "proxy"))
    assert (summary.requests_per_second, summary.p95_milliseconds) == (100, 10)


def test_the_headline_is_the_last_step_with_all_requests() -> None:
    documents = [
        make_document("low", 1, make_result([1_000_000] * 10)),
        make_document("high", 1, make_result([10_000] * 90), make_result([20_000] * 10, "b", 1)),
    ]
    summary = headline(*documents, spec=make_spec("low", "high", "never-run"))
    assert (summary.step, summary.requests_per_second) == ("high", 100)
    assert (summary.p95_milliseconds, summary.failed_percent) == (20, 1)


def test_one_failure_in_a_million_is_not_none() -> None:
    result = make_result([1_000], failures=1, requests=1_000_000)
    assert headline(make_document("a", 1, result, seconds=10)).failed_percent == 0.0001


def test_steadiness_is_that_of_the_repeat_that_took_longest() -> None:
    step_runs = [
        make_document("a", repeat, make_result([5]), steady_from_second=second, outlier_windows=odd)
        for repeat, second, odd in ((1, 3, 2), (2, 0, 0), (3, 12, 1))
    ]
    (found,) = merged(*step_runs)
    assert (found.steady_from_second, found.outlier_windows) == (12, 3)
    never = step_runs[1].model_copy(update={"steady_from_second": None})
    (found,) = merged(step_runs[0], never, step_runs[2])
    assert (found.steady_from_second, found.outlier_windows) == (None, 3)


def test_goodput_is_the_rate_of_good_responses_within_the_shortest_limit() -> None:
    times = [1000] * 600 + [5000] * 400
    failed = make_result([500] * 100).service_time_histogram
    result = make_result(times, failures=100, failed_time_histogram=failed)
    limits = [{"name": f"o{ms}", "responseTime": {"maxMilliseconds": ms}} for ms in (9, 2)]
    document = make_document("a", 1, result, seconds=10)
    (total,) = merge_totals(benchmark_samples(make_spec("a", objectives=limits), [document]))
    assert total.goodput_requests_per_second == 50.0  # 600 in time, 100 of them no good


def test_goodput_of_a_name_has_limits_of_that_name_and_of_all() -> None:
    limit = {"name": "fast", "request": "other", "responseTime": {"maxMilliseconds": 2}}
    document = make_document("a", 1, make_result([1000] * 9))
    (result,) = merged(document, spec=make_spec("a", objectives=[limit]))
    assert result.goodput_requests_per_second is None
