"""What the status takes from the windows of a step run, so that the windows need not be kept."""

from collections import Counter
from typing import Any

from solrbench.results.model.step_result import StepRunResult, WindowFigures
from solrbench.results.stats.per_second import second_means


def window_figures(document: StepRunResult, max_failed_percent: float) -> WindowFigures:
    """Return the figures of a step run.

    Args:
        document: the step run
        max_failed_percent: share of failures beyond which a window counts as failed; of a step run
            without its windows it is known already

    """
    if document.window_figures is not None:
        return document.window_figures
    counts: dict[int, Counter[str]] = {}
    for window in (window for result in document.requests for window in result.windows):
        counts.setdefault(window.second, Counter()).update(
            {"requests": window.requests, "failures": window.failures}
        )
    return WindowFigures(
        windows=len(counts),
        failed_windows=sum(
            each["failures"] * 100 > max_failed_percent * each["requests"]
            for each in counts.values()
        ),
        steady_microseconds=steady_microseconds(document),
    )


def condense(document: StepRunResult, max_failed_percent: float) -> StepRunResult:
    """Return a step run without all that only its report shows; it gives the same status.

    Windows are nearly all that a document takes: 1 KB for each second and request name.
    """
    if not _has_series(document):
        return document
    figures = window_figures(document, max_failed_percent)
    without: dict[str, list[Any]] = {"windows": [], "slow_requests": []}
    return document.model_copy(
        update={
            "window_figures": figures,
            "requests": [each.model_copy(update=without) for each in document.requests],
            "thousands": document.thousands[:1],
            "warm_up_thousands": document.warm_up_thousands[:1],
            "caches": [],
            "warm_up_caches": [],
            "outliers": [],
        }
    )


def _has_series(document: StepRunResult) -> bool:
    series = (
        document.thousands[1:],
        document.warm_up_thousands[1:],
        document.caches,
        document.warm_up_caches,
        document.outliers,
    )
    return any(series) or any(each.windows or each.slow_requests for each in document.requests)


def steady_microseconds(document: StepRunResult) -> float | None:
    """Return the mean service time in µs from the steady second on; the last one is cut short."""
    if document.window_figures is not None:
        return document.window_figures.steady_microseconds
    begin = document.steady_from_second
    if begin is None:
        return None
    requests = [each for each in document.requests if not each.is_transaction]
    steady = [each for each in second_means(requests) if each.second >= begin]
    count = sum(each.requests for each in steady)
    total = sum(each.requests * each.mean_microseconds for each in steady)
    return total / count if count else None
