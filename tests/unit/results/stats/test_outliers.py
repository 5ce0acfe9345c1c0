import random
from datetime import UTC, datetime, timedelta
from statistics import median

import pytest

from solrbench.results.model.step_result import RequestResult, Window
from solrbench.results.stats.outliers import find_outliers, worst
from solrbench.results.stats.per_second import SecondMean, second_means

BEGAN = datetime(2026, 11, 1, 12, tzinfo=UTC)


def series(*means: float, requests: int = 100) -> list[SecondMean]:
    return [SecondMean(second, requests, mean) for second, mean in enumerate(means)]


def test_outlier_stands_with_its_second_time_and_distance() -> None:
    (found,) = find_outliers(series(98, 102, 100, 104, 400, 96, 100), BEGAN)
    assert (found.second, found.time) == (4, BEGAN + timedelta(seconds=4))
    assert (found.requests, found.mean_microseconds, found.median_microseconds) == (100, 400, 100)
    # Distances from 100 are 2 2 0 4 300 4 0, their median is 2.
    assert found.deviations == pytest.approx(300 / (1.4826 * 2), abs=0.05)


def test_a_quick_second_is_an_outlier_too() -> None:
    (found,) = find_outliers(series(98, 102, 100, 104, 10, 96, 100), BEGAN)
    assert found.second == 4
    assert found.deviations is not None
    assert found.deviations < -5


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
    assert [(each.second, each.requests, each.mean_microseconds) for each in found] == [
        (5, 0, None),
        (6, 0, None),
    ]
    assert found[0].deviations is None


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
        windows=[
            Window(second=second, requests=requests, failures=0, mean_microseconds=mean)
            for second, requests, mean in windows
        ],
    )


def test_seconds_of_all_requests_are_weighed_and_the_cut_one_is_left_out() -> None:
    found = second_means(
        [result("hot", (0, 30, 100), (3, 10, 50), (9, 1, 7)), result("cold", (0, 10, 500))]
    )
    assert found == [SecondMean(0, 40, 200.0), SecondMean(3, 10, 50.0)]
    assert second_means([]) == []
