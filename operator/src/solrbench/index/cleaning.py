"""Cleaning of files, as `spec.dataset.cleaning` asks for it, in constant memory.

Parsers refuse control characters and bytes that are no UTF-8, so these are marked before: each
becomes a noncharacter of Unicode, which every format takes as a part of a value. In the parsed
document the marks are replaced or removed, together with what was escaped in the file. So it is
known of each document what was cleaned in it, whatever the format and wherever a chunk ends.
"""

import codecs
import html
import io
import re
from collections import Counter
from typing import Any, BinaryIO, cast

from solrbench.api.v1alpha1.dataset import Cleaning, ControlCharacters, Format, InvalidBytes, Markup
from solrbench.api.v1alpha1.status import CleanedStatus
from solrbench.index.errors import IndexingError
from solrbench.index.readers import CONTROL_BYTES, CONTROL_MARK

INVALID = "\ufdd0"
"""Mark of bytes that are no UTF-8."""
_CONTROL_CHARACTERS = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\ufdd1-\ufdef\ufffe\uffff"
_CHUNK_BYTES = 1 << 16

# Each alternative ends at the next `<` or `>`, so that the time is linear in the text.
_TAGS = re.compile(r"<(?:[!?][^<>]*|/?([A-Za-z][A-Za-z0-9:-]*)(?:\s[^<>]*)?/?)>")
# With a semicolon only: `?a=1&copy=2` is no markup.
_REFERENCES = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_WITHIN_WORDS = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u",
    "var", "wbr",
})  # fmt: skip
"""Elements that may begin or end within a word; all others part words."""
_XML_ENCODING = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})")


def _mark_invalid(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - used to decode alone
    return INVALID, error.end


codecs.register_error("solrbench.mark", _mark_invalid)


def marked(stream: BinaryIO, cleaning: Cleaning, wanted: Format, location: str) -> BinaryIO:
    """Return the bytes of a file with marks in place of what is to be cleaned.

    It raises `IndexingError` if the file is said to have another encoding than UTF-8.
    """
    marks_controls = cleaning.control_characters is not ControlCharacters.KEEP
    if not marks_controls and cleaning.invalid_bytes is InvalidBytes.REFUSE:
        return stream
    head: bytes = cast(Any, stream).peek(_CHUNK_BYTES)[:200]
    encoding = "UTF-16" if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "UTF-8"
    if wanted is Format.XML and (declared := _XML_ENCODING.search(head)):
        encoding = declared[1].decode()
    if encoding.lower() not in ("utf-8", "us-ascii"):
        remedy = "save the file as UTF-8, or omit spec.dataset.cleaning"
        raise IndexingError.malformed(location, f"{encoding} cannot be cleaned", remedy)
    return cast("BinaryIO", io.BufferedReader(_Marked(stream, cleaning), _CHUNK_BYTES))


class _Marked(io.RawIOBase):
    """What a file holds, with marks."""

    def __init__(self, stream: BinaryIO, cleaning: Cleaning) -> None:
        self._stream = stream
        self._marks_controls = cleaning.control_characters is not ControlCharacters.KEEP
        self._decoder = None
        if cleaning.invalid_bytes is not InvalidBytes.REFUSE:
            self._decoder = codecs.getincrementaldecoder("utf-8")("solrbench.mark")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        while not self._ready:
            chunk = self._stream.read(min(_CHUNK_BYTES, len(buffer)))
            self._ready = self._mark(chunk)
            if not chunk:
                break
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _mark(self, chunk: bytes) -> bytes:
        if self._decoder is not None:
            chunk = self._decoder.decode(chunk, final=not chunk).encode()
        return CONTROL_BYTES.sub(CONTROL_MARK.encode(), chunk) if self._marks_controls else chunk


class Cleaner:
    """Cleans the documents of one pod, and counts; it is used by the thread that reads."""

    def __init__(self, wanted: Cleaning) -> None:
        self._removes_markup = wanted.markup is Markup.REMOVE
        self._control = " " if wanted.control_characters is ControlCharacters.SPACE else ""
        self._invalid = "\ufffd" if wanted.invalid_bytes is InvalidBytes.REPLACE else ""
        found = "" if wanted.control_characters is ControlCharacters.KEEP else _CONTROL_CHARACTERS
        found += "" if wanted.invalid_bytes is InvalidBytes.REFUSE else INVALID
        self._characters = re.compile(f"[{found}]") if found else None
        self._found: Counter[str] = Counter()
        self.cleaned = CleanedStatus()

    def clean(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return a document without what is to be cleaned in its names and values."""
        self._found.clear()
        document = self._clean(document)
        if self._found.total():
            self._found["documents"] = 1
            total = Counter(self.cleaned.model_dump()) + self._found
            self.cleaned = CleanedStatus.model_validate(total)
        return document

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._clean_text(value)
        if isinstance(value, dict):
            return {self._clean_text(name): self._clean(each) for name, each in value.items()}
        return [self._clean(each) for each in value] if isinstance(value, list) else value

    def _clean_text(self, text: str) -> str:
        if self._removes_markup and ("<" in text or "&" in text):
            plain = _REFERENCES.sub(lambda found: html.unescape(found[0]), _TAGS.sub(_gap, text))
            self._found["markup_characters"] += len(text) - len(plain)
            text = plain
        # After the markup: a reference may stand for a control character.
        return text if self._characters is None else self._characters.sub(self._replace, text)

    def _replace(self, found: re.Match[str]) -> str:
        if found[0] == INVALID:
            self._found["invalid_bytes"] += 1
            return self._invalid
        self._found["control_characters"] += 1
        return self._control


def _gap(tag: re.Match[str]) -> str:
    name = tag[1]
    return "" if name is None or name.lower() in _WITHIN_WORDS else " "
