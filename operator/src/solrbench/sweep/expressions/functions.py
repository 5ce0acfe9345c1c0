"""What an expression can call: functions of CEL, and the quantities of Kubernetes' CEL library."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from solrbench.api.quantities import parse_quantity
from solrbench.sweep.expressions.operators import Quantity, check_range, show, type_of
from solrbench.sweep.expressions.tokens import ExpressionError

FUNCTIONS = frozenset({"double", "int", "quantity", "size"})
METHODS = frozenset(
    {"compareTo", "contains", "endsWith", "isGreaterThan", "isLessThan", "size", "startsWith"}
)


def call(at: int, name: str, arguments: Sequence[Any]) -> Any:
    """Return what a function gives.

    Raises:
        ExpressionError: if it does not take these arguments.

    """
    types = tuple(type_of(each) for each in arguments)
    taken, function = _TAKES[name]
    if len(types) != len(taken) or any(
        each not in allowed for each, allowed in zip(types, taken, strict=False)
    ):
        shown = ", ".join(map(show, arguments)) or "nothing"
        wanted = ", ".join(" or ".join(each) for each in taken)
        raise ExpressionError(at, f"{name} takes {wanted}, not {shown}")
    try:
        found = function(*arguments)
    except (ValueError, OverflowError) as error:
        raise ExpressionError(at, f"{show(arguments[0])} is no {name}") from error
    return check_range(at, found) if type_of(found) == "int" else found


def _quantity(text: str) -> Quantity:
    number = parse_quantity(text)
    if number is None:
        raise ValueError(text)
    return Quantity(number)


def _compare(left: Quantity, right: Quantity) -> int:
    return (left.number > right.number) - (left.number < right.number)


def _int(value: Any) -> int:
    if isinstance(value, str) and not re.fullmatch("-?[0-9]{1,19}", value):
        raise ValueError(value)
    return int(value)


_NUMBERS = ("int", "double", "string")
_TAKES: dict[str, tuple[tuple[tuple[str, ...], ...], Callable[..., Any]]] = {
    "compareTo": ((("quantity",), ("quantity",)), _compare),
    "contains": ((("string",), ("string",)), lambda text, part: part in text),
    "double": ((_NUMBERS,), float),
    "endsWith": ((("string",), ("string",)), str.endswith),
    "int": ((_NUMBERS,), _int),
    "isGreaterThan": ((("quantity",), ("quantity",)), lambda *both: _compare(*both) > 0),
    "isLessThan": ((("quantity",), ("quantity",)), lambda *both: _compare(*both) < 0),
    "quantity": ((("string",),), _quantity),
    "size": ((("string", "list", "map"),), len),
    "startsWith": ((("string",), ("string",)), str.startswith),
}
