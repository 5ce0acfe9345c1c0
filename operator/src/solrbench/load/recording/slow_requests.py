"""The slowest requests of one request name in one step run on one worker."""

import heapq
from typing import NamedTuple

from solrbench.load.validation.response_checks import RequestFailure, int_after_key
from solrbench.load.workload.prepared_request import PreparedRequest, describe_request
from solrbench.results.model.step_result import MOST_SLOW, SlowRequest

_QTIME = b'"QTime":'
_HEADER_BYTES = 512
_LONGEST_NUMBER = 12
_LONGEST_TEXT = 300


class SlowSample(NamedTuple):
    """One slow request."""

    microseconds: int
    request: PreparedRequest
    started_ns: int
    node: str | None
    """Host and port; None if not reported."""
    qtime_milliseconds: int | None
    failed: RequestFailure | None


class SlowestRequests:
    """Keeps the slowest: those that took longer than `threshold_microseconds`."""

    def __init__(self) -> None:
        self.threshold_microseconds = -1
        self._heap: list[tuple[int, int, SlowSample]] = []
        self._noted = 0

    def add(self, sample: SlowSample) -> None:
        """Keep a sample that is above the bound."""
        self._noted += 1
        # Of equals, those that came first stay.
        entry = (sample.microseconds, -self._noted, sample)
        if len(self._heap) < MOST_SLOW:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)
        if len(self._heap) == MOST_SLOW:
            self.threshold_microseconds = self._heap[0][0]

    def entries(self, origin_ns: int) -> list[SlowRequest]:
        """Return what was kept, the slowest first; measuring began at `origin_ns`."""
        return [
            SlowRequest(
                query=" ".join(describe_request(sample.request).split())[:_LONGEST_TEXT],
                service_time_microseconds=sample.microseconds,
                qtime_milliseconds=sample.qtime_milliseconds,
                node=sample.node,
                second=round((sample.started_ns - origin_ns) / 1e9, 3),
                failure=None if sample.failed is None else sample.failed.kind,
            )
            for _, _, sample in sorted(self._heap, reverse=True)
        ]


def qtime_milliseconds(body: bytes) -> int | None:
    """Return the `QTime` of a response, None if its header has none."""
    return int_after_key(body, _QTIME, body.find(_QTIME, 0, _HEADER_BYTES), _LONGEST_NUMBER)
