"""Repeats by the level of their service times."""

import random

from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import StepRunResult
from support.results.validity_documents import answers


def repeat(number: int, level: int, seconds: int = 61, **fields: int) -> StepRunResult:
    """Return a repeat whose seconds vary by 5 % around `level` µs."""
    return answers(number, windows=quiet_seconds(number, level, seconds), **fields)


def quiet_seconds(number: int, level: int, seconds: int) -> SecondSeries:
    """Return seconds that vary by 5 % around `level` µs."""
    source = random.Random(number)
    return SecondSeries(
        SecondSums(second, 100, 0, 100 * round(level * source.lognormvariate(0, 0.05)), 0)
        for second in range(seconds)
    )
