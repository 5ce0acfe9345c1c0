"""What a step run draws from: one list of requests, or a weighted mix of several parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from solrbench.api.v1alpha1.workload.queries import Queries
from solrbench.load.schedule.assignment import Assignment
from solrbench.load.workload.http_requests import RequestList
from solrbench.load.workload.name_table import ALL_CHECKED, UncheckedNames
from solrbench.load.workload.ordering import RequestCounter, entry_choices, query_positions
from solrbench.load.workload.prepared_request import PreparedRequest


class RequestSource(Protocol):
    """One entry of a workload."""

    def open_stream(
        self, assignment: Assignment, entry_index: int, counter: RequestCounter
    ) -> Iterator[PreparedRequest]:
        """Return what one worker sends in one step run, in order; it may end.

        `entry_index` is that of the entry in the workload. A source that numbers requests takes the
        numbers from `counter`.
        """


@dataclass(frozen=True)
class QuerySource:
    """A list of queries."""

    requests: Sequence[PreparedRequest]
    queries: Queries
    recorded_seconds: Sequence[float] = ()
    """Their times in a log, from 0 on, ascending; empty without."""

    def open_stream(
        self, assignment: Assignment, entry_index: int, counter: RequestCounter
    ) -> Iterator[PreparedRequest]:
        """Return the requests of one worker in one step run."""
        drawn = query_positions(self.queries, len(self.requests), assignment, entry_index, counter)
        return map(self.requests.__getitem__, drawn)


@dataclass(frozen=True)
class RequestStream:
    """What one worker sends in one step run."""

    requests: Iterator[PreparedRequest]
    counters: Sequence[RequestCounter]

    def used_numbers(self) -> list[int]:
        """Return for each entry one more than the highest slot taken."""
        return [each.next_number for each in self.counters]


@dataclass(frozen=True)
class PreparedWorkload:
    """All that a workload may send.

    Attributes:
        names: of all requests, transactions included
        sources: the entries in the order of the workload
        weights: of the entries
        seed: of the draws among them
        transactions: places in `names` that stand for whole transactions
        unchecked: what the responses to some names do not show

    """

    names: tuple[str, ...]
    sources: Sequence[RequestSource]
    weights: Sequence[int] = (1,)
    seed: int = 1
    transactions: frozenset[int] = frozenset()
    unchecked: UncheckedNames = ALL_CHECKED

    @property
    def recorded_seconds(self) -> Sequence[float]:
        """The times of the requests in a log, from 0 on, ascending; empty without."""
        source = self.sources[0]
        return source.recorded_seconds if isinstance(source, QuerySource) else ()

    def open_stream(self, assignment: Assignment) -> RequestStream:
        """Begin a step run on one worker."""
        slots = [RequestCounter(assignment) for _ in self.sources]
        begun = [
            part.open_stream(assignment, index, own)
            for index, (part, own) in enumerate(zip(self.sources, slots, strict=True))
        ]
        if len(begun) == 1:
            return RequestStream(begun[0], slots)
        return RequestStream(
            _mixed(entry_choices(self.weights, self.seed, assignment), begun), slots
        )


def single_source(requests: RequestList, queries: Queries) -> PreparedWorkload:
    """Return the offer of a workload with one list of queries."""
    parts = [QuerySource(requests.requests, queries)]
    return PreparedWorkload(requests.names, parts, unchecked=requests.unchecked)


def _mixed(
    places: Iterator[int], begun: Sequence[Iterator[PreparedRequest]]
) -> Iterator[PreparedRequest]:
    """Yield from the parts in turn; the end of any part is the end of all."""
    for index in places:
        request = next(begun[index], None)
        if request is None:
            return
        yield request
