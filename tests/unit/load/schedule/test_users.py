import statistics
from collections import Counter
from itertools import islice

import pytest

from solrbench.api.v1alpha1.arrivals import ThinkTime, UniformTime
from solrbench.load.schedule import users as module
from solrbench.load.schedule.users import (
    UserClass,
    UserPlacement,
    class_sequence,
    first_pacing_wait_seconds,
    first_wait_seconds,
    longest_think_seconds,
    max_users,
    pacing_wait_seconds,
    seed_of,
    think_seconds,
    uniform,
)
from support.load.own_process import run_python

DRAWS = range(20_000)


def test_constant_think_time_does_not_vary() -> None:
    spec = ThinkTime(constant_milliseconds=250)
    assert {think_seconds(spec, seed, turn) for seed in (1, 2) for turn in range(5)} == {0.25}


def test_jitter_varies_a_constant_time_evenly() -> None:
    spec = ThinkTime(constant_milliseconds=200, jitter_percent=25)
    drawn = [think_seconds(spec, 7, turn) for turn in DRAWS]
    assert 0.15 <= min(drawn) < 0.1501
    assert 0.2499 < max(drawn) <= 0.25
    assert statistics.fmean(drawn) == pytest.approx(0.2, abs=0.001)


def test_first_waits_are_spread_over_the_think_time() -> None:
    spec = ThinkTime(constant_milliseconds=1000)
    drawn = [first_wait_seconds(spec, seed) for seed in range(5000)]
    assert drawn == [first_wait_seconds(spec, seed) for seed in range(5000)]
    assert 0 <= min(drawn) < 0.01
    assert 0.99 < max(drawn) < 1
    assert statistics.fmean(drawn) == pytest.approx(0.5, abs=5 * 0.29 / 5000**0.5)


OF_A_SECOND = [
    ThinkTime(constant_milliseconds=1000),
    ThinkTime(constant_milliseconds=1000, jitter_percent=90),
    ThinkTime(uniform=UniformTime(min_milliseconds=0, max_milliseconds=2000)),
    ThinkTime(exponential_mean_milliseconds=1000),
]


@pytest.mark.parametrize("spec", OF_A_SECOND)
def test_users_begin_at_the_rate_that_they_keep(spec: ThinkTime) -> None:
    """By a server that responds at once, each of them sends once per second from the begin on."""
    users = 5000
    for seconds in (0.1, 1.0):
        sent = sum(requests_until(seconds, spec, seed) for seed in range(users))
        # The deviation of a sum of Poisson numbers, which vary more than these.
        assert sent == pytest.approx(users * seconds, abs=4 * (users * seconds) ** 0.5)


def requests_until(seconds: float, spec: ThinkTime, seed: int) -> int:
    sent, now = 0, first_wait_seconds(spec, seed)
    while now < seconds:
        now += think_seconds(spec, seed, sent)
        sent += 1
    return sent


def test_uniform_stays_within_bounds_and_fills_them() -> None:
    spec = ThinkTime(uniform=UniformTime(min_milliseconds=100, max_milliseconds=300))
    drawn = [think_seconds(spec, 7, turn) for turn in DRAWS]
    assert 0.1 <= min(drawn) < 0.101
    assert 0.299 < max(drawn) <= 0.3
    # Five standard errors: 0.2 / sqrt(12) / sqrt(20000) = 0.0004.
    assert statistics.fmean(drawn) == pytest.approx(0.2, abs=0.002)


def test_exponential_has_its_mean_and_deviation() -> None:
    spec = ThinkTime(exponential_mean_milliseconds=1000)
    drawn = [think_seconds(spec, 7, turn) for turn in DRAWS]
    assert statistics.fmean(drawn) == pytest.approx(1, abs=5 / len(DRAWS) ** 0.5)
    assert statistics.stdev(drawn) == pytest.approx(1, rel=0.05)
    assert min(drawn) >= 0


@pytest.mark.parametrize("spec", OF_A_SECOND)
def test_no_draw_is_longer_than_the_longest(
    spec: ThinkTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "uniform", lambda seed, turn: 1 - 2**-53)
    assert think_seconds(spec, 1, 1) == pytest.approx(longest_think_seconds(spec))


def test_users_think_differently_but_always_the_same() -> None:
    spec = ThinkTime(exponential_mean_milliseconds=1000)
    one, other = seed_of("think", 1, 0), seed_of("think", 1, 1)
    assert think_seconds(spec, one, 3) == think_seconds(spec, one, 3)
    assert think_seconds(spec, one, 3) != think_seconds(spec, other, 3)
    assert think_seconds(spec, one, 3) != think_seconds(spec, one, 4)


