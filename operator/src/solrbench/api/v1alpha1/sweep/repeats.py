"""`spec.repeats` of a `SolrBenchmarkSweep`: rounds over its points while words are missing."""

from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule
from solrbench.api.v1alpha1.fields import Int
from solrbench.api.v1alpha1.load.repeats import DEFAULT_MAX, DEFAULT_MIN, Until

_Number = Annotated[Int, Field(ge=2, le=100)]


class SweepRepeats(Model):
    """Rounds over the points: each is a benchmark of every point that takes part in it."""

    until: Until
    """`until` is what rounds go on until: with `Decided`, a point takes part in the next one while
    the word beside the baseline, or that beside the best point, is neither Better, Worse nor Same,
    at most up to `max` repeats; the best point counts only if it is not the Same as the baseline.
    Levels of the tests allow for the looks after each round."""
    min: _Number = DEFAULT_MIN
    """`min` is the number of repeats of each point after which it is looked at first."""
    max: _Number = DEFAULT_MAX
    """`max` is the number of repeats that no point exceeds."""

    rules: ClassVar = (
        Rule(
            cel="self.min <= self.max",
            message="max must not be less than min",
            is_satisfied=lambda r: r.min <= r.max,
        ),
    )
