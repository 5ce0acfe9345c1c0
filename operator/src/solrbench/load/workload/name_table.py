"""Request names that are known beforehand, and which query of a list comes next.

The order of queries belongs to the worker, not to each user: of a number of requests, exactly the
same queries are sent in every run, whichever user gets to send them.

What can be seen in a response follows from the parameters of its request. So it is settled once,
while requests are prepared, and costs nothing while the load runs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.request_mix import Order, Queries
from solrbench.contract.generated_documents import ZipfRanks
from solrbench.load.schedule.messages import Assignment
from solrbench.load.schedule.users import seed_of

OMIT_HEADER = "omitHeader"
"""Solr's parameter for responses without `responseHeader`."""

WRAPPER = "json.wrf"
"""Solr's parameter for a JavaScript call around the JSON."""

_OFF = ("false", "off", "no")
"""What Solr reads as false (`StrUtils.parseBool`); whatever else it does not refuse is true."""


class ResponseVisibility(NamedTuple):
    """What can be seen in a response."""

    content: bool
    """It is JSON or javabin, the only formats that are looked into."""
    header: bool
    """It has a `responseHeader`, where partial results are marked."""


FULLY_VISIBLE = ResponseVisibility(content=True, header=True)


def visibility_of(
    parameters: Iterable[tuple[str, str]], json_body: str | bytes | None = None
) -> ResponseVisibility:
    """Return what the response to a request shows, from all that is sent along.

    A JSON body may hold parameters too; one that so much as names `omitHeader` is taken to set it.
    """
    pairs = set(parameters)
    omits = any(key == OMIT_HEADER and value not in _OFF for key, value in pairs)
    if json_body is not None and not omits:
        body = json_body if isinstance(json_body, bytes) else json_body.encode()
        omits = OMIT_HEADER.encode() in body
    wrapped = any(key == WRAPPER for key, _ in pairs)
    is_readable = ("wt", "javabin") in pairs or (("wt", "json") in pairs and not wrapped)
    return ResponseVisibility(content=is_readable, header=not omits)


@dataclass(frozen=True)
class UncheckedNames:
    """Indexes of names whose responses hide something; one such request is enough."""

    partial: frozenset[int] = frozenset()
    """Whether a response is partial is not seen."""
    empty: frozenset[int] = frozenset()


ALL_CHECKED = UncheckedNames()


@dataclass(eq=False, repr=False)
class RequestNameTable:
    """The names of a workload by place, as they come."""

    reserved: frozenset[str] = frozenset()
    """Names of transactions and of their requests, which no query may have: its requests would
    be counted as transactions, and be in no sum."""
    _indexes: dict[str, int] = field(default_factory=dict, init=False)
    _partial: set[int] = field(default_factory=set, init=False)
    _empty: set[int] = field(default_factory=set, init=False)

    @property
    def names(self) -> tuple[str, ...]:
        """All names in the order of their places."""
        return tuple(self._indexes)

    @property
    def unchecked(self) -> UncheckedNames:
        """What their responses do not show."""
        return UncheckedNames(frozenset(self._partial), frozenset(self._empty))

    def index_of(self, name: str, view: ResponseVisibility = FULLY_VISIBLE) -> int:
        """Return the place of a name that a request with this view of its response counts under."""
        index = self._indexes.setdefault(name, len(self._indexes))
        if not (view.content and view.header):
            self._partial.add(index)
        if not view.content:
            self._empty.add(index)
        return index


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
    queries: Queries, size: int, assignment: Assignment, entry_index: int, numbers: Iterable[int]
) -> Iterator[int]:
    """Yield positions in a list of `size` queries; without end, except with the order `Once`.

    `numbers` are those of the requests.
    """
    if assignment.open_loop is not None and assignment.open_loop.speed_factor is not None:
        return takewhile(lambda position: position < size, iter(numbers))  # a log has its order
    first = assignment.offset_of(entry_index)
    if queries.order is Order.SEQUENTIAL:
        return ((first + slot) % size for slot in numbers)
    if queries.order is Order.ONCE:
        return takewhile(lambda position: position < size, (first + slot for slot in numbers))
    who: list[int | str] = [assignment.repeat, assignment.step, assignment.worker]
    # Without an index, as long as there is only one entry.
    others = [entry_index] if entry_index else []
    rng = np.random.default_rng(seed_of("order", queries.seed, *who, *others))
    if queries.order is Order.ZIPF:
        ranks = ZipfRanks(size, queries.zipf_exponent)
        return _drawn(lambda: ranks.draw(rng, _BLOCK))
    return _drawn(lambda: rng.integers(0, size, _BLOCK))


def entry_choices(weights: Sequence[int], seed: int, assignment: Assignment) -> Iterator[int]:
    """Yield places of the entries of a mix, each as often as its weight says, without end."""
    own = seed_of("mix", seed, assignment.repeat, assignment.step, assignment.worker)
    rng, ends = np.random.default_rng(own), np.cumsum(weights)
    return _drawn(lambda: np.searchsorted(ends, rng.integers(0, ends[-1], _BLOCK), side="right"))


def _drawn(block: Callable[[], NDArray[np.int64]]) -> Iterator[int]:
    while True:
        yield from block().tolist()
