"""Rules that span fields, as CEL: the API server and the models evaluate the same text.

A rule stands on the model whose fields it compares, and sees it as the API server does: by the
names of the resource, with defaults filled in, without what is absent. A test feeds one table of
good and bad resources to the API server and to pydantic. Problems have the form that the API server
uses too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from solrbench.api.expression_values import check_bool
from solrbench.api.expressions import RULE, Node, parse_expression


@dataclass(frozen=True)
class Rule:
    """One condition on a model, in CEL, with `self` as the object.

    The message is what the user reads when it fails: the field and the remedy, with "must".
    """

    cel: str
    message: str

    @cached_property
    def _condition(self) -> Node:
        return parse_expression(self.cel, RULE)

    def holds(self, stored: Mapping[str, Any]) -> bool:
        """Return whether an object satisfies the rule, in the form in which it is stored."""
        return check_bool(0, self._condition({RULE.variable: stored}))


@dataclass(frozen=True)
class Matches:
    """A rule on one string, as metadata of an `Annotated` type.

    It stands in for the schema's `pattern`, whose message would show the expression instead of
    saying what to write. RE2 and Python share the syntax of the expression, which is for the whole
    text; the message is "must be …, such as …".
    """

    pattern: str
    message: str

    @property
    def cel(self) -> str:
        """The expression the API server evaluates, with `self` as the string."""
        whole = f"(?:{self.pattern})" if "|" in self.pattern else self.pattern
        return f"self.matches(r'^{whole}$')"

    def check(self, text: str) -> str:
        """Return `text` unchanged; a `ValueError` with the message if it does not match."""
        # RE2 knows the classes of ASCII alone: `\d` of Python would take digits of any script.
        if re.fullmatch(self.pattern, text, re.ASCII) is None:
            raise ValueError(self.message)
        return text

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        metadata = {"matches": self}
        return core_schema.no_info_after_validator_function(self.check, schema, metadata=metadata)


@dataclass(frozen=True)
class ListMap:
    """Metadata of a list whose items differ in one field: server-side apply merges by that key.

    The API server rejects two items of one key itself (`x-kubernetes-list-type: map`), which costs
    nothing, where a rule in CEL would compare each item with each.
    """

    key: str

    def check(self, items: list[Any]) -> list[Any]:
        """Return `items` unchanged; a `ValueError` if two have the same key."""
        keys = [getattr(item, self.key) for item in items]
        twice = [key for index, key in enumerate(keys) if key in keys[:index]]
        if twice:
            raise ValueError(f"Duplicate value: each {self.key} must differ, {twice[0]} does not")
        return items

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        metadata = {"list_map": self}
        return core_schema.no_info_after_validator_function(self.check, schema, metadata=metadata)


ADMITTED = "admitted"
"""Key of the context of a validation: true for what another version may have let through."""


class Model(BaseModel):
    """Base of everything in the resource: camelCase outside, immutable, nothing unknown."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        # JSON has neither.
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    rules: ClassVar[tuple[Rule, ...]] = ()

    @classmethod
    def parse_admitted(cls, stored: bytes | Mapping[str, Any]) -> Self:
        """Return the model of JSON, or of its object, that some version has let through.

        Its fields must be those of this version, but none of its rules are applied. It raises
        `pydantic.ValidationError` if they are not.
        """
        context = {ADMITTED: True}
        if isinstance(stored, bytes):
            return cls.model_validate_json(stored, context=context)
        return cls.model_validate(stored, context=context)

    @model_validator(mode="wrap")
    @classmethod
    def _check_rules(
        cls, value: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        made = handler(value)
        # What is admitted has passed the rules of some version: newer ones must not end it, nor a
        # part of it when that becomes a part of something else.
        if not cls.rules or isinstance(value, cls) or (info.context or {}).get(ADMITTED):
            return made
        compared = cls._compared_fields()
        stored = made.model_dump(include=compared, mode="json", by_alias=True, exclude_none=True)
        broken = [rule.message for rule in cls.rules if not rule.holds(stored)]
        if broken:
            raise ValueError("; ".join(broken))
        return made

    @classmethod
    @cache
    def _compared_fields(cls) -> set[str]:
        # Only these need a form in JSON: that of a status would cost much, and the template of a
        # sweep may hold what has none.
        named = {alias for rule in cls.rules for alias in re.findall(r"\bself\.(\w+)", rule.cel)}
        return {name for name, field in cls.model_fields.items() if field.alias in named}


class LenientModel(Model):
    """Base of what another version of the operator may have written: unknown fields are ignored."""

    model_config: ClassVar = Model.model_config | {"extra": "ignore"}


def plain(model: BaseModel) -> dict[str, Any]:
    """Return the fields of a model as JSON has them, without those of None."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def exactly_one(*fields: str) -> Rule:
    """Return the rule that exactly one of `fields` (camelCase) is set: a union."""
    message = f"must set exactly one of {', '.join(fields)}"
    return Rule(cel=f"{_count_set(fields)} == 1", message=message)


def at_most_one(*fields: str) -> Rule:
    """Return the rule that no two of `fields` (camelCase) are set."""
    message = f"must not set more than one of {', '.join(fields)}"
    return Rule(cel=f"{_count_set(fields)} <= 1", message=message)


def not_with(field: str, other: str, why: str) -> Rule:
    """Return the rule that two fields (camelCase paths) are not both set, and why."""
    return Rule(
        cel=f"!has(self.{field}) || !has(self.{other})",
        message=f"{field} must not go with {other}, {why}",
    )


def _count_set(fields: tuple[str, ...]) -> str:
    # CEL counts no booleans.
    return " + ".join(f"(has(self.{name}) ? 1 : 0)" for name in fields)


Place = tuple[str | int, ...]
"""Path of a field, such as `("spec", "load", "steps", 0)`."""

_WORDS = {
    "extra_forbidden": "unknown field",
    "missing": "is required",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "invalid_key": "is a key that is no text: YAML reads on, off, yes and no as true and false",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length}",
    "too_long": "must have at most {max_length}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
}
"""By the library's kinds of errors, in place of its words; in braces what it says of the bound."""


def problems(error: ValidationError) -> list[str]:
    """Return one line for each problem: the path of the field, a colon, and the remedy.

    A rule about the resource as a whole has no path.
    """
    items = error.errors(include_url=False)
    parts = ((format_place(item["loc"]), describe(item)) for item in items)
    return [": ".join(filter(None, each)) for each in parts]


def format_place(place: Place) -> str:
    """Return a path as the API server writes it, such as `spec.load.steps[0].users`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def describe(item: ErrorDetails) -> str:
    """Return what is wrong, without the path."""
    if item["type"] == "value_error":
        # The error itself lacks the "Value error, " that pydantic puts before its message.
        return str(item["ctx"]["error"])
    words = _WORDS.get(item["type"])
    return item["msg"] if words is None else words.format(**item.get("ctx", {}))
