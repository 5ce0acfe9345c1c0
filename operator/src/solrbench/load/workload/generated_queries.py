"""Queries drawn from the vocabulary of a generated dataset."""

from collections.abc import Sequence

import numpy as np

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.workload.workload import GeneratedQueries
from solrbench.load.schedule.seeds import seed_of
from solrbench.load.workload.query_file import Query
from solrbench.plan.vocabulary import (
    CATEGORIES,
    CATEGORY_FIELD,
    ROUTE_PARAMETER,
    TEXT_FIELD,
    ZipfRanks,
    route_prefix,
    vocabulary,
)

_CATEGORY_EXPONENT = 1.0
"""That of the generated documents."""


def generate_queries(spec: GeneratedQueries, dataset: Generator, seed: int) -> list[Query]:
    """Return `spec.count` queries of 1 to `spec.max_terms` words each.

    Words and categories follow the distributions of the documents, so frequent words are queried
    for as often as they occur. Routed queries are spread evenly over the prefixes of the ids.
    """
    rng = np.random.default_rng(seed_of("generated-queries", seed))
    words = vocabulary(dataset.vocabulary_terms, dataset.seed)
    zipf = ZipfRanks(dataset.vocabulary_terms, dataset.zipf_exponent)
    lengths = rng.integers(1, spec.max_terms + 1, spec.count)
    drawn = iter(words[zipf.draw(rng, int(lengths.sum()))].astype(str).tolist())
    categories = ZipfRanks(len(CATEGORIES), _CATEGORY_EXPONENT).draw(rng, spec.count)
    filtered = 100 * rng.random(spec.count) < spec.filter_percent
    faceted = 100 * rng.random(spec.count) < spec.facet_percent
    return [
        _query(
            [next(drawn) for _ in range(length)], category if has_filter else None, has_facet, route
        )
        for length, category, has_filter, has_facet, route in zip(
            lengths.tolist(),
            categories.tolist(),
            filtered.tolist(),
            faceted.tolist(),
            _routes(spec, dataset, seed),
            strict=True,
        )
    ]


def _routes(spec: GeneratedQueries, dataset: Generator, seed: int) -> Sequence[str | None]:
    """Return the route of each query, None for all shards.

    Drawn from a stream of their own, so that the queries are the same with and without routes.
    """
    if not spec.routed_percent or not dataset.route_prefixes:
        return [None] * spec.count
    rng = np.random.default_rng(seed_of("generated-routes", seed))
    routed = 100 * rng.random(spec.count) < spec.routed_percent
    numbers = rng.integers(0, dataset.route_prefixes, spec.count)
    return [
        route_prefix(number) if is_routed else None
        for number, is_routed in zip(numbers.tolist(), routed.tolist(), strict=True)
    ]


def _query(words: list[str], category: int | None, faceted: bool, route: str | None) -> Query:
    parameters = [("q", " ".join(words)), ("df", TEXT_FIELD)]
    if category is not None:
        parameters.append(("fq", f"{CATEGORY_FIELD}:{CATEGORIES[category]}"))
    if faceted:
        parameters += [("facet", "true"), ("facet.field", CATEGORY_FIELD)]
    if route is not None:
        parameters.append((ROUTE_PARAMETER, route))
    return Query(None, tuple(parameters))
