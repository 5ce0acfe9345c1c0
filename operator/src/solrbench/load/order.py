"""Which query of the list comes next, for one worker in one pass.

The order belongs to the worker, not to each user: of a number of requests, exactly the same
queries are sent in every run, whichever user gets to send them.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.workload import Order, Queries
from solrbench.load.assignment import Assignment
from solrbench.load.seeds import seed_of
from solrbench.plan.words import ZipfRanks

_BLOCK = 4096
"""Positions drawn together; one at a time would cost more than sending the request."""


def positions(queries: Queries, size: int, assignment: Assignment) -> Iterator[int]:
    """Yield positions in a list of `size` queries, without end."""
    if queries.order is Order.SEQUENTIAL:
        return ((assignment.offset + slot) % size for slot in assignment.slots())
    rng = np.random.default_rng(_seed(queries.seed, assignment))
    if queries.order is Order.ZIPF:
        ranks = ZipfRanks(size, queries.zipf_exponent_permille / 1000)
        return _drawn(lambda: ranks.draw(rng, _BLOCK))
    return _drawn(lambda: rng.integers(0, size, _BLOCK))


def _drawn(block: Callable[[], NDArray[np.int64]]) -> Iterator[int]:
    while True:
        yield from block().tolist()


def _seed(seed: int, assignment: Assignment) -> int:
    return seed_of("order", seed, assignment.repeat, assignment.step, assignment.worker)
