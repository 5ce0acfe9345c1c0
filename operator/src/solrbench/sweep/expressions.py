"""The value of an expression for one point."""

from collections.abc import Callable, Mapping
from typing import Any

from solrbench.sweep.expressions.functions import call
from solrbench.sweep.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Element,
    Items,
    Literal,
    Node,
    Point,
    Unary,
)
from solrbench.sweep.expressions.operators import (
    are_equal,
    calculate,
    check_range,
    is_less,
    show,
)
from solrbench.sweep.expressions.tokens import ExpressionError


def evaluate(node: Node, point: Mapping[str, Any]) -> Any:
    """Return the value of an expression.

    Args:
        node: the expression
        point: the value of each axis by its name

    Raises:
        ExpressionError: if it has none, such as for a number beside a text.

    """
    match node:
        case Literal(_, value):
            found = value
        case Point():
            found = point
        case Items(_, items):
            found = [evaluate(each, point) for each in items]
        case Element(at, of, key):
            found = _element(at, evaluate(of, point), evaluate(key, point))
        case Call(at, function, arguments):
            found = call(at, function, [evaluate(each, point) for each in arguments])
        case Unary(at, operator, value):
            found = _unary(at, operator, evaluate(value, point))
        case Choice(at, condition, yes, no):
            chosen = yes if check_bool(at, evaluate(condition, point)) else no
            found = evaluate(chosen, point)
        case Binary(at, "&&" | "||" as operator, left, right):
            found = _logical(at, left, right, point, stops=operator == "||")
        case Binary(at, operator, left, right):
            found = _binary(at, operator, evaluate(left, point), evaluate(right, point))
    return found


def check_bool(at: int, value: Any) -> bool:
    """Return a boolean.

    Raises:
        ExpressionError: if the value is none.

    """
    if not isinstance(value, bool):
        raise ExpressionError(at, f"must be true or false, not {show(value)}")
    return value


def _logical(at: int, left: Node, right: Node, point: Mapping[str, Any], *, stops: bool) -> bool:
    """Return `&&` or `||`: as in CEL, an error beside a value that decides does not matter."""
    try:
        if check_bool(at, evaluate(left, point)) is stops:
            return stops
    except ExpressionError:
        if check_bool(at, evaluate(right, point)) is stops:
            return stops
        raise
    return check_bool(at, evaluate(right, point))


def _unary(at: int, operator: str, value: Any) -> Any:
    if operator == "!":
        return not check_bool(at, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(at, f"{show(value)} has no sign")
    return check_range(at, -value) if isinstance(value, int) else -value


def _element(at: int, of: Any, key: Any) -> Any:
    if isinstance(of, list) and isinstance(key, int) and not isinstance(key, bool):
        if not 0 <= key < len(of):
            raise ExpressionError(at, f"there is no [{key}] in {len(of)} values")
        return of[key]
    if not isinstance(of, Mapping):
        raise ExpressionError(at, f"{show(of)} has no {key}")
    if key not in of:
        raise ExpressionError(at, f"there is no {key}, only {', '.join(of)}")
    return of[key]


def _binary(at: int, operator: str, left: Any, right: Any) -> Any:
    if operator in _RELATIONS:
        return _RELATIONS[operator](at, left, right)
    return calculate(at, operator, left, right)


def _is_in(at: int, value: Any, of: Any) -> bool:
    if isinstance(of, list):
        return any(are_equal(at, value, each) for each in of)
    if isinstance(of, Mapping):
        return value in of
    raise ExpressionError(at, f"in needs a list after it, not {show(of)}")


_RELATIONS: dict[str, Callable[[int, Any, Any], bool]] = {
    "==": are_equal,
    "!=": lambda *operands: not are_equal(*operands),
    "<": is_less,
    ">": lambda at, left, right: is_less(at, right, left),
    "<=": lambda *operands: is_less(*operands) or are_equal(*operands),
    ">=": lambda at, left, right: is_less(at, right, left) or are_equal(at, left, right),
    "in": _is_in,
}
