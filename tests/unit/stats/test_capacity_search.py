"""The search for a rate, and for users, on servers that follow a formula."""

import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from solrbench.stats.capacity_estimate import CapacityEstimate, estimate, estimate_users
from solrbench.stats.capacity_line import Trial
from solrbench.stats.capacity_search import MIN_TRIALS, UserRange, next_rate, next_users
from support.narrowing import not_none

MAXIMUM = 15
PROBED = 200.0
TRUTH = 160.0

Overshoot = Callable[[float], float]


def line(rate: float) -> float:
    """Return the excess at a rate, where it is a line in ln of the rate."""
    return min(max(4 * math.log(rate / TRUTH), -1.0), 1.0)


def noisy(deviation: float, seed: int) -> Overshoot:
    draw = random.Random(seed)
    return lambda rate: min(max(line(rate) + draw.gauss(0, deviation), -1.0), 1.0)


def search(excess: Overshoot, probed: float = PROBED, seed: int = 1) -> list[Trial]:
    trials: list[Trial] = []
    while (rate := next_rate(probed, trials, MAXIMUM, seed)) is not None:
        trials.append(Trial(rate, excess(rate)))
    return trials


def test_a_line_without_noise_is_found_with_the_least_trials() -> None:
    trials = search(line)
    found = estimate(trials)
    assert len(trials) == MIN_TRIALS
    assert found.rate == pytest.approx(TRUTH, rel=0.001)
    assert found.problem == ""


@pytest.mark.parametrize("seed", range(5))
def test_interval_holds_the_rate_in_noise(seed: int) -> None:
    found = estimate(search(noisy(0.15, seed), seed=seed))
    assert not_none(found.lower) <= TRUTH <= not_none(found.upper)


def test_noise_that_is_too_wide_is_mostly_inconclusive_and_hardly_ever_wrong() -> None:
    # 0.6 is what a rate that differs by 15 % from trial to trial does.
    found = [estimate(search(noisy(0.6, seed), seed=seed)) for seed in range(40)]
    inconclusive = [each for each in found if each.rate is None]
    assert len(inconclusive) > 20
    assert {each.lower is None and each.problem != "" for each in inconclusive} == {True}
    right = sum((e.lower or 0) <= TRUTH <= (e.upper or math.inf) for e in found)
    assert right >= 36


def slowed(slope: float, draw: Callable[[], float]) -> Overshoot:
    """Return the excess of a target that is slower by what is drawn, in ln, in each trial."""
    return lambda rate: min(max(slope * (math.log(rate / TRUTH) + draw()), -1.0), 1.0)


def test_a_limit_far_above_what_a_request_takes_is_crossed_steeply_and_found() -> None:
    draw = random.Random(1)
    # Trials are too short for intervals of their own: the queue of a full target takes its time.
    for seed in range(20):
        steep = slowed(16, lambda: draw.gauss(0, 0.01))
        trials = [replace(each, is_long=False) for each in search(steep, seed=seed)]
        found = estimate(trials)
        assert found.is_steep, found.problem
        assert found.rate == pytest.approx(TRUTH, rel=0.02)


@pytest.mark.parametrize(
    ("long", "taken", "is_found"),
    [({1, 4}, MIN_TRIALS, True), ({4, 10}, 11, True), ({4}, MAXIMUM, False)],
)
def test_a_search_goes_on_until_two_trials_were_long_enough(
    long: set[int], taken: int, is_found: bool
) -> None:
    trials: list[Trial] = []
    while (rate := next_rate(PROBED, trials, MAXIMUM, 1)) is not None:
        trials.append(Trial(rate, line(rate), len(trials) in long))
    assert len(trials) == taken
    assert (estimate(trials).rate is not None) is is_found


def test_a_target_in_one_of_two_states_in_each_trial_is_not_found() -> None:
    draw = random.Random(1)
    found = [
        estimate(search(slowed(5, lambda: draw.choice((0.0, 0.2))), seed=seed))
        for seed in range(20)
    ]
    assert [each.rate for each in found].count(None) >= 17


def test_what_is_inconclusive_says_what_is_known() -> None:
    found = estimate(search(noisy(0.6, 2), seed=2))
    assert found.problem
    assert found.highest_met is not None
    assert found.lowest_missed is not None


