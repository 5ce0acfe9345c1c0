from collections.abc import Sequence

import pytest

from solrbench.results.cold_start import cold_start, hit_ratios
from solrbench.results.windows import CacheSample, Thousand
from unit.results.builders import make_document


def window(begin: float, end: float, requests: int = 1000, mean: int = 500) -> Thousand:
    return Thousand(
        requests=requests,
        failures=0,
        end_seconds=end,
        seconds=end - begin,
        mean_microseconds=mean,
        max_microseconds=2 * mean,
    )


def samples(*counts: tuple[float, int, int], cache: str = "filterCache") -> list[CacheSample]:
    return [CacheSample(second=s, cache=cache, lookups=n, hits=hits) for s, n, hits in counts]


def test_curve_runs_through_the_warm_up_into_the_step() -> None:
    document = make_document("five", 1).model_copy(
        update={
            "warm_up_thousands": [window(0, 3), window(3, 4)],
            "warm_up_caches": samples((-0.1, 0, 0), (4.1, 100, 25)),
            "thousands": [window(0, 1, 300)],
            "caches": samples((0, 100, 25), (1, 200, 125)),
        }
    )
    found = cold_start(document)
    assert [(each.number, each.warm_up) for each in found] == [(1, True), (2, True), (3, False)]
    assert [each.window.requests for each in found] == [1000, 1000, 300]
    assert [each.hit_ratios for each in found] == [
        {"filterCache": 0.25},
        {"filterCache": 0.25},
        {"filterCache": 1.0},
    ]


def test_ratio_is_that_of_the_seconds_around_the_window() -> None:
    heard = samples((0, 0, 0), (1, 100, 10), (2, 200, 40), (3, 300, 130))
    assert hit_ratios(window(1.2, 1.4), heard) == {"filterCache": 0.3}
    assert hit_ratios(window(1.0, 2.0), heard) == {"filterCache": 0.3}
    assert hit_ratios(window(0.9, 2.1), heard) == {"filterCache": 130 / 300}


@pytest.mark.parametrize(
    "heard",
    [
        (),
        samples((1, 10, 5), (3, 20, 5)),  # nothing before it
        samples((0, 10, 5), (1, 20, 5)),  # nothing after it
        samples((0, 10, 5), (3, 10, 5)),  # nobody looked anything up
        samples((0, 10, 5), (3, 4, 1)),  # the core was loaded again
        samples((0, 10, 5), (3, 40, 1)),
    ],
)
def test_what_is_not_known_has_no_ratio(heard: Sequence[CacheSample]) -> None:
    assert hit_ratios(window(0.5, 2), heard) == {}


def test_caches_are_kept_apart() -> None:
    heard = samples((0, 0, 0), (1, 10, 5)) + samples((0, 0, 0), (1, 4, 4), cache="documentCache")
    assert hit_ratios(window(0, 1), heard) == {"filterCache": 0.5, "documentCache": 1.0}
