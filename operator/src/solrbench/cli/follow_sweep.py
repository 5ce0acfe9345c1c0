"""Show a sweep to its end, a line for each change."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import click
from rich.console import Console

from solrbench.api.v1alpha1.sweep.status import SweepStatus
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.cli.exit_codes import ExitCode
from solrbench.cli.files import parse_stored_as
from solrbench.cli.program import program_name
from solrbench.cli.terminal.states import LOG_SECONDS, watch_bodies
from solrbench.cli.terminal.table_printing import print_line
from solrbench.cluster.client import SWEEPS, Cluster
from solrbench.decide.conditions import SUCCEEDED
from solrbench.results.stats.number_format import format_milliseconds, format_number


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
        last = _show(console, (parse_stored_as(SolrBenchmarkSweep, each) for each in bodies))
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
    found = next((each for each in status.conditions if each.type == SUCCEEDED), None)
    if found is None:
        return "Unknown", "", "waits for the operator; is it running?"
    return found.status, found.reason, found.message


def _print_result(console: Console, sweep: SolrBenchmarkSweep, message: str) -> None:
    status = sweep.status
    style = "green" if status.phase == "Succeeded" else "bold red"
    console.print()
    print_line(console, f"{sweep.key}: {status.phase}", style=style)
    print_line(console, message, indent=2)
    for answer in status.answers:
        print_line(console, answer, indent=2)
    if status.best is not None:
        print_line(console, f"best point: {_best(status)}", indent=2)
    where = f"-n {sweep.metadata.namespace} ssweep/{sweep.metadata.name}"
    console.print(f"\nNext:\n  {program_name()} report {where}", soft_wrap=True, markup=False)


def _best(status: SweepStatus) -> str:
    best = status.best
    if best is None:
        return ""
    rate, p95 = best.requests_per_second, best.p95_milliseconds
    parts = [
        best.values,
        "" if rate is None else f"{format_number(rate)} requests/s",
        "" if p95 is None else f"p95 {format_milliseconds(p95)}",
    ]
    return ", ".join(filter(None, parts))
