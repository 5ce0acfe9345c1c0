"""The tokens of a CEL expression, and what operators and functions make of values.

By the CEL language definition, "Syntax" and "List of Standard Definitions", and for quantities and
lists by Kubernetes' CEL library. A value is what JSON has, or a quantity; each error names the
character of the expression at which it arises.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from operator import add, contains, gt, lt, mul, sub
from typing import Any

from solrbench.api.quantities import parse_quantity, require_quantity

# The order matters: a double begins with what is an int, a raw string with what is a name. What
# follows an int is no letter, so that `12ab` is not read as a number and a name.
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<double>[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)"
    r"|(?P<int>0x[0-9a-fA-F]+|[0-9]+)(?![A-Za-z_])"
    r"|(?P<raw>r\"[^\"\n]*\"|r'[^'\n]*')"
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
    """A piece of an expression; its kind is that of the group in `_TOKEN`, or `end`.

    `at` is its first character, counted from 0.
    """

    kind: str
    text: str
    at: int

    @property
    def shown(self) -> str:
        """The text as errors show it."""
        return self.text if self.kind == "end" else repr(self.text)


def tokenize(text: str) -> Iterator[Token]:
    """Yield the tokens of an expression, `end` as the last one."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(at, f"unexpected {text[at]!r}")
        kind = str(match.lastgroup)
        if kind != "space":
            yield Token(kind, match[0], at)
        at = match.end()
    yield Token("end", "the end", at)


_LARGEST = 2**63 - 1
_NUMBER_TYPES = (int, float)
# Nothing but a quantity is ever a `Decimal`: JSON has none.
_TYPES: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    list: "list",
    Decimal: "quantity",
    type(None): "null",
}


def type_of(value: Any) -> str:
    """Return what CEL calls the type of a value."""
    return _TYPES.get(type(value), "map")


def show(value: Any) -> str:
    """Return a value with its type, as errors name it."""
    text = repr(value) if isinstance(value, str) else str(value)
    kind = type_of(value)
    return f"a {kind}" if kind in {"map", "quantity"} else f"{text[:40]} ({kind})"


def check_bool(at: int, value: Any) -> bool:
    """Return a boolean; an `ExpressionError` is raised for anything else."""
    if value is not True and value is not False:
        raise ExpressionError(at, f"must be true or false, not {show(value)}")
    return bool(value)


def check_range(at: int, number: int) -> int:
    """Return an int; an `ExpressionError` is raised if it does not fit into 64 bits."""
    if not -_LARGEST - 1 <= number <= _LARGEST:
        raise ExpressionError(at, "the number does not fit into 64 bits")
    return number


def are_equal(at: int, left: Any, right: Any) -> bool:
    """Return whether two values are equal; `ExpressionError` if their types never are.

    Int and double are numbers both.
    """
    # By type, not `isinstance`: `True == 1` in Python, but never in CEL.
    if type(left) is type(right) is not list:
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            are_equal(at, *pair) for pair in zip(left, right, strict=True)
        )
    if left is None or right is None or _are_numbers(left, right):
        return bool(left == right)
    raise ExpressionError(at, f"{show(left)} and {show(right)} are never equal")


def is_less(at: int, left: Any, right: Any) -> bool:
    """Return whether one number is less than another; `ExpressionError` if one is none."""
    if _are_numbers(left, right):
        return bool(left < right)
    if isinstance(left, str) and isinstance(right, str):
        # CEL has an order of texts, in which "10Gi" comes before "9Gi".
        text = "texts are not ordered here, write quantity(a).isLessThan(quantity(b))"
        raise ExpressionError(at, text)
    raise ExpressionError(at, f"there is no order of {show(left)} and {show(right)}")


def negate(at: int, value: Any) -> Any:
    """Return a number with the other sign; `ExpressionError` if the value is none."""
    if type(value) not in _NUMBER_TYPES:
        raise ExpressionError(at, f"{show(value)} has no sign")
    return check_range(at, -value) if isinstance(value, int) else -value


def read_element(at: int, of: Any, key: Any) -> Any:
    """Return the item of a list, or the value of a field; `ExpressionError` if there is none."""
    if isinstance(of, dict):
        if not isinstance(key, str) or key not in of:
            raise ExpressionError(at, f"there is no {key}, only {', '.join(of)}")
        return of[key]
    # To Python, `[true]` is the item at 1.
    if not isinstance(of, list) or type(key) is not int:
        raise ExpressionError(at, f"{show(of)} has no {key}")
    if not 0 <= key < len(of):
        raise ExpressionError(at, f"there is no [{key}] in {len(of)} values")
    return of[key]


def _is_in(at: int, value: Any, of: Any) -> bool:
    if isinstance(of, list):
        return any(are_equal(at, value, each) for each in of)
    if isinstance(of, dict):
        if not isinstance(value, str):
            raise ExpressionError(at, f"{show(value)} is the name of no field")
        return value in of
    raise ExpressionError(at, f"in needs a list after it, not {show(of)}")


