"""The search for users, on servers that follow a formula."""

import random
from collections.abc import Callable

import pytest

from solrbench.results.capacity.search import LEAST_TRIALS, CapacityEstimate, Trial
from solrbench.results.capacity.user_search import UserRange, estimate_users, next_users

MOST = 15
WITHIN = UserRange(2, 1000)

Excess = Callable[[float], float]


def closed_loop(capacity: float, noise: float = 0.0, seed: int = 1) -> Excess:
    """Return the excess of users whose response times grow in proportion to them."""
    draw = random.Random(seed)

    def excess(users: float) -> float:
        # Below a third of the capacity no place is missing, and times stay as they are.
        time = max(users / capacity, 1 / 3) * (1 + draw.gauss(0, noise))
        return max(1 - 1 / time, -1.0)

    return excess


def search(
    excess: Excess, within: UserRange = WITHIN, probed: int = 50, seed: int = 1
) -> list[Trial]:
    probe = Trial(probed, excess(probed))
    trials: list[Trial] = []
    while (users := next_users(within, probe, trials, MOST, seed)) is not None:
        assert within.least <= users <= within.most
        trials.append(Trial(users, excess(users)))
    return trials


@pytest.mark.parametrize("capacity", [4.5, 8.5, 23.4, 50.2, 180.7, 777.7])
def test_whole_users_without_noise_are_found(capacity: float) -> None:
    trials = search(closed_loop(capacity))
    found = estimate_users(trials)
    assert found.rate is not None
    # The curve bends a little.
    assert abs(found.rate - int(capacity)) <= 1 + 0.003 * capacity
    assert len(trials) <= LEAST_TRIALS + 2


@pytest.mark.parametrize("seed", range(5))
def test_interval_holds_the_users_in_noise(seed: int) -> None:
    found = estimate_users(search(closed_loop(40.5, 0.02, seed), seed=seed))
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= 40 <= found.upper
    assert found.upper - found.lower <= 6


def test_first_trial_is_where_the_probe_says() -> None:
    assert next_users(WITHIN, Trial(50, 0.5), [], MOST, 1) == 25
    assert next_users(WITHIN, Trial(50, -1.0), [], MOST, 1) == 100


def test_users_that_always_meet_the_limits_end_the_search_at_the_most() -> None:
    trials = search(lambda _: -1.0, UserRange(1, 300))
    assert trials[-1].rate == 300
    assert len(trials) < LEAST_TRIALS
    assert estimate_users(trials).problem == "no trial missed an objective"


def test_users_that_never_meet_the_limits_end_the_search_at_the_least() -> None:
    trials = search(lambda _: 0.9, UserRange(3, 300))
    assert trials[-1].rate == 3
    assert estimate_users(trials) == CapacityEstimate(
        None, None, None, None, 3, "no trial met the objectives"
    )


def test_wide_noise_is_unclear_and_never_narrow() -> None:
    for seed in range(10):
        found = estimate_users(search(closed_loop(40.5, 0.3, seed), seed=seed))
        assert found.lower is None or (found.lower <= 44 and (found.upper or 0) >= 36)


@pytest.mark.parametrize("stored", range(MOST))
def test_a_search_goes_on_where_another_stopped(stored: int) -> None:
    excess = closed_loop(40.5, 0.1, 2)
    probe = Trial(50, excess(50))
    whole: list[Trial] = []
    while (users := next_users(WITHIN, probe, whole, MOST, 1)) is not None:
        whole.append(Trial(users, excess(users)))
    again = next_users(WITHIN, probe, whole[:stored], MOST, 1)
    assert again == (whole[stored].rate if stored < len(whole) else None)
