import numpy as np
import pytest

from solrbench.contract.generated_documents import CATEGORIES, ZipfRanks, vocabulary
from support.load.words import word


def test_frequent_ranks_are_short() -> None:
    assert {len(word(rank, 1)) for rank in range(100)} == {2}
    assert len(word(100, 1)) == 4
    assert len(word(4_999_999, 1)) == 8


@pytest.mark.parametrize("seed", [0, 1, 2**31 - 1])
def test_words_of_different_ranks_differ(seed: int) -> None:
    # As numbers of eight bytes, which are sorted much faster than texts.
    words = np.sort(vocabulary(1_200_000, seed).view(np.uint64))
    assert len(words) == 1_200_000
    assert (words[1:] > words[:-1]).all()


@pytest.mark.parametrize("rank", [0, 99, 100, 10_099, 10_100, 1_010_100, 4_999_999])
def test_words_are_pronounceable_and_depend_on_the_seed(rank: int) -> None:
    assert set(word(rank, 1)[1::2]) <= set("aeiou")
    assert set(word(rank, 1)[::2]).isdisjoint("aeiou")
    assert word(rank, 1) == word(rank, 1)
    assert len({word(rank, seed) for seed in range(20)}) > 10


def test_vocabulary_spells_as_word_does() -> None:
    words = vocabulary(11_000, 5)
    assert all(words[rank].decode() == word(rank, 5) for rank in range(0, 11_000, 97))


def test_words_stay_the_same_between_releases() -> None:
    # stored results can only be compared when the documents of a seed stay the same
    words = {0: "ju", 100: "lubi", 10_100: "kugune", 1_010_100: "momobare"}
    assert {rank: word(rank, 1) for rank in words} == words


@pytest.mark.parametrize("terms", [0, 101_010_101])
def test_refuses_vocabularies_it_cannot_spell(terms: int) -> None:
    with pytest.raises(ValueError, match="terms must be from 1"):
        vocabulary(terms, 1)


def test_zipf_frequencies_follow_the_law() -> None:
    ranks = ZipfRanks(1000, 1.0).draw(np.random.default_rng(1), 200_000)
    assert ranks.min() == 0
    assert ranks.max() <= 999
    counts = np.bincount(ranks, minlength=1000)
    harmonic = sum(1 / k for k in range(1, 1001))
    assert counts[0] / 200_000 == pytest.approx(1 / harmonic, rel=0.03)
    assert counts[0] / counts[9] == pytest.approx(10, rel=0.1)


def test_a_higher_exponent_prefers_the_head() -> None:
    flat, steep = (ZipfRanks(1000, e).draw(np.random.default_rng(1), 10_000) for e in (0.5, 2.0))
    assert steep.mean() < flat.mean() / 10


def test_zipf_needs_terms() -> None:
    with pytest.raises(ValueError, match="terms must be at least 1"):
        ZipfRanks(0, 1.0)


def test_categories_are_distinct() -> None:
    assert len(set(CATEGORIES)) == len(CATEGORIES) == 20
