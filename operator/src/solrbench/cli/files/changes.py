"""Values that `--set` changes, as `spec.load.steps[0].users=5`."""

import re
from typing import Any

import click
import yaml

from solrbench.api.v1alpha1 import KIND
from solrbench.cli.files.reading import Document, Place, check_name

SET = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="PATH=VALUE",
    help=(
        "Change a field of every benchmark in the files, such as"
        " spec.target.solrCloud.heap=4Gi or spec.load.steps[0].users=20; where there is none, of"
        " every sweep. Values are YAML."
    ),
)

_PART = re.compile(r"([^.\[\]]+)((?:\[\d+\])*)")
_ROOTS = ("apiVersion", "kind", "metadata", "spec")


def apply_changes(documents: list[Document], changes: tuple[str, ...]) -> None:
    """Change fields of the benchmarks, or of the sweeps if there is none.

    Paths may begin below `spec`.

    Raises:
        click.BadParameter: if one has no path, or leads through something that is no object.
        click.ClickException: if no name is left.

    """
    wanted = [each for each in documents if each.is_benchmark]
    wanted = wanted or [each for each in documents if each.is_sweep]
    for change in changes:
        text, equals, value = change.partition("=")
        if not equals:
            raise click.BadParameter(f"{change!r} has no =", param_hint="--set")
        try:
            parsed = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise click.BadParameter(f"{value!r} is not YAML", param_hint="--set") from error
        if not wanted:
            raise click.BadParameter(f"no {KIND} in the files given", param_hint="--set")
        for document in wanted:
            _set(document.body, _place(text), parsed, text)
            check_name(document)


def _place(text: str) -> Place:
    parts: list[str | int] = []
    for each in text.strip().split("."):
        match = _PART.fullmatch(each)
        if match is None:
            raise click.BadParameter(f"{text!r} is not a path of a field", param_hint="--set")
        parts += [match[1], *(int(index) for index in re.findall(r"\d+", match[2]))]
    return tuple(parts) if parts[0] in _ROOTS else ("spec", *parts)


def _set(body: Any, place: Place, value: Any, text: str) -> None:
    *parents, last = place
    for part, after in zip(parents, place[1:], strict=True):
        if isinstance(body, dict) and part not in body and isinstance(after, str):
            body[part] = {}
        body = _step(body, part, text)
    if isinstance(body, list) and last == len(body):
        body.append(value)
        return
    if isinstance(body, dict) == isinstance(last, int):
        raise _wrong(text)
    if isinstance(body, list):
        _step(body, last, text)
    body[last] = value


def _step(body: Any, part: str | int, text: str) -> Any:
    try:
        return body[part]
    except (KeyError, IndexError, TypeError) as error:
        raise _wrong(text) from error


def _wrong(text: str) -> click.BadParameter:
    return click.BadParameter(f"{text} does not lead to a field of the file", param_hint="--set")
