"""What is counted of the connections that are opened."""

from solrbench.load.recording.response_times import LatencyRecorder
from solrbench.results.model.connection_result import ConnectionResult


class ConnectionCounts:
    """Connections of one step run on one worker."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times = LatencyRecorder()

    def record(self, microseconds: int) -> None:
        """Count a connection by the time that it took to open."""
        self._times.record(microseconds)

    def result(self) -> ConnectionResult:
        """Return what was counted."""
        times = self._times.histogram()
        return ConnectionResult(
            opened=times.count,
            open_time_histogram=times.encode(),
            open_sum_microseconds=self._times.sum_microseconds,
            open_max_microseconds=self._times.max_microseconds,
        )
