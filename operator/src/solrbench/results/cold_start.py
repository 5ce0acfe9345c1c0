"""The cold-start curve: how long each thousand requests took, from the very first one on."""

from collections.abc import Sequence
from typing import NamedTuple

from solrbench.results.document import StepDocument
from solrbench.results.windows import CacheSample, Thousand


class CurvePoint(NamedTuple):
    """A thousand requests of the curve."""

    number: int
    """Place on the curve, from 1."""
    warm_up: bool
    """Whether they were sent by the warm-up."""
    window: Thousand
    hit_ratios: dict[str, float]
    """Hits divided by lookups of each of Solr's caches; those that are not known are missing."""


def cold_start(document: StepDocument) -> list[CurvePoint]:
    """Return the curve of a pass and of the warm-up right before it."""
    parts = (
        (True, document.warm_up_thousands, document.warm_up_caches),
        (False, document.thousands, document.caches),
    )
    found = [
        (warm_up, window, hit_ratios(window, samples))
        for warm_up, windows, samples in parts
        for window in windows
    ]
    return [CurvePoint(number, *point) for number, point in enumerate(found, start=1)]


def hit_ratios(window: Thousand, samples: Sequence[CacheSample]) -> dict[str, float]:
    """Return the share of hits among the lookups during a window, by cache.

    Solr is asked about once a second: what is shown is the time from the last answer before the
    window to the first one after it. A cache that was not asked in it has no ratio, nor has one
    whose counters began anew.
    """
    begin, end = window.end_seconds - window.seconds, window.end_seconds
    ratios = {}
    for cache in sorted({each.cache for each in samples}):
        own = [each for each in samples if each.cache == cache]
        before = [each for each in own if each.second <= begin]
        after = [each for each in own if each.second >= end]
        if before and after:
            lookups = after[0].lookups - before[-1].lookups
            hits = after[0].hits - before[-1].hits
            if lookups > 0 and 0 <= hits <= lookups:
                ratios[cache] = hits / lookups
    return ratios
