"""Show a benchmark or a sweep to its end: a live view on a terminal, lines in a log."""

import math
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import click
from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from solrbench.api.identity import BENCHMARKS, SWEEPS
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.findings import INVALID
from solrbench.api.v1alpha1.sweep import BestPoint, SolrBenchmarkSweep, SweepStatus
from solrbench.cli.lifecycle import is_over
from solrbench.cli.program import ExitCode, program_name
from solrbench.cli.progress import (
    awaits_export,
    details,
    elapsed_seconds,
    find_export,
    one_line,
    summary,
)
from solrbench.cli.resources import Kind, suggest_name
from solrbench.cli.result_tables import print_line, print_result
from solrbench.cli.terminal import wrap_line
from solrbench.cli.validation import parse_stored, parse_stored_as
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.errors import PermanentError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import (
    ExpiredError,
    ForbiddenError,
    KindNotServedError,
    UnauthorizedError,
    UnreachableError,
)
from solrbench.kube.reader import Manifest
from solrbench.reasons.end import ApiServerReason
from solrbench.stats.number_format import format_milliseconds, format_number

LOG_SECONDS = 5.0
"""A state comes at least this often, also without a change, so that a log can catch up."""

OUTAGE_SECONDS = 300.0
"""How long no response is waited for: the API server may be replaced meanwhile."""

FINAL = (ForbiddenError, KindNotServedError, UnauthorizedError)
"""What waiting does not cure within the time of a command."""

POLL_SECONDS = 1.0
"""Time between two reads where watching is forbidden."""


def watch_states(
    cluster: Cluster, namespace: str, name: str, end: float | None
) -> Iterator[SolrBenchmark]:
    """Yield a benchmark as `watch_bodies` does, until its export is decided, too."""

    def is_exported(body: Manifest) -> bool:
        return is_over(body) and not awaits_export(parse_stored(body))

    bodies = watch_bodies(cluster, BENCHMARKS, namespace, name, end, is_done=is_exported)
    return map(parse_stored, bodies)


def watch_bodies(  # noqa: PLR0913 - whom, how long and until when
    cluster: Cluster,
    kind: tuple[str, str],
    namespace: str,
    name: str,
    end: float | None,
    *,
    is_done: Callable[[Manifest], bool] = is_over,
) -> Iterator[Manifest]:
    """Yield the resource as it is, then as it changes, until it is done or time is up.

    `end` is a time of the monotonic clock. What the API server lacks for a moment is waited for.

    Raises:
        PermanentError: if there is no such resource, or it is deleted meanwhile.
        TemporaryError: if time was up before there was any response, the first request did not
            reach the cluster, none did for `OUTAGE_SECONDS`, or the user may not read it.
    """
    seen = False
    last_response = time.monotonic()
    while True:
        try:
            for body in _bodies(cluster, kind, namespace, name, end):
                if body is None:
                    raise _absence(cluster, kind, namespace, name, seen=seen)
                seen, last_response = True, time.monotonic()
                yield body
                if is_done(body) or _is_over(end):
                    return
        except ExpiredError:
            time.sleep(POLL_SECONDS)  # then it is read anew
        except FINAL:
            raise
        except TemporaryError as error:
            if _is_over(end) and seen:
                return
            is_lost = time.monotonic() - last_response > OUTAGE_SECONDS
            never_reached = isinstance(error, UnreachableError) and not seen
            if _is_over(end) or is_lost or never_reached:
                raise
            click.echo(f"{error.reason}: {error.message}", err=True)
            time.sleep(_seconds_left(end))


def _bodies(
    cluster: Cluster, kind: tuple[str, str], namespace: str, name: str, end: float | None
) -> Iterator[Manifest | None]:
    """Yield the object now, at each change and every `LOG_SECONDS`; `None` when it is not there."""
    body = cluster.get(*kind, namespace, name)
    yield body
    try:
        yield from _watched(cluster, body, end)
    except ForbiddenError:
        while True:
            time.sleep(POLL_SECONDS)
            yield cluster.get(*kind, namespace, name)


def _watched(
    cluster: Cluster, body: Manifest | None, end: float | None
) -> Iterator[Manifest | None]:
    """Yield what becomes of `body`; each watch goes on where the one before ended."""
    while body is not None:
        began = time.monotonic()
        for changed in cluster.watch(body, max(1, math.ceil(_seconds_left(end)))):
            body = changed
            yield changed
        # A watch that the server ends at once must not become a busy loop.
        time.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - began)))
        yield body


def _is_over(end: float | None) -> bool:
    return end is not None and time.monotonic() > end


