import tracemalloc
from collections import Counter
from typing import Any

from solrbench.api.v1alpha1.dataset import Generator
from solrbench.api.v1alpha1.request_mix import GeneratedQueries
from solrbench.contract.generated_documents import CATEGORIES
from solrbench.load.workload.loader import GeneratedQueryList
from support.load.words import word

DATASET = Generator(documents=10, vocabulary_terms=1000, seed=3)
ROUTED = DATASET.model_copy(update={"route_prefixes": 3})


def drawn(dataset: Generator = DATASET, seed: int = 1, **spec: Any) -> list[dict[str, str]]:
    """Return the parameters of generated queries."""
    queries = GeneratedQueryList(GeneratedQueries(**spec), dataset, seed)
    return [dict(query.parameters) for query in queries]


def test_queries_use_the_words_and_fields_of_the_documents() -> None:
    queries = drawn(count=4000, max_terms=3, filter_percent=30, facet_percent=20)
    assert len(queries) == 4000
    known = {word(rank, 3) for rank in range(1000)}
    words = [each.split(" ") for each in (query["q"] for query in queries)]
    assert {each for some in words for each in some} <= known
    assert set(map(len, words)) == {1, 2, 3}
    assert {query["df"] for query in queries} == {"text_t"}
    filters = [query["fq"] for query in queries if "fq" in query]
    assert set(filters) <= {f"category_s:{category}" for category in CATEGORIES}
    # Five standard deviations: sqrt(4000 * 0.3 * 0.7) = 29, sqrt(4000 * 0.2 * 0.8) = 26.
    assert abs(len(filters) - 1200) < 5 * 29
    facets = [query for query in queries if query.get("facet") == "true"]
    assert abs(len(facets) - 800) < 5 * 26
    assert {query["facet.field"] for query in facets} == {"category_s"}


def test_frequent_words_are_asked_for_most() -> None:
    asked = Counter(query["q"] for query in drawn(count=5000, max_terms=1))
    assert asked.most_common(1)[0][0] == word(0, 3)


def test_extremes_are_kept() -> None:
    queries = drawn(count=50, filter_percent=0, facet_percent=100)
    assert not any("fq" in query for query in queries)
    assert all("facet" in query for query in queries)


def test_same_seed_gives_the_same_queries() -> None:
    one, same, other = (drawn(seed=seed, count=50) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_few_bytes_are_kept_of_a_query() -> None:
    small = Generator(documents=10, vocabulary_terms=1000)
    tracemalloc.start()
    try:
        queries = GeneratedQueryList(GeneratedQueries(count=30_000), small, 1)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(queries) == 30_000
    assert kept < 30_000 * 25
    assert peak < 30_000 * 120
    assert queries[5:7] == [queries[5], queries[6]]


def test_routes_are_the_prefixes_of_the_documents() -> None:
    queries = drawn(ROUTED, count=4000, routed_percent=25)
    routes = Counter(query["_route_"] for query in queries if "_route_" in query)
    assert routes.keys() == {"p0!", "p1!", "p2!"}
    # Five standard deviations: sqrt(4000 * 0.25 * 0.75) = 27.
    assert abs(routes.total() - 1000) < 5 * 27
    assert min(routes.values()) > 200
    assert queries == drawn(ROUTED, count=4000, routed_percent=25)


def test_routes_leave_the_rest_of_the_queries_alone() -> None:
    routed = drawn(ROUTED, count=50, routed_percent=100)
    assert all("_route_" in query for query in routed)
    without = [{name: query[name] for name in query if name != "_route_"} for query in routed]
    assert without == drawn(ROUTED, count=50)
