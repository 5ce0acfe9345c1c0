"""The facets and statistics of a response as digests, so that any of them can be compared."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from solrbench.contract.answers import FacetAnswer

MAX_TEXT = 80
MAX_FACETS = 20
"""Facets of one answer; of more, those beyond are one."""

_DIGITS = 5
"""Of sums and means: shards add them in another order."""


def read_facets(content: Mapping[str, Any]) -> dict[str, FacetAnswer]:
    """Return every facet of a response by its name."""
    found: dict[str, Any] = {}
    for name, value in _parts(content):
        key = name if len(found) < MAX_FACETS or name in found else "others"
        found[key] = [*found.get(key, []), _plain(value)]
    return {
        name: FacetAnswer(digest=hashlib.sha256(text).hexdigest()[:12], text=_shown(values))
        for name, values in found.items()
        for text in (orjson.dumps(values, option=orjson.OPT_SORT_KEYS),)
    }


def _parts(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    counts = content.get("facet_counts")
    for kind, facets in (counts if isinstance(counts, dict) else {}).items():
        for name, value in (facets if isinstance(facets, dict) else {}).items():
            label = name if kind == "facet_fields" else f"{kind.removeprefix('facet_')} {name}"
            yield label, _ties_sorted(value) if kind == "facet_fields" else value
    facets = content.get("facets")
    # The count beside them is that of the documents found.
    for name, value in (facets if isinstance(facets, dict) else {}).items():
        if name != "count":
            yield name, value
    stats = content.get("stats")
    fields = stats.get("stats_fields") if isinstance(stats, dict) else None
    for name, value in (fields if isinstance(fields, dict) else {}).items():
        yield f"stats {name}", value


def _ties_sorted(flat: Any) -> Any:
    """Return terms and counts with terms of one count, that follow each other, by name."""
    if not isinstance(flat, list):
        return flat
    pairs: list[list[Any]] = []
    group: list[list[Any]] = []
    for term, count in zip(flat[::2], flat[1::2], strict=False):
        if group and group[-1][1] != count:
            pairs += sorted(group, key=lambda pair: str(pair[0]))
            group = []
        group.append([term, count])
    return [*pairs, *sorted(group, key=lambda pair: str(pair[0]))]


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _shown(values: list[Any]) -> str:
    return orjson.dumps(values[0] if len(values) == 1 else values).decode()[:MAX_TEXT]
