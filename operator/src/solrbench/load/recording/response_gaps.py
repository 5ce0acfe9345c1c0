"""Who waited for responses on one worker, and how long: by user and by node.

A user waits while its request is under way. A node is silent while requests wait for it and none of
its responses comes: from the last response, or the begin of the request that is answered next if
that is later.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from solrbench.contract.request_counts import (
    MAX_LISTED_RESPONSE_GAPS,
    MAX_USER_SHARES,
    ResponseGap,
    UserShare,
    UserShares,
)
from solrbench.contract.step_document import NodeResult
from solrbench.load.recording.open_loop import LatencyRecorder
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.request_stats import keep_largest
from solrbench.load.workload.requests import PreparedRequest, describe_request
from solrbench.load.workload.response_checks import RequestFailure, is_failure
from solrbench.stats.histograms import Histogram


@dataclass(slots=True, eq=False, repr=False)
class NodeActivity:
    """The responses of one node. Times are of the recorder's clock."""

    name: str
    """Host and port."""
    last_ns: int = field(default=0, init=False)
    threshold_ns: int = field(default=-1, init=False)
    """No shorter time is among the longest ones."""
    _heap: list[tuple[int, int, PreparedRequest]] = field(default_factory=list, init=False)
    """Length and negative begin of each time without responses, and what ended it."""

    def record(self, request: PreparedRequest, started_ns: int, ended_ns: int) -> None:
        """Learn that a request ended; the hot path."""
        last_ns = self.last_ns
        if ended_ns > last_ns:
            self.last_ns = ended_ns
            if ended_ns - last_ns > self.threshold_ns:
                self.add(request, max(last_ns, started_ns), ended_ns)

    def add(self, request: PreparedRequest, began_ns: int, ended_ns: int) -> None:
        """Keep a time without responses, which `request` ended, if it is among the longest."""
        length_ns = ended_ns - began_ns
        if length_ns <= self.threshold_ns:
            return
        # Of equally long ones, the earlier counts as longer.
        entry = (length_ns, -began_ns, request)
        self.threshold_ns = keep_largest(self._heap, entry, MAX_LISTED_RESPONSE_GAPS)

    def response_gaps(self, origin_ns: int) -> list[ResponseGap]:
        """Return the longest; measuring began at `origin_ns`."""
        return [
            _response_gap(request, length_ns, -negative_ns - origin_ns, self.name)
            for length_ns, negative_ns, request in self._heap
        ]


@dataclass(slots=True, eq=False, repr=False)
class UserActivity:
    """The measured requests of one user."""

    user: int
    node: NodeActivity
    recorder: StepRunRecorder
    """Knows what is measured."""
    requests: int = field(default=0, init=False)
    longest_ns: int = field(default=-1, init=False)
    """Its longest wait; -1 before the first."""
    _started_ns: int = field(default=0, init=False)
    _request: PreparedRequest | None = field(default=None, init=False)

    def record(self, request: PreparedRequest, started_ns: int, ended_ns: int) -> None:
        """Count a request that ended, if it is measured; the hot path."""
        if started_ns < self.recorder.origin_ns:
            return
        self.requests += 1
        waited_ns = ended_ns - started_ns
        if waited_ns > self.longest_ns:
            self.longest_ns = waited_ns
            self._started_ns = started_ns
            self._request = request
        # As `NodeActivity.record`, whose call would cost more than what it does.
        node = self.node
        last_ns = node.last_ns
        if ended_ns > last_ns:
            node.last_ns = ended_ns
            # Users of one node wait at the same time, so nearly always it was silent for less.
            if ended_ns - last_ns > node.threshold_ns:
                node.add(request, max(last_ns, started_ns), ended_ns)

    def response_gap(self, origin_ns: int) -> ResponseGap | None:
        """Return its longest wait; None without any request."""
        if self._request is None:
            return None
        began_ns = self._started_ns - origin_ns
        return _response_gap(self._request, self.longest_ns, began_ns, self.node.name, self.user)


def longest_response_gaps(
    users: Sequence[UserActivity], nodes: Iterable[NodeActivity], origin_ns: int
) -> list[ResponseGap]:
    """Return the longest waits of users, each with its longest one, and of nodes."""
    slowest = heapq.nlargest(MAX_LISTED_RESPONSE_GAPS, users, key=lambda each: each.longest_ns)
    gaps = [each for user in slowest if (each := user.response_gap(origin_ns)) is not None]
    of_nodes = [each for node in nodes for each in node.response_gaps(origin_ns)]
    return gaps + longest(of_nodes)


def longest(response_gaps: Iterable[ResponseGap]) -> list[ResponseGap]:
    """Return the longest, in this order."""
    ordered = sorted(response_gaps, key=lambda gap: (-gap.microseconds, gap.second))
    return ordered[:MAX_LISTED_RESPONSE_GAPS]


def user_shares(users: Sequence[UserActivity]) -> UserShares | None:
    """Return how requests are spread over users; None without users."""
    if not users:
        return None
    histogram, most = Histogram(), max(user.requests for user in users)
    for user in users:
        if user.requests:
            histogram.record(user.requests)
    fewest = heapq.nsmallest(MAX_USER_SHARES, users, key=lambda user: (user.requests, user.user))
    return UserShares(
        users=len(users),
        idle_users=sum(not user.requests for user in users),
        histogram=histogram.encode(),
        median_requests=median_requests(histogram, len(users), most),
        most_requests=most,
        fewest=[
            UserShare(user=each.user, node=each.node.name, requests=each.requests)
            for each in fewest
        ],
    )


def median_requests(histogram: Histogram, users: int, most: int) -> int:
    """Return the median of the requests of users, of whom those with any are in the histogram.

    A histogram rounds up; `most` is the exact number of the user with most.
    """
    # A histogram of times holds no 0, so users without requests are only in the difference.
    rank = (users + 1) // 2 - (users - histogram.count)
    median = histogram.bounds_of_rank(rank)[1] if rank > 0 else 0
    return min(median, most)


def _response_gap(
    request: PreparedRequest, length_ns: int, began_ns: int, node: str, user: int | None = None
) -> ResponseGap:
    return ResponseGap(
        node=node,
        user=user,
        second=round(began_ns / 1e9, 3),
        microseconds=length_ns // 1000,
        query=describe_request(request),
    )


@dataclass(slots=True, eq=False, repr=False)
class NodeCounts:
    """The measured requests of an open loop to one node on one worker.

    A request that was never sent counts with the time that it waited.
    """

    activity: NodeActivity
    """That of the node, which learns when its requests ended."""
    _responses: LatencyRecorder = field(default_factory=LatencyRecorder, init=False)
    _failures: int = field(default=0, init=False)
    _dropped: int = field(default=0, init=False)

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
