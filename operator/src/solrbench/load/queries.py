"""The list of queries in a file.

A line is one of

- plain text: the value of the parameter `q`;
- `q=Business+AND+Technology&fq=x`: URL-encoded parameters, known by the `name=` in front;
- `{"q": "…", "fq": ["a", "b"]}`: a JSON object of parameters, a list repeats its parameter;
- `{"name": "…", "params": {…}}`: the same with a name that the results carry.

Blank lines and lines that begin with `#` are left out.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from solrbench.api.v1alpha1.workload import Queries
from solrbench.load.failures import LoadFailure

Parameters = tuple[tuple[str, str], ...]
"""Names and values in order; a name may be repeated."""

MOST_NAMES = 50
"""Distinct request names in one file: each has results and metrics of its own."""

_LONGEST_NAME = 40
_ENCODED = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*=")


@dataclass(frozen=True)
class Query:
    """One request before it is bytes.

    Attributes:
        name: what the results call it; None for the workload's own name
        parameters: of the query alone, without those of the workload

    """

    name: str | None
    parameters: Parameters


def query_file(queries: Queries, folder: Path) -> Path:
    """Return where the mounted query file lies.

    Raises:
        ValueError: if the queries are generated and have no file.

    """
    if queries.config_map is not None:
        return folder / queries.config_map.key
    if queries.persistent_volume_claim is not None:
        return folder / queries.persistent_volume_claim.path
    raise ValueError("generated queries have no file")


def read_queries(path: Path) -> list[Query]:
    """Return the queries of a file in order.

    Raises:
        LoadFailure: `NoQueries` if it is missing or has no query, `MalformedQueries` if a line
            cannot be read.

    """
    try:
        with path.open("rb") as lines:
            queries = list(parse_lines(lines, path.name))
    except OSError as error:
        raise LoadFailure("NoQueries", f"cannot read query file {path}: {error}") from error
    if not queries:
        raise LoadFailure("NoQueries", f"query file {path.name} has no query; add one per line")
    names = {query.name for query in queries}
    if len(names) > MOST_NAMES:
        raise LoadFailure(
            "MalformedQueries",
            f"query file {path.name} has {len(names)} names; use at most {MOST_NAMES}",
        )
    return queries


def parse_lines(lines: Iterable[bytes], file: str) -> Iterator[Query]:
    """Yield the query of each line that has one; `file` names it in errors.

    Raises:
        LoadFailure: `MalformedQueries` with file and line.

    """
    for number, raw in enumerate(lines, start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            if line and not line.startswith("#"):
                yield _parse(line)
        except ValueError as error:
            raise LoadFailure("MalformedQueries", f"{file} line {number}: {error}") from error


def _parse(line: str) -> Query:
    if line.startswith("{") and not line.startswith("{!"):
        return _parse_object(json.loads(line))
    if _ENCODED.match(line):
        return Query(None, tuple(parse_qsl(line, keep_blank_values=True)))
    return Query(None, (("q", line),))


def _parse_object(content: dict[str, Any]) -> Query:
    params = content.get("params")
    if content.keys() == {"name", "params"} and isinstance(params, dict):
        return Query(_checked_name(content["name"]), _flatten(params))
    return Query(None, _flatten(content))


def _checked_name(name: Any) -> str:
    if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME:
        return name
    raise ValueError(f'"name" must be a text of 1 to {_LONGEST_NAME} characters')


def _flatten(params: dict[str, Any]) -> Parameters:
    return tuple((name, text) for name, value in params.items() for text in _texts(name, value))


def _texts(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, str | int | float):
        return [str(value)]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    raise ValueError(f'"{name}" must be a text, a number, true, false or a list of texts')
