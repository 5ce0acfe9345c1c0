"""Watches of what belongs to a benchmark, with an API server that responds as each test says."""

import queue
import threading
from collections.abc import Callable

import httpx
import pytest

from solrbench.cluster.client import ForbiddenError
from solrbench.controller.scheduling import run_watches
from solrbench.controller.scheduling.reconcile_schedule import BenchmarkKey
from solrbench.controller.scheduling.run_watches import KINDS, RunWatches
from support.servers.api_stub import cluster_of, resources, status, stream_of

KEY = BenchmarkKey("uid", "search", "one")
POD = {"type": "ADDED", "object": {"kind": "PartialObjectMetadata"}}
SECONDS = 10.0


class Responses:
    """Responds to the first watches of each kind, to no further one before the end of the test.

    Args:
        responses: for each kind, made by functions

    """

    def __init__(self, *responses: Callable[[], httpx.Response]) -> None:
        self.queries: list[dict[str, str]] = []
        self._responses = {kind: iter(responses) for kind in ("pods", "jobs")}
        self._lock = threading.Lock()
        self.end = threading.Event()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path in ("/api/v1", "/apis/batch/v1"):
            return resources("Pod", "Job")
        with self._lock:
            self.queries.append(dict(request.url.params))
            found = next(self._responses[request.url.path.rpartition("/")[2]], None)
        if found is None:
            self.end.wait(SECONDS)
        return stream_of() if found is None else found()


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> "queue.Queue[str]":
    monkeypatch.setattr(run_watches, "RETRY_SECONDS", 0.01)
    return queue.Queue()


def begin(responses: Responses, changes: "queue.Queue[str]") -> RunWatches:
    watches = RunWatches(cluster_of(responses), changes.put)
    watches.begin(KEY)
    watches.begin(KEY)  # once is enough
    return watches


def test_each_change_is_passed_on(changes: "queue.Queue[str]") -> None:
    responses = Responses(lambda: stream_of(POD, POD))
    watches = begin(responses, changes)
    assert [changes.get(timeout=SECONDS) for _ in range(4)] == ["uid"] * 4
    assert watches.are_open("uid")
    assert {each["labelSelector"] for each in responses.queries} == {"solrbench.io/benchmark=one"}
    watches.end("uid")
    assert not watches.are_open("uid")
    responses.end.set()


def test_refused_watch_is_not_open_and_begins_again(changes: "queue.Queue[str]") -> None:
    responses = Responses(lambda: status(403, "no right to watch"), lambda: stream_of(POD))
    watches = begin(responses, changes)
    assert [changes.get(timeout=SECONDS) for _ in KINDS] == ["uid"] * 2
    assert watches.are_open("uid")
    watches.end("uid")
    responses.end.set()


def test_error_in_a_watch_is_raised() -> None:
    gone = {"kind": "Status", "code": 403, "message": "the role is gone"}
    cluster = cluster_of(Responses(lambda: stream_of(POD, {"type": "ERROR", "object": gone})))
    opened: list[bool] = []
    seen = cluster.watch_changes(
        "v1", "Pod", "search", {}, seconds=1, on_open=lambda: opened.append(True)
    )
    next(seen)
    assert opened == [True]
    with pytest.raises(ForbiddenError, match="the role is gone"):
        next(seen)


def test_nothing_is_watched_of_a_benchmark_that_does_not_run() -> None:
    watches = RunWatches(cluster_of(Responses()), print)
    watches.end("unknown")
    assert not watches.are_open("unknown")