@pytest.mark.parametrize(
    ("excess", "problem"),
    [
        (lambda _: -1.0, "no trial missed an objective"),
        (lambda _: 1.0, "no trial met the objectives"),
    ],
)
def test_what_is_never_or_always_met_is_inconclusive(excess: Overshoot, problem: str) -> None:
    trials = search(excess)
    assert len(trials) == MAXIMUM
    met = max((each.rate for each in trials if each.meets), default=None)
    missed = min((each.rate for each in trials if not each.meets), default=None)
    assert estimate(trials) == CapacityEstimate(None, None, None, met, missed, problem)


def test_a_target_that_still_warms_up_is_named() -> None:
    # As a server of a third of a core did, which compiled its code during the first trials.
    cold = [(50, -1.0), (250, -0.9), (456, 0.4), (414, -1.0), (448, 0.35)]
    warm = [(430, -1.0), (463, -1.0), (453, -1.0)]
    found = estimate([Trial(*each) for each in [*cold, *warm]])
    assert found.is_cold
    assert found.problem == (
        "later trials met the objectives under more load than those that missed them, as if the"
        " target were still warming up"
    )
    assert not estimate([Trial(*each) for each in [*warm, *cold]]).is_cold
    # One far beyond what it ever held says nothing; the two below what it then met do.
    missed = [(173, 0.8), (111, 0.35), (93, 0.05)]
    met = [(99, -0.7), (116, -0.6), (106, -0.7), (119, -0.6), (105, -0.7)]
    assert estimate([Trial(*each) for each in [(46, -0.9), *missed, *met]]).is_cold
    assert not estimate([Trial(*each) for each in [(46, -0.9), *missed[:2], *met]]).is_cold
    assert not estimate([Trial(*each) for each in [(46, -0.9), *missed, *met[:4]]]).is_cold


def test_a_probe_that_is_too_low_is_passed() -> None:
    found = estimate(search(line, probed=60.0))
    assert found.rate == pytest.approx(TRUTH, rel=0.001)


def test_a_probe_without_good_responses_ends_the_search() -> None:
    assert next_rate(0.0, [], MAXIMUM, 1) is None


@pytest.mark.parametrize("stored", range(MAXIMUM))
def test_a_search_goes_on_where_another_stopped(stored: int) -> None:
    whole = search(noisy(0.3, 2))
    rate = next_rate(PROBED, whole[:stored], MAXIMUM, 1)
    assert rate == (whole[stored].rate if stored < len(whole) else None)


def test_trials_around_the_crossing_stand_in_an_order_drawn_by_the_seed() -> None:
    orders = {tuple(each.rate for each in search(noisy(0.3, 2), seed=seed)) for seed in range(4)}
    assert len(orders) == 4


WITHIN = UserRange(2, 1000)


def closed_loop(capacity: float, noise: float = 0.0, seed: int = 1) -> Overshoot:
    """Return the excess of users whose response times grow in proportion to them."""
    draw = random.Random(seed)

    def excess(users: float) -> float:
        # Below a third of the capacity no place is missing, and times stay as they are.
        time = max(users / capacity, 1 / 3) * (1 + draw.gauss(0, noise))
        return max(1 - 1 / time, -1.0)

    return excess


def search_users(excess: Overshoot, within: UserRange = WITHIN, seed: int = 1) -> list[Trial]:
    probe = Trial(50, excess(50))
    trials: list[Trial] = []
    while (users := next_users(within, probe, trials, MAXIMUM, seed)) is not None:
        assert within.least <= users <= within.most
        trials.append(Trial(users, excess(users)))
    return trials


@pytest.mark.parametrize("capacity", [4.5, 8.5, 23.4, 50.2, 180.7, 777.7])
def test_whole_users_without_noise_are_found(capacity: float) -> None:
    trials = search_users(closed_loop(capacity))
    found = not_none(estimate_users(trials).rate)
    # The curve bends a little.
    assert abs(found - int(capacity)) <= 1 + 0.003 * capacity
    assert len(trials) <= MIN_TRIALS + 2


@pytest.mark.parametrize("capacity", [1.4, 2.5, 3.5])
def test_few_users_are_found_though_numbers_are_far_apart(capacity: float) -> None:
    found = estimate_users(search_users(closed_loop(capacity), UserRange(1, 100)))
    assert (found.rate, found.problem) == (int(capacity), "")


