"""JSON, JSONL, CSV and Solr's XML as records, in constant memory.

A reader yields one loader for each record; calling it parses the record, so a pod pays only for the
records that are its own wherever the format lets it. XML (`<add><doc><field name="…">`, see "Adding
Documents" of Solr's XML update commands) is read with expat in chunks; a document type declaration
is refused, and with it all entities that could read other files or grow without bound.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, BinaryIO, TextIO
from xml.parsers import expat

import ijson
import msgspec
import orjson
from ijson.common import JSONError

from solrbench.api.v1alpha1.dataset import Format
from solrbench.index.errors import IndexingError

Document = dict[str, Any]
Record = tuple[Document, bytes | None]
"""A document, and its JSON if the file has it and it can be sent as it stands; None else."""
Loader = Callable[[], Record]
Reader = Callable[[BinaryIO, str], Iterator[Loader]]

_CHUNK_BYTES = 1 << 16
_PARENTS = {"add": (None, "update"), "doc": ("add", None), "field": ("doc",), "update": (None,)}


def read_xml(stream: BinaryIO, location: str) -> Iterator[Loader]:
    """Read the documents of all `<add>` elements.

    It raises `IndexingError` if the text is not well-formed, or has another command, nested
    documents or atomic updates.
    """
    parser, held = _AddParser(location), b""
    while chunk := stream.read(_CHUNK_BYTES):
        whole = held + chunk
        text = whole.rstrip(_SKIPPED)
        held = whole[len(text) :]
        if not text and len(held) > _CHUNK_BYTES:  # a file that was filled up, with zeros perhaps
            text, held = held if parser.is_inside else b"", b""
        if text:
            yield from parser.feed(text)
    # Behind the last element, no character may stand that was marked.
    if rest := held.replace(_MARK_BYTES, b""):
        yield from parser.feed(rest)
    yield from parser.feed(b"")  # nothing more may come: is the text complete?


class _AddParser:
    """Collects documents from expat's events."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._open: list[str | None] = [None]
        self._document: Document = {}
        self._field = ""
        self._text: list[str] = []
        self._ready: list[Document] = []
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True  # else each line of a text is an event of its own
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._characters
        self._expat.StartDoctypeDeclHandler = self._refuse_doctype

    @property
    def is_inside(self) -> bool:
        """Whether an element is open."""
        return len(self._open) > 1

    def feed(self, chunk: bytes) -> Iterator[Loader]:
        """Parse a chunk, the last of which is empty, and return the documents that ended in it."""
        try:
            self._expat.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            is_token = error.code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
            remedy = f"correct the file, {_CLEANING}" if is_token else "correct the file"
            raise self._malformed(expat.ErrorString(error.code), remedy) from error
        except (ValueError, LookupError) as error:  # of the encoding that the file declares
            raise self._malformed(str(error), "save the file as UTF-8") from error
        ready, self._ready = self._ready, []
        return (partial(_alone, document) for document in ready)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._open[-1] not in _PARENTS.get(name, ()):
            inside = f"inside <{self._open[-1]}>" if self._open[-1] else "at the top"
            raise self._malformed(f"<{name}> {inside} is no document of Solr's XML")
        if name == "doc":
            self._document = {}
        if name == "field":
            if "update" in attributes:
                raise self._malformed("atomic updates are no documents")
            if not attributes.get("name"):
                raise self._malformed("<field> has no name")
            # Solr takes a field with null="true" for absent, whatever its text is.
            self._field = "" if attributes.get("null") == "true" else attributes["name"]
            self._text = []
        self._open.append(name)

    def _characters(self, text: str) -> None:
        if self._open[-1] == "field":
            self._text.append(text)
        elif text.replace(CONTROL_MARK, "").strip():
            raise self._malformed(f"text outside a field: {text.strip()[:40]!r}")

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == "doc":
            self._ready.append(self._document)
        elif name == "field" and self._field:
            value, before = "".join(self._text), self._document.get(self._field)
            if isinstance(before, list):
                before.append(value)
            else:  # a field given more than once has many values
                self._document[self._field] = value if before is None else [before, value]

    def _refuse_doctype(self, *_declaration: object) -> None:
        raise self._malformed("a document type declaration is not allowed", "remove <!DOCTYPE")

    def _malformed(self, problem: str, remedy: str = "correct the file") -> IndexingError:
        where = (
            f"{self._location}: line {self._expat.CurrentLineNumber},"
            f" column {self._expat.CurrentColumnNumber + 1}"
        )
        return IndexingError.malformed(where, problem, remedy)


