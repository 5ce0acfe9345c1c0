import math
import random
from statistics import fmean, stdev

import pytest

from solrbench.results.stats.per_second import SecondMean
from solrbench.results.stats.steadiness import MIN_WINDOWS, Steadiness, steady_from, truncation


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
    assert watch.deviation_percent == pytest.approx(
        100 * stdev([110, 100, 96]) / fmean([110, 100, 96])
    )
    assert not watch.is_steady
    assert add_windows(steadiness(deviation_percent=8), 9000, 110, 100, 96)[-1]


def test_what_was_steady_may_change_again() -> None:
    assert add_windows(steadiness(), 100, 100, 100, 300, 300, 300) == [False] * 2 + [True] + [
        False,
        False,
        True,
    ]


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


def test_steady_from_the_beginning_is_zero() -> None:
    assert truncation([100.0] * 20) == 0
    assert truncation([100.0, 101.0] * 30) == 0


def test_a_single_slow_second_near_the_end_is_no_beginning() -> None:
    rng = random.Random(2)
    values = [100 + rng.gauss(0, 3) + (200 if index == 55 else 0) for index in range(60)]
    assert truncation(values) == 0


def test_a_stall_does_not_hide_a_cold_beginning() -> None:
    means = [9000.0] * 4 + [1000.0] * 55
    means[40] = 800_000.0
    assert steady_from([SecondMean(index, 50, mean) for index, mean in enumerate(means)]) == 4


def test_what_drifts_is_never_steady() -> None:
    assert truncation([200.0 - index for index in range(100)]) is None


def test_too_few_values_are_not_steady() -> None:
    assert truncation([9.0] + [1.0] * (MIN_WINDOWS - 2)) is None
    assert truncation([9.0] + [1.0] * (MIN_WINDOWS - 1)) == 1


def test_answer_is_a_second_and_not_a_place() -> None:
    means = [900.0, 900.0] + [100.0] * 20
    series = [SecondMean(7 + 2 * index, 50, mean) for index, mean in enumerate(means)]
    assert steady_from(series) == 7 + 2 * 2
    assert steady_from([]) is None
