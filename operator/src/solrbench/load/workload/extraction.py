"""Values taken from a response by dotted paths such as `response.docs[0].id`."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from solrbench.load.validation.response_checks import RequestFailure, request_failure

_PART = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")
_SEEN_BYTES = 120


class Extraction(NamedTuple):
    """One value to take."""

    name: str
    text: str
    """The path as the user wrote it."""
    path: tuple[str | int, ...]


def parse_extraction(name: str, path: str) -> Extraction:
    """Return what a dotted path means: keys of objects and places in lists."""
    parts = tuple(key or int(index) for key, index in _PART.findall(path))
    return Extraction(name, path, parts)


def extract_values(
    body: bytes, extractions: Sequence[Extraction], values: dict[str, str]
) -> RequestFailure | None:
    """Put the values of a response into `values`; return the failure if one is not there."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        return request_failure("ExtractionFailed", f"answer is not JSON: {error}")
    for each in extractions:
        text = _text(_look_up(content, each.path))
        if text is None:
            seen = body[:_SEEN_BYTES].decode("utf-8", "replace")
            return request_failure(
                "ExtractionFailed", f"{each.name}: no single value at {each.text} in {seen}"
            )
        values[each.name] = text
    return None


def _look_up(content: Any, path: Sequence[str | int]) -> Any:
    for part in path:
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            return None
    return content


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None
