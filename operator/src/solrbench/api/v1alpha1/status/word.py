"""The word that a comparison ends with."""

from enum import StrEnum


class Word(StrEnum):
    """What a comparison says of a figure of the benchmark beside that of its baseline."""

    BETTER = "Better"
    WORSE = "Worse"
    SAME = "Same"
    """Any difference is smaller than the smallest effect that matters."""
    UNCLEAR = "Unclear"
    """The repeats do not decide it; more of them may."""
