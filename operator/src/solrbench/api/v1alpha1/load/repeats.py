"""`spec.load.repeats`: how often all steps are run, on what, and in which order."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model
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
    RANDOM = "Random"


class Repeats(Model):
    """The runs of all steps."""

    count: Annotated[Int, Field(ge=1, le=100)] = 1
    """`count` is the number of times that all steps are run."""
    start_on: RepeatStart = RepeatStart.SAME_TARGET
    """`startOn` controls what each repeat starts on. `SameTarget` runs all repeats on one target
    and one index. `FreshData` deletes the collection and indexes the documents again for each
    repeat, on the same nodes. `FreshTarget` deletes the whole target, too, and provisions it again;
    not for `target.existing`."""
    order: RepeatOrder = RepeatOrder.RANDOM
    """`order` controls the order of `target.variants`, each of which runs all steps before the
    next one. `Random` draws it for each repeat, by the seed of the spec, `Interleaved` turns it
    round in every second one (A B, B A), `Listed` keeps it. Steps keep their order, as a ladder
    rises."""
