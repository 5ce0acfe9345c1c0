"""Step runs whose service times change while they run."""

import random

from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import StepRunResult
from support.results.validity_documents import answers


def step_run(levels: list[float], noise: float = 0.05, **fields: object) -> StepRunResult:
    """Return a step run whose seconds vary around levels in µs."""
    source = random.Random(len(levels))
    windows = SecondSeries(
        SecondSums(second, 100, 0, 100 * round(level * source.lognormvariate(0, noise)), 0)
        for second, level in enumerate(levels)
    )
    return answers(windows=windows).model_copy(update=fields)


def rising(percent: float, seconds: int = 61) -> list[float]:
    return [10_000 * (1 + percent / 100 * second / seconds) for second in range(seconds)]
