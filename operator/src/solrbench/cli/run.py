"""`solrbench run` and `solrbench watch`: from a file to its result table."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from solrbench.api.identity import BENCHMARKS, SWEEPS
from solrbench.cli.cluster_facts import operator_problem
from solrbench.cli.files import FILES, SET, Document, read_documents
from solrbench.cli.follow import FINAL, follow, has_passed
from solrbench.cli.lifecycle import NAMES, REPLACE_SECONDS, refuse_if_over, wait_until_gone
from solrbench.cli.main import command
from solrbench.cli.options import DURATION, cluster_options, given, open_cluster, output_option
from solrbench.cli.program import WORST_FIRST, Command, ExitCode, program_name
from solrbench.cli.resources import ResourceKey, find_resource, key_of, parse_reference
from solrbench.cli.validation import valid_parts
from solrbench.decide.conditions import is_over
from solrbench.errors import PermanentError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.reader import Manifest
from solrbench.reasons.end import ApiServerReason

STOP_TRIES, STOP_PAUSE_SECONDS = 30, 2.0
MANAGER = "kubectl-solrbench"
"""Owner of the fields that are applied (server-side apply)."""


@dataclass(frozen=True)
class WatchOptions:
    """How benchmarks are followed: the time is for all of them together, from now on.

    Those that still run then are stopped with `cancel_on_timeout`; with `require_valid`, Invalid
    steps have an exit code of their own. The output is `table`, `json` or `name`.
    """

    timeout_seconds: float | None
    cancel_on_timeout: bool
    require_valid: bool
    output: str
    began: float = field(default_factory=time.monotonic)

    @property
    def end(self) -> float | None:
        """When the time is up, by the monotonic clock; None without a limit."""
        return None if self.timeout_seconds is None else self.began + self.timeout_seconds


def _watch_options(function: Command) -> Command:
    # click shows the option first that was added last.
    for option in (
        output_option(
            "table",
            "json",
            "name",
            text="What standard output gets at the end; with json and name, progress goes to"
            " stderr.",
        ),
        click.option(
            "--require-valid", is_flag=True, help="Exit with code 4 if any step is not Valid."
        ),
        click.option(
            "--cancel-on-timeout",
            is_flag=True,
            help="Stop benchmarks that still run then; `resume` lets them go on.",
        ),
        click.option(
            "--timeout",
            "timeout_seconds",
            type=DURATION,
            help="Stop watching after so long in all, such as 90s or 30m; benchmarks go on"
            " (exit code 3).",
        ),
    ):
        function = option(function)
    return function


@command(
    "solrbench run -f examples/quickstart.yaml",
    "solrbench run -f bench.yaml --set spec.target.solrCloud.heap=4Gi --timeout 30m",
    "solrbench run -f nightly.yaml -o json --require-valid > result.json",
)
@FILES
@SET
@click.option("--replace", is_flag=True, help="Delete benchmarks of the same name first.")
@click.option("--no-watch", is_flag=True, help="Return as soon as everything is applied.")
@_watch_options
@cluster_options
def run(
    files: tuple[Path, ...], changes: tuple[str, ...], replace: bool, no_watch: bool, **options: Any
) -> None:
    """Apply benchmarks and sweeps, follow them, and print their results.

    With metadata.generateName, each call creates a new benchmark. Where spec.results.export is set,
    the export is waited for, too.

    Exit code 0: all succeeded and missed no objective, 1: one failed, 3: still running after
    --timeout, 4: a step is not Valid and --require-valid is given, 5: an objective is missed, 6:
    the cluster cannot be reached, 130: interrupted.
    """
    if no_watch and (options["require_valid"] or options["cancel_on_timeout"]):
        raise click.UsageError(
            "--require-valid and --cancel-on-timeout need the end of benchmarks: omit --no-watch"
        )
    documents = read_documents(files, changes)
    # Nothing is applied if anything is wrong: a half of a file is harder to clean up.
    valid_parts(documents)
    cluster, default = open_cluster()
    bodies = [_placed(cluster, each, default) for each in documents]
    watch_options = WatchOptions(**options)
    if not replace:
        for body in bodies:
            if _is_followed(body) and body["metadata"].get("name"):
                refuse_if_over(cluster, key_of(body))
    for index, body in enumerate(bodies):
        bodies[index] = _apply(cluster, body, replace, watch_options)
    # All else is what benchmarks refer to.
    wanted = list(filter(_is_followed, bodies))
    keys = list(map(key_of, wanted))
    if no_watch:
        _print_for_programs(watch_options.output, keys, lambda: wanted)
        return
    for namespace in sorted({key.namespace for key in keys}):
        if problem := operator_problem(cluster, namespace):
            click.echo(f"Warning: {problem}", err=True)
    sys.exit(_follow_all(cluster, keys, watch_options))


@command(
    "solrbench watch quickstart",
    "solrbench watch quickstart --timeout 30m --cancel-on-timeout",
    "solrbench watch ssweep/heaps",
)
@NAMES
@_watch_options
@cluster_options
def watch(names: tuple[str, ...], **options: Any) -> None:
    """Follow a benchmark or a sweep to its end and print its results.

    A sweep is ssweep/NAME, or NAME if no benchmark has it. Where spec.results.export is set, the
    export is waited for, too. Exit codes are those of `run`.
    """
    cluster, namespace = open_cluster()
    keys = [_find_key(cluster, namespace, name) for name in names]
    sys.exit(_follow_all(cluster, keys, WatchOptions(**options)))


def _find_key(cluster: Cluster, namespace: str, text: str) -> ResourceKey:
    """Return the key of what is to be followed; a bare name is a benchmark's if none is."""
    kind, name = parse_reference(text)
    if kind is None and (body := find_resource(cluster, namespace, text)) is not None:
        return key_of(body)
    return ResourceKey(*(kind or BENCHMARKS), namespace, name)


