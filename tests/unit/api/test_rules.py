"""Rules of models: the message and the condition, and a line of path and remedy for each."""

from typing import Any

import pytest
from pydantic import ValidationError

from solrbench.api.expression_values import ExpressionError
from solrbench.api.expressions import RULE, parse_expression
from solrbench.api.rules import ADMITTED, Matches, Model, Rule, at_most_one, exactly_one
from solrbench.api.schema import VALIDATIONS, object_schemas
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from support.failing import refused
from support.resources.small_resource import STEP, Changes, resource


class Parts(Model):
    """Two fields that may be absent."""

    first_part: int | None = None
    """First."""
    second: int | None = None
    """Second."""


class Choice(Parts):
    """A union."""

    rules = (exactly_one("firstPart", "second"),)


class Limit(Parts):
    """At most one."""

    rules = (at_most_one("firstPart", "second"),)


class Twice(Model):
    """Two rules that fail together."""

    rules = (Rule(cel="false", message="must be this"), Rule(cel="false", message="must be that"))


def test_exactly_one_refuses_none_and_two_fields() -> None:
    assert Choice.model_validate({"firstPart": 0}).first_part == 0
    for wrong in ({}, {"firstPart": 1, "second": 1}):
        found = refused(Choice.model_validate, wrong)
        assert found == ["must set exactly one of firstPart, second"]


def test_exactly_one_in_cel() -> None:
    assert Choice.rules[0].cel == "(has(self.firstPart) ? 1 : 0) + (has(self.second) ? 1 : 0) == 1"


def test_at_most_one_refuses_two_fields() -> None:
    assert Limit.model_validate({}) == Limit()
    assert Limit.model_validate({"second": 0}).second == 0
    problem = "must not set more than one of firstPart, second"
    assert refused(Limit.model_validate, {"firstPart": 0, "second": 0}) == [problem]


def test_all_broken_rules_are_named_at_once() -> None:
    assert refused(Twice.model_validate, {}) == ["must be this; must be that"]


def test_a_part_that_was_admitted_becomes_part_of_something_else() -> None:
    body = resource({"spec.collection.replicas": {"nrt": 9}})
    admitted = SolrBenchmark.model_validate(body, context={ADMITTED: True})
    again = SolrBenchmark(metadata=admitted.metadata, spec=admitted.spec)
    assert again.spec.collection.replicas.nrt == 9
    with pytest.raises(ValidationError, match="must not add up"):
        SolrBenchmark.parse(body)


class Owner(Model):
    """Has what its rule does not name, and a default that the API server would fill in."""

    size: int = 1
    """Size."""
    max_size: int | None = None
    """Largest size."""
    anything: Any = None
    """Of no schema."""

    rules = (
        Rule(
            cel="!has(self.maxSize) || self.size <= self.maxSize",
            message="size must be at most maxSize",
        ),
    )


def test_a_rule_sees_defaults_and_nothing_that_is_absent() -> None:
    assert Owner.model_validate({}) == Owner(size=1)
    assert Owner.model_validate({"maxSize": 1}).max_size == 1
    assert refused(Owner.model_validate, {"maxSize": 0}) == ["size must be at most maxSize"]


def test_what_no_rule_names_needs_no_form_in_json() -> None:
    assert Owner.model_validate({"anything": b"\xff"}).anything == b"\xff"


class Undefined(Model):
    """A rule that has no value when a field is absent."""

    size: int | None = None
    """Size."""

    rules = (Rule(cel="self.size > 1", message="size must be greater than 1"),)


def test_a_rule_without_a_value_refuses_as_it_does_at_the_api_server() -> None:
    assert refused(Undefined.model_validate, {}) == ["at character 5: there is no size, only "]


@pytest.mark.parametrize("model", [SolrBenchmark, SolrBenchmarkSweep])
def test_every_rule_of_a_definition_is_within_the_vocabulary(model: type[Model]) -> None:
    parts = object_schemas(model).values()
    fields = [field for part in parts for field in part.get("properties", {}).values()]
    nodes = [*parts, *fields, *(field["items"] for field in fields if "items" in field)]
    rules = {rule["rule"] for node in nodes for rule in node.get(VALIDATIONS, ())}
    assert rules
    for rule in rules:
        parse_expression(rule, RULE)


def test_a_rule_is_not_parsed_before_it_is_needed() -> None:
    rule = Rule(cel="self.", message="must be parsed later")
    with pytest.raises(ExpressionError, match="unexpected the end"):
        rule.holds({})


def test_a_match_is_of_the_whole_text() -> None:
    rule = Matches("a|b", "must be a or b")
    assert rule.check("a") == "a"
    for wrong in ("ab", "a\n", ""):
        with pytest.raises(ValueError, match="must be a or b"):
            rule.check(wrong)
    assert rule.cel == "self.matches(r'^(?:a|b)$')"


def lines(changes: Changes) -> list[str]:
    return refused(SolrBenchmark.parse, resource(changes))


def test_path_reads_as_in_messages_of_the_api_server() -> None:
    assert lines({f"{STEP}.users": 0}) == ["spec.load.steps[0].users: must be at least 1"]


def test_our_own_message_stands_alone() -> None:
    line = "spec.target.solrCloud.heap: must be a whole number of Mi or Gi, such as 512Mi or 2Gi"
    assert lines({"spec.target.solrCloud.heap": "2g"}) == [line]


def test_a_rule_on_the_whole_resource_has_no_path() -> None:
    line = "metadata.name must be a-z, 0-9 and '-' within, and start with a letter"
    assert lines({"metadata.name": "a.b"}) == [line]


def test_each_problem_has_a_line() -> None:
    assert len(lines({f"{STEP}.users": 0, "spec.target.solrCloud.nodes": 0})) == 2
