"""The states of a benchmark, with a cluster that plays back what it is given."""

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from solrbench.cli.terminal.states import LOG_SECONDS, POLL_SECONDS, watch_states
from solrbench.cluster.client import ExpiredError, ForbiddenError
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.api_server import ApiServerReason
from support.cluster.benchmarks import small
from support.results.statuses import SUCCEEDED

Body = dict[str, Any]
LOST = TemporaryError(ApiServerReason.API_UNREACHABLE, "connection reset")
OLD = ExpiredError(ApiServerReason.API_UNREACHABLE, "too old resource version")
FORBIDDEN = ForbiddenError(ApiServerReason.API_REFUSED, "may not watch")


class Playback:
    """Gives `reads` one after another; each watch yields its events, and raises what is an error.

    Attributes:
        watched: version from which each watch began, and for how many seconds it was asked

    """

    def __init__(
        self, reads: list[Body | None], watches: list[list[Body | Exception | None]]
    ) -> None:
        self._reads = reads
        self._watches = watches
        self.watched: list[tuple[str, int]] = []

    def get(self, *_: str) -> Body | None:
        return self._reads.pop(0)

    def watch(self, body: Body, seconds: int) -> Iterator[Body | None]:
        self.watched.append((body["metadata"]["resourceVersion"], seconds))
        for event in self._watches.pop(0):
            if isinstance(event, Exception):
                raise event
            yield event


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr("solrbench.cli.terminal.states.time.sleep", found.append)
    return found


def state(version: int, status: Body) -> Body:
    metadata = small("one")["metadata"] | {"resourceVersion": str(version)}
    return small("one") | {"metadata": metadata, "status": status}


def body(version: int, phase: str = "Measuring") -> Body:
    return state(version, {"phase": phase})


def done(version: int) -> Body:
    return state(version, SUCCEEDED)


def phases(cluster: Playback, end: float | None = None) -> list[str]:
    found = watch_states(cluster, "default", "one", end)  # type: ignore[arg-type]
    return [each.status.phase for each in found]


def test_a_change_ends_it_at_once_without_another_read(pauses: list[float]) -> None:
    cluster = Playback([body(1, "Indexing")], [[body(2), done(3), LOST]])
    assert phases(cluster) == ["Indexing", "Measuring", "Succeeded"]
    assert pauses == []


def test_a_finished_benchmark_is_not_watched() -> None:
    cluster = Playback([done(1)], [])
    assert phases(cluster) == ["Succeeded"]


def test_each_watch_goes_on_where_the_one_before_ended() -> None:
    cluster = Playback([body(1)], [[body(2), body(5)], [], [done(6)]])
    # The last state comes again when a watch ends, so that a log can catch up.
    assert phases(cluster) == [*["Measuring"] * 5, "Succeeded"]
    assert cluster.watched == [(version, LOG_SECONDS) for version in ("1", "5", "5")]


def test_a_watch_that_ends_at_once_is_no_busy_loop(pauses: list[float]) -> None:
    phases(Playback([body(1)], [[], [], [done(2)]]))
    assert len(pauses) == 2
    assert all(0.5 * POLL_SECONDS < each <= POLL_SECONDS for each in pauses)


def test_after_an_expired_version_it_is_read_anew(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = Playback([body(1, "Indexing"), body(900)], [[OLD], [done(901)]])
    assert phases(cluster) == ["Indexing", "Measuring", "Succeeded"]
    assert [version for version, _ in cluster.watched] == ["1", "900"]
    assert capsys.readouterr().err == ""


def test_after_a_lost_connection_it_is_read_anew(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = Playback([body(1), done(3)], [[body(2), LOST]])
    assert phases(cluster) == ["Measuring", "Measuring", "Succeeded"]
    assert capsys.readouterr().err == "ApiUnreachable: connection reset\n"


def test_it_is_read_again_and_again_where_watching_is_forbidden(pauses: list[float]) -> None:
    cluster = Playback([body(1, "Indexing"), body(2), done(3)], [[FORBIDDEN]])
    assert phases(cluster) == ["Indexing", "Measuring", "Succeeded"]
    assert len(cluster.watched) == 1
    assert pauses == [POLL_SECONDS, POLL_SECONDS]


def test_deletion_ends_it() -> None:
    with pytest.raises(PermanentError, match="was deleted"):
        phases(Playback([body(1)], [[None]]))


def test_no_watch_is_longer_than_the_time_left() -> None:
    cluster = Playback([body(1)], [[done(2)]])
    phases(cluster, time.monotonic() + 1.5)
    assert cluster.watched == [("1", 2)]


@pytest.mark.parametrize("event", [body(2), LOST])
def test_it_ends_when_the_time_is_over(
    event: Body | Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = count(0, 2)
    monkeypatch.setattr("solrbench.cli.terminal.states.time.monotonic", lambda: float(next(clock)))
    cluster = Playback([body(1), body(3)], [[event, body(2)], [body(2)]])
    assert phases(cluster, 5.0) == ["Measuring"] * (1 if event is LOST else 2)
