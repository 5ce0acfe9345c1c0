"""The cold-start curve: how long each thousand requests took, from the very first one on."""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.step_details import ColdStart
from solrbench.contract.step_document import StepRunResult
from solrbench.contract.step_runs import FIRST_REPEAT
from solrbench.contract.windows import WINDOW_REQUESTS, CacheSample, RequestWindow
from solrbench.stats.number_format import milliseconds
from solrbench.stats.outliers import second_means
from solrbench.stats.series import SecondMean


class CurvePoint(NamedTuple):
    """A thousand requests of the curve."""

    number: int
    """Place on the curve, from 1."""
    warm_up: bool
    """Whether they were sent by the warm-up."""
    window: RequestWindow
    hit_ratios: dict[str, float]
    """Hits divided by lookups of each of Solr's caches; those that are not known are missing."""


def cold_start(document: StepRunResult) -> list[CurvePoint]:
    """Return the curve of a step run and of the warm-up right before it."""
    parts = (
        (True, document.warm_up_thousands, by_cache(document.warm_up_caches)),
        (False, document.thousands, by_cache(document.caches)),
    )
    number = itertools.count(1)
    return [
        CurvePoint(next(number), warm_up, window, hit_ratios(window, samples))
        for warm_up, windows, samples in parts
        for window in windows
    ]


MAX_STRETCHES = 12
"""Numbers of a curve in short, enough for stretches that double up to a million requests."""


def average_stretches(points: Sequence[CurvePoint]) -> list[float]:
    """Return a curve in short: mean service times in ms, each of twice as many requests.

    The first two are of a thousand requests each, as caches fill fastest at first; the last one
    of `MAX_STRETCHES` has all that are left.
    """
    edges = [0, *(2**place for place in range(MAX_STRETCHES - 1)), None]
    windows = [point.window for point in points]
    means = (_mean_milliseconds(windows[begin:end]) for begin, end in itertools.pairwise(edges))
    return [mean for mean in means if mean is not None]


def first_step_run(documents: Iterable[StepRunResult]) -> StepRunResult | None:
    """Return the step run that was measured first; None if no step run has windows."""
    known = [document for document in documents if document.outlier_windows is not None]
    return min(known, key=lambda document: document.start_time, default=None)


def is_warm(status: Status, documents: Iterable[StepRunResult]) -> bool:
    """Return whether another point, or a load that was lost, had sent to the target before.

    Once repeats are on other targets, attempts on the first one are not known any more.
    """
    if status.target.reuses is not None:
        return True
    first, attempts = first_step_run(documents), status.attempts
    if first is None or attempts.repeat not in (None, FIRST_REPEAT):
        return False
    since = attempts.first_load_on_target or 1
    if first.attempt < since:  # on a target before this one: it was said while that was there
        return status.cold_start is None
    return first.attempt > since


def summarise_cold_start(document: StepRunResult) -> ColdStart | None:
    """Return how a step run began; None if its first thousand requests are not known."""
    # What a lost worker had sent is missing, so it is unknown which requests were the first.
    # After a pass of answers they were not the first ones at all.
    if document.lost_workers or document.answers is not None:
        return None
    first = next(iter(document.warm_up_thousands or document.thousands), None)
    if first is None or first.requests < WINDOW_REQUESTS:
        return None
    return ColdStart(
        step=document.step,
        variant=document.variant or None,
        in_warm_up=bool(document.warm_up_thousands),
        first_thousand_seconds=first.seconds,
        first_thousand_average_milliseconds=first.mean_microseconds / 1000,
        first_thousand_max_milliseconds=first.max_microseconds / 1000,
        steady_average_milliseconds=_steady_average(document),
    )


def _steady_average(document: StepRunResult) -> float | None:
    """Return the mean service time in ms from the steady second on; None if it never was."""
    begin = document.steady_from_second
    if begin is None:
        return None
    seconds = second_means(document.single_requests)
    return _mean_milliseconds([each for each in seconds if each.second >= begin])


def _mean_milliseconds(parts: Sequence[RequestWindow | SecondMean]) -> float | None:
    count = sum(each.requests for each in parts)
    total = sum(each.requests * each.mean_microseconds for each in parts)
    return milliseconds(total / count) if count else None


def by_cache(samples: Iterable[CacheSample]) -> dict[str, list[CacheSample]]:
    """Return the samples of each cache, in their order of time."""
    ordered = sorted(samples, key=lambda sample: (sample.cache, sample.second))
    return {cache: list(own) for cache, own in itertools.groupby(ordered, key=attrgetter("cache"))}


def hit_ratios(
    window: RequestWindow, samples: Mapping[str, Sequence[CacheSample]]
) -> dict[str, float]:
    """Return the share of hits among the lookups during a window, by cache, of `by_cache`.

    Solr is sampled about once a second: what is shown is the time from the last sample before the
    window to the first one after it. A cache that was not looked up in it has no ratio.
    """
    begin, end = window.end_seconds - window.seconds, window.end_seconds
    ratios = {}
    for cache, own in samples.items():
        before = bisect_right(own, begin, key=_SECOND) - 1
        after = bisect_left(own, end, key=_SECOND)
        if before >= 0 and after < len(own):
            lookups = own[after].lookups - own[before].lookups
            hits = own[after].hits - own[before].hits
            # The counters begin anew where a core was reloaded in between.
            if lookups > 0 and 0 <= hits <= lookups:
                ratios[cache] = hits / lookups
    return ratios


_SECOND = attrgetter("second")