def test_what_a_user_met_is_never_no_user() -> None:
    excesses = (-0.05, 0.1, 0.08, 0.1)
    found = estimate_users([Trial(1, e) for e in excesses] + [Trial(2, 0.55)] * 4)
    assert (found.rate, found.lower) == (1, 0)


def test_interval_of_the_least_users_holds_them() -> None:
    # The line crosses at 0.78 users (0.56 to 0.93).
    trials = [Trial(1, each) for each in (-0.01, 0.2, 0.2, 0.2)] + [Trial(2, 0.55)] * 4
    found = estimate_users(trials)
    assert (found.rate, found.lower, found.upper) == (1, 0, 1)


@pytest.mark.parametrize("seed", range(10))
def test_trials_around_a_crossing_below_one_user_have_few_of_them(seed: int) -> None:
    # It is at 0.22 users: one or two are tried, where two users in ln would be 2,000.
    trials = [Trial(1, each) for each in (-0.01, 0.48, 0.48, 0.48)] + [Trial(2, 0.52)] * 4
    users = next_users(UserRange(1, 10_000), Trial(50, 0.9), trials, MAXIMUM, seed)
    assert not_none(users) <= 2


def test_interval_of_few_users_may_be_as_wide_as_one_user() -> None:
    # The line crosses at the root of 24, of which one user is 20.4 %.
    below, above = (-0.18, -0.1, -0.02), (0.02, 0.1, 0.18)
    trials = [*(Trial(4, each) for each in below), *(Trial(6, each) for each in above)]
    assert estimate_users(trials).problem.endswith("%, at most ±20.4 % wanted)")


@pytest.mark.parametrize("seed", range(5))
def test_interval_holds_the_users_in_noise(seed: int) -> None:
    found = estimate_users(search_users(closed_loop(40.5, 0.02, seed), seed=seed))
    lower, upper = not_none(found.lower), not_none(found.upper)
    assert lower <= 40 <= upper
    assert upper - lower <= 6


@pytest.mark.parametrize(("noise", "least", "most"), [(0.015, 18, 20), (0.06, 0, 4)])
def test_users_are_found_in_trials_without_an_interval_that_differ_little(
    noise: float, least: int, most: int
) -> None:
    # As of a closed loop of 200 users on 2 places of 20 ms, whose times swing for seconds.
    short = [
        estimate_users(
            [
                replace(each, is_long=False)
                for each in search_users(closed_loop(176.5, noise, seed), seed=seed)
            ]
        )
        for seed in range(20)
    ]
    users = [each.rate for each in short if each.rate is not None]
    assert least <= len(users) <= most
    assert users == pytest.approx([176] * len(users), rel=0.05)
    problems = {each.problem for each in short if each.is_noisy}
    assert not problems or any("too short for the queue" in each for each in problems)


def test_first_trial_is_where_the_probe_says() -> None:
    assert next_users(WITHIN, Trial(50, 0.5), [], MAXIMUM, 1) == 25
    assert next_users(WITHIN, Trial(50, -1.0), [], MAXIMUM, 1) == 100


def test_users_that_always_meet_the_limits_end_the_search_at_the_most() -> None:
    trials = search_users(lambda _: -1.0, UserRange(1, 300))
    assert trials[-1].rate == 300
    assert len(trials) < MIN_TRIALS
    assert estimate_users(trials).problem == "no trial missed an objective"


def test_users_that_never_meet_the_limits_end_the_search_at_the_least() -> None:
    trials = search_users(lambda _: 0.9, UserRange(3, 300))
    assert trials[-1].rate == 3
    nothing_met = CapacityEstimate(None, None, None, None, 3, "no trial met the objectives")
    assert estimate_users(trials) == nothing_met


def test_wide_noise_is_inconclusive_and_never_narrow() -> None:
    for seed in range(10):
        found = estimate_users(search_users(closed_loop(40.5, 0.3, seed), seed=seed))
        assert found.lower is None or (found.lower <= 44 and (found.upper or 0) >= 36)


@pytest.mark.parametrize("stored", range(MAXIMUM))
def test_a_user_search_goes_on_where_another_stopped(stored: int) -> None:
    whole = search_users(closed_loop(40.5, 0.1, 2))
    probe = Trial(50, closed_loop(40.5, 0.1, 2)(50))
    again = next_users(WITHIN, probe, whole[:stored], MAXIMUM, 1)
    assert again == (whole[stored].rate if stored < len(whole) else None)
