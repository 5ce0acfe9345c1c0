"""The value of an expression for one point.

The points that the expressions of `spec.exclude` leave out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from solrbench.sweep.expression_parser import (
    Binary,
    Call,
    Choice,
    Element,
    Items,
    Literal,
    Node,
    PointReference,
    Unary,
    parse_expression,
)
from solrbench.sweep.expression_values import (
    ExpressionError,
    are_equal,
    calculate,
    call,
    check_range,
    is_less,
    show,
)


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
            result = value
        case PointReference():
            result = point
        case Items(_, items):
            result = [evaluate(each, point) for each in items]
        case Element(at, of, key):
            result = _element(at, evaluate(of, point), evaluate(key, point))
        case Call(at, function, arguments):
            result = call(at, function, [evaluate(each, point) for each in arguments])
        case Unary(at, operator, value):
            result = _unary(at, operator, evaluate(value, point))
        case Choice(at, condition, yes, no):
            chosen = yes if check_bool(at, evaluate(condition, point)) else no
            result = evaluate(chosen, point)
        case Binary(at, "&&" | "||" as operator, left, right):
            result = _logical(at, left, right, point, stops=operator == "||")
        case Binary(at, operator, left, right):
            result = _binary(at, operator, evaluate(left, point), evaluate(right, point))
    return result


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


class ExclusionError(ValueError):
    """An expression is wrong, or has no value for a point; the message begins with its place."""


def parse_exclusions(expressions: Sequence[str]) -> list[Node]:
    """Return the parsed expressions.

    Raises:
        ExclusionError: if one is wrong.
    """
    return [_parse(index, text) for index, text in enumerate(expressions)]


def _parse(index: int, text: str) -> Node:
    try:
        return parse_expression(text)
    except ExpressionError as error:
        raise ExclusionError(f"spec.exclude[{index}]: {error}") from error


def is_excluded(exclusions: Sequence[Node], point: Mapping[str, Any], text: str) -> bool:
    """Return whether one of the expressions is true for a point.

    Args:
        exclusions: the parsed expressions
        point: the value of each axis by its name
        text: the point in words

    Raises:
        ExclusionError: if one has no value for the point, or one that is not true or false.
    """
    for index, exclusion in enumerate(exclusions):
        try:
            if check_bool(0, evaluate(exclusion, point)):
                return True
        except ExpressionError as error:
            raise ExclusionError(f"spec.exclude[{index}]: {error} (point {text})") from error
    return False