def test_seed_depends_on_every_part_and_its_type() -> None:
    parts: list[tuple[int | str, ...]] = [(1, 2), (2, 1), ("1", 2), (12,), (1, 2, 0), ("1:2",)]
    assert len({seed_of(*each) for each in parts}) == len(parts)
    # Fixed: a benchmark must send the same requests with every version and on every machine.
    assert seed_of("order", 1, 1, "calm", 0) == 4890396410602953353


def test_uniform_never_reaches_one() -> None:
    drawn = [uniform(3, index) for index in DRAWS]
    assert 0 <= min(drawn) < 0.001
    assert 0.999 < max(drawn) < 1
    assert len(set(drawn)) == len(drawn)


def test_pacing_waits_for_what_is_left() -> None:
    assert pacing_wait_seconds(200, 0.05) == pytest.approx(0.15)
    assert pacing_wait_seconds(200, 0.3) == 0
    first = [first_pacing_wait_seconds(1000, seed) for seed in range(200)]
    assert (0 <= min(first) < 0.1, 0.9 < max(first) < 1) == (True, True)


WEIGHTS = [(1,), (1, 1), (5, 1), (3, 2, 1), (10, 7, 3, 1), (0.5, 1.5), (2, 0)]
BY_WEIGHT = [
    (rounds * int(sum(weights)), [UserClass(f"User{n}", each) for n, each in enumerate(weights)])
    for weights in WEIGHTS
    for rounds in (1, 2, 10)
    if weights != (0.5, 1.5) or rounds > 1
]
MIXED = [UserClass("Admin", 1, 2), UserClass("Reader", 2), UserClass("Zealot", 1, 1)]
CASES = [*BY_WEIGHT, *((users, MIXED) for users in (3, 4, 9, 40))]

ASK_LOCUST = """
import json, sys
from locust import User
from locust.dispatch import UsersDispatcher
from locust.runners import WorkerNode

answers = []
for users, classes in json.load(sys.stdin):
    made = [
        type(name, (User,), {"weight": weight, "fixed_count": fixed})
        for name, weight, fixed in classes
    ]
    dispatcher = UsersDispatcher([WorkerNode("one")], made)
    dispatcher.new_dispatch(users, 1e9)
    answers.append(list(dispatcher)[-1]["one"])
print(json.dumps(answers))
"""


def first(users: int, classes: list[UserClass]) -> Counter[str]:
    return Counter(islice(class_sequence(classes), users))


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_shares_after_whole_rounds_are_those_of_locust() -> None:
    answers = run_python("-c", ASK_LOCUST, given=CASES)
    assert len(answers) == len(CASES)
    for (users, classes), answer in zip(CASES, answers, strict=True):
        assert first(users, classes) == Counter(answer), (users, classes)


@pytest.mark.parametrize("users", [1, 2, 3, 10])
def test_fixed_users_come_first(users: int) -> None:
    assert first(users, MIXED)["Reader"] == max(users - 3, 0)


def test_classes_without_weight_bound_the_number_of_users() -> None:
    fixed = (UserClass("Admin", 1, 2), UserClass("Zealot", 1, 1))
    assert max_users(fixed) == 3
    assert len(list(class_sequence(fixed))) == 3
    assert max_users((*fixed, UserClass("Reader"))) is None
    assert max_users((*fixed, UserClass("Unused", 0))) == 3


def test_order_of_the_classes_in_the_file_does_not_matter() -> None:
    classes = [UserClass("A", 2), UserClass("B", 3), UserClass("C", 1, 2)]
    one, other = (list(islice(class_sequence(each), 50)) for each in (classes, classes[::-1]))
    assert one == other


@pytest.mark.parametrize("lost", [(), (0,), (2,), (1, 3), (3, 2, 1)])
def test_every_user_has_a_worker_that_is_there(lost: tuple[int, ...]) -> None:
    placement = UserPlacement(4)
    for index in lost:
        placement = placement.after_loss(index)
    assert set(placement.remaining_workers) == set(range(4)) - set(lost)
    counts = Counter(placement.worker_of(user) for user in range(1000))
    assert counts.total() == 1000
    assert set(counts) == set(placement.remaining_workers)


def test_users_of_one_lost_worker_are_spread_evenly() -> None:
    placement = UserPlacement(4).after_loss(2)
    found = {index: len(users) for index, users in placement.reassigned_users(120).items()}
    assert found == {0: 10, 1: 10, 3: 10}


def test_only_users_of_the_lost_worker_move() -> None:
    before = UserPlacement(5).after_loss(1)
    after = before.after_loss(4)
    moved = {user for users in after.reassigned_users(57).values() for user in users}
    for user in range(57):
        assert before.worker_of(user) == (4 if user in moved else after.worker_of(user))
    for index, users in after.reassigned_users(57).items():
        assert all(after.worker_of(user) == index for user in users)