LONGEST_LINE_BYTES = 64 << 20
"""A longer line means that the file is neither JSONL nor CSV; to read on would fill the memory."""

_LONGEST_CELL = 16 << 20
_BOM = b"\xef\xbb\xbf"
CONTROL_MARK = "\ufdd1"
"""Stands for a control character of a file that is cleaned (`index.cleaning`); it may stand
between documents, too, where readers skip it."""
# Tab, line feed and carriage return are text.
CONTROL_BYTES = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARK_BYTES = CONTROL_MARK.encode()
_SKIPPED = b" \t\r\n\v\f" + _MARK_BYTES
_CLEANING = "or set spec.dataset.cleaning"


def _too_long(location: str, line: int, form: str) -> IndexingError:
    problem = f"line is longer than {LONGEST_LINE_BYTES >> 20} MiB"
    return IndexingError.malformed(f"{location}: line {line}", problem, f"is it {form} at all?")


def read_jsonl(stream: BinaryIO, location: str) -> Iterator[Loader]:
    """Read one JSON object a line; blank lines are no records."""
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE_BYTES), b""), 1):
        if len(line) == LONGEST_LINE_BYTES:
            raise _too_long(location, number, "JSONL")
        # Marks of what is cleaned stand around a value, too, such as of zeros that fill a file. Of
        # files that were joined, each begins with a byte order mark.
        if text := line.removeprefix(_BOM).rstrip(_SKIPPED).lstrip(_MARK_BYTES):
            yield partial(_parse_line, text, location, number)


def read_json(stream: BinaryIO, location: str) -> Iterator[Loader]:
    """Read an array of objects, or objects one after another."""
    first = _first_byte(stream)
    if first not in (b"[", b"{", b""):
        raise IndexingError.malformed(location, f"begins with {first!r}, not with [ or {{")
    path, many = ("item", False) if first == b"[" else ("", True)
    lines = _LineFinder(stream)
    checked = _DepthCheck(lines, location, 0 if many else 1)
    records = ijson.items(checked, path, use_float=True, multiple_values=many) if first else ()
    number = 0
    try:
        for number, record in enumerate(records, 1):
            yield partial(_checked, record, f"{location}: record {number}")
    except JSONError as error:
        if lines.unreadable:
            place = f"{location}: line {lines.unreadable} (record {number + 1})"
            problem = "control characters, or bytes that are not UTF-8"
            remedy = f"correct the file, {_CLEANING}"
            raise IndexingError.malformed(place, problem, remedy) from error
        short = str(error).strip().partition("\n")[0]  # the other lines quote the file
        raise IndexingError.malformed(f"{location}: record {number + 1}", short) from error


