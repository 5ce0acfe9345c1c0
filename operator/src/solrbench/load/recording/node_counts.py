"""What is counted of one node, whatever the names of the requests."""

from solrbench.load.recording.response_gaps import NodeActivity
from solrbench.load.recording.response_times import LatencyRecorder
from solrbench.load.validation.response_checks import RequestFailure, is_failure
from solrbench.results.model.node_result import NodeResult


class NodeCounts:
    """The measured requests of an open loop to one node on one worker.

    A request that was never sent counts with the time that it waited.
    """

    __slots__ = ("_dropped", "_failures", "_responses", "activity")

    def __init__(self, activity: NodeActivity) -> None:
        """Count for the node of `activity`, which learns when its requests ended."""
        self.activity = activity
        self._responses = LatencyRecorder()
        self._failures = 0
        self._dropped = 0

    def record(self, microseconds: int, failed: RequestFailure | None) -> None:
        """Count a request with its response time; the hot path."""
        self._responses.record(microseconds)
        if failed is not None and is_failure(failed):
            self._failures += 1

    def record_dropped(self, waited_microseconds: int) -> None:
        """Count a request that was given up before it was sent."""
        self._dropped += 1
        self._responses.record(waited_microseconds)

    def result(self) -> NodeResult:
        """Return what was counted."""
        times = self._responses.histogram()
        return NodeResult(
            node=self.activity.name,
            requests=times.count - self._dropped,
            failures=self._failures,
            unsent_requests=self._dropped,
            response_time_histogram=times.encode(),
            response_sum_microseconds=self._responses.sum_microseconds,
            response_max_microseconds=self._responses.max_microseconds,
        )
