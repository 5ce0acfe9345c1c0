"""Show a benchmark to its end: a live view on a terminal, lines in a log."""

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
from solrbench.api.v1alpha1.status.verdicts import INVALID
from solrbench.cli.exit_codes import ExitCode
from solrbench.cli.program import program_name
from solrbench.cli.terminal.layout import wrap_line
from solrbench.cli.terminal.progress import (
    awaits_export,
    details,
    elapsed_seconds,
    find_export,
    one_line,
    percent,
    summary,
)
from solrbench.cli.terminal.states import LOG_SECONDS, watch_states
from solrbench.cli.terminal.tables import print_result
from solrbench.cluster.client import Cluster
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished

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
    if any(each.type == OBJECTIVES_MET and each.status == "False" for each in status.conditions):
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
    done, clock = f"{percent(benchmark)} %", f"{seconds // 60}:{seconds % 60:02}"
    reason, message = summary(benchmark)
    texts = [*details(benchmark), ("now", ": ".join(filter(None, (reason, message))))]
    if cell_len(key + phase + done + clock) + _BAR + 4 * _GAP > width:
        lines = wrap_line(f"{key}  {phase}  {done}  {clock}", width)
        lines += [line for t, text in texts for line in wrap_line(f"{t}: {text}", width, _GAP)]
        return Text("\n".join(lines))
    head, body = Table.grid(padding=(0, _GAP)), Table.grid(padding=(0, _GAP))
    bar = ProgressBar(total=100, completed=percent(benchmark), width=_BAR)
    head.add_row(Text(key, style="bold"), Text(phase, style="cyan"), bar, done, clock)
    room = width - max(len(title) for title, _ in texts) - 2 * _GAP
    for title, text in texts:
        body.add_row(f"{'':{_GAP}}{title}", Text("\n".join(wrap_line(text, room))))
    return Group(head, body)
