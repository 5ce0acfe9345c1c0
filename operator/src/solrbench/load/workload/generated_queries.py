"""Queries drawn from the vocabulary of a generated dataset."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.workload.workload import GeneratedQueries
from solrbench.load.schedule.seeds import seed_of
from solrbench.load.workload.query_file import LazySequence, Query
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

_NO_ROUTE = -1
_BLOCK = 1 << 16


class GeneratedQueryList(LazySequence[Query]):
    """Drawn queries, each made when it is taken: some 15 bytes are kept of one.

    Words and categories follow the distributions of the documents, so frequent words are queried
    for as often as they occur. Routed queries are spread evenly over the prefixes of the ids.
    """

    def __init__(self, spec: GeneratedQueries, dataset: Generator, seed: int) -> None:
        """Draw `spec.count` queries of 1 to `spec.max_terms` words each."""
        rng, count = np.random.default_rng(seed_of("generated-queries", seed)), spec.count
        self._vocabulary = vocabulary(dataset.vocabulary_terms, dataset.seed)
        self._ends = np.cumsum(rng.integers(1, spec.max_terms + 1, count), dtype=np.uint32)
        zipf = ZipfRanks(dataset.vocabulary_terms, dataset.zipf_exponent)
        words = int(self._ends[-1])
        self._words = _in_blocks(words, np.uint32, lambda n: zipf.draw(rng, n))
        names = ZipfRanks(len(CATEGORIES), _CATEGORY_EXPONENT)
        self._categories = _in_blocks(count, np.uint8, lambda n: names.draw(rng, n))
        self._filtered = _in_blocks(
            count, np.bool_, lambda n: 100 * rng.random(n) < spec.filter_percent
        )
        self._faceted = _in_blocks(
            count, np.bool_, lambda n: 100 * rng.random(n) < spec.facet_percent
        )
        self._routes = _routes(spec, dataset, seed)

    def __len__(self) -> int:
        return len(self._ends)

    def item(self, index: int) -> Query:
        """Return the query of an index."""
        start = int(self._ends[index - 1]) if index else 0
        words = self._vocabulary[self._words[start : self._ends[index]]].astype(str).tolist()
        route = _NO_ROUTE if self._routes is None else int(self._routes[index])
        return _query(
            words,
            int(self._categories[index]) if self._filtered[index] else None,
            bool(self._faceted[index]),
            None if route == _NO_ROUTE else route_prefix(route),
        )


def generate_queries(spec: GeneratedQueries, dataset: Generator, seed: int) -> Sequence[Query]:
    """Return queries drawn from the vocabulary of a dataset."""
    return GeneratedQueryList(spec, dataset, seed)


def _in_blocks(
    count: int, kind: type[np.generic], draw: Callable[[int], NDArray[np.generic]]
) -> NDArray[np.generic]:
    """Return `count` draws in a small type; all at once would take many times the memory."""
    drawn = np.empty(count, dtype=kind)
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        drawn[start:stop] = draw(stop - start)
    return drawn


def _routes(spec: GeneratedQueries, dataset: Generator, seed: int) -> NDArray[np.int32] | None:
    """Return the route of each query, `_NO_ROUTE` for all shards; None if all go to all shards.

    Drawn from a stream of their own, so that the queries are the same with and without routes.
    """
    if not spec.routed_percent or not dataset.route_prefixes:
        return None
    rng = np.random.default_rng(seed_of("generated-routes", seed))
    routed = 100 * rng.random(spec.count) < spec.routed_percent
    numbers = rng.integers(0, dataset.route_prefixes, spec.count)
    return np.where(routed, numbers, _NO_ROUTE).astype(np.int32)


def _query(words: list[str], category: int | None, faceted: bool, route: str | None) -> Query:
    parameters = [("q", " ".join(words)), ("df", TEXT_FIELD)]
    if category is not None:
        parameters.append(("fq", f"{CATEGORY_FIELD}:{CATEGORIES[category]}"))
    if faceted:
        parameters += [("facet", "true"), ("facet.field", CATEGORY_FIELD)]
    if route is not None:
        parameters.append((ROUTE_PARAMETER, route))
    return Query(None, tuple(parameters))
