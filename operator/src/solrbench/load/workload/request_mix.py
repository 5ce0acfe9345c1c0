"""What a pass draws from: one list of requests, or a weighted mix of several parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from solrbench.api.v1alpha1.workload.queries import Queries
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.workload.http_requests import RequestList
from solrbench.load.workload.name_table import ALL_SEEN, Unseen
from solrbench.load.workload.ordering import Slots, choices, positions
from solrbench.load.workload.prepared_request import PreparedRequest


class Part(Protocol):
    """One entry of a workload."""

    def begin(self, assignment: Assignment, place: int, slots: Slots) -> Iterator[PreparedRequest]:
        """Return what one worker sends in one pass, in order; it may end.

        `place` is that of the entry in the workload. Whoever numbers requests takes the numbers
        from `slots`.
        """


@dataclass(frozen=True)
class QueryPart:
    """A list of queries."""

    requests: Sequence[PreparedRequest]
    queries: Queries

    def begin(self, assignment: Assignment, place: int, slots: Slots) -> Iterator[PreparedRequest]:
        """Return the requests of one worker in one pass."""
        drawn = positions(self.queries, len(self.requests), assignment, place, slots)
        return map(self.requests.__getitem__, drawn)


@dataclass(frozen=True)
class Draw:
    """What one worker sends in one pass."""

    items: Iterator[PreparedRequest]
    slots: Sequence[Slots]

    def used_slots(self) -> list[int]:
        """Return for each entry one more than the highest slot taken."""
        return [each.beyond for each in self.slots]


@dataclass(frozen=True)
class Offer:
    """All that a workload may send.

    Attributes:
        names: of all requests, transactions included
        parts: the entries in the order of the workload
        weights: of the entries
        seed: of the draws among them
        transactions: places in `names` that stand for whole transactions
        unseen: what the answers to some names do not show

    """

    names: tuple[str, ...]
    parts: Sequence[Part]
    weights: Sequence[int] = (1,)
    seed: int = 1
    transactions: frozenset[int] = frozenset()
    unseen: Unseen = ALL_SEEN

    def begin(self, assignment: Assignment) -> Draw:
        """Begin a pass on one worker."""
        slots = [Slots(assignment) for _ in self.parts]
        begun = [
            part.begin(assignment, place, own)
            for place, (part, own) in enumerate(zip(self.parts, slots, strict=True))
        ]
        if len(begun) == 1:
            return Draw(begun[0], slots)
        return Draw(_mixed(choices(self.weights, self.seed, assignment), begun), slots)


def single(requests: RequestList, queries: Queries) -> Offer:
    """Return the offer of a workload with one list of queries."""
    parts = [QueryPart(requests.requests, queries)]
    return Offer(requests.names, parts, unseen=requests.unseen)


def _mixed(
    places: Iterator[int], begun: Sequence[Iterator[PreparedRequest]]
) -> Iterator[PreparedRequest]:
    """Yield from the parts in turn; the end of any part is the end of all."""
    for place in places:
        request = next(begun[place], None)
        if request is None:
            return
        yield request
