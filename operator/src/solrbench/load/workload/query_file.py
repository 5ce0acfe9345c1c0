"""The list of queries in a file.

A line is one of

- plain text: the value of the parameter `q`;
- `q=Business+AND+Technology&fq=x`: URL-encoded parameters, known by the `name=` in front;
- `{"q": "…", "fq": ["a", "b"]}`: a JSON object of parameters, a list repeats its parameter;
- `{"params": {…}, "json": {…}, "name": "…", "method": "POST", "expect": {…}}`, with `params` or
  `json`: the same with a body for the JSON request API, a name that the results carry, a method
  and an expectation of its own; with a `time` in seconds, or as in RFC 3339, each line can be
  sent when it was recorded.

Blank lines and lines that begin with `#` are left out. The file stays on disk: of each line, only
where it begins is kept in memory.
"""

import json
import os
import re
import weakref
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload
from urllib.parse import unquote_plus

import orjson
from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.api.v1alpha1.request_mix import Expectation, Queries, Updates
from solrbench.api.v1alpha1.workload import MAX_REQUEST_NAMES
from solrbench.contract.workload_files import Parameters, flatten_parameters, parse_time
from solrbench.load.errors import LoadError
from solrbench.reasons.load import LoadReason

_FOUR_BYTES = 1 << 32


class LineFile:
    """The lines of a file that were noted, by their numbers from 0.

    Lines are read one by one with pread(2), from the page cache of the node. Mapped, the file would
    count as the worker's memory as far as it is read.
    """

    def __init__(self, path: Path) -> None:
        """Begin without lines; 4 bytes are kept of each, 8 if the file has 4 GiB or more.

        It raises `OSError` if the file cannot be read.
        """
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._descriptor)
        self._size = os.fstat(self._descriptor).st_size
        self._offsets = array("I" if self._size < _FOUR_BYTES else "Q")

    def __len__(self) -> int:
        return len(self._offsets)

    def note(self, offset: int) -> None:
        """Note the next line, which begins at a byte of the file."""
        self._offsets.append(offset)

    def clear(self) -> None:
        """Forget all lines."""
        del self._offsets[:]

    def __getitem__(self, number: int) -> bytes:
        """Return a line without its end; `IndexError` without one, `OSError` if unreadable."""
        offsets = self._offsets
        start = offsets[number]
        stop = offsets[number + 1] if number + 1 < len(offsets) else self._size
        # Lines that were not noted, such as comments, may stand before the next one.
        return os.pread(self._descriptor, stop - start, start).partition(b"\n")[0]


_LONGEST_NAME = 40
_KEYS = {"name", "params", "json", "method", "expect", "time"}
_ENCODED = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*=")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

Item_co = TypeVar("Item_co", covariant=True)


class LazySequence(Sequence[Item_co]):
    """A sequence that holds what its items are made of."""

    @abstractmethod
    def item(self, index: int) -> Item_co:
        """Return the item of an index from 0 on."""

    @overload
    def __getitem__(self, index: int, /) -> Item_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Item_co]: ...
    def __getitem__(self, index: int | slice, /) -> Item_co | Sequence[Item_co]:
        if isinstance(index, slice):
            return [self.item(each) for each in range(*index.indices(len(self)))]
        return self.item(index)


class WorkloadQuery(NamedTuple):
    """One request before it is bytes; what is None is that of the workload."""

    name: str | None
    """What the results call it."""
    parameters: Parameters
    """Those of the query alone, without those of the workload."""
    json: bytes | None = None
    """Body for the JSON request API; None for none."""
    method: str | None = None
    """GET or POST."""
    expect: Expectation | None = None
    time_seconds: float | None = None
    """When it was recorded; None without."""


def query_file_path(queries: Queries | Updates, folder: Path) -> Path:
    """Return where the mounted query file lies; `ValueError` if the queries are generated."""
    if queries.config_map is not None:
        return folder / queries.config_map.key
    if queries.persistent_volume_claim is not None:
        return folder / queries.persistent_volume_claim.path
    raise ValueError("generated queries have no file")


