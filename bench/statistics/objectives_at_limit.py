"""How often an objective is Met or Missed whose limit is the true number.

Repeats of simulated service times, whose levels differ, go through the product's own objectives.
There is no right word but Inconclusive.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bench.harness.table import Row, at_most
from bench.statistics.intervals import MEAN, Times, independent, samples_of, truth
from solrbench.analysis.objectives import evaluate
from solrbench.analysis.samples import RunSamples, StepSamples
from solrbench.api.v1alpha1.findings import ObjectiveConclusion
from solrbench.api.v1alpha1.objectives import Objective
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.stats.histograms import Histogram

_SECONDS, _REQUESTS_PER_SECOND = 60, 100
_MAX_FALSE_PERCENT = 6.0
_LIMIT_MILLISECONDS = 20
_STEP = "step"


def objectives_at_limit(_folder: Path, count: int) -> list[Row]:
    """Return a row for each number of repeats: `count` steps of each kind, p95 and mean."""
    return [_row(repeats, count) for repeats in (1, 2, 3)]


def _row(repeats: int, count: int) -> Row:
    parts, details = [], []
    draw = np.random.default_rng(repeats)
    for percent in (95.0, MEAN):
        for deviation in (0.0, 0.02, 0.03):
            false = sum(_is_false(draw, repeats, deviation, percent) for _ in range(count))
            parts.append(100 * false / count)
            figure = f"p{percent:g}" if percent else "mean"
            details.append(f"{figure}, {100 * deviation:g} % apart: {parts[-1]:.1f} %")
    what = f"{repeats} repeats at the limit of an objective: Met or Missed, of {count}"
    return at_most(what, max(parts), _MAX_FALSE_PERCENT, "{:.1f} %", "; ".join(details))


def _is_false(draw: np.random.Generator, repeats: int, deviation: float, percent: float) -> bool:
    starts = np.arange(_SECONDS * _REQUESTS_PER_SECOND) / _REQUESTS_PER_SECOND
    scale = 1000 * _LIMIT_MILLISECONDS / truth(independent, starts)[percent]
    limits = (
        {"responseTime": {"percentile": percent, "maxMilliseconds": _LIMIT_MILLISECONDS}}
        if percent
        else {"meanResponseTime": {"maxMilliseconds": _LIMIT_MILLISECONDS}}
    )
    objective = Objective.model_validate({"name": "at-limit", **limits})
    documents = [
        _document(repeat, starts, (independent(draw, starts) * scale * level).astype(np.int64))
        for repeat, level in enumerate(np.exp(draw.normal(0, deviation, repeats)), start=1)
    ]
    found = evaluate(objective, _STEP, "", StepSamples(map(RunSamples, documents)))
    return found.conclusion is not ObjectiveConclusion.INCONCLUSIVE


def _document(repeat: int, starts: NDArray[np.float64], times: Times) -> StepRunResult:
    samples = samples_of(starts, times)
    histogram, (blocks,) = cast(Histogram, samples.histogram), samples.repeats
    result = RequestResult(
        request="query",
        requests=len(times),
        failures=0,
        sum_microseconds=int(times.sum()),
        min_microseconds=int(times.min()),
        max_microseconds=int(times.max()),
        service_time_histogram=histogram.encode(),
        service_time_blocks=blocks.encode(),
    )
    return simulated_step_run(result, _SECONDS, repeat)


def simulated_step_run(
    result: RequestResult, seconds: int, repeat: int = 1, **fields: int
) -> StepRunResult:
    """Return the document of a step run of a closed loop with one request name."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return StepRunResult(
        id=f"r{repeat}-s0-{_STEP}",
        repeat=repeat,
        step=_STEP,
        users=1,
        attempt=1,
        start_time=at,
        end_time=at,
        seconds=seconds,
        requests=[result],
        workers=[],
    ).model_copy(update=fields)
