"""Read of a response in javabin what its checks need: the header and the number of documents.

Javabin is the binary format of SolrJ (`wt=javabin`, `JavaBinCodec` of Solr 9 and 10, version 2). A
value is a tag and what follows; the upper three bits of some tags are the type, and the lower five
begin a size. Nothing behind the number of documents is looked at: values take Python longer to read
than Solr to write.
"""

import struct
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

BEGIN = b"\x02"
"""Version of the format, the first byte; no JSON begins so."""

_NULL, _TRUE, _FALSE, _MAP, _DOCUMENTS, _END = 0, 1, 2, 10, 12, 15
_SMALL_LONG, _ORDERED, _NAMED = 3, 5, 6
"""Tags, and upper three bits of tags."""

_FIXED = {3: ">b", 4: ">h", 5: ">d", 6: ">i", 7: ">q", 8: ">f", 9: ">q"}
"""Numbers of a fixed size by their tag; the last one is a time in milliseconds."""
# A name that comes for the first time has a byte before it that begins no such character in UTF-8:
# no text can hold these.
_HEADER_BEGIN = b"\xe0\x2eresponseHeader"
_RESPONSE = b"\xe0\x28response\x0c"
_STATUS_0 = b"\xe0\x26status\x06\0\0\0\0"
_SUSPECT = (b"partialResults", b"errors")
"""Names and texts in a header for which it is looked at closely."""
_LISTS = range(0x83, 0x85)
"""A list of three values (before Solr 9) or four begins the documents."""

_LONGEST_NUMBER_BYTES = 10
_NO_VALUE = object()
"""The end of what has no size."""


class JavabinError(ValueError):
    """The response is not javabin, or is cut off."""


class JavabinSummary(NamedTuple):
    """What the checks of a response need."""

    header: dict[str, Any] | None
    """`responseHeader`; None without one."""
    behind_header: Any
    """The value of `partialResults` behind the header, where it stands there; else None."""
    error: dict[str, Any] | None
    """`error` at the top."""
    num_found: int | None
    """As `response_checks.num_found` says it of JSON."""


def plain_num_found(body: bytes) -> int | None:
    """Return the number of documents of a response that is plainly good; None for any other.

    It takes a quarter of the time of `summarize`: nearly all responses of a load are such.
    """
    at = body.find(_RESPONSE)
    if at < 0 or not body.startswith(_HEADER_BEGIN, 2) or body.find(_STATUS_0, 0, at) < 0:
        return None
    if any(body.find(each, 0, at) >= 0 for each in _SUSPECT):
        return None
    at += len(_RESPONSE)
    if len(body) < at + 2 or body[at] not in _LISTS or body[at + 1] >> 5 != _SMALL_LONG:
        return None
    with suppress(IndexError, JavabinError):
        return int(_Reader(body, at + 1).value())
    return None


@lru_cache(maxsize=1)  # the checks of one response each look at it
def summarize(body: bytes) -> JavabinSummary:
    """Return what a response shows up to its `response`; `JavabinError` if it is no javabin."""
    reader = _Reader(body)
    try:
        return reader.summarize()
    except JavabinError:
        raise
    except (LookupError, struct.error, TypeError, ValueError, RecursionError) as error:
        raise JavabinError(f"no value that is known ends at byte {reader.at}") from error


def _text_of_key(key: Any) -> str:
    if isinstance(key, list | dict):
        raise JavabinError("a key is no text")
    return str(key)


