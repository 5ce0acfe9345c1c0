"""Connections opened in one step run, which no service time contains."""

from solrbench.api.rules import LenientModel


class ConnectionResult(LenientModel):
    """Connections that were opened while a step run was measured."""

    opened: int
    """Connections opened. About as many as requests: the server closes them after each."""
    open_time_histogram: str
    """HdrHistogram of the times from the begin of an attempt to the open connection, TLS handshake
    and name resolution included. What cannot be opened is a failed request instead."""
    open_sum_microseconds: int
    """Exact sum of the times behind the histogram."""
    open_max_microseconds: int | None = None
