"""Documents made from a seed: text, facets, dates and numbers with realistic skew.

Document `i` depends on the seed and on `i` alone, whichever pod makes it and in whatever
batches: random numbers are drawn for blocks of 100 documents, each block from its own stream.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.plan.vocabulary import (
    CATEGORIES,
    CATEGORY_FIELD,
    ID_FIELD,
    POPULARITY_FIELD,
    PRICE_FIELD,
    PUBLISHED_FIELD,
    TAGS_FIELD,
    TEXT_FIELD,
    TITLE_FIELD,
    ZipfRanks,
    route_prefix,
    vocabulary,
)

BLOCK = 100
"""Documents drawn together: a divisor of the usual batches, so no draw is wasted."""

_PREFIX_STREAM = 1
"""Prefixes are drawn from a stream of their own: other fields stay the same with and without."""

_TITLE_WORDS = (3, 9)
_TAGS = (1, 5)
_TAG_TERMS = 1000
_LENGTH_SIGMA = 0.6
_LONGEST = 20
_FIRST_DAY = np.datetime64("2000-01-01T00:00:00", "s")
_SECONDS = 25 * 365 * 86_400
_PRICE_MEDIAN = 20.0
_POPULARITY_LIMIT = 1_000_000


class DocumentGenerator:
    """Makes the documents of one `Generator`."""

    def __init__(self, spec: Generator, id_field: str = ID_FIELD) -> None:
        """Spell the vocabulary; it needs 16 bytes for each term."""
        exponent = spec.zipf_exponent
        self._spec = spec
        self._id_field = id_field
        self._words = vocabulary(spec.vocabulary_terms, spec.seed)
        self._terms = ZipfRanks(spec.vocabulary_terms, exponent)
        self._tags = ZipfRanks(min(_TAG_TERMS, spec.vocabulary_terms), exponent)
        self._categories = ZipfRanks(len(CATEGORIES), 1.0)

    def range(self, positions: range) -> Iterator[dict[str, Any]]:
        """Return the documents at consecutive `positions`."""
        for block in range(positions.start // BLOCK, -(-positions.stop // BLOCK)):
            first = block * BLOCK
            wanted = slice(max(positions.start - first, 0), positions.stop - first)
            yield from self._block(block)[wanted]

    def _block(self, block: int) -> list[dict[str, Any]]:
        rng = np.random.default_rng([self._spec.seed, block])
        categories = [CATEGORIES[rank] for rank in self._categories.draw(rng, BLOCK).tolist()]
        columns = zip(
            self._ids(block),
            self._texts(rng, rng.integers(*_TITLE_WORDS, BLOCK)),
            self._texts(rng, self._lengths(rng)),
            categories,
            self._tag_lists(rng),
            _dates(rng),
            np.round(rng.lognormal(np.log(_PRICE_MEDIAN), 1.0, BLOCK), 2).tolist(),
            np.minimum(rng.pareto(1.0, BLOCK) * 10, _POPULARITY_LIMIT).astype(int).tolist(),
            strict=True,
        )
        return [self._document(*column) for column in columns]

    def _document(  # noqa: PLR0913, PLR0917 - one argument for each field
        self,
        identity: str,
        title: str,
        text: str,
        category: str,
        tags: list[str],
        published: str,
        price: float,
        popularity: int,
    ) -> dict[str, Any]:
        return {
            self._id_field: identity,
            TITLE_FIELD: title,
            TEXT_FIELD: text,
            CATEGORY_FIELD: category,
            TAGS_FIELD: tags,
            PUBLISHED_FIELD: published,
            PRICE_FIELD: price,
            POPULARITY_FIELD: popularity,
        }

    def identity(self, position: int) -> str:
        """Return the id of the document at `position`."""
        if not self._spec.route_prefixes:
            return _name(position)
        return self._ids(position // BLOCK)[position % BLOCK]

    def _ids(self, block: int) -> list[str]:
        names = [_name(index) for index in range(block * BLOCK, (block + 1) * BLOCK)]
        prefixes = self._spec.route_prefixes
        if not prefixes:
            return names
        drawn = np.random.default_rng([self._spec.seed, block, _PREFIX_STREAM])
        numbers = drawn.integers(0, prefixes, BLOCK).tolist()
        return [route_prefix(number) + name for number, name in zip(numbers, names, strict=True)]

    def _lengths(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw log-normal lengths in words, cut at 20 times the median."""
        median = self._spec.words_per_document
        lengths = rng.lognormal(np.log(median), _LENGTH_SIGMA, BLOCK)
        return np.clip(np.round(lengths), 1, _LONGEST * median).astype(np.int64)

    def _texts(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> list[str]:
        words = self._draw(self._terms, rng, lengths)
        return [b" ".join(words[first:last]).decode() for first, last in _spans(lengths)]

    def _tag_lists(self, rng: np.random.Generator) -> list[list[str]]:
        counts = rng.integers(*_TAGS, BLOCK)
        words = self._draw(self._tags, rng, counts)
        return [
            [tag.decode() for tag in dict.fromkeys(words[first:last])]
            for first, last in _spans(counts)
        ]

    def _draw(
        self, ranks: ZipfRanks, rng: np.random.Generator, counts: NDArray[np.int64]
    ) -> list[bytes]:
        words: list[bytes] = self._words[ranks.draw(rng, int(counts.sum()))].tolist()
        return words


def _name(position: int) -> str:
    return f"doc-{position:012d}"


def _spans(lengths: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    ends = np.cumsum(lengths)
    return zip((ends - lengths).tolist(), ends.tolist(), strict=True)


def _dates(rng: np.random.Generator) -> list[str]:
    """Draw moments of the 25 years from 2000 on, evenly, as Solr writes dates."""
    moments = _FIRST_DAY + rng.integers(0, _SECONDS, BLOCK).astype("timedelta64[s]")
    return [f"{moment}Z" for moment in np.datetime_as_string(moments).tolist()]
