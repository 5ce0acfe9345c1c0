"""`solrbench list`: the benchmarks and sweeps of a namespace, or of all."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console

from solrbench.api.identity import BENCHMARKS, SWEEPS
from solrbench.cli.main import command
from solrbench.cli.options import cluster_options, open_cluster, output_option
from solrbench.cli.resources import Kind, key_of
from solrbench.cli.terminal import GAP
from solrbench.contract.foreign import printable
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError, KindNotServedError
from solrbench.kube.reader import Manifest
from solrbench.present.table import Column, TextColumn, build_table
from solrbench.stats.number_format import format_milliseconds, format_number, format_percent

_KINDS = {"benchmark": BENCHMARKS, "sweep": SWEEPS}
_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))


@command(
    "solrbench list",
    "solrbench list -A -l team=search",
    "solrbench list --kind sweep -o json",
    "solrbench list -l solrbench.io/sweep=heaps",
    name="list",
)
@click.option("-A", "--all-namespaces", is_flag=True, help="List those of all namespaces.")
@click.option("-l", "--selector", metavar="KEY=VALUE", help="Only those with these labels.")
@output_option("table", "json", "yaml", "name", text="json and yaml have spec and status of each.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(list(_KINDS)),
    multiple=True,
    help="Only these; may be given several times (default: both).",
)
@cluster_options
def list_benchmarks(
    all_namespaces: bool, selector: str | None, output: str, kinds: tuple[str, ...]
) -> None:
    """List benchmarks and sweeps with their state and headline figures, the latest first.

    The figures are those of the step that was measured last; of a sweep those of its best point.
    """
    cluster, namespace = open_cluster()
    where = None if all_namespaces else namespace
    labels = _labels(selector)
    chosen = [_KINDS[each] for each in kinds] or list(_KINDS.values())
    # Chart or role in the cluster may be older than sweeps: they are left out unless named.
    required = [kind for kind in chosen if kinds or kind != SWEEPS]
    lists = [_read(cluster, kind, where, labels, required) for kind in chosen]
    bodies = [each for part in lists for each in part]
    if output in {"json", "yaml"}:
        whole = {"apiVersion": "v1", "kind": "List", "items": bodies}
        if output == "json":
            click.echo(json.dumps(whole, indent=2))
            return
        import yaml  # noqa: PLC0415  the other forms start faster

        click.echo(yaml.safe_dump(whole, sort_keys=False, allow_unicode=True), nl=False)
    elif output == "name":
        for each in bodies:
            click.echo(key_of(each).typed_name)
    elif not bodies:
        what = "sweeps" if chosen == [SWEEPS] else "benchmarks"
        where_text = "the cluster" if all_namespaces else f"namespace {namespace}"
        click.echo(f"no {what} in {where_text}", err=True)
    else:
        _print_lists(lists, chosen, all_namespaces)


def _read(
    cluster: Cluster,
    kind: Kind,
    namespace: str | None,
    labels: dict[str, str],
    required: list[Kind],
) -> list[Manifest]:
    """Return all of a kind, the latest first; none if the cluster does not give them."""
    try:
        bodies = [*cluster.list_in_parts(*kind, namespace, labels)]
    except (ForbiddenError, KindNotServedError):
        if kind in required:
            raise
        return []
    return sorted(bodies, key=lambda each: each["metadata"]["creationTimestamp"], reverse=True)


def _print_lists(lists: list[list[Manifest]], kinds: list[Kind], all_namespaces: bool) -> None:
    """Print a table for each kind that there is any of, as kubectl does: no lines, no wrapping."""
    tables = [
        build_table("", _SWEEP_COLUMNS if kind == SWEEPS else _BENCHMARK_COLUMNS, bodies)
        for bodies, kind in zip(lists, kinds, strict=True)
        if bodies
    ]
    console = Console(highlight=False)
    for index, listed in enumerate(tables):
        if index:
            click.echo()
        table = listed if all_namespaces else listed.without_column("NAMESPACE")
        rows = [table.head, *table.texts]
        # Names of the values of a sweep may be any text.
        lines = [[printable(text).replace("\n", " ") for text in row] for row in rows]
        # Unlike a table of rich, this has the same form in a pipe, for awk and grep.
        widths = [max(map(cell_len, texts)) for texts in zip(*lines, strict=True)]
        for texts in lines:
            cells = (set_cell_size(*cell) for cell in zip(texts, widths, strict=True))
            console.print((" " * GAP).join(cells).rstrip(), markup=False, soft_wrap=True)


def _labels(selector: str | None) -> dict[str, str]:
    pairs = [each.partition("=") for each in (selector or "").split(",") if each]
    if any(not equals for _, equals, _ in pairs):
        raise click.BadParameter("must be KEY=VALUE, several after commas", param_hint="-l")
    return {key: value for key, _, value in pairs}


def _status(body: Manifest, *path: str) -> Any:
    """Return a field of the status, which is read as it is stored; None where it is absent."""
    found: Any = body.get("status")
    for key in path:
        found = (found or {}).get(key)
    return found


def _best(body: Manifest, field: str) -> Any:
    """Return a field of the best point, with conditions of that of the baseline's condition."""
    best = _status(body, "best")
    return best[0].get(field) if best else None