class _Reader:
    """Reads values one after another; `at` is where the next one begins."""

    __slots__ = ("_body", "_keys", "_matches", "_num_found", "at")

    def __init__(self, body: bytes, at: int = 1) -> None:
        self.at = at
        self._body = body
        self._keys: list[Any] = []
        self._matches: int | None = None
        self._num_found: int | None = None

    def summarize(self) -> JavabinSummary:
        if not self._body.startswith(BEGIN):
            raise JavabinError(f"version {self._body[:1]!r} is not {BEGIN!r}")
        found: dict[str, Any] = {}
        for _ in range(self._entries()):
            key = self.value()
            if key == "response" and self._body[self.at] == _DOCUMENTS:
                self.at += 1
                num_found: int | None = int(self.value()[0])
                break
            value = self.value()
            found.setdefault(_text_of_key(key), value)
        else:
            # The number of all groups stands before those of each; without groups, the first one.
            num_found = self._num_found if self._matches is None else self._matches
        header, error = found.get("responseHeader"), found.get("error")
        return JavabinSummary(
            header if isinstance(header, dict) else None,
            found.get("partialResults"),
            error if isinstance(error, dict) else None,
            num_found,
        )

    def _entries(self) -> int:
        """Return the size of the map that a response is."""
        tag = self._byte()
        if tag == _MAP:
            return self._number()
        if tag >> 5 in (_ORDERED, _NAMED):
            return self._size(tag)
        raise JavabinError(f"a response is a map, not of type {tag}")

    def _byte(self) -> int:
        self.at += 1
        return self._body[self.at - 1]

    def _number(self) -> int:
        """Return a number of seven bits a byte, the lowest first."""
        number = 0
        for place in range(_LONGEST_NUMBER_BYTES):
            byte = self._byte()
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return number
        raise JavabinError("a number has no end")

    def _size(self, tag: int) -> int:
        size = tag & 0x1F
        return size if size < 0x1F else size + self._number()

    def _skip(self, size: int) -> bytes:
        begin, self.at = self.at, self.at + size
        if self.at > len(self._body):
            raise JavabinError("it is cut off")
        return self._body[begin : self.at]

    def value(self) -> Any:
        """Return the next value; of documents, bytes and the like, only that there is one."""
        tag = self._byte()
        if tag >> 5:
            return self._SIZED[tag >> 5](self, tag)
        if form := _FIXED.get(tag):
            return struct.unpack(form, self._skip(struct.calcsize(form)))[0]
        if tag <= _FALSE:
            return None if tag == _NULL else tag == _TRUE
        if tag == _END:
            return _NO_VALUE
        if tag not in self._OTHERS:
            raise JavabinError(f"unknown type {tag}")
        return self._OTHERS[tag](self)

    def _key(self, tag: int) -> Any:
        """Return a text that is written once and named by its place from then on."""
        if place := self._size(tag):
            return self._keys[place - 1]
        text = self.value()
        # Lists of names, each named in the next one twice, would double with every byte.
        if not isinstance(text, str):
            raise JavabinError("a name is no text")
        self._keys.append(text)
        return text

    def _text(self, tag: int) -> str:
        return self._skip(self._size(tag)).decode("utf-8", "replace")

    def _integer(self, tag: int) -> int:
        return tag & 0x0F | (self._number() << 4 if tag & 0x10 else 0)

    def _list(self, tag: int) -> list[Any]:
        return [self.value() for _ in range(self._size(tag))]

    def _named_list(self, tag: int) -> dict[str, Any]:
        return self._map(self._size(tag))

    def _map(self, size: int | None = None) -> dict[str, Any]:
        """Return a map; its size stands before it, unless it is given."""
        found: dict[str, Any] = {}
        for _ in range(self._number() if size is None else size):
            key, value = self.value(), self.value()
            if key == "matches" and self._matches is None and self._num_found is None:
                self._matches = value if isinstance(value, int) else None
            found[_text_of_key(key)] = value
        return found

    def _document(self) -> None:
        for _ in range(self._size(self._byte())):
            # A document in place of a name is a child, which has no value of its own.
            if self.value() is not None:
                self.value()

    def _documents(self) -> None:
        found = int(self.value()[0])
        self._num_found = found if self._num_found is None else self._num_found
        self.value()

    def _bytes(self) -> None:
        self._skip(self._number())

    def _until_end(self) -> None:
        while self.value() is not _NO_VALUE:
            pass

    def _pair(self) -> None:
        self.value()
        self.value()

    def _array(self) -> None:
        form = _FIXED.get(self._byte(), ">b")  # truths have a byte each
        self._skip(self._number() * struct.calcsize(form))

    _SIZED: ClassVar[dict[int, Callable[["_Reader", int], Any]]] = {
        1: _text,
        2: _integer,
        3: _integer,
        4: _list,
        5: _named_list,
        6: _named_list,
        7: _key,
    }
    """By the upper three bits of the tag."""
    _OTHERS: ClassVar[dict[int, Callable[["_Reader"], Any]]] = {
        10: _map,
        11: _document,
        12: _documents,
        13: _bytes,
        14: _until_end,  # an iterator
        17: _until_end,  # the entries of a map
        18: _pair,  # number and name of an enum's value
        19: _pair,  # an entry of a map
        21: _array,
    }
    """By the tag."""
