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

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.conditions import find_condition
from solrbench.api.v1alpha1.findings import INCONCLUSIVE, INVALID
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.cli.program import ExitCode, program_name
from solrbench.cli.progress import awaits_export, details, elapsed_seconds, one_line, summary
from solrbench.cli.resources import ResourceKey, suggest_name
from solrbench.cli.result_tables import print_result, print_sweep
from solrbench.cli.terminal import wrap_line
from solrbench.cli.validation import Stored, parse_stored
from solrbench.decide.conditions import (
    EXPORTED,
    OBJECTIVES_MET,
    SUCCEEDED,
    holds,
    is_finished,
    is_over,
)
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
from solrbench.present.sweeps.report import SweepReport
from solrbench.reasons.end import ApiServerReason
from solrbench.sweep.state import count_ended

LOG_SECONDS = 5.0
"""A state comes at least this often, also without a change, so that a log can catch up."""

OUTAGE_SECONDS = 300.0
"""How long no response is waited for: the API server may be replaced meanwhile."""

FINAL = (ForbiddenError, KindNotServedError, UnauthorizedError)
"""What waiting does not cure within the time of a command."""

POLL_SECONDS = 1.0
"""Time between two reads where watching is forbidden."""


def watch_states(
    cluster: Cluster, model: type[Stored], key: ResourceKey, end: float | None
) -> Iterator[Stored]:
    """Yield the resource as it is, then as it changes, until it is over or time is up.

    A benchmark is over when its export is decided, too. `end` is a time of the monotonic clock.
    What the API server lacks for a moment is waited for.

    It raises `PermanentError` if there is no such resource, or it is deleted meanwhile, and
    `TemporaryError` if time was up before there was any response, the first request did not reach
    the cluster, none did for `OUTAGE_SECONDS`, or the user may not read it.
    """
    seen, last_response = False, time.monotonic()
    while True:
        try:
            for body in _bodies(cluster, key, end):
                if body is None:
                    raise _absence(cluster, key, seen=seen)
                seen, last_response = True, time.monotonic()
                state = parse_stored(model, body)
                yield state
                exports = isinstance(state, SolrBenchmark) and awaits_export(state)
                if (is_over(body) and not exports) or has_passed(end):
                    return
        except ExpiredError:
            time.sleep(POLL_SECONDS)  # then it is read anew
        except FINAL:
            raise
        except TemporaryError as error:
            if has_passed(end) and seen:
                return
            is_lost = time.monotonic() - last_response > OUTAGE_SECONDS
            # A cluster that was never reached is a wrong address rather than an outage.
            never_reached = isinstance(error, UnreachableError) and not seen
            if has_passed(end) or is_lost or never_reached:
                raise
            click.echo(f"{error.reason}: {error.message}", err=True)
            time.sleep(_seconds_left(end))


def _bodies(cluster: Cluster, key: ResourceKey, end: float | None) -> Iterator[Manifest | None]:
    """Yield the object now, at each change and every `LOG_SECONDS`; `None` when it is not there."""
    body = cluster.get(*key)
    yield body
    try:
        while body is not None:
            began = time.monotonic()
            # Each watch goes on where the one before ended.
            for changed in cluster.watch(body, max(1, math.ceil(_seconds_left(end)))):
                body = changed
                yield changed
            # A watch that the server ends at once must not become a busy loop.
            time.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - began)))
            yield body
    except ForbiddenError:
        while True:
            time.sleep(POLL_SECONDS)
            yield cluster.get(*key)


def has_passed(end: float | None) -> bool:
    """Return whether a time of the monotonic clock is over; None never is."""
    return end is not None and time.monotonic() > end


def _seconds_left(end: float | None) -> float:
    """Return how long to wait at most: `LOG_SECONDS`, or less when time is up before."""
    return LOG_SECONDS if end is None else min(LOG_SECONDS, max(0.0, end - time.monotonic()))


def _absence(cluster: Cluster, key: ResourceKey, *, seen: bool) -> PermanentError:
    _, kind, namespace, name = key
    text = f"{kind} {name} was deleted in namespace {namespace}; run it again"
    if not seen:
        near = suggest_name(cluster, namespace, name)
        text = f"{kind} {name} does not exist in namespace {namespace}; {near}"
    return PermanentError(ApiServerReason.NOT_FOUND, text)


_GAP, _BAR = 2, 30
"""Blanks between the columns of the live view, and the width of its bar."""


