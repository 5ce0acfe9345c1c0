"""The verdicts of all steps as one.

Apart from the checks, which need numpy: who only reads results does not.
"""

from collections.abc import Iterable

from solrbench.api.v1alpha1.status.verdicts import INVALID, VALID, StepVerdict


def overall_verdict(verdicts: Iterable[StepVerdict]) -> str:
    """Return Invalid if one step is, Valid if none is, and an empty text without verdicts."""
    found = {each.verdict for each in verdicts}
    return INVALID if INVALID in found else VALID if found else ""


def invalid_steps(verdicts: Iterable[StepVerdict]) -> list[StepVerdict]:
    """Return the verdicts that are Invalid."""
    return [each for each in verdicts if each.verdict == INVALID]