def _is_followed(body: Manifest) -> bool:
    return (body["apiVersion"], body["kind"]) in (BENCHMARKS, SWEEPS)


def _placed(cluster: Cluster, document: Document, default: str) -> Manifest:
    """Return an object with its namespace.

    It raises `click.ClickException` if the file names another than the option does, as kubectl.
    """
    body, metadata = document.body, document.body["metadata"]
    if not cluster.is_namespaced(body["apiVersion"], body["kind"]):
        return body
    own, namespace = metadata.get("namespace"), given("namespace")
    if namespace and own and own != namespace:
        raise click.ClickException(
            f"{document.source}:{document.line_of(('metadata', 'namespace'))}: {body['kind']}"
            f" {metadata.get('name', '')} is in namespace {own}, and -n says {namespace}; remove"
            " one of them"
        )
    metadata["namespace"] = own or default
    return body


def _apply(cluster: Cluster, body: Manifest, replace: bool, options: WatchOptions) -> Manifest:
    metadata, quiet = body["metadata"], options.output != "table"
    # Server-side apply needs a name; the API server makes one of `generateName` only on creation.
    if not metadata.get("name"):
        stored = cluster.create(body, MANAGER)
        click.echo(f"{body['kind']} {stored['metadata']['name']} created", err=quiet)
        return stored
    if replace and _is_followed(body):
        key, end = key_of(body), options.end
        cluster.delete(*key)
        left = REPLACE_SECONDS if end is None else max(0.001, end - time.monotonic())
        wait_until_gone(cluster, key, left)
    stored = cluster.apply(body, manager=MANAGER)
    click.echo(f"{body['kind']} {metadata['name']} applied", err=quiet)
    return stored


def _follow_all(cluster: Cluster, keys: list[ResourceKey], options: WatchOptions) -> ExitCode:
    """Follow benchmarks one after another, within one time; return the code of the worst."""
    codes: set[ExitCode] = set()
    # What is machine-readable has standard output for itself.
    console = Console(highlight=False, stderr=options.output != "table")
    for key in keys:
        valid = options.require_valid
        try:
            code = follow(cluster, key, options.end, require_valid=valid, console=console)
        except TemporaryError as error:
            # Of those that come last, no time may be left for an answer.
            if isinstance(error, FINAL) or not has_passed(options.end):
                raise
            click.echo(error.message, err=True)
            code = ExitCode.TIMED_OUT
        except PermanentError as error:
            if error.reason is not ApiServerReason.NOT_FOUND or len(keys) == 1:
                raise
            # Deleted while it was followed: the others go on.
            click.echo(error.message, err=True)
            code = ExitCode.FAILED
        codes.add(code)
        if code is ExitCode.INTERRUPTED:
            return code
        if code is ExitCode.TIMED_OUT and options.cancel_on_timeout:
            _stop(cluster, key)
    _print_for_programs(options.output, keys, lambda: [cluster.get(*key) for key in keys])
    return next((code for code in WORST_FIRST if code in codes), ExitCode.SUCCEEDED)


def _stop(cluster: Cluster, key: ResourceKey) -> None:
    """Suspend what is not over; tried for a while, as it would go on for hours else."""
    for _ in range(STOP_TRIES):
        try:
            stored = cluster.get(*key)
            # What is over, and is only exported, goes on.
            if stored is None or is_over(stored):
                return
            cluster.merge(*key, {"spec": {"suspend": True}})
        except FINAL:
            raise
        except TemporaryError as error:
            click.echo(error.message, err=True)
            time.sleep(STOP_PAUSE_SECONDS)
        else:
            again = f"{program_name()} resume {key.argument}"
            click.echo(f"{key.name} is stopped; resume it: {again}", err=True)
            return
    stop = f"{program_name()} stop {key.argument}"
    click.echo(f"{key.name} could not be stopped and goes on; stop it: {stop}", err=True)


def _print_for_programs(
    output: str, keys: list[ResourceKey], bodies: Callable[[], Sequence[Manifest | None]]
) -> None:
    """Print what later commands are called with, or the resources, several as a List."""
    if output == "json":
        items = [each for each in bodies() if each is not None]
        many = {"apiVersion": "v1", "kind": "List", "items": items}
        click.echo(json.dumps(items[0] if len(keys) == len(items) == 1 else many, indent=2))
    if output == "name":
        for key in keys:
            click.echo(key.typed_name)
