"""Values taken from a response by JMESPath, such as `response.docs[0].id`.

A plain path, of keys and indices alone, is looked up as it is: that costs 0.3 µs where a search by
the library costs 10 µs, and users may extract from every response. Keys of a plain path may hold
what JMESPath wants in quotation marks, such as the `-` of `a-b`.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import jmespath
import orjson
from jmespath.exceptions import JMESPathError, JMESPathTypeError
from jmespath.parser import ParsedResult

from solrbench.load.validation.response_checks import RequestFailure, request_failure

_KEY = r"[^.\[\]*|&@(){},`\"'!<>=?]+"
_PLAIN = re.compile(rf"{_KEY}(\[[0-9]+\])*(\.{_KEY}(\[[0-9]+\])*)*")
_PART = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")
_SEEN_BYTES = 120


class Extraction(NamedTuple):
    """One value to take."""

    name: str
    text: str
    """The path as the user wrote it."""
    path: tuple[str | int, ...]
    """Keys of objects and indices of lists."""
    expression: ParsedResult | None
    """What to search by if the path is not plain."""


def parse_extraction(name: str, path: str) -> Extraction:
    """Return what a path means.

    Raises:
        ValueError: it is no JMESPath expression

    """
    if _PLAIN.fullmatch(path):
        parts = tuple(key or int(index) for key, index in _PART.findall(path))
        return Extraction(name, path, parts, None)
    expression = jmespath.compile(path)
    with suppress(JMESPathTypeError):  # null is no type that a function takes
        expression.search(None)  # names of functions and their arguments are checked only here
    return Extraction(name, path, (), expression)


def extract_values(
    body: bytes, extractions: Sequence[Extraction], values: dict[str, str]
) -> RequestFailure | None:
    """Put the values of a response into `values`; return the failure if one is not there."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        return request_failure("ExtractionFailed", f"response is not JSON: {error}")
    for name, path_text, path, expression in extractions:
        found = _look_up(content, path) if expression is None else _search(content, expression)
        text = _text(found)
        if text is None:
            seen = body[:_SEEN_BYTES].decode("utf-8", "replace")
            return request_failure(
                "ExtractionFailed", f"{name}: no single value at {path_text} in {seen}"
            )
        values[name] = text
    return None


def _look_up(content: Any, path: Sequence[str | int]) -> Any:
    try:
        for part in path:
            content = content[part]
    except (KeyError, IndexError, TypeError):
        return None
    return content


def _search(content: Any, expression: ParsedResult) -> Any:
    try:
        return expression.search(content)
    except JMESPathError:  # a function that does not take what is there
        return None


def _text(value: Any) -> str | None:
    if isinstance(value, str):  # first, as nearly all values are
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None
