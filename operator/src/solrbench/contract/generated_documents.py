"""Documents made from a seed: text, facets, dates and numbers with realistic skew.

Document `i` depends on the seed and on `i` alone, whichever pod makes it and in whatever
batches: random numbers are drawn for blocks of 100 documents, each block from its own stream.
Generated queries draw ranks from the same Zipf distribution and spell them with the same seed, so
they contain words of the documents, frequent words more often.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solrbench.api.v1alpha1.dataset import Generator

ID_FIELD = "id"
TITLE_FIELD = "title_t"
TEXT_FIELD = "text_t"
CATEGORY_FIELD = "category_s"
TAGS_FIELD = "tags_ss"
PUBLISHED_FIELD = "published_dt"
PRICE_FIELD = "price_d"
POPULARITY_FIELD = "popularity_i"

ROUTE_PARAMETER = "_route_"


def route_prefix(number: int) -> str:
    """Return the prefix of ids that Solr's compositeId router hashes apart, such as `p7!`."""
    return f"p{number}!"


CATEGORIES: tuple[str, ...] = (
    "books", "music", "films", "games", "news", "science", "history", "travel", "sports", "health",
    "food", "garden", "tools", "toys", "clothing", "electronics", "software", "finance", "law",
    "art",
)  # fmt: skip
"""Values of the category field, the most frequent first (Zipf's law with exponent 1)."""

_ONSETS = "bcdfghjklmnpqrstvwxz"
_VOWELS = "aeiou"
_SYLLABLES = len(_ONSETS) * len(_VOWELS)
_MAX_SYLLABLES = 4
_LETTERS = 2 * _MAX_SYLLABLES
_TERM_LIMIT = sum(_SYLLABLES**n for n in range(1, _MAX_SYLLABLES + 1))
_CHUNK = 100_000
_MASK = 2**64 - 1


class ZipfRanks:
    """Ranks from 0 with probability proportional to `1 / (rank + 1) ** exponent`.

    Drawn by inversion of the cumulative distribution: one binary search for each rank.
    """

    def __init__(self, terms: int, exponent: float) -> None:
        if terms < 1:
            raise ValueError(f"terms must be at least 1, got {terms}")
        # In place: a list of ten million queries would need three times the memory.
        weights = np.arange(1, terms + 1, dtype=np.float64)
        weights **= -exponent
        self._cumulative: NDArray[np.float64] = np.cumsum(weights, out=weights)
        self._cumulative /= self._cumulative[-1]

    def draw(self, rng: np.random.Generator, n: int) -> NDArray[np.int64]:
        """Return `n` independent ranks."""
        return np.searchsorted(self._cumulative, rng.random(n), side="right").astype(np.int64)


def vocabulary(terms: int, seed: int) -> NDArray[np.bytes_]:
    """Return the pronounceable words of the ranks from 0 to `terms - 1` in 8 bytes each.

    Two letters for the first 100 ranks, then more. Words of different ranks differ; those of
    neighbouring ranks look unrelated. Five million Python strings would need 300 MB.
    """
    if not 1 <= terms <= _TERM_LIMIT:
        raise ValueError(f"terms must be from 1 to {_TERM_LIMIT}, got {terms}")
    words = np.empty(terms, dtype=f"S{_LETTERS}")
    for start in range(0, terms, _CHUNK):
        stop = min(start + _CHUNK, terms)
        words[start:stop] = _word_letters(np.arange(start, stop, dtype=np.int64), seed)
    return words


def _word_letters(ranks: NDArray[np.int64], seed: int) -> NDArray[np.bytes_]:
    letters = np.zeros((len(ranks), _LETTERS), dtype=np.uint8)
    onsets = np.frombuffer(_ONSETS.encode(), dtype=np.uint8)
    vowels = np.frombuffer(_VOWELS.encode(), dtype=np.uint8)
    first = 0
    for syllables in range(1, _MAX_SYLLABLES + 1):
        size = _SYLLABLES**syllables
        rows = np.flatnonzero((ranks >= first) & (ranks < first + size))
        if len(rows):
            code = _shuffle(ranks[rows] - first, size, seed)
            for index in range(syllables):
                onset, vowel = np.divmod(code % _SYLLABLES, len(_VOWELS))
                letters[rows, 2 * index] = onsets[onset]
                letters[rows, 2 * index + 1] = vowels[vowel]
                code //= _SYLLABLES
        first += size
    return letters.view(f"S{_LETTERS}").reshape(-1)


def _shuffle(index: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """Permute `range(size)`, a power of ten, by an affine map whose factor is coprime to 10."""
    bits = split_mix(seed * 8 + len(str(size)))
    factor = bits % size // 10 * 10 + (1, 3, 7, 9)[bits >> 62]
    shift = split_mix(bits) % size
    return (index * factor + shift) % size


def split_mix(seed: int, index: int = 0) -> int:
    """Return 64 well-mixed bits, draw number `index` of a stream.

    SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). It has
    no state but its counter, so a hundred thousand users need no generator each.
    """
    value = (seed + (index + 1) * 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


# Documents drawn together: a divisor of the usual batches, so no draw is wasted.
BLOCK = 100

# Prefixes are drawn from a stream of their own: other fields stay the same with and without.
_PREFIX_STREAM = 1

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
        self._spec = spec
        self._id_field = id_field
        self._words = vocabulary(spec.vocabulary_terms, spec.seed)
        self._terms = ZipfRanks(spec.vocabulary_terms, spec.zipf_exponent)
        self._tags = ZipfRanks(min(_TAG_TERMS, spec.vocabulary_terms), spec.zipf_exponent)
        self._categories = ZipfRanks(len(CATEGORIES), 1.0)

    def range(self, positions: range) -> Iterator[dict[str, Any]]:
        """Return the documents at consecutive `positions`."""
        for block in range(positions.start // BLOCK, -(-positions.stop // BLOCK)):
            first = block * BLOCK
            wanted = slice(max(positions.start - first, 0), positions.stop - first)
            yield from self._block(block)[wanted]

    def _block(self, block: int) -> list[dict[str, Any]]:
        # The order of the draws is part of the documents: a field that is drawn earlier or later
        # gives all that follow other values with the same seed.
        rng = np.random.default_rng([self._spec.seed, block])
        categories = [CATEGORIES[rank] for rank in self._categories.draw(rng, BLOCK).tolist()]
        columns = {
            self._id_field: self._ids(block),
            TITLE_FIELD: self._texts(rng, rng.integers(*_TITLE_WORDS, BLOCK)),
            TEXT_FIELD: self._texts(rng, self._lengths(rng)),
            CATEGORY_FIELD: categories,
            TAGS_FIELD: self._tag_lists(rng),
            PUBLISHED_FIELD: _dates(rng),
            PRICE_FIELD: np.round(rng.lognormal(np.log(_PRICE_MEDIAN), 1.0, BLOCK), 2).tolist(),
            POPULARITY_FIELD: np.minimum(rng.pareto(1.0, BLOCK) * 10, _POPULARITY_LIMIT)
            .astype(int)
            .tolist(),
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

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
            # A word that is drawn twice is one tag.
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
