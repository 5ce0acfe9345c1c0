"""Knees and the Universal Scalability Law of ladders that follow a formula."""

import pytest

from bench.statistics.ladders import Ladders, climb, saturating_hard
from solrbench.analysis.scalability import (
    Knee,
    Level,
    answer_scalability,
    declines,
    describe_scaling,
    find_knee,
    fit_law,
    scalability,
    stated_peak,
)
from solrbench.analysis.step_results import merge_totals
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.findings import Scalability
from solrbench.stats.distributions import ConfidenceBounds
from support.narrowing import not_none
from support.results.builders import make_document, make_result, make_spec
from support.results.samples import benchmark_samples

CONTENTION, COHERENCY = 0.05, 0.0005
PEAK = 43.589  # sqrt((1 - 0.05) / 0.0005)
DENSE = (1, 2, 4, 8, 16, 24, 32, 44, 60, 80, 88)


def law(users: int) -> float:
    return 10 * users / (1 + CONTENTION * (users - 1) + COHERENCY * users * (users - 1))


def saturating(users: int) -> float:
    return min(10.0 * users, 80.0)


def repeated(rates: dict[int, float], error: float = 0.01) -> list[dict[int, float]]:
    """Return three repeats that differ by an error."""
    return [
        {users: rate * (1 + error * part) for users, rate in rates.items()} for part in (-1, 0, 1)
    ]


def levels(rates: dict[int, float]) -> list[Level]:
    return [Level(users, rate) for users, rate in rates.items()]


def test_law_of_a_ladder_is_found_with_its_peak() -> None:
    rates = {users: law(users) for users in DENSE}
    found = not_none(fit_law(levels(rates)))
    assert (found.contention, found.coherency) == pytest.approx((CONTENTION, COHERENCY))
    assert stated_peak(levels(rates), found, repeated(rates)) == pytest.approx(PEAK, rel=0.001)
    assert stated_peak(levels(rates), found, [rates]) is None


def test_ladders_that_fail_fast_cut_short_are_compared_as_far_as_they_go() -> None:
    users = (1, 2, 4, 8, 16, 32)
    steps = [{"name": f"u{each}", "users": each, "requests": 10} for each in users]
    spec = make_spec(load={"repeats": {"count": 5}, "steps": steps})
    documents = [
        make_document(f"u{each}", repeat, make_result([1000] * round(saturating(each))))
        for repeat in range(1, 6)
        for each in (users if repeat == 1 else users[:-1])
    ]
    samples = benchmark_samples(spec, documents)
    (found,) = scalability(samples, merge_totals(samples))
    assert found.levels == 5
    assert found.knee_users is not None
    assert "Fewer than 3 repeats" not in found.message


def test_a_server_that_saturates_has_no_stated_peak() -> None:
    rates = {users: saturating(users) for users in DENSE}
    found = not_none(fit_law(levels(rates)))
    assert found.peak is not None  # which the law invents
    assert not declines(repeated(rates))
    assert stated_peak(levels(rates), found, repeated(rates)) is None


@pytest.mark.parametrize(
    ("users", "error"),
    [
        (DENSE[:7], 0.01),  # it ends before the peak
        ((1, 2, 4, 8, 16, 60, 80, 88), 0.01),  # too wide a gap
        ((8, 16, 24, 32, 44, 60, 88), 0.01),  # too few
        (DENSE, 0.2),  # a decline within the noise of the repeats
    ],
)
def test_a_peak_that_was_not_measured_is_not_stated(users: tuple[int, ...], error: float) -> None:
    rates = {each: law(each) for each in users}
    loads = 2 * levels(rates)  # up and down
    assert stated_peak(loads, fit_law(loads), repeated(rates, error)) is None


def test_noise_makes_no_declines_and_no_wrong_knees() -> None:
    found = climb(Ladders(saturating_hard, repeats=3, deviation=0.02), 150, seed=1)
    assert found.declines <= 0.02
    assert found.held >= 0.9
    assert climb(Ladders(saturating_hard, repeats=1, deviation=0.02), 50, seed=1).declines == 0


