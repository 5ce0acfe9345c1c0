"""Short repeats by the level of their service times."""

import random
from typing import Any

from solrbench.contract.step_document import RequestResult, StepRunResult
from support.results.builders import make_timed_result
from support.results.validity_documents import healthy


def repeat(number: int, level: int, seconds: int = 15, **fields: Any) -> StepRunResult:
    """Return a repeat of log-normal service times around `level` µs."""
    result = make_timed_result(level_times(number, level, seconds))
    return healthy(number, requests=[counted(result, **fields)])


def level_times(number: int, level: int, seconds: int) -> list[list[int]]:
    draw = random.Random(number)
    return [[round(level * draw.lognormvariate(0, 0.6)) for _ in range(40)] for _ in range(seconds)]


def counted(result: RequestResult, **fields: Any) -> RequestResult:
    return result.model_copy(update={"partial_results": 0, "empty_results": 0, **fields})
