"""`solrbench list`: the benchmarks and sweeps of a namespace, or of all."""

import json
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console

from solrbench.api.identity import BENCHMARKS, GROUP, SWEEPS
from solrbench.cli.options import cluster_options, open_cluster, output_option
from solrbench.cli.program import examples
from solrbench.cli.resources import Kind
from solrbench.cli.terminal import GAP
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError, KindNotServedError
from solrbench.kube.reader import Manifest
from solrbench.stats.number_format import format_milliseconds, format_number

AT_ONCE = 100
"""Benchmarks in one response: a status has hundreds of results."""
_KINDS = {"benchmark": BENCHMARKS, "sweep": SWEEPS}
_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))


@click.command(
    name="list",
    epilog=examples(
        "solrbench list",
        "solrbench list -A -l team=search",
        "solrbench list --kind sweep -o json",
        "solrbench list -l solrbench.io/sweep=heaps",
    ),
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
def list_benchmarks(  # noqa: PLR0913, PLR0917  one argument for each option
    all_namespaces: bool,
    selector: str | None,
    output: str,
    kinds: tuple[str, ...],
    context: str | None,
    namespace: str | None,
) -> None:
    """List benchmarks and sweeps with their state and headline figures, the latest first.

    The figures are those of the step that was measured last; of a sweep those of its best point.
    """
    cluster, resolved_namespace = open_cluster(context, namespace)
    where = None if all_namespaces else resolved_namespace
    labels = _labels(selector)
    chosen = [_KINDS[each] for each in kinds] or list(_KINDS.values())
    lists = [
        _read(cluster, kind, where, labels, must_be_there=bool(kinds) or kind != SWEEPS)
        for kind in chosen
    ]
    bodies = [each for part in lists for each in part]
    if output in {"json", "yaml"}:
        whole = {"apiVersion": "v1", "kind": "List", "items": bodies}
        click.echo(json.dumps(whole, indent=2) if output == "json" else _yaml(whole))
    elif output == "name":
        for each in bodies:
            click.echo(f"{each['kind'].lower()}.{GROUP}/{each['metadata']['name']}")
    elif not bodies:
        what = "sweeps" if chosen == [SWEEPS] else "benchmarks"
        where_text = "the cluster" if all_namespaces else f"namespace {resolved_namespace}"
        click.echo(f"no {what} in {where_text}", err=True)
    else:
        _print_lists(lists, chosen, all_namespaces)


def _yaml(whole: Manifest) -> str:
    import yaml  # noqa: PLC0415  the other forms start faster

    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True).rstrip()


def _read(
    cluster: Cluster,
    kind: Kind,
    namespace: str | None,
    labels: dict[str, str],
    *,
    must_be_there: bool,
) -> list[Manifest]:
    """Return all of a kind, the latest first; none where chart or role are older than the kind."""
    try:
        parts = cluster.list_in_parts(*kind, namespace, labels, AT_ONCE)
        bodies = [each for part in parts for each in part]
    except (ForbiddenError, KindNotServedError):
        if must_be_there:
            raise
        return []
    return sorted(bodies, key=lambda each: each["metadata"]["creationTimestamp"], reverse=True)


def _print_lists(lists: list[list[Manifest]], kinds: list[Kind], all_namespaces: bool) -> None:
    now, printed = datetime.now(UTC), False
    for bodies, kind in zip(lists, kinds, strict=True):
        if bodies:
            if printed:
                click.echo()
            row = sweep_row if kind == SWEEPS else row_of
            _print([row(body, now) for body in bodies], all_namespaces)
            printed = True


def _labels(selector: str | None) -> dict[str, str]:
    pairs = [each.partition("=") for each in (selector or "").split(",") if each]
    if any(not equals for _, equals, _ in pairs):
        raise click.BadParameter("must be KEY=VALUE, several after commas", param_hint="-l")
    return {key: value for key, _, value in pairs}


def _print(rows: list[dict[str, str]], all_namespaces: bool) -> None:
    titles = [title for title in rows[0] if title != "NAMESPACE" or all_namespaces]
    widths = [max(len(title), *(len(row[title]) for row in rows)) for title in titles]
    console = Console(highlight=False)
    for cells in [dict(zip(titles, titles, strict=True)), *rows]:
        line = (" " * GAP).join(
            cells[title].ljust(width) for title, width in zip(titles, widths, strict=True)
        )
        console.print(line.rstrip(), markup=False, soft_wrap=True)


def row_of(body: Manifest, now: datetime) -> dict[str, str]:
    """Return the cells of a benchmark by their titles; what was not measured is empty."""
    metadata, status = body["metadata"], body.get("status") or {}
    summary = status.get("summary") or {}
    failed = summary.get("failedPercent")
    return {
        "NAMESPACE": metadata["namespace"],
        "NAME": metadata["name"],
        "PHASE": _phase(body),
        "DONE": f"{status.get('progressPercent', 0)} %",
        "STEP": summary.get("step") or "",
        "REQUESTS": _number(summary.get("requestsPerSecond"), "/s"),
        "P95": _milliseconds(summary.get("p95Milliseconds")),
        "FAILED": "" if failed is None else f"{format_number(failed)} %",
        "VERDICT": summary.get("verdict") or "",
        "AGE": age(datetime.fromisoformat(metadata["creationTimestamp"]), now),
    }


def _phase(body: Manifest) -> str:
    """Return the phase, or that it is being deleted, which no status says."""
    if body["metadata"].get("deletionTimestamp"):
        return "Deleting"
    return (body.get("status") or {}).get("phase") or "Pending"


def sweep_row(body: Manifest, now: datetime) -> dict[str, str]:
    """Return the cells of a sweep by their titles."""
    metadata, status = body["metadata"], body.get("status") or {}
    best, counts = status.get("best") or {}, status.get("counts") or {}
    return {
        "NAMESPACE": metadata["namespace"],
        "SWEEP": metadata["name"],
        "PHASE": _phase(body),
        "POINTS": counts.get("text") or "",
        "FAILED": str(counts.get("failed", "")),
        "INVALID": str(counts.get("invalid", "")),
        "BEST": best.get("values") or "",
        "REQUESTS": _number(best.get("requestsPerSecond"), "/s"),
        "P95": _milliseconds(best.get("p95Milliseconds")),
        "AGE": age(datetime.fromisoformat(metadata["creationTimestamp"]), now),
    }


def _number(value: Any, unit: str) -> str:
    return "" if value is None else f"{format_number(value)}{unit}"


def _milliseconds(value: Any) -> str:
    return "" if value is None else format_milliseconds(value)


def age(created: datetime, now: datetime) -> str:
    """Return how old something is, in its largest unit, as kubectl does."""
    seconds = max(0, int((now - created).total_seconds()))
    count, unit = next(((seconds // n, unit) for n, unit in _UNITS if seconds >= n), (0, "s"))
    return f"{count}{unit}"