def test_a_law_needs_four_levels() -> None:
    assert fit_law(levels({users: law(users) for users in (1, 2, 4)})) is None


@pytest.mark.parametrize("loads", [DENSE, DENSE[:6]])
def test_knee_of_repeats_is_where_the_asymptotes_meet_wherever_the_ladder_ends(
    loads: tuple[int, ...],
) -> None:
    rates = {users: saturating(users) for users in loads}
    assert not_none(find_knee(repeated(rates))).at == pytest.approx(8.0)
    assert find_knee([rates]) is None


def test_knee_of_repeats_has_an_interval() -> None:
    repeats = [
        {users: scale * saturating(users) for users in (1, 8, 32)} for scale in (1.0, 1.05, 1.1)
    ]
    repeats[2][1] = 10.0
    found = not_none(find_knee(repeats))
    assert found.interval[0] < found.at < found.interval[1]


@pytest.mark.parametrize("users", [(16, 32, 64), (1, 2)])
def test_ladders_that_begin_too_high_or_are_too_short_have_no_knee(users: tuple[int, ...]) -> None:
    assert find_knee(repeated({each: saturating(each) for each in users})) is None


@pytest.mark.parametrize(
    ("rates", "error", "knee", "peak", "expected"),
    [
        (
            {1: 10, 8: 60, 20: 61},
            0.01,
            Knee(6.1, ConfidenceBounds(5.8, 6.4)),
            None,
            (
                "Throughput is highest at 20 users: 61 requests/s. From about 6.1 users on (95 %"
                " confidence interval 5.8 to 6.4), more users mainly add waiting. It does not"
                " decline up to 20 users."
            ),
        ),
        (
            {1: 10, 8: 60, 20: 50},
            0.2,
            Knee(6.0, (5.0, 7.0)),
            None,
            (
                "Throughput is highest at 8 users: 60 requests/s. From about 6 users on (95 %"
                " confidence interval 5 to 7), more users mainly add waiting. The 50 requests/s at"
                " 20 users may be as high."
            ),
        ),
        (
            {1: 10, 8: 60, 20: 50},
            0.01,
            None,
            None,
            (
                "Throughput is highest at 8 users: 60 requests/s. It declines up to 20 users; too"
                " few levels to state a peak."
            ),
        ),
        (
            {1: 10, 8: 60, 20: 50},
            0.01,
            None,
            9.2,
            (
                "Throughput is highest at 8 users: 60 requests/s. By the Universal Scalability Law,"
                " it peaks at about 9.2 users."
            ),
        ),
    ],
)
def test_a_ladder_in_words(
    rates: dict[int, float], error: float, knee: Knee | None, peak: float | None, expected: str
) -> None:
    found = describe_scaling(levels(rates), knee, peak, repeated(rates, error))
    assert found == expected


def test_one_run_says_why_it_has_no_conclusion() -> None:
    rates = {1: 10.0, 8: 60.0, 20: 50.0}
    slower = describe_scaling(levels({1: 10.0, 2: 9.0, 4: 8.0}), None, None, [])
    assert slower.startswith("Throughput is highest at 1 user: 10 requests/s.")
    assert describe_scaling(levels(rates), None, None, [rates]) == (
        "Throughput is highest at 8 users: 60 requests/s. Fewer than 3 repeats show neither a knee"
        " nor a decline: set load.repeats.count to 3 or more."
    )


def test_a_measured_decline_without_a_knee_is_an_answer() -> None:
    said = "Throughput is highest at 8 users: 60 requests/s. It declines up to 20 users."
    declined = Scalability(levels=3, declines=True, message=said)
    flat = Scalability(levels=3, declines=False, message="Throughput is highest at 20 users.")
    status = Status(scalability=[declined, flat])
    assert [*answer_scalability(status)] == [said]
