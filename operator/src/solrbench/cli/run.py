"""`solrbench run` and `solrbench watch`: from a file to its result table."""

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from solrbench.api.identity import BENCHMARKS, GROUP, SWEEPS
from solrbench.cli.files import FILES, SET, Document, apply_changes, read_documents
from solrbench.cli.follow import follow, follow_sweep
from solrbench.cli.lifecycle import REPLACE_SECONDS, is_over, replace_existing
from solrbench.cli.options import DURATION, cluster_options, open_cluster, output_option
from solrbench.cli.program import ExitCode, examples, program_name, worst
from solrbench.cli.resources import Kind, find_resource, parse_reference
from solrbench.cli.validation import valid_parts
from solrbench.kube.client import Cluster
from solrbench.kube.reader import Manifest

MANAGER = "kubectl-solrbench"

WATCHED = (BENCHMARKS, SWEEPS)
"""Kinds that are followed; all else is what they refer to."""

TIMEOUT = click.option(
    "--timeout",
    "timeout_seconds",
    type=DURATION,
    metavar="DURATION",
    help="Stop watching after so long in all, such as 90s or 30m; benchmarks go on (exit code 3).",
)

CANCEL = click.option(
    "--cancel-on-timeout",
    is_flag=True,
    help="Stop benchmarks that still run then; `resume` lets them go on.",
)

REQUIRE_VALID = click.option(
    "--require-valid",
    is_flag=True,
    help="Exit with code 4 if any step is Invalid.",
)

OUTPUT = output_option(
    "table",
    "json",
    "name",
    text="What standard output gets at the end; with json and name, progress goes to stderr.",
)


@dataclass(frozen=True)
class WatchOptions:
    """How benchmarks are followed: the time is for all of them together.

    Those that still run then are stopped with `cancel`; with `require_valid`, Invalid steps have an
    exit code of their own. The output is `table`, `json` or `name`.
    """

    timeout_seconds: float | None
    cancel: bool
    require_valid: bool
    output: str


@click.command(
    epilog=examples(
        "solrbench run -f examples/quickstart.yaml",
        "solrbench run -f bench.yaml --set spec.target.solrCloud.heap=4Gi --timeout 30m",
        "solrbench run -f nightly.yaml -o json --require-valid > result.json",
    )
)
@FILES
@SET
@click.option("--replace", is_flag=True, help="Delete benchmarks of the same name first.")
@click.option("--no-watch", is_flag=True, help="Return as soon as everything is applied.")
@TIMEOUT
@CANCEL
@REQUIRE_VALID
@OUTPUT
@cluster_options
def run(  # noqa: PLR0913, PLR0917  one argument for each option
    files: tuple[Path, ...],
    changes: tuple[str, ...],
    replace: bool,
    no_watch: bool,
    timeout_seconds: float | None,
    cancel_on_timeout: bool,
    require_valid: bool,
    output: str,
    context: str | None,
    namespace: str | None,
) -> None:
    """Apply benchmarks and sweeps, follow them, and print their results.

    With metadata.generateName, each call creates a new benchmark. Where spec.results.export is set,
    the export is waited for, too.

    Exit code 0: all succeeded and met their objectives, 1: one failed, 3: still running after
    --timeout, 4: a step is Invalid and --require-valid is given, 5: an objective is missed, 6: the
    cluster cannot be reached, 130: interrupted.
    """
    documents = read_documents(files)
    apply_changes(documents, changes)
    valid_parts(documents)
    cluster, default = open_cluster(context, namespace)
    options = WatchOptions(timeout_seconds, cancel_on_timeout, require_valid, output)
    bodies = [_placed(cluster, each, namespace, default) for each in documents]
    began = time.monotonic()
    quiet = output != "table"
    for index, body in enumerate(bodies):
        left = _left(options, began) or REPLACE_SECONDS
        bodies[index] = _apply(cluster, body, replace, left, quiet=quiet)
    wanted = [each for each in bodies if _kind(each) in WATCHED]
    if no_watch:
        _print_names(wanted, output)
        return
    sys.exit(_follow_all(cluster, wanted, options, began))


