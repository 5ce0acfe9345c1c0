"""The tokens of an expression (CEL language definition, "Syntax")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<double>[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)"
    r"|(?P<int>0x[0-9a-fA-F]+|[0-9]+)(?![A-Za-z_])"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<string>\"([^\"\\\n]|\\.)*\"|'([^'\\\n]|\\.)*')"
    r"|(?P<operator>&&|\|\||[<>=!]=|[-+*/%<>!?:.,()\[\]])"
)


class ExpressionError(ValueError):
    """An expression is wrong, or has no value for a point."""

    def __init__(self, at: int, text: str) -> None:
        """Say what is wrong at a character, counted from 0."""
        super().__init__(f"at character {at + 1}: {text}")


@dataclass(frozen=True)
class Token:
    """A piece of an expression.

    Attributes:
        kind: `int`, `double`, `name`, `string`, `operator` or `end`
        text: as it stands there
        at: its first character, counted from 0

    """

    kind: str
    text: str
    at: int

    @property
    def shown(self) -> str:
        """The text as errors show it."""
        return self.text if self.kind == "end" else repr(self.text)


def tokenize(text: str) -> Iterator[Token]:
    """Yield the tokens of an expression, `end` as the last one.

    Raises:
        ExpressionError: if a character begins no token.

    """
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ExpressionError(at, f"unexpected {text[at]!r}")
        kind = str(found.lastgroup)
        if kind != "space":
            yield Token(kind, found[0], at)
        at = found.end()
    yield Token("end", "the end", at)
