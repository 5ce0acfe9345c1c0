"""From the text of an expression to its parts (CEL language definition, "Grammar").

The parts that an expression consists of; `at` is the character that an error names.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.sweep.expression_values import (
    FUNCTIONS,
    METHODS,
    ExpressionError,
    Token,
    check_range,
    tokenize,
)


@dataclass(frozen=True)
class Literal:
    """A number, text, boolean or null."""

    at: int
    value: Any


@dataclass(frozen=True)
class Items:
    """A list of expressions."""

    at: int
    items: Sequence["Node"]


@dataclass(frozen=True)
class PointReference:
    """The point: its values by the names of the axes."""

    at: int


@dataclass(frozen=True)
class Element:
    """`of[key]`, and `of.key`."""

    at: int
    of: "Node"
    key: "Node"


@dataclass(frozen=True)
class Call:
    """A function with its arguments; of a method, the first one is what it is called on."""

    at: int
    function: str
    arguments: Sequence["Node"]


@dataclass(frozen=True)
class Unary:
    """`!value` and `-value`."""

    at: int
    operator: str
    value: "Node"


@dataclass(frozen=True)
class Binary:
    """Two values with an operator between."""

    at: int
    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class Choice:
    """`condition ? yes : no`."""

    at: int
    condition: "Node"
    yes: "Node"
    no: "Node"


Node = Literal | Items | PointReference | Element | Call | Unary | Binary | Choice


MAX_DEPTH = 16
"""Expressions in each other: brackets, signs, choices."""

_LEVELS = (
    ("||",),
    ("&&",),
    ("<", "<=", ">=", ">", "==", "!=", "in"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LITERALS = {"true": True, "false": False, "null": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def parse_expression(text: str) -> Node:
    """Return the parts of an expression.

    Raises:
        ExpressionError: if it is none, or has a name or function that there is not.
    """
    return _Parser([*tokenize(text)]).read_all()


class _Parser:
    """Reads one expression by recursive descent."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0

    def read_all(self) -> Node:
        """Return the whole expression."""
        expression = self._expression()
        if self._next.kind != "end":
            raise self._unexpected()
        return expression

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _unexpected(self) -> ExpressionError:
        return ExpressionError(self._next.at, f"unexpected {self._next.shown}")

    def _take(self) -> Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def _take_if(self, *texts: str) -> Token | None:
        is_one = self._next.text in texts and self._next.kind in {"operator", "name"}
        return self._take() if is_one else None

    def _expect(self, text: str) -> None:
        if self._take_if(text) is None:
            raise ExpressionError(self._next.at, f"expected {text!r} before {self._next.shown}")

    def _expression(self) -> Node:
        self._deepen()
        expression = self._binary(0)
        asked = self._take_if("?")
        if asked is not None:
            yes = self._binary(0)
            self._expect(":")
            expression = Choice(asked.at, expression, yes, self._expression())
        self._depth -= 1
        return expression

    def _deepen(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(self._next.at, f"deeper than {MAX_DEPTH} expressions")

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._binary(level + 1)
        while (operator := self._take_if(*_LEVELS[level])) is not None:
            node = Binary(operator.at, operator.text, node, self._binary(level + 1))
        return node

    def _unary(self) -> Node:
        operator = self._take_if("!", "-")
        if operator is None:
            return self._elements(self._primary())
        self._deepen()
        node = Unary(operator.at, operator.text, self._unary())
        self._depth -= 1
        return node

    def _elements(self, found: Node) -> Node:
        while (operator := self._take_if(".", "[")) is not None:
            if operator.text == "[":
                found = Element(operator.at, found, self._expression())
                self._expect("]")
            else:
                found = self._member(found, operator)
        return found

    def _member(self, of: Node, dot: Token) -> Node:
        if self._next.kind != "name":
            raise self._unexpected()
        name = self._take()
        if self._take_if("(") is not None:
            return self._call(name, METHODS, (of,))
        return Element(dot.at, of, Literal(name.at, name.text))

    def _call(self, name: Token, known: frozenset[str], before: tuple[Node, ...] = ()) -> Node:
        if name.text not in known:
            shown = ", ".join(sorted(known))
            raise ExpressionError(name.at, f"{name.text} is not among the functions here: {shown}")
        return Call(name.at, name.text, (*before, *self._list(")")))

    def _list(self, end: str) -> list[Node]:
        items: list[Node] = []
        while self._take_if(end) is None:
            if items:
                self._expect(",")
            items.append(self._expression())
        return items

    def _primary(self) -> Node:
        token = self._take() if self._next.kind != "end" else self._next
        match token.kind, token.text:
            case "int", text:
                number = int(text, 16 if text.startswith("0x") else 10)
                return Literal(token.at, check_range(token.at, number))
            case "double", text:
                return Literal(token.at, float(text))
            case "string", text:
                return Literal(token.at, _unescape(token))
            case "name", text:
                return self._named(token)
            case "operator", "[":
                return _fold(Items(token.at, self._list("]")))
            case "operator", "(":
                expression = self._expression()
                self._expect(")")
                return expression
            case _:
                raise ExpressionError(token.at, f"unexpected {token.shown}")

    def _named(self, token: Token) -> Node:
        if token.text in _LITERALS:
            return Literal(token.at, _LITERALS[token.text])
        if self._take_if("(") is not None:
            return self._call(token, FUNCTIONS)
        if token.text != "point":
            name = token.text
            raise ExpressionError(token.at, f"there is no {name}; write point.{name} for an axis")
        return PointReference(token.at)


def _fold(found: Items) -> Node:
    """Return a list of literals as one: it is the same for all points."""
    values = [item.value for item in found.items if isinstance(item, Literal)]
    return Literal(found.at, values) if len(values) == len(found.items) else found


def _unescape(token: Token) -> str:
    def replace(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise ExpressionError(token.at, f"{match[0]} is no escape here")
        return _ESCAPES[match[1]]

    return re.sub(r"\\(.)", replace, token.text[1:-1])
