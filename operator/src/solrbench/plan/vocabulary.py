"""The vocabulary that generated documents and generated queries share.

Both sides draw ranks from the same Zipf distribution and spell them with the same seed, so a
generated query contains words of the documents, frequent words more often.
"""

import numpy as np
from numpy.typing import NDArray

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
    "books",
    "music",
    "films",
    "games",
    "news",
    "science",
    "history",
    "travel",
    "sports",
    "health",
    "food",
    "garden",
    "tools",
    "toys",
    "clothing",
    "electronics",
    "software",
    "finance",
    "law",
    "art",
)
"""Values of the category field, the most frequent first (Zipf's law with exponent 1)."""

_ONSETS = "bcdfghjklmnpqrstvwxz"
_VOWELS = "aeiou"
_SYLLABLES = len(_ONSETS) * len(_VOWELS)
_MOST_SYLLABLES = 4
_LETTERS = 2 * _MOST_SYLLABLES
_TERM_LIMIT = sum(_SYLLABLES**n for n in range(1, _MOST_SYLLABLES + 1))
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


def word(rank: int, seed: int) -> str:
    """Return the pronounceable word of a rank: two letters for the first 100 ranks, then more.

    Words of different ranks differ; those of neighbouring ranks look unrelated.

    Raises:
        ValueError: the rank is negative or above 100 million, where syllables run out

    """
    if not 0 <= rank < _TERM_LIMIT:
        raise ValueError(f"rank must be from 0 to {_TERM_LIMIT - 1}, got {rank}")
    letters: bytes = _word_letters(np.array([rank], dtype=np.int64), seed).tolist()[0]
    return letters.decode()


def vocabulary(terms: int, seed: int) -> NDArray[np.bytes_]:
    """Return the words of the ranks from 0 to `terms - 1` in 8 bytes each.

    The compact form of `[word(rank, seed) for rank in range(terms)]`: five million Python
    strings would need 300 MB.
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
    for syllables in range(1, _MOST_SYLLABLES + 1):
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
    bits = _mix(seed * 8 + len(str(size)))
    factor = bits % size // 10 * 10 + (1, 3, 7, 9)[bits >> 62]
    shift = _mix(bits) % size
    return (index * factor + shift) % size


def _mix(value: int) -> int:
    """Return 64 well-mixed bits: the output function of SplitMix64 (Steele et al., 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