def _calculate(operator: str, at: int, left: Any, right: Any) -> Any:
    kind = type(left)
    # CEL converts nothing by itself: operands of different types have no result.
    if kind is type(right):
        if kind is int:
            if operator in "/%" and right == 0:
                raise ExpressionError(at, "division by zero")
            return check_range(at, _INTS[operator](left, right))
        if kind is float and operator != "%":
            return _divide(left, right) if operator == "/" else _INTS[operator](left, right)
        if kind in {str, list} and operator == "+":
            return left + right
    kinds = {type_of(left), type_of(right)}
    shown = f"{show(left)} {operator} {show(right)}"
    hint = ", use double() or int()" if kinds == {"int", "double"} else ""
    raise ExpressionError(at, f"{shown} is not defined{hint}")


def _are_numbers(left: Any, right: Any) -> bool:
    return type(left) in _NUMBER_TYPES and type(right) in _NUMBER_TYPES


def _divide_whole(left: int, right: int) -> int:
    """Divide towards zero, as CEL does."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _divide(left: float, right: float) -> float:
    """Divide as IEEE 754 does, where Python refuses zero."""
    if right:
        return left / right
    sign = math.copysign(1, left) * math.copysign(1, right)
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, sign)


_INTS: dict[str, Callable[[Any, Any], Any]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": _divide_whole,
    "%": lambda left, right: left - right * _divide_whole(left, right),
}

OPERATORS: dict[str, Callable[[int, Any, Any], Any]] = {
    "==": are_equal,
    "!=": lambda *operands: not are_equal(*operands),
    "<": is_less,
    ">": lambda at, left, right: is_less(at, right, left),
    "<=": lambda *operands: is_less(*operands) or are_equal(*operands),
    ">=": lambda at, left, right: is_less(at, right, left) or are_equal(at, left, right),
    "in": _is_in,
} | {operator: partial(_calculate, operator) for operator in _INTS}
"""By character, left and right value; they raise `ExpressionError` if the types do not fit, or a
result does not fit into 64 bits."""

EXCLUSION_FUNCTIONS = frozenset({"double", "int", "quantity", "size"})
EXCLUSION_METHODS = frozenset(
    {"compareTo", "contains", "endsWith", "isGreaterThan", "isLessThan", "size", "startsWith"}
)
RULE_FUNCTIONS = EXCLUSION_FUNCTIONS | {"has", "isQuantity"}
RULE_METHODS = EXCLUSION_METHODS | {
    "asApproximateFloat", "isSorted", "matches", "replace", "substring", "sum",
}  # fmt: skip


def call(at: int, name: str, arguments: Sequence[Any]) -> Any:
    """Return what a function gives; `ExpressionError` if it does not take these arguments."""
    types = tuple(type_of(each) for each in arguments)
    taken, function = _TAKES[name]
    if len(types) != len(taken) or any(
        each not in allowed for each, allowed in zip(types, taken, strict=False)
    ):
        shown = ", ".join(map(show, arguments)) or "nothing"
        wanted = ", ".join(" or ".join(each) for each in taken)
        raise ExpressionError(at, f"{name} takes {wanted}, not {shown}")
    try:
        result = function(*arguments)
    except (ValueError, OverflowError) as error:
        raise ExpressionError(at, f"{show(arguments[0])} is no {name}") from error
    # A sum, or the int of a double, may have more bits than CEL has.
    return check_range(at, result) if type_of(result) == "int" else result


def _int(value: Any) -> int:
    # Python also takes spaces, signs and underscores; 64 bits have 19 digits at most.
    if isinstance(value, str) and not re.fullmatch("-?[0-9]{1,19}", value):
        raise ValueError(value)
    return int(value)


def _matches(text: str, pattern: str) -> bool:
    """Search as RE2 does, whose `$` is the end of the text alone."""
    # Python's `$` also stands before a line end, which would let "name\n" pass.
    if pattern.endswith("$"):
        pattern = pattern.removesuffix("$") + r"\Z"
    return re.search(pattern, text, re.ASCII) is not None


_NUMBERS = ("int", "double", "string")
_TAKES: dict[str, tuple[tuple[tuple[str, ...], ...], Callable[..., Any]]] = {
    "asApproximateFloat": ((("quantity",),), float),
    "compareTo": ((("quantity",), ("quantity",)), lambda a, b: int(a.compare(b))),
    "contains": ((("string",), ("string",)), contains),
    "double": ((_NUMBERS,), float),
    "endsWith": ((("string",), ("string",)), str.endswith),
    "int": ((_NUMBERS,), _int),
    "isGreaterThan": ((("quantity",), ("quantity",)), gt),
    "isLessThan": ((("quantity",), ("quantity",)), lt),
    "isQuantity": ((("string",),), lambda text: parse_quantity(text) is not None),
    "isSorted": ((("list",),), lambda items: items == sorted(items)),
    "matches": ((("string",), ("string",)), _matches),
    "quantity": ((("string",),), require_quantity),
    "replace": ((("string",), ("string",), ("string",)), str.replace),
    "size": ((("string", "list", "map"),), len),
    "startsWith": ((("string",), ("string",)), str.startswith),
    "substring": ((("string",), ("int",)), lambda text, start: text[start:]),
    "sum": ((("list",),), sum),
}
