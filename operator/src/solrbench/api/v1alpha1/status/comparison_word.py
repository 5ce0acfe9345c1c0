"""The word that a comparison ends with, and what it lacks without one."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.fields import Int

MORE_THAN_50 = 51
"""Stands for more than 50 further repeats."""

MoreRepeats = Annotated[Int, Field(ge=1, le=MORE_THAN_50)]
"""About how many more repeats of each side would decide a comparison."""


class Word(StrEnum):
    """What a comparison says of a figure of the benchmark beside that of its baseline."""

    BETTER = "Better"
    WORSE = "Worse"
    SAME = "Same"
    """Any difference is smaller than the smallest effect that matters."""
    UNCLEAR = "Unclear"
    """The repeats do not decide it; more of them may."""
