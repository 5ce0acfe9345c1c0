"""Intervals from the stored blocks to the status, and into what a step run is stored with."""

import pytest

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.analysis.step_results import merge_steps, merge_totals, summarise, with_metrics
from solrbench.api.v1alpha1.step_result import StepResult
from solrbench.contract.step_document import RequestResult, StepRunResult
from support.narrowing import not_none
from support.results.builders import (
    make_document,
    make_result,
    make_spec,
    make_timed_result,
    make_variants,
    swinging,
    with_response_times,
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
    return with_response_times(service, response)


def test_closed_loop_shows_service_times_with_intervals() -> None:
    found = of_step(make_timed_result(swinging(40)))
    assert [each.percent for each in found.percentiles] == [50, 75, 90, 95, 99, 99.9]
    median, rare = found.percentiles[0], found.percentiles[-1]
    assert median.milliseconds == found.p50_milliseconds
    assert 1 <= not_none(median.lower_milliseconds) < median.milliseconds
    assert median.milliseconds < not_none(median.upper_milliseconds) < 1.3
    assert rare.milliseconds > 1.2
    assert (rare.lower_milliseconds, rare.upper_milliseconds) == (None, None)  # of 800 requests
    mean = not_none(found.average_milliseconds_interval)
    assert mean.lower < not_none(found.average_milliseconds) < mean.upper
    rate = not_none(found.requests_per_second_interval)
    assert (rate.lower, rate.upper) == (20, 20)  # each second has as many


def test_open_loop_shows_response_times_with_intervals() -> None:
    found = of_step(planned(40))
    median = found.percentiles[0]
    assert median.milliseconds == found.response_p50_milliseconds
    assert not_none(median.lower_milliseconds) > 10
    assert not_none(found.response_average_milliseconds_interval).lower > 10
    assert found.average_milliseconds_interval is not None


def test_chosen_percentiles_are_shown_in_their_order() -> None:
    load = {"percentiles": [97.5, 10], "steps": [{"name": "a", "users": 2, "requests": 10}]}
    document = make_document("a", 1, make_timed_result(swinging(40)))
    (found,) = merge_steps(benchmark_samples(make_spec(load=load), [document]))
    assert [each.percent for each in found.percentiles] == [97.5, 10]


@pytest.mark.parametrize("result", [make_timed_result(swinging(9)), make_result([1000] * 500)])
def test_short_step_and_one_of_an_older_version_have_no_intervals(result: RequestResult) -> None:
    found = of_step(result, seconds=9)
    assert found.percentiles[0].lower_milliseconds is None
    assert found.average_milliseconds is not None
    assert found.average_milliseconds_interval is None
    assert found.requests_per_second_interval is None


def test_thousand_requests_of_a_user_take_as_many_seconds_as_one_takes_milliseconds() -> None:
    found = of_step(make_result([9000, 10_000]))
    assert found.seconds_per_thousand_requests == 9.5
    spec = make_spec("a", load={"steps": [{"name": "a", "requestsPerSecond": 4, "requests": 9}]})
    (rate,) = merge_steps(benchmark_samples(spec, [make_document("a", 1, planned(20))]))
    assert rate.seconds_per_thousand_requests is None


def test_totals_are_those_of_all_requests_of_a_step() -> None:
    fast = make_timed_result(swinging(40), "fast")
    slow = make_timed_result([[9 * each for each in times] for times in swinging(40)], "slow")
    both = make_result([5], "both", is_transaction=True)
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
    p95 = not_none(headline.p95_milliseconds_interval)
    assert p95.lower == total.percentiles[3].lower_milliseconds


def test_stored_step_run_has_its_figures() -> None:
    document = with_metrics(make_document("a", 1, planned(40)), [50, 99.9])
    (result,) = StepRunResult.model_validate_json(document.model_dump_json()).requests
    assert result.rate_error_percent == 0
    service = not_none(result.service_times)
    mean = service.mean
    assert mean.microseconds == pytest.approx(result.sum_microseconds / 800, abs=0.001)
    assert (mean.lower_microseconds or 0) < mean.microseconds < (mean.upper_microseconds or 0)
    median, rare = service.percentiles
    assert (median.percent, rare.percent) == (50, 99.9)
    assert median.lower_microseconds is not None
    assert rare.lower_microseconds is None
    response = not_none(result.response_times).mean
    assert response.microseconds == pytest.approx(10 * mean.microseconds)


def test_closed_loop_is_stored_without_response_times() -> None:
    document = with_metrics(make_document("a", 1, make_result([]), make_result([7])), [50])
    empty, one = document.requests
    assert (empty.service_times, empty.rate_error_percent) == (None, None)
    assert one.service_times is not None
    assert one.response_times is None
