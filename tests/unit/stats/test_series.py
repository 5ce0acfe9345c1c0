import math
import random
from datetime import UTC, datetime, timedelta
from statistics import fmean, median, stdev

import pytest

from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import RequestResult
from solrbench.stats.outliers import find_outliers, second_means, worst
from solrbench.stats.series import MIN_WINDOWS, SecondMean, Steadiness, steady_from, truncation

BEGAN = datetime(2026, 11, 1, 12, tzinfo=UTC)


def series(*means: float, requests: int = 100) -> list[SecondMean]:
    return [SecondMean(second, requests, mean) for second, mean in enumerate(means)]


@pytest.mark.parametrize("mean", [400, 10])
def test_slow_or_quick_outlier_stands_with_its_second_time_and_distance(mean: int) -> None:
    (found,) = find_outliers(series(98, 102, 100, 104, mean, 96, 100), BEGAN)
    assert (found.second, found.time) == (4, BEGAN + timedelta(seconds=4))
    assert (found.requests, found.mean_microseconds, found.median_microseconds) == (100, mean, 100)
    # Distances from 100 are 2 2 0 4 300 4 0 (or 90 in place of 300), their median is 2.
    assert found.deviations == pytest.approx((mean - 100) / (1.4826 * 2), abs=0.05)


def test_equal_seconds_have_no_outliers_but_those_that_matter() -> None:
    assert find_outliers(series(*[100.0] * 20), BEGAN) == []
    assert find_outliers(series(*[100.0] * 20, 104.9), BEGAN) == []
    assert [each.second for each in find_outliers(series(*[100.0] * 20, 105.1), BEGAN)] == [20]


def test_seconds_of_no_time_are_no_division_by_zero() -> None:
    assert find_outliers(series(*[0.0] * 10, 5.0), BEGAN) == []


def test_outliers_may_be_half_of_the_seconds() -> None:
    rng = random.Random(4)
    means = [1000 * rng.uniform(0.97, 1.03) for _ in range(60)]
    odd = sorted(rng.sample(range(60), 25))
    for index in odd:
        means[index] *= 5
    assert [each.second for each in find_outliers(series(*means), BEGAN)] == odd


@pytest.mark.parametrize("seed", range(5))
def test_ordinary_noise_has_hardly_any_outliers(seed: int) -> None:
    rng = random.Random(seed)
    found = find_outliers(series(*[rng.gauss(1000, 80) for _ in range(2000)]), BEGAN)
    # Five standard deviations: one value in 1.7 million.
    assert found == []


def test_outliers_do_not_depend_on_the_unit() -> None:
    rng = random.Random(6)
    means = [rng.lognormvariate(7, 0.2) * (9 if rng.random() < 0.1 else 1) for _ in range(200)]
    found = [each.second for each in find_outliers(series(*means), BEGAN)]
    assert found
    scaled = find_outliers(series(*[1000 * mean for mean in means]), BEGAN)
    assert [each.second for each in scaled] == found
    centre = median(means)
    assert all(abs(means[second] - centre) > 0.05 * centre for second in found)


def test_second_without_requests_in_a_busy_step_run_is_an_outlier() -> None:
    busy = [each for each in series(*[100.0] * 12) if each.second not in (5, 6)]
    found = find_outliers(busy, BEGAN)
    silent = [(e.second, e.requests, e.mean_microseconds, e.deviations) for e in found]
    assert silent == [(5, 0, None, None), (6, 0, None, None)]


def test_silence_up_to_the_end_of_sending_counts_and_the_drain_does_not() -> None:
    heard = series(*[100.0] * 8)
    assert find_outliers(heard, BEGAN) == []
    assert [each.second for each in find_outliers(heard, BEGAN, 1, 12.0)] == [8, 9, 10]
    assert find_outliers(heard, BEGAN, 1, 8.0) == []
    wide = [each._replace(second=2 * each.second) for each in heard]
    assert [each.second for each in find_outliers(wide, BEGAN, 2, 22.0)] == [16, 18]


def test_silence_is_usual_where_little_is_asked() -> None:
    calm = [each for each in series(*[100.0] * 12, requests=9) if each.second != 5]
    assert find_outliers(calm, BEGAN) == []


def test_too_few_seconds_have_no_outliers() -> None:
    assert find_outliers(series(1, 1, 1, 900), BEGAN) == []
    assert find_outliers([], BEGAN) == []


def test_the_farthest_are_listed_in_the_order_of_time() -> None:
    means = [100.0] * 60 + [100.0 + 10 * index for index in range(1, 30)]
    all_found = find_outliers(series(*means), BEGAN)
    assert [each.second for each in worst(all_found, 3)] == [86, 87, 88]
    assert worst(all_found) == all_found
    gap = find_outliers([each for each in series(*means) if each.second != 30], BEGAN)
    assert worst(gap, 1)[0].second == 30


