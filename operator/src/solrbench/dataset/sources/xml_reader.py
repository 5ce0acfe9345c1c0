"""Solr's XML update format: `<add><doc><field name="…">…</field></doc></add>`.

See "Adding Documents" of Solr's XML update commands. Read with expat in chunks, so a file of any
size needs the memory of one document. A document type declaration is refused, and with it all
entities that could read other files or grow without bound.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO
from xml.parsers import expat

from solrbench.dataset.errors import IndexingError

_CHUNK_BYTES = 1 << 16
_PARENTS = {"add": (None, "update"), "doc": ("add", None), "field": ("doc",), "update": (None,)}


def read_xml(stream: BinaryIO, location: str) -> Iterator[Callable[[], dict[str, Any]]]:
    """Read the documents of all `<add>` elements.

    Raises:
        IndexingError: not well-formed, another command, nested documents, atomic updates

    """
    parser = _AddParser(location)
    while chunk := stream.read(_CHUNK_BYTES):
        yield from parser.feed(chunk)
    parser.finish()


class _AddParser:
    """Collects documents from expat's events."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._open: list[str | None] = [None]
        self._document: dict[str, Any] = {}
        self._field = ""
        self._text: list[str] = []
        self._ready: list[dict[str, Any]] = []
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._characters
        self._expat.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, chunk: bytes) -> Iterator[Callable[[], dict[str, Any]]]:
        """Parse a chunk and return the documents that ended in it."""
        try:
            self._expat.Parse(chunk, False)
        except expat.ExpatError as error:
            raise self._malformed(expat.ErrorString(error.code)) from error
        ready, self._ready = self._ready, []
        return (partial(_same, document) for document in ready)

    def finish(self) -> None:
        """Check that the text is complete."""
        try:
            self._expat.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._malformed(expat.ErrorString(error.code)) from error

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._open[-1] not in _PARENTS.get(name, ()):
            inside = f"inside <{self._open[-1]}>" if self._open[-1] else "at the top"
            raise self._malformed(f"<{name}> {inside} is no document of Solr's XML")
        if name == "doc":
            self._document = {}
        if name == "field":
            self._start_field(attributes)
        self._open.append(name)

    def _start_field(self, attributes: Mapping[str, str]) -> None:
        if "update" in attributes:
            raise self._malformed("atomic updates are no documents")
        if not attributes.get("name"):
            raise self._malformed("<field> has no name")
        self._field = "" if attributes.get("null") == "true" else attributes["name"]
        self._text = []

    def _characters(self, text: str) -> None:
        if self._open[-1] == "field":
            self._text.append(text)
        elif text.strip():
            raise self._malformed(f"text outside a field: {text.strip()[:40]!r}")

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == "doc":
            self._ready.append(self._document)
        elif name == "field" and self._field:
            self._add("".join(self._text))

    def _add(self, value: str) -> None:
        """Keep a value; a field given more than once has many values."""
        before = self._document.get(self._field)
        if before is None:
            self._document[self._field] = value
        elif isinstance(before, list):
            before.append(value)
        else:
            self._document[self._field] = [before, value]

    def _refuse_doctype(self, *_declaration: object) -> None:
        raise self._malformed("a document type declaration is not allowed", "remove <!DOCTYPE")

    def _malformed(self, problem: str, remedy: str = "correct the file") -> IndexingError:
        where = (
            f"{self._location}: line {self._expat.CurrentLineNumber},"
            f" column {self._expat.CurrentColumnNumber + 1}"
        )
        return IndexingError.malformed(where, problem, remedy)


def _same(document: dict[str, Any]) -> dict[str, Any]:
    return document
