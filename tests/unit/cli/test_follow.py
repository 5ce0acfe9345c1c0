"""Following a benchmark, with clusters that play back what they are given."""

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from rich.console import Console

from solrbench.api.identity import BENCHMARKS
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli import follow
from solrbench.cli.follow import LOG_SECONDS, POLL_SECONDS, watch_states
from solrbench.cli.resources import ResourceKey
from solrbench.errors import PermanentError, TemporaryError
from solrbench.kube.connection import ExpiredError, ForbiddenError
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.results.statuses import START, SUCCEEDED, full_status
from unit.cli.conftest import seen, terminal

Body = dict[str, Any]
Event = Body | Exception | None
KEY = ResourceKey(*BENCHMARKS, "default", "one")
LOST = TemporaryError(ApiServerReason.API_UNREACHABLE, "connection reset")
OLD = ExpiredError(ApiServerReason.API_UNREACHABLE, "too old resource version")
FORBIDDEN = ForbiddenError(ApiServerReason.API_REFUSED, "may not watch")


class Playback:
    """Gives `reads` one after another; each watch yields its events. What is an error is raised.

    Where no watch is given, watching is forbidden, so that it is read again and again. `watched`
    has the version from which each watch began, and for how many seconds it was asked.
    """

    def __init__(self, reads: list[Event], watches: list[list[Event]] | None = None) -> None:
        self._reads = reads
        self._watches = watches or []
        self.watched: list[tuple[str, int]] = []

    def get(self, *_: str) -> Body | None:
        return _given(self._reads.pop(0))

    def watch(self, body: Body, seconds: int) -> Iterator[Body | None]:
        self.watched.append((body["metadata"]["resourceVersion"], seconds))
        yield from map(_given, self._watches.pop(0) if self._watches else [FORBIDDEN])


def _given(event: Event) -> Body | None:
    if isinstance(event, Exception):
        raise event
    return event


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr("solrbench.cli.follow.time.sleep", found.append)
    return found


def state(version: int, status: Body) -> Body:
    metadata = small("one")["metadata"] | {"resourceVersion": str(version)}
    return small("one") | {"metadata": metadata, "status": status}


def body(version: int, phase: str = "Measuring") -> Body:
    return state(version, {"phase": phase})


def done(version: int) -> Body:
    return state(version, SUCCEEDED)


def phases(cluster: Playback, end: float | None = None) -> list[str]:
    found = watch_states(cluster, SolrBenchmark, KEY, end)  # type: ignore[arg-type]
    return [each.status.phase for each in found]


def test_a_change_ends_it_at_once_without_another_read(pauses: list[float]) -> None:
    cluster = Playback([body(1, "Indexing")], [[body(2), done(3), LOST]])
    assert phases(cluster) == ["Indexing", "Measuring", "Succeeded"]
    assert pauses == []


def test_a_finished_benchmark_is_not_watched() -> None:
    assert phases(Playback([done(1)])) == ["Succeeded"]


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
    cluster = Playback([body(1, "Indexing"), body(2), done(3)])
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
    monkeypatch.setattr("solrbench.cli.follow.time.monotonic", lambda: float(next(clock)))
    cluster = Playback([body(1), body(3)], [[event, body(2)], [body(2)]])
    assert phases(cluster, 5.0) == ["Measuring"] * (1 if event is LOST else 2)


def call(*answers: Event, end: float | None = None) -> int:
    cluster: Any = Playback([*answers])
    console = Console(highlight=False)
    return follow.follow(cluster, KEY, end, require_valid=False, console=console)


def test_success_is_0_and_the_phases_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(body(1, "Provisioning"), body(2), done(3)) == 0
    text = capsys.readouterr().out
    assert text.index("Provisioning") < text.index("Measuring") < text.index("Succeeded")


def exporting(truth: str | None, reason: str = "Exporting") -> dict[str, Any]:
    """Return a benchmark that is over, with an export."""
    volume = {"persistentVolumeClaim": {"claimName": "exports"}}
    found = state(1, SUCCEEDED | {"report": {"storedSteps": 2}})
    found["spec"]["results"] = {"export": volume}
    if truth is not None:
        said = {"type": "Exported", "status": truth, "reason": reason, "message": "pvc://exports/a"}
        conditions = found["status"]["conditions"]
        found["status"]["conditions"] = [*conditions, conditions[0] | said]
    return found


@pytest.mark.parametrize(
    ("truth", "said"), [("Unknown", "Exporting: pvc://exports/a"), (None, "not begun")]
)
def test_export_is_waited_for_and_shown(
    truth: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(exporting(truth), exporting(truth), exporting("True", "Exported")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"export: {said}" in lines[0]
    assert "  export: pvc://exports/a" in lines


def test_export_that_fails_is_1_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(exporting("False", "VolumeFull")) == 1
    assert "  export: VolumeFull: pvc://exports/a" in capsys.readouterr().out


def test_nothing_to_export_is_not_waited_for() -> None:
    nothing = exporting(None)
    nothing["status"]["report"] = {"storedSteps": 0}
    assert call(nothing) == 0


def test_api_server_outage_is_waited_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(LOST, done(1)) == 0
    assert "connection reset" in capsys.readouterr().err


def test_trouble_until_the_time_is_over_is_an_error() -> None:
    with pytest.raises(TemporaryError, match="connection reset"):
        call(LOST, end=time.monotonic())


def test_live_view_shows_the_last_state() -> None:
    console = terminal(80)
    parsed = [SolrBenchmark.parse(each) for each in (body(1), done(2))]
    assert follow._show_live(console, iter(parsed)) is parsed[-1]
    text = "\n".join(seen(console))
    assert text.index("Measuring") < text.rindex("Succeeded")


@pytest.mark.parametrize("width", [24, 40, 60, 72, 80, 100, 120, 200])
def test_no_width_of_the_live_view_cuts_a_number_or_a_unit(width: int) -> None:
    benchmark = SolrBenchmark.parse(small("one")).model_copy(update={"status": full_status()})
    console = terminal(width)
    console.print(follow._view(benchmark, START, width))
    lines = seen(console)
    for quantity in ("70 %", "0:00", "20,000 documents", "1600 documents/s", "126 requests/s"):
        assert any(quantity in line for line in lines), quantity
