"""Who waited for responses on one worker, and how long: by user and by node.

A user waits while its request is under way. A node is silent while requests wait for it and none of
its responses comes: from the last response, or the begin of the request that is answered next if
that is later.

What is counted of one node, whatever the names of the requests.
"""

import heapq
from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
from solrbench.load.workload.requests import PreparedRequest, describe_request
from solrbench.load.workload.response_checks import RequestFailure, is_failure
from solrbench.stats.histograms import Histogram

_LONGEST_TEXT = 300


class _Stall(NamedTuple):
    length_ns: int
    began_ns: int
    request: PreparedRequest


class NodeActivity:
    """The responses of one node. Times are of the recorder's clock."""

    __slots__ = ("_heap", "last_ns", "name", "threshold_ns")

    def __init__(self, name: str) -> None:
        """Watch `name`: host and port."""
        self.name = name
        self.last_ns = 0
        """When its last response came."""
        self.threshold_ns = -1
        """No shorter time is among the longest ones."""
        self._heap: list[tuple[int, int, _Stall]] = []

    def record(self, request: PreparedRequest, started_ns: int, ended_ns: int) -> None:
        """Learn that a request ended; the hot path."""
        last_ns = self.last_ns
        if ended_ns > last_ns:
            self.last_ns = ended_ns
            if ended_ns - last_ns > self.threshold_ns:
                self.add(request, max(last_ns, started_ns), ended_ns)

    def add(self, request: PreparedRequest, began_ns: int, ended_ns: int) -> None:
        """Keep a time without responses, which `request` ended, if it is among the longest."""
        wait = _Stall(ended_ns - began_ns, began_ns, request)
        if wait.length_ns <= self.threshold_ns:
            return
        entry = (wait.length_ns, -wait.began_ns, wait)
        if len(self._heap) < MAX_LISTED_RESPONSE_GAPS:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)
        if len(self._heap) == MAX_LISTED_RESPONSE_GAPS:
            self.threshold_ns = self._heap[0][0]

    def response_gaps(self, origin_ns: int) -> list[ResponseGap]:
        """Return the longest; measuring began at `origin_ns`."""
        return [_response_gap(each, self.name, None, origin_ns) for _, _, each in self._heap]


class UserActivity:
    """The measured requests of one user."""

    __slots__ = ("_longest_ns", "_node", "_recorder", "_request", "_started_ns", "requests", "user")

    def __init__(self, user: int, node: NodeActivity, recorder: StepRunRecorder) -> None:
        """Watch the user with this number, of this node; `recorder` knows what is measured."""
        self.user = user
        self.requests = 0
        self._node = node
        self._recorder = recorder
        self._longest_ns = -1
        self._started_ns = 0
        self._request: PreparedRequest | None = None

    def record(self, request: PreparedRequest, started_ns: int, ended_ns: int) -> None:
        """Count a request that ended, if it is measured; the hot path."""
        if started_ns < self._recorder.origin_ns:
            return
        self.requests += 1
        waited_ns = ended_ns - started_ns
        if waited_ns > self._longest_ns:
            self._longest_ns = waited_ns
            self._started_ns = started_ns
            self._request = request
        # As `NodeActivity.record`, whose call would cost more than what it does.
        node = self._node
        last_ns = node.last_ns
        if ended_ns > last_ns:
            node.last_ns = ended_ns
            # Users of one node wait at the same time, so nearly always it was silent for less.
            if ended_ns - last_ns > node.threshold_ns:
                node.add(request, max(last_ns, started_ns), ended_ns)

    @property
    def longest_ns(self) -> int:
        """Its longest wait."""
        return self._longest_ns

    @property
    def share(self) -> UserShare:
        """How many requests were its own."""
        return UserShare(user=self.user, node=self._node.name, requests=self.requests)

    def response_gap(self, origin_ns: int) -> ResponseGap | None:
        """Return its longest wait; None without any request."""
        if self._request is None:
            return None
        wait = _Stall(self._longest_ns, self._started_ns, self._request)
        return _response_gap(wait, self._node.name, self.user, origin_ns)


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
    return sorted(
        response_gaps, key=lambda response_gap: (-response_gap.microseconds, response_gap.second)
    )[:MAX_LISTED_RESPONSE_GAPS]


def user_shares(users: Sequence[UserActivity]) -> UserShares | None:
    """Return how requests are spread over users; None without users."""
    if not users:
        return None
    histogram = Histogram()
    for user in users:
        if user.requests:
            histogram.record(user.requests)
    fewest = heapq.nsmallest(MAX_USER_SHARES, users, key=lambda user: (user.requests, user.user))
    return UserShares(
        users=len(users),
        idle_users=sum(not user.requests for user in users),
        histogram=histogram.encode(),
        median_requests=median_requests(histogram, len(users)),
        most_requests=max(user.requests for user in users),
        fewest=[user.share for user in fewest],
    )


def median_requests(histogram: Histogram, users: int) -> int:
    """Return the median of the requests of users, of whom those with any are in the histogram."""
    rank = (users + 1) // 2 - (users - histogram.count)
    return (histogram.percentile(100 * rank / histogram.count) or 0) if rank > 0 else 0


def _response_gap(wait: _Stall, node: str, user: int | None, origin_ns: int) -> ResponseGap:
    return ResponseGap(
        node=node,
        user=user,
        second=round((wait.began_ns - origin_ns) / 1e9, 3),
        microseconds=wait.length_ns // 1000,
        query=" ".join(describe_request(wait.request).split())[:_LONGEST_TEXT],
    )


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
