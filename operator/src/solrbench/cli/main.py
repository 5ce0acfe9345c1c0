"""The command group, and the commands of pods; a command is imported only when it is called.

The load pods must patch the standard library before anything else is imported, and neither the
index pods nor `--help` should pay for libraries that they never use.
"""

import importlib
import os
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import click

from solrbench.cli.program import ExitCode
from solrbench.errors import SolrbenchError


class Entry(NamedTuple):
    """A command: module and name of its function, and its line in the list if users call it."""

    place: str
    summary: str
    is_hidden: bool = False


COMMANDS = {
    "init": Entry("init:init", "Write a first benchmark file, of a Solr that runs too."),
    "validate": Entry("validation:validate", "Check files without a cluster."),
    "preflight": Entry("preflight:preflight", "Check whether a cluster is ready."),
    "plan": Entry("plan:plan", "Show what a benchmark or a sweep would make."),
    "run": Entry("run:run", "Apply benchmarks or sweeps, follow them, print results."),
    "watch": Entry("run:watch", "Follow a benchmark or a sweep to its end."),
    "list": Entry("list:list_benchmarks", "List benchmarks and sweeps."),
    "report": Entry("report:report", "Print the results of a benchmark or a sweep."),
    "compare": Entry("compare:compare", "Compare two benchmarks or sweeps, or reports of them."),
    "log": Entry("query_log:log", "Show the rates and the mix of a query log."),
    "logs": Entry("logs:logs", "Print the logs of a benchmark's pods."),
    "open": Entry("report:open_page", "Open Locust's page of a running benchmark, or the report."),
    "stop": Entry("lifecycle:stop", "Stop a benchmark or a sweep and keep its results."),
    "resume": Entry("lifecycle:resume", "Let a stopped benchmark or sweep go on."),
    "delete": Entry("lifecycle:delete", "Delete benchmarks or sweeps and all they made."),
    "export": Entry("export:export", "Pack everything about a run into one archive."),
    "version": Entry("cluster_facts:show_version", "Print the versions of all parts."),
    "completion": Entry("init:completion", "Print the script that completes words."),
    "operator": Entry("main:operator", "Run the operator.", is_hidden=True),
    "uninstall": Entry(
        "main:uninstall", "Release benchmarks before the chart goes.", is_hidden=True
    ),
    "index": Entry("main:index", "Send one pod's part of a dataset.", is_hidden=True),
    "export-results": Entry(
        "main:export_results", "Write results to a volume or bucket.", is_hidden=True
    ),
    "load": Entry("main:load", "Run the load master or a worker.", is_hidden=True),
}
"""In the order of the help text: commands of users first, those of pods last."""


class UserCommand(click.Command):
    """A command none of whose errors ends in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        from solrbench.cli.errors import as_one_line  # noqa: PLC0415  needed by no help text

        with as_one_line():
            return super().invoke(ctx)


def command(*examples: str, name: str | None = None) -> Callable[..., UserCommand]:
    """Return click's decorator of a command; its help text ends with calls of it, one a line."""
    lines = "\n".join(f"  {example}" for example in examples)
    return click.command(name, cls=UserCommand, epilog=f"\b\nExamples:\n{lines}")


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports them late."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is called; Ctrl-C has its exit code at any moment."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort) as error:
            # A question that is answered by Ctrl-C becomes an Abort, as one answered by "no".
            if not isinstance(error.__context__ or error, KeyboardInterrupt):
                raise
            click.echo(err=True)
            raise click.exceptions.Exit(ExitCode.INTERRUPTED) from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of that name; of an unknown one, say which is near."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            shown = [name for name, entry in COMMANDS.items() if not entry.is_hidden]
            near = get_close_matches(args[0], shown, 1)
            # A command that is there is wrong for another reason, which the error says.
            if args[0] in COMMANDS or not near:
                raise
            text = f"{error.message} Did you mean {near[0]!r}?"
            raise click.UsageError(text, ctx) from error

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].place.partition(":")
        try:
            found = importlib.import_module(f"solrbench.cli.{module}")
        except ModuleNotFoundError as error:
            raise click.ClickException(
                f"{cmd_name} needs {error.name}, which is not installed; install"
                f" solrbench[{'operator' if COMMANDS[cmd_name].is_hidden else 'report'}]"
            ) from error
        command: click.Command = getattr(found, attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing them."""
        rows = [(name, entry.summary) for name, entry in COMMANDS.items() if not entry.is_hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: docs/command-line.md. SOLRBENCH_DEBUG=1 shows tracebacks.",
)
@click.version_option(package_name="solrbench", message="solrbench %(version)s")
def main() -> None:
    """Benchmark SolrCloud topologies on Kubernetes.

    Start with: solrbench init, or solrbench run -f examples/quickstart.yaml
    """


PLAN = click.option(
    "--plan",
    "plan_file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the plan that the operator wrote, as JSON.",
)


@click.command()
def operator() -> None:
    """Run the operator; its settings are the variables SOLRBENCH_*."""
    from solrbench.controller.main import run_operator  # noqa: PLC0415  kopf takes a second

    try:
        run_operator(os.environ)
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@click.command()
@click.option("--seconds", type=click.IntRange(min=1), default=30, help="How long to wait.")
def uninstall(seconds: int) -> None:
    """Suspend benchmarks on existing targets, so that none waits for an operator that is gone."""
    from solrbench.controller.uninstall import run_uninstall  # noqa: PLC0415

    try:
        run_uninstall(os.environ, click.echo, seconds)
    except (SolrbenchError, ValueError) as error:
        raise click.ClickException(str(error)) from error


@click.command()
@PLAN
@click.option(
    "--completion-index",
    required=True,
    envvar="JOB_COMPLETION_INDEX",
    type=click.IntRange(min=0),
    help="Which part of the dataset this pod sends, from 0.",
)
def index(plan_file: Path, completion_index: int) -> None:
    """Send one pod's part of a dataset to Solr."""
    from solrbench.index.command import run_index  # noqa: PLC0415

    sys.exit(run_index(plan_file, completion_index))


@click.command("export-results")
@PLAN
def export_results(plan_file: Path) -> None:
    """Write the results of a benchmark to a volume or a bucket."""
    from solrbench.export.command import run_export  # noqa: PLC0415

    sys.exit(run_export(plan_file))


@click.command()
@click.argument("role", type=click.Choice(["master", "worker"]))
@PLAN
def load(role: str, plan_file: Path) -> None:
    """Run the load master or one of its workers."""
    # A fresh interpreter: gevent patches the standard library before it is imported.
    arguments = [sys.executable, "-m", "solrbench.load", role, "--plan", str(plan_file)]
    os.execv(sys.executable, arguments)  # noqa: S606
