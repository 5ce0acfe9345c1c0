"""The points that the expressions of `spec.exclude` leave out."""

from collections.abc import Mapping, Sequence
from typing import Any

from solrbench.sweep.expressions.evaluation import check_bool, evaluate
from solrbench.sweep.expressions.nodes import Node
from solrbench.sweep.expressions.parsing import parse_expression
from solrbench.sweep.expressions.tokens import ExpressionError


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
    for index, each in enumerate(exclusions):
        try:
            if check_bool(0, evaluate(each, point)):
                return True
        except ExpressionError as error:
            raise ExclusionError(f"spec.exclude[{index}]: {error} (point {text})") from error
    return False
