"""Queries drawn from the vocabulary of a generated dataset."""

import numpy as np

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.workload import GeneratedQueries
from solrbench.load.queries import Query
from solrbench.load.seeds import seed_of
from solrbench.plan.words import CATEGORIES, CATEGORY_FIELD, TEXT_FIELD, ZipfRanks, vocabulary

_CATEGORY_EXPONENT = 1.0
"""That of the generated documents."""


def generate_queries(spec: GeneratedQueries, dataset: Generator, seed: int) -> list[Query]:
    """Return `spec.count` queries of 1 to `spec.max_terms` words each.

    Words and categories follow the distributions of the documents, so frequent words are asked
    for as often as they occur.
    """
    rng = np.random.default_rng(seed_of("generated-queries", seed))
    words = vocabulary(dataset.vocabulary_terms, dataset.seed)
    zipf = ZipfRanks(dataset.vocabulary_terms, dataset.zipf_exponent_permille / 1000)
    lengths = rng.integers(1, spec.max_terms + 1, spec.count)
    drawn = iter(words[zipf.draw(rng, int(lengths.sum()))].astype(str).tolist())
    categories = ZipfRanks(len(CATEGORIES), _CATEGORY_EXPONENT).draw(rng, spec.count)
    filtered = rng.integers(0, 1000, spec.count) < spec.filter_permille
    faceted = rng.integers(0, 1000, spec.count) < spec.facet_permille
    return [
        _query([next(drawn) for _ in range(length)], category if has_filter else None, has_facet)
        for length, category, has_filter, has_facet in zip(
            lengths.tolist(), categories.tolist(), filtered.tolist(), faceted.tolist(), strict=True
        )
    ]


def _query(words: list[str], category: int | None, faceted: bool) -> Query:
    parameters = [("q", " ".join(words)), ("df", TEXT_FIELD)]
    if category is not None:
        parameters.append(("fq", f"{CATEGORY_FIELD}:{CATEGORIES[category]}"))
    if faceted:
        parameters += [("facet", "true"), ("facet.field", CATEGORY_FIELD)]
    return Query(None, tuple(parameters))
