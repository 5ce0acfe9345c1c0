"""The micro-batches of all workers as windows of a thousand requests.

Responses within a micro-batch are taken to be spread evenly over its time. So with w workers the
end of a thousand is off by less than the time of one micro-batch, a tenth of the window's, and with
one worker, whose micro-batches end where thousands do, not at all. Sums over the windows are exact.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from solrbench.contract.windows import MAX_THOUSANDS, WINDOW_REQUESTS, RequestWindow
from solrbench.load.recording.worker_result import MicroBatch, WorkerStepResult

_DIGITS = 6
"""Decimals of seconds kept: microseconds."""

_NEARLY = 1e-6
"""Part of a request that counts as none: what adding up rates may be off by."""


class _Edge(NamedTuple):
    """A moment at which a micro-batch begins or ends."""

    microseconds: float
    sign: int
    """1 where it begins, -1 where it ends."""
    length: float
    """Microseconds from its begin to its end."""
    micro_batch: MicroBatch


class _Totals(NamedTuple):
    """Everything up to a moment."""

    microseconds: float
    requests: float
    failures: float
    sum_microseconds: float


class _WindowEnd(NamedTuple):
    """The end of a thousand."""

    totals: _Totals
    longest: int
    """Longest service time since the end before, in µs."""


def merge_request_windows(results: Sequence[WorkerStepResult]) -> list[RequestWindow]:
    """Return the windows of a step run, the last of which may be shorter, up to `MAX_THOUSANDS`.

    A worker that ran out of room for micro-batches ends the list for all.
    """
    firsts = [o.first_seconds for o in results if o.first_seconds is not None]
    if not firsts:
        return []
    start = _Totals(1e6 * min(firsts), 0.0, 0.0, 0.0)
    edges = sorted(edge for result in results for edge in _edges(result))
    covered = min((_covered(result) for result in results), default=0.0)
    return list(_windows(_cut(edges, start, covered), start))[:MAX_THOUSANDS]


def _edges(result: WorkerStepResult) -> Iterator[_Edge]:
    begin = 1e6 * (result.first_seconds or 0.0)
    for micro_batch in result.micro_batches:
        # Never of no length: its responses could not be spread over it.
        length = max(micro_batch.end_microseconds - begin, 1.0)
        yield _Edge(begin, 1, length, micro_batch)
        yield _Edge(begin + length, -1, length, micro_batch)
        begin += length


def _covered(result: WorkerStepResult) -> float:
    """Return up to which microsecond the micro-batches hold everything that a worker measured."""
    if sum(micro_batch.requests for micro_batch in result.micro_batches) == result.measured:
        return float("inf")
    return float(result.micro_batches[-1].end_microseconds) if result.micro_batches else 0.0


def _cut(edges: Sequence[_Edge], start: _Totals, covered: float) -> Iterator[_WindowEnd]:
    """Yield the end of every thousand.

    Between two edges everything grows evenly, so the end of a thousand is found exactly. The
    longest time of a micro-batch counts where the micro-batch ends.
    """
    totals, rates = start, [0.0, 0.0, 0.0]
    target, longest = WINDOW_REQUESTS, 0
    for moment, group in groupby(edges, attrgetter("microseconds")):
        if moment > covered:
            return
        at_edge = _grow(totals, rates, moment)
        while at_edge.requests - target > _NEARLY:
            inside = totals.microseconds + (target - totals.requests) / rates[0]
            yield _WindowEnd(_grow(totals, rates, inside), longest)
            target, longest = target + WINDOW_REQUESTS, 0
        totals = at_edge
        for edge in group:
            _apply_edge(rates, edge)
            longest = max(longest, edge.micro_batch.max_microseconds if edge.sign < 0 else 0)
        if totals.requests - target > -_NEARLY:
            yield _WindowEnd(totals, longest)
            target, longest = target + WINDOW_REQUESTS, 0
    if covered == float("inf") and totals.requests - target + WINDOW_REQUESTS > _NEARLY:
        yield _WindowEnd(totals, longest)


def _grow(totals: _Totals, rates: Sequence[float], moment: float) -> _Totals:
    passed = max(moment - totals.microseconds, 0.0)
    requests, failures, elapsed = (rate * passed for rate in rates)
    return _Totals(
        moment,
        totals.requests + requests,
        totals.failures + failures,
        totals.sum_microseconds + elapsed,
    )


def _apply_edge(rates: list[float], edge: _Edge) -> None:
    """Let a micro-batch begin or end to add to what grows in a microsecond."""
    grown = edge.micro_batch.requests, edge.micro_batch.failures, edge.micro_batch.sum_microseconds
    for index, amount in enumerate(grown):
        rates[index] += edge.sign * amount / edge.length


def _windows(ends: Iterator[_WindowEnd], start: _Totals) -> Iterator[RequestWindow]:
    for (before, _), (after, longest) in pairwise((_WindowEnd(start, 0), *ends)):
        requests = round(after.requests) - round(before.requests)
        elapsed = after.sum_microseconds - before.sum_microseconds
        yield RequestWindow(
            requests=requests,
            failures=round(after.failures) - round(before.failures),
            end_seconds=round(after.microseconds / 1e6, _DIGITS),
            seconds=round((after.microseconds - before.microseconds) / 1e6, _DIGITS),
            mean_microseconds=round(elapsed / requests),
            max_microseconds=longest,
        )
