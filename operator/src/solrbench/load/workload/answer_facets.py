"""The facets and statistics of a response as digests, so that any of them can be compared."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from solrbench.contract.answers import FacetAnswer

MAX_TEXT = 80
MAX_FACETS = 20
"""Facets of one answer; of more, those beyond are one."""

_DIGITS = 5
"""Of sums and means: shards add them in another order."""

_APPROXIMATE_STATISTICS = frozenset({"percentiles", "cardinality"})


def read_facets(content: Mapping[str, Any]) -> dict[str, FacetAnswer]:
    """Return every facet of a response by its name."""
    found: dict[str, list[Any]] = {}
    approximate: set[str] = set()
    for name, value, varies in _parts(content):
        key = name if len(found) < MAX_FACETS or name in found else "others"
        found.setdefault(key, []).append(_plain(value))
        approximate |= {key} if varies else set()
    return {
        name: FacetAnswer(
            digest=hashlib.sha256(text).hexdigest()[:12],
            text=orjson.dumps(values[0] if len(values) == 1 else values).decode()[:MAX_TEXT],
            approximate=name in approximate,
        )
        for name, values in found.items()
        for text in (orjson.dumps(values, option=orjson.OPT_SORT_KEYS),)
    }


def _parts(content: Mapping[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """Yield name and value of each facet, and whether shards may only estimate it."""
    for kind, facets in _members(content.get("facet_counts")).items():
        for name, value in _members(facets).items():
            label = name if kind == "facet_fields" else f"{kind.removeprefix('facet_')} {name}"
            if kind == "facet_fields" and isinstance(value, list):
                # Terms and counts in turn.
                pairs = map(list, zip(value[::2], value[1::2], strict=False))
                yield label, _ties_sorted(pairs, itemgetter(1), itemgetter(0)), False
            else:
                yield label, value, False
    # The count beside them is that of the documents found. Terms are not refined unless it is asked
    # for, and no response says whether it was.
    for name, value in _members(content.get("facets")).items():
        if name != "count":
            yield name, value, True
    statistics = _members(content.get("stats")).get("stats_fields")
    for name, value in _members(statistics).items():
        estimated = isinstance(value, dict) and not _APPROXIMATE_STATISTICS.isdisjoint(value)
        yield f"stats {name}", value, estimated


def _members(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _ties_sorted(
    items: Iterable[Any], count: Callable[[Any], Any], name: Callable[[Any], Any]
) -> list[Any]:
    """Return what is counted with items of one count, that follow each other, by name."""
    runs = groupby(items, count)
    return [each for _, run in runs for each in sorted(run, key=lambda item: str(name(item)))]


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if not isinstance(value, list):
        return value
    values = [_plain(each) for each in value]
    if not all(isinstance(each, dict) and "count" in each for each in values):
        return values
    # Buckets of the JSON API have a val, those of pivots a value.
    return _ties_sorted(
        values, itemgetter("count"), lambda bucket: bucket.get("val", bucket.get("value"))
    )
