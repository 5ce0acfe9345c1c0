from collections import Counter
from itertools import islice
from typing import Any

import pytest

from solrbench.api.v1alpha1.workload.workload import Order
from solrbench.load.workload.ordering import query_positions
from unit.load.builders import assignment, queries_spec


def take(count: int, order: Order, seed: int = 1, size: int = 1000, **who: Any) -> list[int]:
    queries = queries_spec(order=order, seed=seed)
    return list(islice(query_positions(queries, size, assignment(**who)), count))


def test_sequential_goes_round_the_list_from_the_offset() -> None:
    assert take(7, Order.SEQUENTIAL, size=5, offset=3) == [3, 4, 0, 1, 2, 3, 4]


def test_sequential_workers_share_the_list() -> None:
    one = take(6, Order.SEQUENTIAL, users=4, workers=2, worker=0)
    two = take(6, Order.SEQUENTIAL, users=4, workers=2, worker=1)
    assert (one, two) == ([0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11])


@pytest.mark.parametrize("order", [Order.RANDOM, Order.ZIPF])
def test_same_seed_gives_the_same_sequence(order: Order) -> None:
    assert take(9000, order) == take(9000, order)
    assert take(50, order) != take(50, order, seed=2)
    assert take(50, order, workers=2, users=2) != take(50, order, workers=2, users=2, worker=1)


@pytest.mark.parametrize("order", [Order.RANDOM, Order.ZIPF])
def test_repeats_and_steps_have_sequences_of_their_own(order: Order) -> None:
    queries = queries_spec(order=order)
    duties = [
        assignment(),
        assignment().model_copy(update={"repeat": 2}),
        assignment().model_copy(update={"step": "storm"}),
    ]
    drawn = [tuple(islice(query_positions(queries, 1000, duty), 20)) for duty in duties]
    assert len(set(drawn)) == 3


def test_random_draws_evenly() -> None:
    counts = Counter(take(50_000, Order.RANDOM, size=10))
    assert set(counts) == set(range(10))
    # Five standard deviations of a binomial distribution: sqrt(50000 * 0.1 * 0.9) = 67.
    assert all(abs(count - 5000) < 5 * 67 for count in counts.values())


def test_zipf_prefers_the_head_by_its_law() -> None:
    counts = Counter(take(50_000, Order.ZIPF, size=100))
    expected = 50_000 / sum(1 / rank for rank in range(1, 101))
    assert counts[0] == pytest.approx(expected, rel=0.05)
    assert counts[9] == pytest.approx(expected / 10, rel=0.15)
    assert max(counts) < 100
