import contextlib
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.api.expression_values import ExpressionError
from solrbench.api.expressions import EXCLUSION, RULE, parse_expression
from support.resources.cel import POINT, TRUE, TRUE_IN_RULES


def value_of(text: str, point: Mapping[str, Any] = POINT) -> Any:
    return parse_expression(text, EXCLUSION)({"point": point})


@pytest.mark.parametrize("text", TRUE)
def test_true_expression_is_true_and_its_negation_false(text: str) -> None:
    assert value_of(text) is True
    assert value_of(f"!({text})") is False


def rule_value(text: str) -> Any:
    return parse_expression(text, RULE)({"self": POINT})


@pytest.mark.parametrize(
    "text", [each.replace("point", "self") for each in (*TRUE, *TRUE_IN_RULES)]
)
def test_rule_may_use_all_of_exclusions_and_more(text: str) -> None:
    assert rule_value(text) is True
    assert rule_value(f"!({text})") is False


@pytest.mark.parametrize("text", TRUE_IN_RULES)
def test_exclusion_may_use_nothing_that_costs_more_than_its_length(text: str) -> None:
    with pytest.raises(ExpressionError):
        value_of(text)


def test_absent_field_has_no_value_but_can_be_asked_for() -> None:
    assert rule_value("has(self.absent)") is False
    assert rule_value("!has(self.absent) || self.absent == 1") is True
    with pytest.raises(ExpressionError, match="there is no absent, only heap"):
        rule_value("self.absent == 1")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("has(self)", "has takes one field, such as has(self.name)"),
        ("has(self.heap.size)", "'2Gi' (string) has no fields"),
        ("self.nodes.all(n, true)", "all needs a list, not 3 (int)"),
        ("self.topology.all(n, n)", "must be true or false, not 4 (int)"),
        ("self.topology.all(n, m > 1)", "there is no m; write self.m for a field"),
        ("self.topology.all(n, true) && n == 1", "there is no n; write self.n for a field"),
        ("self.topology.all(1, true)", "unexpected '1'"),
    ],
)
def test_wrong_rule_is_refused(text: str, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        rule_value(text)
    assert words in str(caught.value)


def test_axis_with_a_hyphen_is_in_brackets() -> None:
    assert value_of("point['query-cache'] == 8", {"query-cache": 8}) is True


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("point.nodes <", "at character 14: unexpected the end"),
        ("(point.nodes", "at character 13: expected ')' before the end"),
        ("point.nodes = 3", "at character 13: unexpected '='"),
        ("point.nodes 3", "at character 13: unexpected '3'"),
        ("nodes == 3", "at character 1: there is no nodes; write point.nodes for an axis"),
        ("point.node == 3", "at character 6: there is no node, only heap, nodes"),
        ("point.all(x, x > 1)", "at character 7: all is not among the functions here: compareTo"),
        ("matches(point.heap, 'a')", "matches is not among the functions here: double, int"),
        ("point.nodes == '3'", "at character 13: 3 (int) and '3' (string) are never equal"),
        ("point.heap < '10Gi'", "write quantity(a).isLessThan(quantity(b))"),
        ("point.nodes < '3'", "there is no order of 3 (int) and '3' (string)"),
        ("point.nodes && true", "must be true or false, not 3 (int)"),
        ("point.nodes + 1.0 > 2.0", "3 (int) + 1.0 (double) is not defined, use double() or int()"),
        ("point.nodes % 0 == 1", "at character 13: division by zero"),
        ("9223372036854775807 + 1 > 0", "does not fit into 64 bits"),
        ("9223372036854775808 > 0", "at character 1: the number does not fit into 64 bits"),
        ("point.topology[2] == 1", "there is no [2] in 2 values"),
        ("point.nodes[0] == 1", "3 (int) has no 0"),
        ("quantity(point.nodes) == quantity('1')", "quantity takes string, not 3 (int)"),
        ("quantity('much') == quantity('1')", "'much' (string) is no quantity"),
        ("-point.heap == 1", "'2Gi' (string) has no sign"),
        ("[1] in point", "[1] (list) is the name of no field"),
        ("point[[1]] == 1", "there is no [1], only"),
        ("1 in 1", "in needs a list after it, not 1 (int)"),
        (r"'\d' == 'd'", r"\d is no escape here"),
        ("'open == 1", 'at character 1: unexpected "\'"'),
        ("(" * 200, "deeper than 16 expressions"),
        ("true ? true : " * 30 + "true", "deeper than 16 expressions"),
    ],
)
def test_wrong_expression_is_refused_with_its_character(text: str, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        value_of(text)
    assert words in str(caught.value)


WORDS = "point .nodes .heap ( ) [ ] 1 2.5 'a' true null && || ! - + * / % < == in ? : , size( é \0"
TOKENS = st.sampled_from(WORDS.split())


@given(st.lists(TOKENS, max_size=40).map(" ".join))
def test_any_text_has_a_value_or_is_refused(text: str) -> None:
    with contextlib.suppress(ExpressionError):
        value_of(text)
