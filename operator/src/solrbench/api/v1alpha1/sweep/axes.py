"""`spec.axes` of a `SolrBenchmarkSweep`: which fields of the benchmark differ, and their values."""

from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints, WithJsonSchema

from solrbench.api.rules import Matches, Model, exactly_one
from solrbench.api.v1alpha1.fields import ShortName

MAX_AXES = 8
MAX_POINTS = 500

AnyValue = Annotated[Any, WithJsonSchema({"x-kubernetes-preserve-unknown-fields": True})]
"""Whatever a field of a benchmark takes; the operator validates it as part of a point."""

FieldPath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=256),
    Matches(
        r"[a-z][A-Za-z0-9]*(\[[0-9]{1,3}\])?(\.[A-Za-z][A-Za-z0-9]*(\[[0-9]{1,3}\])?)*",
        "must be the path of a field below the spec of a SolrBenchmark, such as"
        " target.solrCloud.heap or load.steps[0].users",
    ),
]
"""Path of a field below `spec` of a benchmark."""


class Axis(Model):
    """A field of the benchmark, or several that change together, and their values."""

    name: ShortName
    """`name` is the name of the axis in points, answers and metrics."""
    field: FieldPath | None = None
    """`field` is the path of the field below the spec of the benchmark, such as
    `target.solrCloud.heap` or `load.steps[0].users`."""
    fields: Annotated[list[FieldPath], Field(min_length=2, max_length=8)] | None = None
    """`fields` are the paths of several fields that change together."""
    values: Annotated[list[AnyValue], Field(min_length=1, max_length=MAX_POINTS)]
    """`values` are the values, one point or more for each. A value is a number, a text or a
    boolean; with `fields` a list with the value of each. Anything else has a name: `{name: small,
    value: ...}`; without `value` the field is left out, so that its default holds. More may be
    added at any time."""

    rules: ClassVar = (exactly_one("field", "fields"),)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all its fields."""
        return tuple(self.fields) if self.fields is not None else (self.field or "",)


Combination = Annotated[dict[str, AnyValue], Field(max_length=MAX_AXES)]
"""A value for each of some axes, by their names."""
