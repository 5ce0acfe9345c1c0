"""Texts with `{{name}}` in them, split once and filled in often."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from solrbench.load.workload.url_encoding import url_quote

_NAME = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}")


@dataclass(frozen=True)
class Template:
    """A text with places for values.

    Attributes:
        pieces: text and name in turn, beginning and ending with a text

    """

    pieces: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """Names of the values that it needs."""
        return frozenset(self.pieces[1::2])

    def fill(self, values: Mapping[str, str], escape: Callable[[str], str]) -> str:
        """Return the text with every value escaped for its place.

        Raises:
            KeyError: if a value is missing.

        """
        if len(self.pieces) == 1:
            return self.pieces[0]
        return "".join(
            escape(values[piece]) if index % 2 else piece for index, piece in enumerate(self.pieces)
        )


def parse_template(text: str, escape: Callable[[str], str] = str) -> Template:
    """Return the template of a text, whose own parts are escaped once and for all."""
    parts = _NAME.split(text)
    return Template(tuple(part if index % 2 else escape(part) for index, part in enumerate(parts)))


def join_templates(templates: list[Template], separator: str) -> Template:
    """Return one template after the other."""
    pieces = [""]
    for index, each in enumerate(templates):
        pieces[-1] += (separator if index else "") + each.pieces[0]
        pieces += each.pieces[1:]
    return Template(tuple(pieces))


def escape_url(value: str) -> str:
    """Return a value as it stands in an address or form."""
    return url_quote(value)


def escape_json(value: str) -> str:
    """Return a value as it stands inside the quotes of a JSON text."""
    return json.dumps(value, ensure_ascii=False)[1:-1]
