from typing import Any

import pytest

from solrbench.load.master.caches.cache_metrics import METRICS_PARAMETERS, parse_caches


def cache(lookups: int, hits: int) -> dict[str, float]:
    return {"lookups": 1, "hits": 1, "cumulative_lookups": lookups, "cumulative_hits": hits}


def core(collection: str = "books", **caches: dict[str, float]) -> dict[str, Any]:
    named = {f"CACHE.searcher.{name}": figures for name, figures in caches.items()}
    return {"CORE.collection": collection, **named}


def answer(*nodes: list[dict[str, Any]]) -> dict[str, Any]:
    found = {
        f"solr-{index}:8983_solr": {
            "responseHeader": {"status": 0},
            "metrics": {f"solr.core.c{index}.{number}": each for number, each in enumerate(cores)},
        }
        for index, cores in enumerate(nodes)
    }
    return {"responseHeader": {"status": 0, "QTime": 3}, **found}


def test_cores_of_all_nodes_are_added() -> None:
    found = parse_caches(
        answer(
            [
                core(filterCache=cache(10, 4), documentCache=cache(7, 0)),
                core(filterCache=cache(1, 1)),
            ],
            [core(filterCache=cache(100, 50), documentCache=cache(3, 3))],
        ),
        "books",
    )
    assert found is not None
    assert found.cores == 3
    assert found.counts == {"filterCache": (111, 55), "documentCache": (10, 3)}


def test_other_collections_do_not_count() -> None:
    found = parse_caches(
        answer([core("books2", filterCache=cache(5, 5)), core(filterCache=cache(2, 1))]), "books"
    )
    assert found is not None
    assert (found.cores, found.counts) == (1, {"filterCache": (2, 1)})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"responseHeader": {"status": 0}},
        {"error": {"msg": "no"}},
        answer([core("films", filterCache=cache(1, 1))]),
        answer([core()]),
        answer([core(filterCache={"lookups": 3, "hits": 1})]),
    ],
)
def test_responses_without_counts_give_no_sample(given: dict[str, Any]) -> None:
    assert parse_caches(given, "books") is None


def test_only_what_is_needed_is_asked() -> None:
    assert METRICS_PARAMETERS["prefix"] == (
        "CACHE.searcher.filterCache,CACHE.searcher.queryResultCache,"
        "CACHE.searcher.documentCache,CORE.collection"
    )