def _phase(body: Manifest) -> str:
    # No status says that a resource is being deleted.
    is_deleted = body["metadata"].get("deletionTimestamp")
    return "Deleting" if is_deleted else _status(body, "phase") or "Pending"


def _rate(value: float) -> str:
    return f"{format_number(value)}/s"


_NAMESPACE = TextColumn[Manifest]("NAMESPACE", lambda body: body["metadata"]["namespace"])
_PHASE = TextColumn[Manifest]("PHASE", _phase)
_AGE = TextColumn[Manifest](
    "AGE",
    lambda body: datetime.fromisoformat(body["metadata"]["creationTimestamp"]),
    lambda created: age(created, datetime.now(UTC)),
)

_BENCHMARK_COLUMNS: Sequence[Column[Manifest]] = (
    _NAMESPACE,
    TextColumn("NAME", lambda body: body["metadata"]["name"]),
    _PHASE,
    TextColumn("DONE", lambda body: f"{_status(body, 'progressPercent') or 0} %"),
    TextColumn("STEP", lambda body: _status(body, "summary", "step")),
    TextColumn("REQUESTS", lambda body: _status(body, "summary", "requestsPerSecond"), _rate),
    TextColumn("P95", lambda b: _status(b, "summary", "p95Milliseconds"), format_milliseconds),
    TextColumn("FAILED", lambda body: _status(body, "summary", "failedPercent"), format_percent),
    TextColumn("VERDICT", lambda body: _status(body, "summary", "verdict")),
    _AGE,
)
_SWEEP_COLUMNS: Sequence[Column[Manifest]] = (
    _NAMESPACE,
    TextColumn("SWEEP", lambda body: body["metadata"]["name"]),
    _PHASE,
    TextColumn("POINTS", lambda body: _status(body, "counts", "text")),
    TextColumn("FAILED", lambda body: _status(body, "counts", "failed")),
    TextColumn("INVALID", lambda body: _status(body, "counts", "invalid")),
    TextColumn("BEST", lambda body: _best(body, "values")),
    TextColumn("REQUESTS", lambda body: _best(body, "requestsPerSecond"), _rate),
    TextColumn("P95", lambda body: _best(body, "p95Milliseconds"), format_milliseconds),
    _AGE,
)


def age(created: datetime, now: datetime) -> str:
    """Return how old something is, in its largest unit, as kubectl does."""
    # The clocks of the cluster and of this machine may differ.
    seconds = max(0, int((now - created).total_seconds()))
    count, unit = next(((seconds // n, unit) for n, unit in _UNITS if seconds >= n), (0, "s"))
    return f"{count}{unit}"