def follow(
    cluster: Cluster, key: ResourceKey, end: float | None, *, require_valid: bool, console: Console
) -> ExitCode:
    """Show a benchmark or a sweep until it ends, then its results; return the exit code.

    `end` is that of `watch_states`. `require_valid` lets steps that are Invalid, or points with
    such a step, have an exit code of their own. It raises what `watch_states` does.
    """
    noun = "sweep" if key.is_sweep else "benchmark"
    again = f"Watch it again: {program_name()} watch {key.argument}"
    last: SolrBenchmark | SolrBenchmarkSweep
    try:
        if key.is_sweep:
            sweeps = watch_states(cluster, SolrBenchmarkSweep, key, end)
            last = _show_lines(console, sweeps, _sweep_line, lambda e: e.status.completion_time)
        else:
            states = watch_states(cluster, SolrBenchmark, key, end)
            if console.is_terminal:
                last = _show_live(console, states)
            else:
                last = _show_lines(console, states, one_line, lambda e: e.status.phase)
    except KeyboardInterrupt:
        click.echo(f"\nThe {noun} is still running. {again}", err=True)
        return ExitCode.INTERRUPTED
    if isinstance(last, SolrBenchmark):
        return _end_benchmark(console, last, again, require_valid=require_valid)
    return _end_sweep(console, last, again, require_valid=require_valid)


def _end_benchmark(
    console: Console, benchmark: SolrBenchmark, again: str, *, require_valid: bool
) -> ExitCode:
    """Print the results of a benchmark that is not watched any more; return its exit code."""
    status = benchmark.status
    export = find_condition(status.conditions, EXPORTED)
    if not is_finished(status):
        click.echo(f"Timed out; the benchmark is still running. {again}", err=True)
        return ExitCode.TIMED_OUT
    print_result(console, benchmark)
    if awaits_export(benchmark):
        click.echo(f"Timed out; the export is still running. {again}", err=True)
        return ExitCode.TIMED_OUT if holds(status, SUCCEEDED) else ExitCode.FAILED
    if not holds(status, SUCCEEDED) or (export is not None and export.status == "False"):
        return ExitCode.FAILED
    # An objective that is inconclusive is not missed.
    objectives = find_condition(status.conditions, OBJECTIVES_MET)
    if objectives is not None and objectives.status == "False":
        return ExitCode.MISSED
    invalid = require_valid and status.summary.verdict in (INVALID, INCONCLUSIVE)
    return ExitCode.INVALID if invalid else ExitCode.SUCCEEDED


def _show_lines(
    console: Console,
    states: Iterator[Stored],
    line_of: Callable[[Stored], str],
    mark_of: Callable[[Stored], object],
) -> Stored:
    """Print a line when it changes: at once where the mark does, else every `LOG_SECONDS`."""
    shown, mark, due = "", None, 0.0
    for state in states:
        line, new_mark = line_of(state), mark_of(state)
        if new_mark != mark or (line != shown and time.monotonic() >= due):
            shown, mark, due = line, new_mark, time.monotonic() + LOG_SECONDS
            seconds = elapsed_seconds(state, datetime.now(UTC))
            console.print(f"[{seconds:>4}s] {line}", markup=False, soft_wrap=True)
    return state


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


def _end_sweep(
    console: Console, sweep: SolrBenchmarkSweep, again: str, *, require_valid: bool
) -> ExitCode:
    """Print the answers of a sweep that is not watched any more; return its exit code."""
    status = sweep.status
    end = find_condition(status.conditions, SUCCEEDED)
    if end is None or end.status not in {"True", "False"}:
        click.echo(f"Timed out; the sweep is still running. {again}", err=True)
        return ExitCode.TIMED_OUT
    report = SweepReport(sweep=sweep.key, spec=sweep.spec, status=status)
    print_sweep(console, report, in_full=False)
    if end.status == "False":
        return ExitCode.FAILED
    is_invalid = require_valid and (status.counts.invalid or status.counts.inconclusive)
    return ExitCode.INVALID if is_invalid else ExitCode.SUCCEEDED


def _sweep_line(sweep: SolrBenchmarkSweep) -> str:
    """Return phase, percent and what goes on, for a log."""
    status, (reason, message) = sweep.status, summary(sweep)
    parts = [f"{status.counts.text} points"] if status.counts.text else []
    if status.counts.failed:
        parts.append(f"{status.counts.failed} failed")
    if left := status.estimate.remaining_seconds:
        hours, minutes = divmod(max(1, round(left / 60)), 60)
        # Before a benchmark has ended, what each takes beside the least load is not known.
        about = "about" if count_ended(status.points) else "at least"
        parts.append(f"{about} {f'{hours} h ' if hours else ''}{minutes} min left")
    text = ", ".join(filter(None, (*parts, message or reason)))
    return f"{status.phase:<12} {status.progress_percent:>3} %  {text}"
