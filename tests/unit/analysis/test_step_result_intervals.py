"""Intervals from the stored blocks to the status, and into what a step run is stored with."""

import pytest

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.analysis.step_results import merge_steps, merge_totals, summarise, with_metrics
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.contract.step_document import RequestResult, StepRunResult
from support.results.builders import (
    make_document,
    make_result,
    make_spec,
    make_timed_result,
    make_variants,
    swinging,
)
from support.results.samples import benchmark_samples


def of_step(*results: RequestResult, seconds: float = 40.0) -> StepResult:
    (found,) = merge_steps(
        benchmark_samples(make_spec("a"), [make_document("a", 1, *results, seconds=seconds)])
    )
    return found


def planned(seconds: int) -> RequestResult:
    """The result of an open loop whose response times are ten times the service times."""
    service = make_timed_result(swinging(seconds))
    response = make_timed_result([[10 * each for each in times] for times in swinging(seconds)])
    return service.model_copy(
        update={
            "response_time_histogram": response.service_time_histogram,
            "response_time_blocks": response.service_time_blocks,
            "response_sum_microseconds": response.sum_microseconds,
            "response_max_microseconds": response.max_microseconds,
        }
    )


def test_closed_loop_shows_service_times_with_intervals() -> None:
    found = of_step(make_timed_result(swinging(40)))
    assert [each.percent for each in found.percentiles] == [50, 75, 90, 95, 99, 99.9]
    median, rare = found.percentiles[0], found.percentiles[-1]
    assert median.milliseconds == found.p50_milliseconds
    assert median.lower_milliseconds is not None
    assert median.upper_milliseconds is not None
    assert 1 <= median.lower_milliseconds < median.milliseconds < median.upper_milliseconds < 1.3
    assert rare.milliseconds > 1.2
    assert (rare.lower_milliseconds, rare.upper_milliseconds) == (None, None)  # of 800 requests
    mean, rate = found.average_milliseconds_interval, found.requests_per_second_interval
    assert mean is not None
    assert mean.lower < (found.average_milliseconds or 0) < mean.upper
    assert rate is not None
    assert (rate.lower, rate.upper) == (20, 20)  # each second has as many


def test_open_loop_shows_response_times_with_intervals() -> None:
    found = of_step(planned(40))
    median = found.percentiles[0]
    assert median.milliseconds == found.response_p50_milliseconds
    assert median.lower_milliseconds is not None
    assert median.lower_milliseconds > 10
    mean = found.response_average_milliseconds_interval
    assert mean is not None
    assert mean.lower > 10
    assert found.average_milliseconds_interval is not None


def test_chosen_percentiles_are_shown_in_their_order() -> None:
    spec = make_spec("a")
    load = spec.load.model_copy(update={"percentiles": [97.5, 10.0]})
    document = make_document("a", 1, make_timed_result(swinging(40)))
    (found,) = merge_steps(benchmark_samples(spec.model_copy(update={"load": load}), [document]))
    assert [each.percent for each in found.percentiles] == [97.5, 10]


def test_short_step_has_numbers_without_intervals() -> None:
    found = of_step(make_timed_result(swinging(9)), seconds=9)
    assert found.percentiles[0].lower_milliseconds is None
    assert found.average_milliseconds is not None
    assert found.average_milliseconds_interval is None
    assert found.requests_per_second_interval is None


def test_document_of_an_older_version_has_no_intervals() -> None:
    found = of_step(make_result([1000] * 500))
    assert found.percentiles[0].lower_milliseconds is None
    assert found.average_milliseconds_interval is None


def test_thousand_requests_of_a_user_take_as_many_seconds_as_one_takes_milliseconds() -> None:
    found = of_step(make_result([9000, 10_000]))
    assert found.seconds_per_thousand_requests == 9.5
    spec = make_spec("a", load={"steps": [{"name": "a", "requestsPerSecond": 4, "requests": 9}]})
    (rate,) = merge_steps(benchmark_samples(spec, [make_document("a", 1, planned(20))]))
    assert rate.seconds_per_thousand_requests is None


def test_totals_are_those_of_all_requests_of_a_step() -> None:
    fast = make_timed_result(swinging(40), "fast")
    slow = make_timed_result([[9 * each for each in times] for times in swinging(40)], "slow")
    both = make_result([5], "both").model_copy(update={"is_transaction": True})
    spec = make_variants(make_spec("a"), "nodes", "proxy")
    document = make_document("a", 1, fast, slow, both, seconds=40, variant="nodes")
    (total,) = merge_totals(benchmark_samples(spec, [document]))
    assert (total.step, total.variant, total.request) == ("a", "nodes", ALL_REQUESTS)
    assert (total.requests, total.requests_per_second) == (1600, 40)
    assert total.max_milliseconds == (slow.max_microseconds or 0) / 1000
    median = total.percentiles[0]
    assert 1.25 < median.milliseconds < 9
    headline = summarise(benchmark_samples(spec, [document]))
    assert headline.requests_per_second_interval == total.requests_per_second_interval
    p95 = total.percentiles[3]
    assert headline.p95_milliseconds_interval is not None
    assert headline.p95_milliseconds_interval.lower == p95.lower_milliseconds


def test_stored_step_run_has_its_figures() -> None:
    document = with_metrics(make_document("a", 1, planned(40)), [50, 99.9])
    (result,) = StepRunResult.model_validate_json(document.model_dump_json()).requests
    assert result.rate_error_percent == 0
    assert result.service_times is not None
    mean = result.service_times.mean
    assert mean.microseconds == pytest.approx(result.sum_microseconds / 800, abs=0.001)
    assert (mean.lower_microseconds or 0) < mean.microseconds < (mean.upper_microseconds or 0)
    median, rare = result.service_times.percentiles
    assert (median.percent, rare.percent) == (50, 99.9)
    assert median.lower_microseconds is not None
    assert rare.lower_microseconds is None
    assert result.response_times is not None
    assert result.response_times.mean.microseconds == pytest.approx(10 * mean.microseconds)


def test_closed_loop_is_stored_without_response_times() -> None:
    document = with_metrics(make_document("a", 1, make_result([]), make_result([7])), [50])
    empty, one = document.requests
    assert (empty.service_times, empty.rate_error_percent) == (None, None)
    assert one.service_times is not None
    assert one.response_times is None
