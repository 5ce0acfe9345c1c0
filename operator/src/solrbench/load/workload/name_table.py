"""Which query of the list comes next, for one worker in one step run.

The order belongs to the worker, not to each user: of a number of requests, exactly the same
queries are sent in every run, whichever user gets to send them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.workload.workload import Order, Queries
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.schedule.seeds import seed_of
from solrbench.plan.vocabulary import ZipfRanks

_BLOCK = 4096
"""Positions drawn together; one at a time would cost more than sending the request."""


class RequestCounter:
    """The slots of one entry of a workload on one worker, ascending, and how far they went.

    A slot is the number of a request of that entry within the whole step run. Workers take slots at
    speeds of their own; the next step run begins beyond the highest one of any worker.
    """

    def __init__(self, assignment: Assignment) -> None:
        self.next_number = 0
        """One more than the highest slot taken."""
        self._slots = assignment.request_numbers()

    def __iter__(self) -> Iterator[int]:
        for slot in self._slots:
            self.next_number = slot + 1
            yield slot


def query_positions(
    queries: Queries,
    size: int,
    assignment: Assignment,
    entry_index: int = 0,
    counter: Iterable[int] | None = None,
) -> Iterator[int]:
    """Yield positions in a list of `size` queries; without end, except with the order `Once`.

    Args:
        queries: the order and its seed
        size: length of the list
        assignment: which users send, and when
        entry_index: that of the entry in the workload, from 0
        counter: numbers of the requests; those of the assignment when None

    """
    numbers = assignment.request_numbers() if counter is None else counter
    if assignment.open_loop is not None and assignment.open_loop.speed_factor is not None:
        return takewhile(lambda position: position < size, iter(numbers))  # a log has its order
    first = assignment.offset_of(entry_index)
    if queries.order is Order.SEQUENTIAL:
        return ((first + slot) % size for slot in numbers)
    if queries.order is Order.ONCE:
        return takewhile(lambda position: position < size, (first + slot for slot in numbers))
    rng = np.random.default_rng(_seed(queries.seed, assignment, entry_index))
    if queries.order is Order.ZIPF:
        ranks = ZipfRanks(size, queries.zipf_exponent)
        return _drawn(lambda: ranks.draw(rng, _BLOCK))
    return _drawn(lambda: rng.integers(0, size, _BLOCK))


def entry_choices(weights: Sequence[int], seed: int, assignment: Assignment) -> Iterator[int]:
    """Yield places of the entries of a mix, each as often as its weight says, without end."""
    rng = np.random.default_rng(
        seed_of("mix", seed, assignment.repeat, assignment.step, assignment.worker)
    )
    bounds = np.cumsum(weights)
    return _drawn(
        lambda: np.searchsorted(bounds, rng.integers(0, bounds[-1], _BLOCK), side="right")
    )


def _drawn(block: Callable[[], NDArray[np.int64]]) -> Iterator[int]:
    while True:
        yield from block().tolist()


def _seed(seed: int, assignment: Assignment, entry_index: int) -> int:
    # Without an index, as long as there is only one entry.
    others = [entry_index] if entry_index else []
    return seed_of("order", seed, assignment.repeat, assignment.step, assignment.worker, *others)
