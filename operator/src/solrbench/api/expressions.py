"""CEL expressions, from their text to functions that have their value (CEL language definition).

There are two vocabularies. Rules of the resource are ours, so they may use macros and regular
expressions. Expressions of `spec.exclude` are a tenant's: they have neither, so what one costs is
bounded by its length. Both are stricter than CEL without types, like the API server, which has the
types of a schema: what compares an int with a string is wrong, not false.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solrbench.api.expression_values import (
    EXCLUSION_FUNCTIONS,
    EXCLUSION_METHODS,
    OPERATORS,
    RULE_FUNCTIONS,
    RULE_METHODS,
    ExpressionError,
    Token,
    call,
    check_bool,
    check_range,
    negate,
    read_element,
    show,
    tokenize,
)

Scope = Mapping[str, Any]
"""Values by the names of variables."""

Node = Callable[[Scope], Any]
"""A part of an expression: returns its value, or raises `ExpressionError` if it has none."""

MAX_DEPTH = 16
"""Expressions in each other: brackets, signs, choices."""

_LEVELS = (("||",), ("&&",), ("<", "<=", ">=", ">", "==", "!=", "in"), ("+", "-"), ("*", "/", "%"))
_LITERALS = {"true": True, "false": False, "null": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


@dataclass(frozen=True)
class _Constant:
    """The same value in every scope."""

    value: Any

    def __call__(self, _: Scope) -> Any:
        return self.value


@dataclass(frozen=True)
class _Field:
    """`of.name`, which `has` asks for without reading it."""

    at: int
    of: Node
    name: str

    def __call__(self, scope: Scope) -> Any:
        try:
            return self.of(scope)[self.name]
        except (KeyError, TypeError):
            # Dearer to foresee than to catch: fields are mostly there.
            return read_element(self.at, self.of(scope), self.name)

    def exists(self, scope: Scope) -> bool:
        """Return whether the object has the field."""
        of = self.of(scope)
        if not isinstance(of, dict):
            raise ExpressionError(self.at, f"{show(of)} has no fields")
        return self.name in of


_MACROS: dict[str, Callable[[int, list[Any]], Any]] = {
    "all": lambda at, values: all(check_bool(at, value) for value in values),
    "exists": lambda at, values: any(check_bool(at, value) for value in values),
    "exists_one": lambda at, values: sum(check_bool(at, value) for value in values) == 1,
    "map": lambda _, values: values,
}
"""What becomes of the values of an expression for each item of a list, or each key of a map."""


@dataclass(frozen=True)
class Vocabulary:
    """What an expression may name."""

    variable: str
    """The object that it is about."""
    member: str
    """What a field of that object is, in words."""
    functions: frozenset[str]
    methods: frozenset[str]
    """Functions after a point."""
    macros: frozenset[str] = frozenset()
    """Methods that evaluate an expression for each item."""


RULE = Vocabulary("self", "a field", RULE_FUNCTIONS, RULE_METHODS, frozenset(_MACROS))
EXCLUSION = Vocabulary("point", "an axis", EXCLUSION_FUNCTIONS, EXCLUSION_METHODS)


def parse_expression(text: str, vocabulary: Vocabulary) -> Node:
    """Return the function that an expression stands for; `ExpressionError` if it is none."""
    return _Parser([*tokenize(text)], vocabulary).read_all()


class _Parser:
    """Reads one expression by recursive descent (CEL language definition, "Grammar")."""

    def __init__(self, tokens: list[Token], vocabulary: Vocabulary) -> None:
        self._tokens = tokens
        self._vocabulary = vocabulary
        self._variables = [vocabulary.variable]
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
        # The word `in` is a name to the tokens; a string may have the text of an operator.
        is_one = self._next.text in texts and self._next.kind in {"operator", "name"}
        return self._take() if is_one else None

    def _take_name(self) -> Token:
        if self._next.kind != "name":
            raise self._unexpected()
        return self._take()

    def _expect(self, text: str) -> None:
        if self._take_if(text) is None:
            raise ExpressionError(self._next.at, f"expected {text!r} before {self._next.shown}")

    def _expression(self) -> Node:
        self._deepen()
        condition, asked = self._binary(0), self._take_if("?")
        if asked is None:
            self._depth -= 1
            return condition
        at, yes = asked.at, self._binary(0)
        self._expect(":")
        no = self._expression()
        self._depth -= 1
        return lambda scope: yes(scope) if check_bool(at, condition(scope)) else no(scope)

    def _deepen(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(self._next.at, f"deeper than {MAX_DEPTH} expressions")

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._binary(level + 1)
        while (operator := self._take_if(*_LEVELS[level])) is not None:
            node = _binary(operator, node, self._binary(level + 1))
        return node

    def _unary(self) -> Node:
        operator = self._take_if("!", "-")
        if operator is None:
            return self._elements(self._primary())
        self._deepen()
        value, at = self._unary(), operator.at
        self._depth -= 1
        if operator.text == "!":
            return lambda scope: not check_bool(at, value(scope))
        return lambda scope: negate(at, value(scope))

    def _elements(self, found: Node) -> Node:
        while (operator := self._take_if(".", "[")) is not None:
            if operator.text == "[":
                found = _element(operator.at, found, self._expression())
                self._expect("]")
                continue
            name = self._take_name()
            if self._take_if("(") is None:
                found = _Field(operator.at, found, name.text)
            elif name.text in self._vocabulary.macros:
                found = self._macro(name, found)
            else:
                found = self._call(name, self._vocabulary.methods, found)
        return found

    def _call(self, name: Token, known: frozenset[str], *before: Node) -> Node:
        if name.text not in known:
            shown = ", ".join(sorted(known))
            raise ExpressionError(name.at, f"{name.text} is not among the functions here: {shown}")
        arguments = [*before, *self._list(")")]
        if name.text == "has":
            # A macro: it takes the field itself, whose value it must not read.
            if len(arguments) != 1 or not isinstance(arguments[0], _Field):
                raise ExpressionError(name.at, "has takes one field, such as has(self.name)")
            return arguments[0].exists
        return lambda scope: call(name.at, name.text, [each(scope) for each in arguments])

    def _macro(self, name: Token, of: Node) -> Node:
        variable = self._take_name().text
        self._expect(",")
        # Known inside its macro alone.
        self._variables.append(variable)
        each = self._expression()
        self._variables.pop()
        self._expect(")")
        conclude = _MACROS[name.text]

        def evaluate(scope: Scope) -> Any:
            items = of(scope)
            if not isinstance(items, list | dict):
                raise ExpressionError(name.at, f"{name.text} needs a list, not {show(items)}")
            return conclude(name.at, [each({**scope, variable: item}) for item in items])

        return evaluate

    def _list(self, end: str) -> list[Node]:
        items: list[Node] = []
        while self._take_if(end) is None:
            if items:
                self._expect(",")
            items.append(self._expression())
        return items

    def _primary(self) -> Node:
        # The end is never taken: no token follows it.
        token = self._take() if self._next.kind != "end" else self._next
        match token.kind, token.text:
            case "int", text:
                number = int(text, 16 if text.startswith("0x") else 10)
                return _Constant(check_range(token.at, number))
            case "double", text:
                return _Constant(float(text))
            case "string" | "raw", _:
                return _Constant(_unescape(token))
            case "name", text:
                return self._named(token)
            case "operator", "[":
                return _items(self._list("]"))
            case "operator", "(":
                expression = self._expression()
                self._expect(")")
                return expression
            case _:
                raise ExpressionError(token.at, f"unexpected {token.shown}")

    def _named(self, token: Token) -> Node:
        name = token.text
        if name in _LITERALS:
            return _Constant(_LITERALS[name])
        if self._take_if("(") is not None:
            return self._call(token, self._vocabulary.functions)
        if name not in self._variables:
            known = f"{self._vocabulary.variable}.{name} for {self._vocabulary.member}"
            raise ExpressionError(token.at, f"there is no {name}; write {known}")
        return lambda scope: scope[name]


def _element(at: int, of: Node, key: Node) -> Node:
    return lambda scope: read_element(at, of(scope), key(scope))


def _binary(operator: Token, left: Node, right: Node) -> Node:
    at, stops = operator.at, operator.text == "||"
    if operator.text not in {"&&", "||"}:
        function = OPERATORS[operator.text]
        return lambda scope: function(at, left(scope), right(scope))

    def evaluate(scope: Scope) -> bool:
        try:
            if check_bool(at, left(scope)) is stops:
                return stops
        except ExpressionError:
            # Operands have no order in CEL: one that decides makes an error of the other void.
            if check_bool(at, right(scope)) is stops:
                return stops
            raise
        return check_bool(at, right(scope))

    return evaluate


def _items(items: Sequence[Node]) -> Node:
    # A list of literals is made once, because it is the same for all scopes.
    values = [item.value for item in items if isinstance(item, _Constant)]
    if len(values) == len(items):
        return _Constant(values)
    return lambda scope: [item(scope) for item in items]


def _unescape(token: Token) -> str:
    if token.kind == "raw":
        return token.text[2:-1]

    def replace(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise ExpressionError(token.at, f"{match[0]} is no escape here")
        return _ESCAPES[match[1]]

    return re.sub(r"\\(.)", replace, token.text[1:-1])
