"""The micro-batches of all workers as windows of a thousand requests.

Responses within a micro-batch are taken to be spread evenly over its time. So with w workers the
end of a thousand is off by less than the time of one micro-batch, a tenth of the window's, and with
one worker, whose micro-batches end where thousands do, not at all. Sums over the windows are exact.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solrbench.contract.windows import MAX_THOUSANDS, WINDOW_REQUESTS, RequestWindow
from solrbench.load.recording.worker_result import WorkerStepResult

DIGITS = 6
"""Decimals of seconds kept: microseconds."""

_NEARLY = 1e-6
"""Part of a request that counts as none: what adding up rates may be off by."""

_BEGIN, _END, _SUMS, _MAX = 0, 1, slice(2, 5), 5
"""Columns of the micro-batches: begin, end, sums (requests, failures, times), maximum, in µs."""


def merge_request_windows(results: Sequence[WorkerStepResult]) -> list[RequestWindow]:
    """Return the windows of a step run, the last of which may be shorter, up to `MAX_THOUSANDS`.

    A worker that ran out of room for micro-batches ends the list for all.
    """
    batches = np.array([row for result in results for row in _rows(result)], np.float64)
    if not len(batches):
        return []
    covered = min(map(_covered, results))
    moments, totals = _grown(batches, covered)
    ends, sums = _cut(moments, totals, is_whole=covered == math.inf)
    longest = np.zeros(len(ends) + 1)
    # The longest time of a micro-batch counts in the window in which the micro-batch ends.
    np.maximum.at(longest, np.searchsorted(ends, batches[:, _END] - _NEARLY), batches[:, _MAX])
    start = 1e6 * min(each.first_seconds for each in results if each.first_seconds is not None)
    begins = np.concatenate([[start], ends[:-1]])
    counts = np.diff(np.rint(sums[:, :2]), axis=0, prepend=0).astype(int)
    elapsed = np.diff(sums[:, 2], prepend=0)
    return [
        RequestWindow(
            requests=requests,
            failures=failures,
            end_seconds=round(end / 1e6, DIGITS),
            seconds=round((end - begin) / 1e6, DIGITS),
            mean_microseconds=round(spent / requests),
            max_microseconds=int(most),
        )
        for (requests, failures), begin, end, spent, most in zip(
            counts.tolist(),
            begins.tolist(),
            ends.tolist(),
            elapsed.tolist(),
            longest.tolist()[:-1],
            strict=True,
        )
    ][:MAX_THOUSANDS]


def _rows(result: WorkerStepResult) -> list[tuple[float, ...]]:
    rows, begin = [], 1e6 * (result.first_seconds or 0.0)
    for end, *sums in result.micro_batches:
        # Never of no length: its responses could not be spread over it.
        rows.append((begin, max(float(end), begin + 1.0), *sums))
        begin = rows[-1][_END]
    return rows


def _covered(result: WorkerStepResult) -> float:
    """Return up to which microsecond the micro-batches hold everything that a worker measured."""
    if sum(micro_batch.requests for micro_batch in result.micro_batches) == result.measured:
        return math.inf
    return float(result.micro_batches[-1].end_microseconds) if result.micro_batches else 0.0


def _grown(
    batches: NDArray[np.float64], covered: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the moments, up to one, at which micro-batches begin or end, and the sums by then.

    Between two of them everything grows evenly: by the rates of the micro-batches under way.
    """
    rates = batches[:, _SUMS] / (batches[:, _END] - batches[:, _BEGIN])[:, np.newaxis]
    # Ends first: where one begins as another ends, the rate in between is exactly 0.
    moments = np.concatenate([batches[:, _END], batches[:, _BEGIN]])
    order = np.argsort(moments, kind="stable")
    moments = moments[order]
    under_way = np.cumsum(np.concatenate([-rates, rates])[order], axis=0)
    grown = under_way[:-1] * np.diff(moments)[:, np.newaxis]
    totals = np.concatenate([np.zeros((1, 3)), np.cumsum(grown, axis=0)])
    kept = int(np.searchsorted(moments, covered, side="right"))
    # What is left of a rate after all were taken off may be a little below 0.
    return moments[:kept], np.maximum.accumulate(totals[:kept], axis=0)


def _cut(
    moments: NDArray[np.float64], totals: NDArray[np.float64], *, is_whole: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the end of every thousand, and the sums by then; of the rest too if it `is_whole`."""
    requests = totals[:, 0]
    count = int((requests[-1] + _NEARLY) // WINDOW_REQUESTS) if len(requests) else 0
    targets = WINDOW_REQUESTS * np.arange(1.0, count + 1)
    after = np.searchsorted(requests, targets - _NEARLY)
    before = after - 1
    parts = (targets - requests[before]) / (requests[after] - requests[before])
    shares = np.minimum(parts, 1.0)[:, np.newaxis]
    known = np.column_stack([moments, totals])
    ends = known[before] + shares * (known[after] - known[before])
    # Less than half a request is what adding up was off by.
    if is_whole and requests[-1] - WINDOW_REQUESTS * count >= 0.5:
        ends = np.concatenate([ends, known[-1:]])
    return ends[:, 0], ends[:, 1:]