def result(name: str, *windows: tuple[int, int, int]) -> RequestResult:
    return RequestResult(
        request=name,
        requests=0,
        failures=0,
        service_time_histogram="",
        windows=SecondSeries(
            SecondSums(second, requests, 0, mean * requests, 0)
            for second, requests, mean in windows
        ),
    )


def test_seconds_of_all_requests_are_weighed_and_the_cut_one_is_left_out() -> None:
    found = second_means(
        [result("hot", (0, 30, 100), (3, 10, 50), (9, 1, 7)), result("cold", (0, 10, 500))]
    )
    assert found == [SecondMean(0, 40, 200.0), SecondMean(3, 10, 50.0)]
    assert second_means([]) == []


def steadiness(**changes: float) -> Steadiness:
    fields = {"windows": 3, "deviation_percent": 5, "window_seconds": 1, "window_requests": 10}
    return Steadiness(**(fields | changes))  # type: ignore[arg-type]


def add_windows(
    watch: Steadiness, *means: float, requests: int = 100, seconds: float = 1.0
) -> list[bool]:
    """Add a window with each of these means; return after which ones it was steady."""
    sent, elapsed, found = 0, 0, []
    for index, mean in enumerate(means, start=1):
        sent, elapsed = sent + requests, elapsed + round(mean * requests)
        watch.add(index * seconds, sent, elapsed)
        found.append(watch.is_steady)
    return found


def test_steady_as_soon_as_the_last_windows_are_alike() -> None:
    assert add_windows(steadiness(), 500, 300, 100, 100, 100) == [False] * 4 + [True]


def test_deviation_is_that_of_the_last_windows() -> None:
    watch = steadiness()
    add_windows(watch, 9000, 110, 100, 96)
    last = (110, 100, 96)
    assert watch.deviation_percent == pytest.approx(100 * stdev(last) / fmean(last))
    assert not watch.is_steady
    assert add_windows(steadiness(deviation_percent=8), 9000, 110, 100, 96)[-1]


def test_what_was_steady_may_change_again() -> None:
    found = add_windows(steadiness(), 100, 100, 100, 300, 300, 300)
    assert found == [False, False, True, False, False, True]


@pytest.mark.parametrize(("requests", "seconds"), [(9, 1.0), (10, 0.9), (1, 5.0)])
def test_window_grows_until_it_is_long_and_full_enough(requests: int, seconds: float) -> None:
    watch = steadiness(windows=3)
    needed = max(math.ceil(10 / requests), math.ceil(1 / seconds))
    found = add_windows(watch, *[100] * 3 * needed, requests=requests, seconds=seconds)
    assert found == [False] * (3 * needed - 1) + [True]


def test_silence_is_not_steady() -> None:
    watch = steadiness()
    for second in range(1, 20):
        watch.add(second, 0, 0)
    assert not watch.is_steady
    assert watch.deviation_percent is None


def by_definition(values: list[float]) -> int | None:
    def error(left_out: int) -> float:
        kept = values[left_out:]
        return sum((value - fmean(kept)) ** 2 for value in kept) / len(kept) ** 2

    half = len(values) // 2
    best = min(range(half + 1), key=error)
    return best if best < half else None


@pytest.mark.parametrize("seed", range(40))
def test_truncation_is_that_of_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    cold = rng.randrange(40)
    values = [
        rng.lognormvariate(0, 0.1) * (1 + 3 * math.exp(-index / (1 + cold)))
        for index in range(rng.randrange(MIN_WINDOWS, 90))
    ]
    assert truncation(values) == by_definition(values)


def test_a_cold_beginning_is_cut_off_where_it_ends() -> None:
    rng = random.Random(1)
    values = [(300 if index < 30 else 100) + rng.gauss(0, 5) for index in range(120)]
    assert truncation(values) in range(30, 36)


@pytest.mark.parametrize(
    ("values", "left_out"),
    [
        ([100.0] * 20, 0),
        ([100.0, 101.0] * 30, 0),
        # A single slow second near the end is no beginning.
        ([100.0, 103.0, 97.0] * 18 + [300.0] + [100.0, 103.0] * 2, 0),
        ([200.0 - index for index in range(100)], None),  # what drifts is never steady
        ([9.0] + [1.0] * (MIN_WINDOWS - 2), None),  # too few
        ([9.0] + [1.0] * (MIN_WINDOWS - 1), 1),
    ],
)
def test_beginning_that_is_left_out(values: list[float], left_out: int | None) -> None:
    assert truncation(values) == left_out


def test_a_stall_does_not_hide_a_cold_beginning() -> None:
    means = [9000.0] * 4 + [1000.0] * 55
    means[40] = 800_000.0
    assert steady_from([SecondMean(index, 50, mean) for index, mean in enumerate(means)]) == 4


def test_answer_is_a_second_and_not_a_place() -> None:
    means = [900.0, 900.0] + [100.0] * 20
    series = [SecondMean(7 + 2 * index, 50, mean) for index, mean in enumerate(means)]
    assert steady_from(series) == 7 + 2 * 2
    assert steady_from([]) is None