def _seconds_left(end: float | None) -> float:
    """Return how long to wait at most: `LOG_SECONDS`, or less when time is up before."""
    return LOG_SECONDS if end is None else min(LOG_SECONDS, max(0.0, end - time.monotonic()))


def _absence(
    cluster: Cluster, kind: Kind, namespace: str, name: str, *, seen: bool
) -> PermanentError:
    what = f"{kind[1]} {name}"
    text = f"{what} was deleted in namespace {namespace}; run it again"
    if not seen:
        near = suggest_name(cluster, namespace, name)
        text = f"{what} does not exist in namespace {namespace}; {near}"
    return PermanentError(ApiServerReason.NOT_FOUND, text)


_GAP, _BAR = 2, 30
"""Blanks between the columns of the live view, and the width of its bar."""

OBJECTIVES_MET = "ObjectivesMet"
"""Condition of benchmarks with objectives; False if one is missed."""


def follow(  # noqa: PLR0913 - whom, how long and where
    cluster: Cluster,
    namespace: str,
    name: str,
    timeout_seconds: float | None,
    *,
    require_valid: bool = False,
    console: Console | None = None,
) -> ExitCode:
    """Show a benchmark until it ends, then its results; return the exit code.

    `require_valid` lets steps that are Invalid have an exit code of their own.

    Raises:
        PermanentError: if there is no such benchmark, or it is deleted meanwhile.
        TemporaryError: if the API server sent no response before the time was up.
    """
    console = console or Console(highlight=False)
    end = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    states = watch_states(cluster, namespace, name, end)
    again = f"Watch it again: {program_name()} watch -n {namespace} {name}"
    show = _show_live if console.is_terminal else _show_lines
    try:
        last = show(console, states)
    except KeyboardInterrupt:
        click.echo(f"\nThe benchmark goes on. {again}", err=True)
        return ExitCode.INTERRUPTED
    if not is_finished(last.status):
        click.echo(f"Still running. {again}", err=console.stderr)
        return ExitCode.TIMED_OUT
    print_result(console, last)
    if awaits_export(last):
        click.echo(f"The export goes on. {again}", err=console.stderr)
        return ExitCode.TIMED_OUT
    return ending(last, require_valid=require_valid)


def ending(benchmark: SolrBenchmark, *, require_valid: bool) -> ExitCode:
    """Return the exit code of a benchmark that is over."""
    status = benchmark.status
    export = find_export(benchmark)
    if not holds(status, SUCCEEDED) or (export is not None and export.status == "False"):
        return ExitCode.FAILED
    if any(
        condition.type == OBJECTIVES_MET and condition.status == "False"
        for condition in status.conditions
    ):
        return ExitCode.MISSED
    invalid = require_valid and status.summary.verdict == INVALID
    return ExitCode.INVALID if invalid else ExitCode.SUCCEEDED


def _show_lines(console: Console, states: Iterator[SolrBenchmark]) -> SolrBenchmark:
    due = _LogThrottle(time.monotonic)
    for state in states:
        line = one_line(state)
        if due.now(state.status.phase, line):
            seconds = elapsed_seconds(state, datetime.now(UTC))
            console.print(f"[{seconds:>4}s] {line}", markup=False, soft_wrap=True)
    return state


