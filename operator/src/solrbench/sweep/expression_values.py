"""Arithmetic and comparisons, by type (CEL language definition, "List of Standard Definitions")."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from solrbench.sweep.expressions.tokens import ExpressionError


@dataclass(frozen=True)
class Quantity:
    """A quantity of Kubernetes, as a number."""

    number: Decimal


_LARGEST = 2**63 - 1
_TYPES: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    list: "list",
    Quantity: "quantity",
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


def check_range(at: int, number: int) -> int:
    """Return an int.

    Raises:
        ExpressionError: if it does not fit into 64 bits.

    """
    if not -_LARGEST - 1 <= number <= _LARGEST:
        raise ExpressionError(at, "the number does not fit into 64 bits")
    return number


def are_equal(at: int, left: Any, right: Any) -> bool:
    """Return whether two values are equal; int and double are numbers both.

    Raises:
        ExpressionError: if they are of different types: then they are never equal.

    """
    if type(left) is type(right) is not list:
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            are_equal(at, *pair) for pair in zip(left, right, strict=True)
        )
    if left is None or right is None or _is_number(left, right):
        return bool(left == right)
    raise ExpressionError(at, f"{show(left)} and {show(right)} are never equal")


def is_less(at: int, left: Any, right: Any) -> bool:
    """Return whether one number is less than another.

    Raises:
        ExpressionError: if one is no number; texts have an order, but not that of quantities.

    """
    if _is_number(left, right):
        return bool(left < right)
    if isinstance(left, str) and isinstance(right, str):
        text = "texts are not ordered here, write quantity(a).isLessThan(quantity(b))"
        raise ExpressionError(at, text)
    raise ExpressionError(at, f"there is no order of {show(left)} and {show(right)}")


def calculate(at: int, operator: str, left: Any, right: Any) -> Any:
    """Return the result of `+`, `-`, `*`, `/` or `%`.

    Raises:
        ExpressionError: if the types do not fit, or the result is no number of 64 bits.

    """
    kinds = type_of(left), type_of(right)
    if operator == "+" and kinds in {("string", "string"), ("list", "list")}:
        return left + right
    if kinds == ("int", "int"):
        if operator in "/%" and right == 0:
            raise ExpressionError(at, "division by zero")
        return check_range(at, _INTS[operator](left, right))
    if kinds == ("double", "double") and operator != "%":
        return _divide(left, right) if operator == "/" else _INTS[operator](left, right)
    shown = f"{show(left)} {operator} {show(right)}"
    hint = ", use double() or int()" if set(kinds) == {"int", "double"} else ""
    raise ExpressionError(at, f"{shown} is not defined{hint}")


def _is_number(*values: Any) -> bool:
    return all(type_of(each) in {"int", "double"} for each in values)


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
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divide_whole,
    "%": lambda left, right: left - right * _divide_whole(left, right),
}