# Not DEL (0x7f), which is a character like others to JSON.
_NOT_IN_JSON = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class _LineFinder:
    """Passes bytes on, and remembers the first line with any that JSON cannot have."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._line = 1
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.unreadable = 0
        """Number of the line; 0 without one."""

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        if not self.unreadable:
            found = _NOT_IN_JSON.search(chunk)
            place = chunk.count(b"\n", 0, found.start()) if found else None
            try:
                self._decoder.decode(chunk)
            except UnicodeDecodeError as error:
                invalid = bytes(error.object).count(b"\n", 0, error.start)
                place = invalid if place is None else min(place, invalid)
            self.unreadable = 0 if place is None else self._line + place
            self._line += chunk.count(b"\n")
        return chunk


MAX_LEVELS = 1000
"""Lists and objects in each other in a file of JSON. The parser keeps a path for each level, which
has the names of all above it: gigabytes at 100,000 levels. Nothing deeper could be made flat."""

_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_NO_STRUCTURE = bytes(set(range(256)) - set(b'"[]{}'))


class _DepthCheck:
    """Passes bytes on, up to a record that has too many levels; `outer` are those around records.

    It raises `IndexingError` before the parser gets them.
    """

    def __init__(self, lines: _LineFinder, location: str, outer: int) -> None:
        self._lines = lines
        self._location = location
        self._outer = outer
        self._depth = 0
        self._records = 0
        self._is_text = False
        self._escape = b""

    def read(self, size: int = -1) -> bytes:
        chunk = self._lines.read(size)
        text = _ESCAPED.sub(b"", self._escape + chunk)
        self._escape = b"\\" if text.endswith(b"\\") else b""
        parts = text.translate(None, _NO_STRUCTURE).split(b'"')
        # Every second part is within quotes.
        for mark in b"".join(parts[self._is_text :: 2]):
            if mark in b"[{":
                self._depth += 1
                if self._depth > MAX_LEVELS:
                    where = f"{self._location}: record {self._records + 1}"
                    problem = f"is nested deeper than {MAX_LEVELS} levels"
                    raise IndexingError.malformed(where, problem, "give it fewer levels")
            else:
                self._depth -= 1
                self._records += self._depth == self._outer
        self._is_text ^= len(parts) % 2 == 0
        return chunk


def _lines(text: TextIO, location: str) -> Iterator[str]:
    for number, line in enumerate(iter(partial(text.readline, LONGEST_LINE_BYTES), ""), 1):
        if len(line) == LONGEST_LINE_BYTES:
            raise _too_long(location, number, "CSV")
        yield line


def read_csv(stream: BinaryIO, location: str) -> Iterator[Loader]:
    """Read rows below a header line (RFC 4180); empty cells are absent fields."""
    csv.field_size_limit(_LONGEST_CELL)  # 128 KiB by default, less than a long text
    # Bytes that are no UTF-8 pass as surrogates here, so that the row they are in can be named.
    text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
    rows = csv.reader(_lines(text, location), strict=True)
    try:
        header = next(rows, [])
        if not all(header) or len(set(header)) < len(header):
            problem = "the header must name every column, and once"
            raise IndexingError.malformed(f"{location}: line 1", problem)
        _check_utf8(header, f"{location}: line 1")
        for row in rows:
            # A Ctrl-Z at the end, or zeros that fill the file.
            if row and (len(row) > 1 or set(row[0]) != {CONTROL_MARK}):
                yield partial(_parse_row, header, row, f"{location}: line {rows.line_num}")
    except csv.Error as error:
        raise IndexingError.malformed(f"{location}: line {rows.line_num}", error) from error
    finally:
        if not stream.closed:
            text.detach()  # the stream is closed where it was opened


_Plain = str | Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)] | float | bool
_FLAT = msgspec.json.Decoder(
    dict[str, _Plain | Annotated[list[_Plain], msgspec.Meta(min_length=1)]]
)
"""Parses an object without nulls and anything nested, in less time than a look at its values takes;
what it takes orjson takes, too."""


def _parse_line(line: bytes, location: str, number: int) -> Record:
    try:
        return _FLAT.decode(line), line
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _parse_any_line(line, location, number)


def _parse_any_line(line: bytes, location: str, number: int) -> Record:
    # First: orjson makes an approximate number of a whole one beyond 64 bits.
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _checked(msgspec.json.decode(line), f"{location}: line {number}")
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        where = f"{location}: line {number}"
        try:
            line.decode()
        except UnicodeDecodeError as bad:
            raise _not_utf8(f"{where}, byte {bad.start + 1}") from error
        remedy = f"correct the file, {_CLEANING}" if "control character" in error.msg else None
        place = f"{where}, column {error.pos + 1}"
        raise IndexingError.malformed(place, error.msg, remedy or "correct the file") from error
    return _checked(record, f"{location}: line {number}")


def _alone(document: Document) -> Record:
    """Return a document whose file is no JSON, or has it in several lines."""
    return document, None


def _checked(record: object, where: str) -> Record:
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise IndexingError.malformed(where, f"a document must be a JSON object, not a {kind}")
    return record, None


def _parse_row(header: list[str], row: list[str], where: str) -> Record:
    if len(row) != len(header):
        problem = f"{len(row)} cells, the header has {len(header)}"
        raise IndexingError.malformed(where, problem)
    _check_utf8(row, where)
    return {name: cell for name, cell in zip(header, row, strict=True) if cell}, None


def _check_utf8(row: list[str], where: str) -> None:
    try:
        "".join(row).encode()
    except UnicodeEncodeError as error:
        raise _not_utf8(where) from error


def _not_utf8(where: str) -> IndexingError:
    remedy = f"save the file as UTF-8, {_CLEANING}.invalidBytes"
    return IndexingError.malformed(where, "not UTF-8", remedy)


def _first_byte(stream: BinaryIO) -> bytes:
    """Return the first byte of the JSON text; what stands before it is consumed."""
    buffered: Any = stream  # both BufferedReader, from files.unpacked
    while head := buffered.peek(1):
        text = head.removeprefix(_BOM).lstrip()
        buffered.read(len(head) - len(text))
        if text:
            return bytes(text[:1])
    return b""


READERS: dict[Format, Reader] = {
    Format.JSON: read_json,
    Format.JSONL: read_jsonl,
    Format.CSV: read_csv,
    Format.XML: read_xml,
}
"""By every format but `Auto`."""
