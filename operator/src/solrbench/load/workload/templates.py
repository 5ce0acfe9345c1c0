"""Texts with `{{name}}` in them, and the values of responses that are filled in.

Values are taken by JMESPath, such as `response.docs[0].id`. A plain path, of keys and indices
alone, is looked up as it is: that costs 0.3 µs where a search by the library costs 10 µs, and users
may extract from every response. Keys of a plain path may hold what JMESPath wants in quotation
marks, such as the `-` of `a-b`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import jmespath
import orjson
from jmespath.exceptions import JMESPathTypeError
from jmespath.parser import ParsedResult

from solrbench.contract.workload_files import Parameters, plain_text
from solrbench.load.workload.response_checks import RequestFailure, request_failure

_ASCII_QUOTED = {
    code: quote_plus(chr(code)) for code in range(128) if quote_plus(chr(code)) != chr(code)
}


def with_defaults(own: Parameters, defaults: Mapping[str, str]) -> Parameters:
    """Return parameters of a request, its own first, and defaults that it does not set itself."""
    # Its own first: that is what a reader of the list of slow requests looks for.
    names = {name for name, _ in own}
    return (*own, *((name, value) for name, value in defaults.items() if name not in names))


def encode_parameters(parameters: Iterable[tuple[str, str]]) -> str:
    """Return parameters as they stand in an address or form."""
    return "&".join([f"{_quoted_name(name)}={url_quote(value)}" for name, value in parameters])


def url_quote(text: str) -> str:
    """Return what `quote_plus` does, at a fifth of its price for a million queries."""
    return text.translate(_ASCII_QUOTED) if text.isascii() else quote_plus(text)


_quoted_name = lru_cache(maxsize=1024)(url_quote)
"""The name of a parameter, of which a workload has few."""


_NAME = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}")


@dataclass(frozen=True)
class TextTemplate:
    """A text with places for values, split once and filled in often."""

    pieces: tuple[str, ...]
    """Text and name in turn, beginning and ending with a text."""

    @property
    def names(self) -> frozenset[str]:
        """Names of the values that it needs."""
        return frozenset(self.pieces[1::2])

    def fill(self, values: Mapping[str, str], escape: Callable[[str], str]) -> str:
        """Return the text with every value escaped for its place; `KeyError` if one is missing."""
        if len(self.pieces) == 1:
            return self.pieces[0]
        return "".join(
            escape(values[piece]) if index % 2 else piece for index, piece in enumerate(self.pieces)
        )


def parse_template(text: str, escape: Callable[[str], str] = str) -> TextTemplate:
    """Return the template of a text, whose own parts are escaped once and for all."""
    parts = enumerate(_NAME.split(text))
    return TextTemplate(tuple(each if index % 2 else escape(each) for index, each in parts))


def join_templates(templates: list[TextTemplate], separator: str) -> TextTemplate:
    """Return one template after the other."""
    pieces = [""]
    for index, template in enumerate(templates):
        pieces[-1] += (separator if index else "") + template.pieces[0]
        pieces += template.pieces[1:]
    return TextTemplate(tuple(pieces))


def escape_json(value: str) -> str:
    """Return a value as it stands inside the quotes of a JSON text."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


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
    """Return what a path means; `ValueError` if it is no JMESPath expression."""
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
        value = _look_up(content, path) if expression is None else None
        if expression is not None:
            # A slice by 0, a function of what it does not take: whatever the library raises.
            with suppress(Exception):
                value = expression.search(content)
        text = plain_text(value)
        if text is None:
            seen = body[:_SEEN_BYTES].decode("utf-8", "replace")
            problem = f"{name}: no single value at {path_text} in {seen}"
            return request_failure("ExtractionFailed", problem)
        values[name] = text
    return None


def _look_up(content: Any, path: Sequence[str | int]) -> Any:
    try:
        for part in path:
            # In Python, a letter of a text has an index, too.
            content = None if isinstance(content, str) else content[part]
    except (KeyError, IndexError, TypeError):
        return None
    return content
