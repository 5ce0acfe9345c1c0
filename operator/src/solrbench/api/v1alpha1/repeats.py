"""`spec.load.repeats`: how often all steps are run, until when, and what each repeat starts on."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from solrbench.api.rules import Model, Rule, not_with
from solrbench.api.v1alpha1.fields import Int


class RepeatStart(StrEnum):
    """What each repeat starts on."""

    SAME_TARGET = "SameTarget"
    FRESH_DATA = "FreshData"
    FRESH_TARGET = "FreshTarget"


class RepeatOrder(StrEnum):
    """Order of the variants within the repeats."""

    LISTED = "Listed"
    INTERLEAVED = "Interleaved"
    REVERSED = "Reversed"
    RANDOM = "Random"


class Until(StrEnum):
    """What repeats go on until."""

    DECIDED = "Decided"


# Fewer leave too few degrees of freedom, also to find a repeat that is an outlier; where more are
# needed, the noise is what to look at.
DEFAULT_MIN, DEFAULT_MAX = 5, 20

_Adaptive = Annotated[Int, Field(ge=2, le=100)]


class Repeats(Model):
    """The runs of all steps."""

    count: Annotated[Int, Field(ge=1, le=100)] | None = None
    """`count` is the number of times that all steps are run; 1 when absent, without `until`.
    Nothing is compared with fewer than 3; 5 show how far repeats differ."""
    until: Until | None = None
    """`until` goes on for as long as it is needed: `Decided` ends when each comparison of
    `target.variants`, or with `comparison.baseline`, is Better, Worse or Same, at most after `max`
    repeats. Levels of the tests allow for the looks after each repeat from `min` on."""
    min: _Adaptive | None = None
    """`min` is the number of repeats after which it is looked at first; 5 when absent."""
    max: _Adaptive | None = None
    """`max` is the number of repeats after which it ends anyway; 20 when absent."""
    start_on: RepeatStart = RepeatStart.SAME_TARGET
    """`startOn` controls what each repeat starts on. `SameTarget` runs all repeats on one target
    and one index. `FreshData` deletes the collection and indexes the documents again for each
    repeat, on the same nodes. `FreshTarget` deletes the whole target, too, and provisions it again;
    not for `target.existing`."""
    order: RepeatOrder = RepeatOrder.RANDOM
    """`order` controls the order of `target.variants`, each of which runs all steps before the
    next one. `Random` draws it for each repeat, by the seed of the spec, `Interleaved` turns it
    round in every second one (A B, B A), `Reversed` in the first, third …, `Listed` keeps it. Steps
    keep their order."""

    @property
    def least(self) -> int:
        """Repeats that are run in any case."""
        return (self.count or 1) if self.until is None else (self.min or DEFAULT_MIN)

    @property
    def most(self) -> int:
        """Repeats that are run at most."""
        return (self.count or 1) if self.until is None else (self.max or DEFAULT_MAX)

    rules: ClassVar = (
        not_with("count", "until", "which has min and max"),
        Rule(
            cel="has(self.until) || !(has(self.min) || has(self.max))",
            message="min and max must go with until, a number that is known is count",
        ),
        Rule(
            cel=(
                f"(has(self.min) ? self.min : {DEFAULT_MIN})"
                f" <= (has(self.max) ? self.max : {DEFAULT_MAX})"
            ),
            message=f"max must not be less than min, {DEFAULT_MIN} and {DEFAULT_MAX} when absent",
        ),
    )


MAX_REPEATS = (
    f"(has(self.load.repeats.until) ? (has(self.load.repeats.max) ? self.load.repeats.max"
    f" : {DEFAULT_MAX}) : (has(self.load.repeats.count) ? self.load.repeats.count : 1))"
)
"""CEL: `Repeats.most` of a spec."""
