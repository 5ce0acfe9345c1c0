import random

import pytest

from solrbench.dataset.backoff import Backoff


@pytest.mark.parametrize(
    ("attempt", "middle"), [(1, 0.5), (2, 1.0), (4, 4.0), (6, 15.0), (20, 15.0)]
)
def test_waits_double_up_to_the_longest(attempt: int, middle: float) -> None:
    rng = random.Random(1)
    waits = [Backoff(0.5, 15.0).seconds(attempt, rng) for _ in range(500)]
    assert middle * 0.5 <= min(waits) < middle * 0.52
    assert middle * 1.48 < max(waits) <= middle * 1.5


def test_the_same_seed_waits_the_same() -> None:
    first, second = random.Random(7), random.Random(7)
    backoff = Backoff()
    assert [backoff.seconds(n, first) for n in (1, 2)] == [
        backoff.seconds(n, second) for n in (1, 2)
    ]
