"""One node in one step run of an open loop."""

from solrbench.api.rules import LenientModel


class NodeResult(LenientModel):
    """The measured requests to one node: all request names together, without whole transactions."""

    node: str
    """Host and port."""
    requests: int
    """Requests that were sent, or for which no connection could be opened; failures included."""
    failures: int
    unsent_requests: int
    """Never sent: they waited longer than `timeoutSeconds` for one of the node's connections."""
    response_time_histogram: str
    """HdrHistogram of the response times, from the intended start to the last byte; dropped
    requests count with the time waited."""
    response_sum_microseconds: int
    """Exact sum of the times behind the histogram."""
    response_max_microseconds: int | None = None
