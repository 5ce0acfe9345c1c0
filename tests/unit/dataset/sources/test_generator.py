import tracemalloc
from collections import Counter
from itertools import islice
from typing import Any

import pytest

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.dataset.routing.routes import composite_hash
from solrbench.dataset.sources.generator import BLOCK, GeneratedDocuments
from solrbench.dataset.sources.partition import Partition
from solrbench.plan.vocabulary import CATEGORIES, word


def generator(documents: int = 1000, seed: int = 1, words: int = 20) -> GeneratedDocuments:
    spec = Generator(
        documents=documents, seed=seed, vocabulary_terms=2000, words_per_document=words
    )
    return GeneratedDocuments(spec)


def test_documents_depend_on_seed_and_position_alone() -> None:
    whole = list(generator().documents(Partition(0, 1, 1000)))
    assert whole == list(generator().documents(Partition(0, 1, 7)))
    assert whole == list(generator(documents=5000).range(range(1000)))
    assert whole[:10] != list(generator(seed=2).range(range(10)))


@pytest.mark.parametrize("batch", [pytest.param(1, marks=pytest.mark.slow), 33, BLOCK, 250])
def test_pods_make_each_document_once(batch: int) -> None:
    whole = {each["id"]: each for each in generator().documents(Partition(0, 1, 1000))}
    parts = [list(generator().documents(Partition(pod, 3, batch))) for pod in range(3)]
    assert sum(len(part) for part in parts) == len(whole) == 1000
    assert {each["id"]: each for part in parts for each in part} == whole


def test_a_document_stays_the_same_between_releases() -> None:
    # stored results can only be compared when the documents of a seed stay the same
    first = next(generator(words=5).documents(Partition(0, 1, 10)))
    assert first == {
        "id": "doc-000000000000",
        "title_t": "loha fe zu sogu mi fuhe",
        "text_t": "ju si fo mapo qo ju vomo ziho",  # codespell:ignore fo
        "category_s": "games",
        "tags_ss": ["tefe"],
        "published_dt": "2019-05-04T04:03:24Z",
        "price_d": 14.81,
        "popularity_i": 1,
    }


def prefixed(prefixes: int, batch: int = BLOCK) -> list[dict[str, Any]]:
    spec = Generator(
        documents=1000, vocabulary_terms=2000, words_per_document=5, route_prefixes=prefixes
    )
    return list(GeneratedDocuments(spec).documents(Partition(0, 1, batch)))


def test_prefixes_of_ids_are_even_and_change_nothing_else() -> None:
    plain, routed = prefixed(0), prefixed(4)
    assert [each["id"].partition("!")[2] for each in routed] == [each["id"] for each in plain]
    assert [each | {"id": ""} for each in routed] == [each | {"id": ""} for each in plain]
    used = Counter(each["id"].partition("!")[0] for each in routed)
    assert used.keys() == {"p0", "p1", "p2", "p3"}
    # Five standard deviations: sqrt(1000 * 0.25 * 0.75) = 13.7.
    assert max(abs(number - 250) for number in used.values()) < 5 * 13.7
    assert routed == prefixed(4, batch=17)


@pytest.mark.parametrize("shards", [2, 3, 8])
def test_documents_of_a_prefix_are_in_one_shard(shards: int) -> None:
    width = 2**32 // shards >> 16 << 16  # Solr cuts ranges at multiples of 2 ** 16
    places: dict[str, set[int]] = {}
    for each in prefixed(16):
        value = composite_hash(each["id"])
        assert value is not None
        location = min((value ^ 0x80000000) // width, shards - 1)
        places.setdefault(each["id"].partition("!")[0], set()).add(location)
    assert len(places) == 16
    assert all(len(shard) == 1 for shard in places.values())
    assert len(set.union(*places.values())) > 1


def test_text_follows_the_vocabulary_and_its_skew() -> None:
    documents = list(generator().documents(Partition(0, 1, 1000)))
    words = Counter(term for each in documents for term in each["text_t"].split())
    assert words.most_common(1)[0][0] == word(0, 1)
    assert words[word(0, 1)] / words[word(9, 1)] == pytest.approx(10, rel=0.25)
    lengths = sorted(len(each["text_t"].split()) for each in documents)
    assert lengths[500] == pytest.approx(20, rel=0.1)
    assert lengths[-1] > 60


def test_fields_are_in_their_ranges() -> None:
    for each in generator().documents(Partition(0, 1, 1000)):
        assert each["category_s"] in CATEGORIES
        assert 1 <= len(each["tags_ss"]) == len(set(each["tags_ss"])) <= 4
        assert "2000-01-01T00:00:00Z" <= each["published_dt"] < "2025-01-01T00:00:00Z"
        assert each["price_d"] > 0
        assert 0 <= each["popularity_i"] <= 1_000_000


@pytest.mark.slow
def test_memory_does_not_grow_with_the_documents() -> None:
    documents = generator(documents=10_000_000_000).documents(Partition(0, 1, 1000))
    next(documents)
    tracemalloc.start()
    assert sum(1 for _ in islice(documents, 5000)) == 5000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


def test_last_position_of_a_huge_dataset_is_made_at_once() -> None:
    last = list(generator(10_000_000_000).range(range(9_999_999_999, 10_000_000_000)))
    assert [each["id"] for each in last] == ["doc-009999999999"]
