"""Rules that span fields: CEL for the API server, a Python twin for everybody else.

A rule stands on the model whose fields it compares, so that both readers see the same place.
A test feeds one table of good and bad resources to the API server and to pydantic.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


@dataclass(frozen=True)
class Rule:
    """One condition on a model.

    Attributes:
        cel: the expression the API server evaluates, with `self` as the object
        message: what the user reads when it fails: the field and the remedy, with "must"
        holds: the same condition on the parsed model

    """

    cel: str
    message: str
    holds: Callable[[Any], bool]


class Model(BaseModel):
    """Base of everything in the resource: camelCase outside, immutable, nothing unknown."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    rules: ClassVar[tuple[Rule, ...]] = ()

    @model_validator(mode="after")
    def _keep_rules(self) -> Self:
        broken = [rule.message for rule in self.rules if not rule.holds(self)]
        if broken:
            raise ValueError("; ".join(broken))
        return self


def exactly_one(*fields: str) -> Rule:
    """Return the rule that exactly one of `fields` (camelCase) is set: a union."""
    names = ", ".join(fields)
    terms = " + ".join(f"(has(self.{name}) ? 1 : 0)" for name in fields)
    return Rule(
        cel=f"{terms} == 1",
        message=f"must set exactly one of {names}",
        holds=lambda model: _count_set(model, fields) == 1,
    )


def at_most_one(*fields: str) -> Rule:
    """Return the rule that no two of `fields` (camelCase) are set."""
    names = ", ".join(fields)
    terms = " + ".join(f"(has(self.{name}) ? 1 : 0)" for name in fields)
    return Rule(
        cel=f"{terms} <= 1",
        message=f"may not set more than one of {names}",
        holds=lambda model: _count_set(model, fields) <= 1,
    )


def _count_set(model: BaseModel, aliases: tuple[str, ...]) -> int:
    by_alias = {field.alias: name for name, field in type(model).model_fields.items()}
    return sum(getattr(model, by_alias[alias]) is not None for alias in aliases)