@click.command(
    epilog=examples(
        "solrbench watch quickstart",
        "solrbench watch quickstart --timeout 30m --cancel-on-timeout",
        "solrbench watch ssweep/heaps",
    )
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@TIMEOUT
@CANCEL
@REQUIRE_VALID
@OUTPUT
@cluster_options
def watch(  # noqa: PLR0913, PLR0917  one argument for each option
    names: tuple[str, ...],
    timeout_seconds: float | None,
    cancel_on_timeout: bool,
    require_valid: bool,
    output: str,
    context: str | None,
    namespace: str | None,
) -> None:
    """Follow a benchmark or a sweep to its end and print its results.

    A sweep is ssweep/NAME, or NAME if no benchmark has it. Where spec.results.export is set, the
    export is waited for, too. Exit codes are those of `run`.
    """
    cluster, resolved_namespace = open_cluster(context, namespace)
    options = WatchOptions(timeout_seconds, cancel_on_timeout, require_valid, output)
    bodies = [_named(cluster, resolved_namespace, name) for name in names]
    sys.exit(_follow_all(cluster, bodies, options, time.monotonic()))


def _named(cluster: Cluster, namespace: str, text: str) -> Manifest:
    """Return kind and name of what is to be followed; a bare name is a benchmark's if none is."""
    kind, name = parse_reference(text)
    if kind is None:
        resource = find_resource(cluster, namespace, text)
        kind = BENCHMARKS if resource is None else resource.kind
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": kind[0], "kind": kind[1], "metadata": metadata}


def _kind(body: Manifest) -> Kind:
    return body["apiVersion"], body["kind"]


def _placed(cluster: Cluster, document: Document, namespace: str | None, default: str) -> Manifest:
    """Return an object with its namespace.

    Raises:
        click.ClickException: if the file names another than the option does, as kubectl.
    """
    body, metadata = document.body, document.body["metadata"]
    if not cluster.is_namespaced(body["apiVersion"], body["kind"]):
        return body
    own = metadata.get("namespace")
    if namespace and own and own != namespace:
        raise click.ClickException(
            f"{document.source}:{document.line_of(('metadata', 'namespace'))}: {body['kind']}"
            f" {metadata.get('name', '')} is in namespace {own}, and -n says {namespace}; remove"
            " one of them"
        )
    metadata["namespace"] = own or namespace or default
    return body


def _apply(
    cluster: Cluster, body: Manifest, replace: bool, seconds: float, *, quiet: bool = False
) -> Manifest:
    metadata = body["metadata"]
    if not metadata.get("name"):
        stored = cluster.create(body, MANAGER)
        click.echo(f"{body['kind']} {stored['metadata']['name']} created", err=quiet)
        return stored
    if _kind(body) in WATCHED:
        replace_existing(cluster, body, seconds, replace=replace)
    stored = cluster.apply(body, manager=MANAGER)
    click.echo(f"{body['kind']} {metadata['name']} applied", err=quiet)
    return stored


def _follow_all(
    cluster: Cluster, bodies: list[Manifest], options: WatchOptions, began: float
) -> ExitCode:
    """Follow benchmarks one after another, within one time; return the code of the worst."""
    codes: set[ExitCode] = set()
    console = Console(highlight=False, stderr=options.output != "table")
    for body in bodies:
        key = body["metadata"]["namespace"], body["metadata"]["name"]
        code = (follow_sweep if _kind(body) == SWEEPS else follow)(
            cluster,
            *key,
            _left(options, began),
            require_valid=options.require_valid,
            console=console,
        )
        codes.add(code)
        if code is ExitCode.INTERRUPTED:
            return code
        if code is ExitCode.TIMED_OUT and options.cancel:
            _stop(cluster, body, console)
    if options.output != "table":
        _print_results(cluster, bodies, options.output)
    return worst(codes)


def _stop(cluster: Cluster, body: Manifest, console: Console) -> None:
    """Stop what still runs; what is over, and is only exported, goes on."""
    kind, key = _kind(body), (body["metadata"]["namespace"], body["metadata"]["name"])
    stored = cluster.get(*kind, *key)
    if stored is None or is_over(stored):
        return
    cluster.merge(*kind, *key, {"spec": {"suspend": True}})
    again = f"{program_name()} resume -n {' '.join(key)}"
    console.print(f"{key[1]} is stopped; resume it: {again}", soft_wrap=True)


def _left(options: WatchOptions, began: float) -> float | None:
    """Return the seconds that are left of the time for all, at least a moment."""
    if options.timeout_seconds is None:
        return None
    return max(0.001, options.timeout_seconds - (time.monotonic() - began))


def _print_results(cluster: Cluster, bodies: list[Manifest], output: str) -> None:
    if output == "name":
        _print_names(bodies, output)
        return
    stored = [
        cluster.get(*_kind(body), body["metadata"]["namespace"], body["metadata"]["name"])
        for body in bodies
    ]
    printed: Any = stored[0] if len(stored) == 1 else {"kind": "List", "items": stored}
    click.echo(json.dumps(printed, indent=2))


def _print_names(bodies: list[Manifest], output: str) -> None:
    """Print what later commands are called with: names as kubectl takes them, or JSON."""
    if output == "json":
        click.echo(json.dumps(bodies[0] if len(bodies) == 1 else bodies, indent=2))
    elif output == "name":
        for body in bodies:
            click.echo(f"{body['kind'].lower()}.{GROUP}/{body['metadata']['name']}")