class _LogThrottle:
    """Whether it is time for the next line: when the phase changes, else every `LOG_SECONDS`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._phase = self._line = ""
        self._next = 0.0

    def now(self, phase: str, line: str) -> bool:
        """Return whether to print `line`."""
        if phase == self._phase and (line == self._line or self._clock() < self._next):
            return False
        self._phase, self._line, self._next = phase, line, self._clock() + LOG_SECONDS
        return True


def _show_live(console: Console, states: Iterator[SolrBenchmark]) -> SolrBenchmark:
    last = next(states)

    def view() -> Group | Text:  # drawn again and again, for the clock
        return _view(last, datetime.now(UTC), console.width)

    with Live(console=console, refresh_per_second=4, get_renderable=view) as live:
        live.refresh()
        for state in states:
            last = state
            live.refresh()
    return last


def _view(benchmark: SolrBenchmark, now: datetime, width: int) -> Group | Text:
    """Return a table of what is known so far, or lines where a bar would leave no room."""
    seconds = elapsed_seconds(benchmark, now)
    key, phase = benchmark.key, benchmark.status.phase
    percent = benchmark.status.progress_percent
    done, clock = f"{percent} %", f"{seconds // 60}:{seconds % 60:02}"
    reason, message = summary(benchmark)
    texts = [*details(benchmark), ("now", ": ".join(filter(None, (reason, message))))]
    if cell_len(key + phase + done + clock) + _BAR + 4 * _GAP > width:
        lines = wrap_line(f"{key}  {phase}  {done}  {clock}", width)
        lines += [line for t, text in texts for line in wrap_line(f"{t}: {text}", width, _GAP)]
        return Text("\n".join(lines))
    head, body = Table.grid(padding=(0, _GAP)), Table.grid(padding=(0, _GAP))
    bar = ProgressBar(total=100, completed=percent, width=_BAR)
    head.add_row(Text(key, style="bold"), Text(phase, style="cyan"), bar, done, clock)
    room = width - max(len(title) for title, _ in texts) - 2 * _GAP
    for title, text in texts:
        body.add_row(f"{'':{_GAP}}{title}", Text("\n".join(wrap_line(text, room))))
    return Group(head, body)


def follow_sweep(  # noqa: PLR0913 - whom, how long and where
    cluster: Cluster,
    namespace: str,
    name: str,
    timeout_seconds: float | None,
    *,
    require_valid: bool = False,
    console: Console | None = None,
) -> ExitCode:
    """Show a sweep until it ends, then its answers; return the exit code.

    `require_valid` lets points with an Invalid step have an exit code of their own.

    Raises:
        PermanentError: if there is no such sweep, or it is deleted meanwhile.
        TemporaryError: if the API server sent no response before the time was up.
    """
    console = console or Console(highlight=False)
    end = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    bodies = watch_bodies(cluster, SWEEPS, namespace, name, end)
    again = f"Watch it again: {program_name()} watch -n {namespace} ssweep/{name}"
    try:
        last = _show(console, (parse_stored_as(SolrBenchmarkSweep, body) for body in bodies))
    except KeyboardInterrupt:
        click.echo(f"\nThe sweep goes on. {again}", err=True)
        return ExitCode.INTERRUPTED
    truth, _, message = _summary(last.status)
    if truth not in {"True", "False"}:
        click.echo(f"Still running. {again}", err=True)
        return ExitCode.TIMED_OUT
    _print_result(console, last, message)
    if truth == "False":
        return ExitCode.FAILED
    is_invalid = require_valid and last.status.counts.invalid
    return ExitCode.INVALID if is_invalid else ExitCode.SUCCEEDED


def _show(console: Console, states: Iterator[SolrBenchmarkSweep]) -> SolrBenchmarkSweep:
    shown, due = "", 0.0
    for state in states:
        line = sweep_line(state.status)
        if line != shown and (time.monotonic() >= due or state.status.completion_time):
            shown, due = line, time.monotonic() + LOG_SECONDS
            created = state.metadata.creation_timestamp or datetime.now(UTC)
            seconds = max(0, int((datetime.now(UTC) - created).total_seconds()))
            console.print(f"[{seconds:>4}s] {line}", markup=False, soft_wrap=True)
    return state


def sweep_line(status: SweepStatus) -> str:
    """Return phase, percent and what goes on, for a log."""
    _, reason, message = _summary(status)
    parts = [f"{status.counts.text} points"] if status.counts.text else []
    if status.counts.failed:
        parts.append(f"{status.counts.failed} failed")
    left = status.estimate.remaining_seconds
    if left:
        parts.append(f"about {_minutes(left)} left")
    text = ", ".join(filter(None, (*parts, message or reason)))
    return f"{status.phase:<12} {status.progress_percent:>3} %  {text}"


def _minutes(seconds: int) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _summary(status: SweepStatus) -> tuple[str, str, str]:
    """Return status, reason and message of the end; before the first reconcile, what is awaited."""
    condition = next((each for each in status.conditions if each.type == SUCCEEDED), None)
    if condition is None:
        return "Unknown", "", "waits for the operator; is it running?"
    return condition.status, condition.reason, condition.message


def _print_result(console: Console, sweep: SolrBenchmarkSweep, message: str) -> None:
    status = sweep.status
    style = "green" if status.phase == "Succeeded" else "bold red"
    console.print()
    print_line(console, f"{sweep.key}: {status.phase}", style=style)
    print_line(console, message, indent=2)
    for answer in status.answers:
        print_line(console, answer, indent=2)
    if status.best is not None:
        print_line(console, f"best point: {_best(status.best)}", indent=2)
    where = f"-n {sweep.metadata.namespace} ssweep/{sweep.metadata.name}"
    console.print(f"\nNext:\n  {program_name()} report {where}", soft_wrap=True, markup=False)


def _best(best: BestPoint) -> str:
    rate, p95 = best.requests_per_second, best.p95_milliseconds
    parts = [
        best.values,
        "" if rate is None else f"{format_number(rate)} requests/s",
        "" if p95 is None else f"p95 {format_milliseconds(p95)}",
    ]
    return ", ".join(filter(None, parts))
