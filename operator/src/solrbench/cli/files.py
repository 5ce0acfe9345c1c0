"""Objects of files, folders and standard input with their positions, and values of `--set`."""

import copy
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import click
import yaml

from solrbench.api.identity import KIND, SWEEP_KIND
from solrbench.api.rules import Place, format_place

SUFFIXES = (".yaml", ".yml", ".json")
"""Of the files that are read in a folder."""
REPORT_FILES = ("report.json", "report.json.gz")
"""Reports in the folder of an export: the first one that is there is read."""
REPORT_SUFFIXES = (".json", ".json.gz")
"""Of files of reports: no resource has such a name, since none may contain a dot."""


def find_report_file(folder: Path) -> Path | None:
    """Return the report in a folder, if there is one."""
    return next(filter(Path.is_file, (folder / each for each in REPORT_FILES)), None)


def _files_given(*, required: bool) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return a decorator that gives a command `files`: those behind -f, then those without it."""
    path = click.Path(exists=True, allow_dash=True, path_type=Path)
    option = click.option(
        "-f",
        "--filename",
        "files",
        multiple=True,
        metavar="FILE",
        type=path,
        help="File with benchmarks and what they refer to, as YAML or JSON; a folder of such files;"
        " - reads standard input. May be given several times; -f may be omitted.",
    )
    argument = click.argument("more", metavar="[FILE]...", nargs=-1, type=path)

    def decorate(function: Callable[..., object]) -> Callable[..., object]:
        @wraps(function)
        def call(
            *arguments: object, files: tuple[Path, ...], more: tuple[Path, ...], **options: object
        ) -> object:
            if required and not (files or more):
                raise click.UsageError("No file is given. Name one, or a folder, or - for stdin.")
            return function(*arguments, files=(*files, *more), **options)

        return argument(option(call))

    return decorate


FILES, FILES_OPTIONAL = _files_given(required=True), _files_given(required=False)


class _Loader(yaml.SafeLoader):
    """YAML as kubectl reads it, and writes it as JSON.

    A day is a text, such as the tag of a nightly image; 1e6 and 5.0 are whole numbers.
    """

    def construct_number(self, node: yaml.ScalarNode) -> float | str:
        """Return a number with a fraction or an exponent; one that is too large is a text."""
        value = _number(self.construct_yaml_float(node))
        return str(node.value) if math.isinf(value) and node.value[-1].isdecimal() else value


def _number(value: float) -> float:
    return int(value) if value.is_integer() else value


_FLOAT = "tag:yaml.org,2002:float"
_WITH_EXPONENT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$")
_Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda _, node: node.value)
_Loader.add_constructor(_FLOAT, _Loader.construct_number)
_Loader.add_implicit_resolver(_FLOAT, _WITH_EXPONENT, list("-+.0123456789"))


@dataclass
class Document:
    """One object of a file, with the line of each field, from 1.

    `source` is the name of the file, `faults` is what is wrong with the object as YAML, with lines.
    """

    source: str
    body: dict[str, Any]
    lines: dict[Place, int] = field(default_factory=dict, repr=False)
    faults: list[tuple[int, str]] = field(default_factory=list)

    @property
    def is_benchmark(self) -> bool:
        """Whether it is a benchmark; all else is what one refers to."""
        return bool(self.body["kind"] == KIND)

    @property
    def is_sweep(self) -> bool:
        """Whether it is a sweep of benchmarks."""
        return bool(self.body["kind"] == SWEEP_KIND)

    def line_of(self, place: Place) -> int:
        """Return the line of a field, or of the nearest one above that is there."""
        # A field that is missing has no line of its own.
        while place not in self.lines and place:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_documents(files: tuple[Path, ...], changes: tuple[str, ...] = ()) -> list[Document]:
    """Return every object of every file, in order, with the changes of `--set`.

    It raises `click.ClickException`, which names all places that are not YAML, or no object.
    """
    documents: list[Document] = []
    problems: list[str] = []
    for file in _expanded(files):
        try:
            documents += _read(file)
        except click.ClickException as error:
            problems.append(error.message)
    if problems:
        raise click.ClickException("\n".join(problems))
    apply_changes(documents, changes)
    return documents


def _expanded(files: tuple[Path, ...]) -> Iterator[Path]:
    for file in files:
        if not file.is_dir():
            yield file
            continue
        inside = sorted(path for path in file.iterdir() if path.suffix in SUFFIXES)
        if not inside:
            raise click.ClickException(f"{file}: no file in it ends in {', '.join(SUFFIXES)}")
        yield from inside


def _read(file: Path) -> list[Document]:
    source = "standard input" if str(file) == "-" else str(file)
    try:
        with click.open_file(str(file), "rb") as stream:
            return documents_of(source, stream.read())
    except OSError as error:
        text = " ".join(str(error).split())
        raise click.ClickException(f"{source}: not readable as YAML: {text}") from error


def documents_of(source: str, text: str | bytes) -> list[Document]:
    """Return the objects of a text; bytes may be UTF-16, as PowerShell redirects output.

    It raises `click.ClickException` if the text is not YAML, or one is no object.
    """
    try:
        return list(_objects_of(source, text))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise click.ClickException(
            f"{source}:{line}: not readable as YAML: {error.problem}"
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # PyYAML raises the others for bytes of another encoding, and for an anchor within itself.
        problem = " ".join(str(error).split())
        raise click.ClickException(f"{source}: not readable as YAML: {problem}") from error


def _objects_of(source: str, text: str | bytes) -> Iterator[Document]:
    whole = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
    try:
        # JSON has tabs, and characters in two escapes, which YAML would take for two.
        as_json = json.loads(whole, parse_float=lambda text: _number(float(text)))
    except ValueError:
        as_json = None
    loader = _Loader(whole if as_json is None else whole.expandtabs(1))
    try:
        while loader.check_node():
            node = loader.get_node()
            body = loader.construct_document(node) if as_json is None else as_json
            # An empty document, such as after the last `---`.
            if node is None or body is None:
                continue
            line = node.start_mark.line + 1
            parts = [(body, node)]
            items = body.get("items") if isinstance(body, dict) else None
            if isinstance(items, list) and items and body.get("kind") == "List":
                # As `kubectl get -o yaml` writes several objects.
                nodes = next(value for key, value in node.value if key.value == "items")
                parts = list(zip(items, nodes.value, strict=True))
            for each, part in parts:
                if not _has_kind(each):
                    raise click.ClickException(
                        f"{source}:{line}: every document needs apiVersion, kind and metadata.name"
                    )
                document = Document(source, each)
                _note_lines(part, (), document)
                _check_name(document)
                yield document
    finally:
        loader.dispose()


def _has_kind(body: Any) -> bool:
    texts = [body.get(key) for key in ("apiVersion", "kind")] if isinstance(body, dict) else [None]
    return all(isinstance(text, str) for text in texts)


def _check_name(document: Document) -> None:
    metadata = document.body.get("metadata")
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        raise click.ClickException(
            f"{document.source}:{document.line_of(('metadata',))}: every document needs"
            " apiVersion, kind and metadata.name, or metadata.generateName"
        )


def _note_lines(node: yaml.Node, place: Place, document: Document) -> None:
    # PyYAML's loaders construct objects without their positions, which only nodes have.
    document.lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                # YAML keeps the last of them without a word.
                text = f"{format_place((*place, name))}: is there twice; remove one"
                document.faults.append((key.start_mark.line + 1, text))
            # What `<<` takes from an anchor, which stands before, gives way to the object's own.
            if key.start_mark.index >= node.start_mark.index:
                seen.add(name)
            document.lines[(*place, name)] = key.start_mark.line + 1
            _note_lines(value, (*place, name), document)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _note_lines(value, (*place, index), document)


SET = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="PATH=VALUE",
    help="Change a field of every benchmark in the files, such as"
    " spec.target.solrCloud.heap=4Gi or spec.load.steps[0].users=20; where there is none, of"
    " every sweep. Values are YAML.",
)

_PART = re.compile(r"([^.\[\]]+)((?:\[\d+\])*)")
_ROOTS = ("apiVersion", "kind", "metadata", "spec")


def apply_changes(documents: list[Document], changes: tuple[str, ...]) -> None:
    """Change fields of the benchmarks, or of the sweeps if there is none.

    Paths may begin below `spec`. It raises `click.BadParameter` if one has no path, or leads
    through something that is no object, and `click.ClickException` if no name is left.
    """
    wanted = [each for each in documents if each.is_benchmark]
    wanted = wanted or [each for each in documents if each.is_sweep]
    for change in changes:
        text, equals, value = change.partition("=")
        if not equals:
            raise click.BadParameter(f"{change!r} has no =", param_hint="--set")
        try:
            parsed = _Loader(value).get_single_data()
        except (yaml.YAMLError, ValueError) as error:
            raise click.BadParameter(f"{value!r} is not YAML", param_hint="--set") from error
        if not wanted:
            raise click.BadParameter(f"no {KIND} in the files given", param_hint="--set")
        for document in wanted:
            try:
                _set(document.body, _place(text), parsed)
            except (KeyError, IndexError, TypeError) as error:
                raise click.BadParameter(
                    f"{text} does not lead to a field of the file", param_hint="--set"
                ) from error
            _check_name(document)


def _place(text: str) -> Place:
    parts: list[str | int] = []
    for each in text.strip().split("."):
        match = _PART.fullmatch(each)
        if match is None:
            raise click.BadParameter(f"{text!r} is not a path of a field", param_hint="--set")
        parts += [match[1], *(int(index) for index in re.findall(r"\d+", match[2]))]
    return tuple(parts) if parts[0] in _ROOTS else ("spec", *parts)


def _set(body: Any, place: Place, value: Any) -> None:
    *parents, last = place
    for part, after in zip(parents, place[1:], strict=True):
        # Objects on the way are made, entries of lists are not: which one is meant is unknown.
        if isinstance(body, dict) and part not in body and isinstance(after, str):
            body[part] = {}
        # An anchor and its aliases are one object, of which only this place is meant.
        body[part] = copy.copy(body[part])
        body = body[part]
    if isinstance(body, list) and last == len(body):
        body.append(value)
        return
    if isinstance(body, dict) == isinstance(last, int):
        raise TypeError(last)
    # An entry that is not there is no place for a value: lists have no holes.
    body[last] = value
