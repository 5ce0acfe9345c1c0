"""`solrbench init`: a first benchmark file; `solrbench completion`: words for a shell."""

import sys
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from solrbench.cli.files import documents_of
from solrbench.cli.main import command
from solrbench.cli.program import program_name
from solrbench.cli.validation import check

TARGETS = ("StatefulSet", "SolrOperator", "existing")

_TEMPLATE = """\
# Made by `solrbench init`. All fields: docs/api-reference.md; check it with `solrbench validate`.
apiVersion: solrbench.io/v1alpha1
kind: SolrBenchmark
metadata:
  name: {name}
spec:
  target:
{target}
  collection:
    shards: {shards}
  dataset:
    # Documents made from a seed; http, persistentVolumeClaim and configMap read yours.
    generator:
      documents: {documents}
      seed: 1
  workload:
    # Queries from the words of the documents; configMap reads yours.
    queries:
      generated:
        count: 1000
  load:
    steps:
      - name: users-{users}
        users: {users}
        durationSeconds: {seconds}
"""
_SOLR_CLOUD = """\
    solrCloud:
      provisioner: {provisioner}
      nodes: {nodes}
      heap: {heap}"""
_EXISTING = """\
    existing:
      urls:
        - {url}
      collectionPolicy: Create"""

_FILE = click.Path(dir_okay=False, path_type=Path)
_OF_SOURCE = {"collection", "user", "log"}
"""Options of `--from`, which finds the answers `_READ` itself."""
_READ = {"nodes", "heap", "shards", "documents"}
_NEEDLESS = {each: {"url"} for each in TARGETS} | {"existing": {"nodes", "heap"}}
"""Options that a target has no use for."""


@command(
    "solrbench init",
    "solrbench init --yes --name two-nodes --nodes 2 --shards 2 > two-nodes.yaml",
    "solrbench init -y --target existing --url http://solr.search.svc:8983/solr -w own.yaml",
    "solrbench init --from http://solr.search.svc:8983/solr --collection books -w books.yaml",
)
@click.option("--name", default="first", show_default=True, help="Of the benchmark.")
@click.option(
    "--target", type=click.Choice(TARGETS), default="StatefulSet", show_default=True,
    help="What runs Solr: the operator itself, the Solr Operator, or one that is there, as with"
    " --from.",
)  # fmt: skip
@click.option("--url", help="Of an existing Solr, such as http://solr.search.svc:8983/solr.")
@click.option("--nodes", type=click.IntRange(1, 100), default=1, show_default=True)
@click.option("--heap", default="512Mi", show_default=True, help="Of each Solr node.")
@click.option("--shards", type=click.IntRange(1, 100), default=1, show_default=True)
@click.option("--documents", type=click.IntRange(1), default=20_000, show_default=True)
@click.option("--users", type=click.IntRange(1), default=5, show_default=True)
@click.option(
    "--seconds", type=click.IntRange(1), default=60, show_default=True, help="Of the step."
)
@click.option("--from", "source", metavar="URL", help="Make it of a collection of this Solr.")
@click.option("--collection", metavar="NAME", help="Of --from; its only one by default.")
@click.option("--user", help="For --from; SOLRBENCH_SOLR_PASSWORD or a question has the password.")
@click.option("--log", type=_FILE, help="Query log to send, for --from; else words that it has.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing; take options and defaults.")
@click.option("-w", "--write", "file", type=_FILE, help="To write (default: standard output).")
@click.pass_context
def init(ctx: click.Context, /, yes: bool, file: Path | None, **answers: Any) -> None:
    """Write a first benchmark file from a few questions, or from a Solr that runs already.

    Without a terminal, with --yes or --from, nothing is asked. An existing file is not overwritten.
    """
    if given := _given(ctx, _READ if answers["source"] else _OF_SOURCE):
        what = "is read from Solr by" if answers["source"] else "needs"
        raise click.UsageError(f"{given[0]} {what} --from")
    if answers["source"] and not _given(ctx, {"target"}):
        answers["target"] = "existing"
    elif not answers["source"] and not yes and sys.stdin.isatty():
        answers = _ask(ctx, answers)
    _check_target(ctx, answers)
    if answers["source"]:
        from solrbench.cli.existing_collection import make_file  # noqa: PLC0415  it takes longer

        text = make_file(answers)
    else:
        text = render(**answers)
    # Answers such as a name or a URL may be none; nothing is written then.
    for document in documents_of("the new file", text):
        _, faults = check(document) if document.is_benchmark else (None, [])
        if faults:
            raise click.ClickException("\n".join(faults))
    if file is None:
        click.echo(text, nl=False)
        return
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise click.ClickException(f"{file} is there already; choose another name") from error
    click.echo(f"{file} written; next: {program_name()} run -f {file}", err=True)


def _given(ctx: click.Context, names: set[str]) -> list[str]:
    """Return those of some options that the command line has, as they are typed."""
    return [
        option.opts[0]
        for option in ctx.command.params
        if option.name in names
        and ctx.get_parameter_source(str(option.name)) is click.core.ParameterSource.COMMANDLINE
    ]


def _check_target(ctx: click.Context, answers: dict[str, Any]) -> None:
    """Refuse an option that the target has no use for; an existing one needs its URL."""
    if given := _given(ctx, _NEEDLESS[answers["target"]]):
        raise click.UsageError(f"{given[0]} does not go with --target {answers['target']}")
    if answers["target"] == "existing" and not (answers["url"] or answers["source"]):
        raise click.UsageError("--target existing needs --url")


def _ask(ctx: click.Context, answers: dict[str, Any]) -> dict[str, Any]:
    """Return the answers, those asked for that were not given as options."""
    completed = dict(answers)
    for option in ctx.command.params:
        name = str(option.name)
        # Each time: the answer to an earlier question decides whether a later one makes sense.
        needless = {"source", *_OF_SOURCE, *_NEEDLESS[completed["target"]]}
        if name in completed and name not in needless and not _given(ctx, {name}):
            # To the terminal, not to the file that standard output may be.
            completed[name] = click.prompt(
                name, default=completed[name], type=option.type, err=True, show_choices=True
            )
    return completed


def render(target: str, **answers: Any) -> str:
    """Return the text of a benchmark file from an answer to each question."""
    part = _EXISTING if target == "existing" else _SOLR_CLOUD
    return _TEMPLATE.format(target=part.format(provisioner=target, **answers), **answers)


PLUGIN_SCRIPT = """#!/usr/bin/env sh
# kubectl calls it for `kubectl solrbench <Tab>`: save it as kubectl_complete-solrbench, executable,
# in a folder of the PATH. The last line asks kubectl not to complete file names.
COMP_WORDS="solrbench $*" COMP_CWORD=$# _SOLRBENCH_COMPLETE=bash_complete solrbench |
	sed 's/^[a-z]*,//'
echo ':4'
"""


@command(
    'eval "$(solrbench completion bash)"',
    "solrbench completion fish > ~/.config/fish/completions/solrbench.fish",
    "solrbench completion kubectl > ~/bin/kubectl_complete-solrbench",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "kubectl"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands and options.

    With kubectl, it is a program that kubectl itself calls for `kubectl solrbench`.
    """
    if shell == "kubectl":
        click.echo(PLUGIN_SCRIPT, nl=False)
        return
    completion_class = get_completion_class(shell)
    assert completion_class is not None, shell  # noqa: S101  the choices are click's own
    root = ctx.find_root().command
    click.echo(completion_class(root, {}, "solrbench", "_SOLRBENCH_COMPLETE").source())