class FileQueries(LazySequence[WorkloadQuery]):
    """The queries of a file in order.

    Going through all of them reads the file from its begin and checks it. Only then has it a length
    and items, each parsed when it is taken.
    """

    def __init__(self, path: Path) -> None:
        """Open a file; `LoadError` with `NoQueries` if it is missing."""
        self._path = path
        self._times = array("d")
        try:
            self._lines = LineFile(path)
        except OSError as error:
            raise _unreadable(path, error) from error

    def __len__(self) -> int:
        return len(self._lines)

    def item(self, index: int) -> WorkloadQuery:
        """Return the query of an index."""
        # A mark of the encoding stands before the first line.
        return _parse(self._lines[index].decode("utf-8-sig").strip())

    def __iter__(self) -> Iterator[WorkloadQuery]:
        """Yield the queries in order; only one is held at a time.

        It raises `LoadError` with `NoQueries` if the file has no query, `MalformedQueries` if a
        line cannot be read or there are too many names.
        """
        self._lines.clear()
        del self._times[:]
        names: set[str | None] = set()
        file = self._path.name
        try:
            with self._path.open("rb") as lines:
                offset = 0
                for number, raw in enumerate(lines, start=1):
                    query = _parse_line(raw, number, file)
                    if query is not None:
                        self._lines.note(offset)
                        if query.time_seconds is not None:
                            self._note_time(query.time_seconds, number)
                        names.add(query.name)
                        yield query
                    offset += len(raw)
        except OSError as error:
            raise _unreadable(self._path, error) from error
        if not names:
            text = f"query file {file} has no query; add one per line"
            raise LoadError(LoadReason.NO_QUERIES, text)
        # Only now: a generator that is not read to its end checks nothing.
        if len(names) > MAX_REQUEST_NAMES:
            text = f"query file {file} has {len(names)} names; use at most {MAX_REQUEST_NAMES}"
            raise LoadError(LoadReason.MALFORMED_QUERIES, text)

    @property
    def recorded_seconds(self) -> Sequence[float]:
        """The times of the queries since that of the first; empty unless all have one."""
        times = self._times
        return array("d", (time - times[0] for time in times)) if len(times) == len(self) else ()

    def _note_time(self, time: float, number: int) -> None:
        """Keep the time of a line; `LoadError` with `MalformedQueries` if the last was later."""
        if self._times and time < self._times[-1]:
            raise LoadError(
                LoadReason.MALFORMED_QUERIES,
                f'{self._path.name} line {number}: "time" is before that of an earlier line; sort'
                " the lines by time, as `solrbench log` does",
            )
        self._times.append(time)


def _unreadable(path: Path, error: OSError) -> LoadError:
    text = f"cannot read query file {path}: {error}; check its volume"
    return LoadError(LoadReason.NO_QUERIES, text)


def _parse_line(raw: bytes, number: int, file: str) -> WorkloadQuery | None:
    try:
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        return _parse(line) if line and not line.startswith("#") else None
    # The last two are of numbers that JSON cannot send again, and of values nested too deep.
    except (ValueError, TypeError, RecursionError) as error:
        raise LoadError(LoadReason.MALFORMED_QUERIES, f"{file} line {number}: {error}") from error


def _parse(line: str) -> WorkloadQuery:
    if line.startswith("{") and not line.startswith("{!"):
        if _SURROGATE.search(line):
            orjson.loads(line)  # refuses half of a pair, which no request can hold
        return _parse_object(json.loads(line))
    if _ENCODED.match(line):
        return WorkloadQuery(None, _decode(line))
    return WorkloadQuery(None, (("q", line),))


def _decode(line: str) -> Parameters:
    """Return URL-encoded parameters, as `parse_qsl` does, at a sixth of its price."""
    if "%" in line:
        pairs = (part.partition("=") for part in line.split("&") if part)
        return tuple((unquote_plus(name), unquote_plus(value)) for name, _, value in pairs)
    parts = line.replace("+", " ").split("&")
    return tuple([(name, value) for name, _, value in [p.partition("=") for p in parts if p]])


def _parse_object(content: dict[str, Any]) -> WorkloadQuery:
    params, body = content.get("params"), content.get("json")
    if content.keys() <= _KEYS and (isinstance(params, dict) or isinstance(body, dict | list)):
        name, method = content.get("name"), content.get("method")
        if "name" in content and not (isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME):
            raise ValueError(f'"name" must be a text of 1 to {_LONGEST_NAME} characters')
        if method not in {None, "GET", "POST"}:
            raise ValueError('"method" must be GET or POST')
        if method == "GET" and body is not None:
            raise ValueError('"method" must be POST, or omitted, with "json"')
        return WorkloadQuery(
            name=name,
            parameters=flatten_parameters(params or {}),
            json=None if body is None else orjson.dumps(body),
            # A body is always sent by POST, so the method says nothing more.
            method=method if body is None else None,
            expect=_checked_expectation(content.get("expect")),
            time_seconds=None if content.get("time") is None else parse_time(content["time"]),
        )
    return WorkloadQuery(None, flatten_parameters(content))


def _checked_expectation(content: Any) -> Expectation | None:
    if content is None:
        return None
    try:
        return Expectation.model_validate(content)
    except ValidationError as error:
        raise ValueError(f'"expect": {problems(error)[0]}') from error
