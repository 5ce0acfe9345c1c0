"""Bytes that others wrote, read into values: typed, small in memory, up to the first error.

One operator serves all tenants, and a user who may create a ConfigMap, a pod or a Solr can put any
bytes before it. A limit of bytes does not limit memory: a megabyte of `[{},{},…]` was two gigabytes
of values and errors. So what unpacks is limited while it unpacks, what JSON would take as values is
known before any value is made, and a list or mapping is read up to its first bad item.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

if TYPE_CHECKING:  # the client reads JSON of the API server without them
    from pydantic import BaseModel
    from pydantic_core import SchemaValidator

MAX_VALUES_BYTES = 22 << 20
"""What the values of one document may take. The largest result that a load master makes is reckoned
to take 20 MiB: 50 request names, 32 workers, 25,000 points, diagnostics of 4 MiB."""

MAX_PROBLEMS = 3
"""Fields that a message names."""

MAX_PROBLEM = 200
"""Characters of a message about one field: its path may be a key of others' choice."""


def printable(text: str) -> str:
    """Return a text without control characters other than ends of lines: a terminal obeys them."""
    return "".join(each if each.isprintable() or each == "\n" else " " for each in text)


_COSTS = {b"{": 200, b"[": 90, b",": 48, b'"': 28}
"""Bytes in memory by what stands for them in JSON, measured with CPython 3.11: an object, a list,
a place in either with a number, half of a string beside its characters."""

# The end may be missing: a pattern that fails there would be tried again from each quote before it.
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_WIDE = 4
"""Bytes of each character of a text that has one outside of the basic plane of Unicode."""

_PIECE_BYTES = 1 << 20
_GZIP = 16 + zlib.MAX_WBITS

_Model = TypeVar("_Model", bound="BaseModel")


class ForeignDataError(ValueError):
    """What others wrote is not what it should be, or more than is read; nothing of it is quoted."""


def limit_bytes(
    parts: Iterable[bytes], max_bytes: int, error: type[Exception] = ForeignDataError
) -> Iterator[bytes]:
    """Yield the parts of a body; `error` is raised once they are more than `max_bytes`."""
    size = 0
    for part in parts:
        size += len(part)
        if size > max_bytes:
            raise error(f"the response has more than {max_bytes} bytes")
        yield part


def unpack(packed: bytes, max_bytes: int) -> bytearray:
    """Return what one gzip file (RFC 1952) holds, never much more than `max_bytes`.

    It raises `ForeignDataError` if it holds more, is damaged or cut off, or something follows it.
    """
    stream, text = zlib.decompressobj(_GZIP), bytearray()
    try:
        # At once, zlib would take the memory twice: for its parts, and for the whole.
        piece = stream.decompress(packed, _PIECE_BYTES)
        while piece:
            text += piece
            if len(text) > max_bytes:
                raise ForeignDataError(f"it unpacks to more than {max_bytes} bytes")
            piece = stream.decompress(stream.unconsumed_tail, _PIECE_BYTES)
    except zlib.error as error:
        raise ForeignDataError(f"the compressed stream is broken ({error})") from error
    if not stream.eof or stream.unused_data:
        raise ForeignDataError("the compressed stream is broken (its end is missing or not last)")
    return text


def memory_of(text: bytes | bytearray) -> int:
    """Return the bytes that the values of a JSON document may take beside their characters."""
    # Characters within strings count, too: too much is refused rather than too little.
    return sum(text.count(mark) * cost for mark, cost in _COSTS.items())


def needed_memory(text: bytes | bytearray, max_memory: int) -> int:
    """Return what the values of a JSON document may take; a lower bound if `max_memory` is less."""
    needed = memory_of(text)
    # A limit of texts, too, of which each is looked at.
    return needed if needed > max_memory else needed + _wide_bytes(text)


def decode_json(text: bytes | bytearray, max_memory: int = MAX_VALUES_BYTES) -> Any:
    """Return the value of a JSON document, whose own length its reader has limited.

    It raises `ForeignDataError` if it is no JSON, or its values would take more than `max_memory`.
    """
    needed = needed_memory(text, max_memory)
    if needed > max_memory:
        problem = f"its values would take {needed:,} bytes of memory, more than {max_memory:,}"
        raise ForeignDataError(problem)
    try:
        if text.isascii():
            return orjson.loads(text)
        # An error of orjson has the whole text, with up to four bytes for each of its characters.
        from pydantic_core import from_json  # noqa: PLC0415  as in `validate`

        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise ForeignDataError(f"it is not JSON: {error}") from error


def _wide_bytes(text: bytes | bytearray) -> int:
    """Return what texts may take that are not plain ASCII: one character widens all of its text."""
    if text.isascii() and b"\\u" not in text:
        return 0
    found = (match.group() for match in _TEXT.finditer(text))
    return sum(_WIDE * len(each) for each in found if not each.isascii() or b"\\u" in each)


def validate(model: type[_Model], value: Any) -> _Model:
    """Return a decoded value as a model; `ForeignDataError` with the first bad fields if none."""
    from pydantic import ValidationError  # noqa: PLC0415  commands without models start faster

    from solrbench.api.rules import problems  # noqa: PLC0415  the same

    try:
        found: _Model = _validator(model).validate_python(value)
    except ValidationError as error:
        named = [problem[:MAX_PROBLEM] for problem in problems(error)[:MAX_PROBLEMS]]
        raise ForeignDataError("; ".join(named)) from error
    return found


def read(
    model: type[_Model], text: bytes | bytearray, max_memory: int = MAX_VALUES_BYTES
) -> _Model:
    """Return a JSON document as a model; `ForeignDataError` as `decode_json` and `validate`."""
    return validate(model, decode_json(text, max_memory))


@cache
def _validator(model: "type[BaseModel]") -> "SchemaValidator":
    from pydantic import TypeAdapter  # noqa: PLC0415  as above
    from pydantic_core import SchemaValidator  # noqa: PLC0415  the same

    # Not what the models have prepared, whose lists collect the errors of all items.
    return SchemaValidator(_failing_fast(TypeAdapter(model).core_schema), _use_prebuilt=False)


def _failing_fast(schema: Any) -> Any:
    """Return a copy of a schema whose lists and mappings end at their first bad item."""
    if isinstance(schema, list):
        return [_failing_fast(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: _failing_fast(each) for key, each in schema.items()}
    return copied | {"fail_fast": True} if copied.get("type") in ("dict", "list") else copied


# From its begin only: a word of a megabyte would be looked at from each of its letters.
_LABEL = re.compile(r'\b(\w++)="((?:[^"\\]|\\.)*+)"')
_NUMBER = r"\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?"


def read_samples(text: str, names: str) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield name, labels and value of every sample in Prometheus' text format.

    `names` is a regular expression. What is no number from 0 on is passed over.
    """
    sample = re.compile(rf"^({names})(?:\{{(.*)\}})? ({_NUMBER})\b", re.MULTILINE)
    for match in sample.finditer(text):
        name, labels, value = match.groups()
        if isfinite(number := float(value)):
            yield name, dict(_LABEL.findall(labels or "")), number
