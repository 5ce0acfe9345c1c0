from typing import Any

import pytest

from solrbench.api.v1alpha1.collection import Collection
from solrbench.solr.properties import config_properties, differences, read_property

# part of what `/config` of Solr 9.10.1 answers: some numbers are text
CONFIG = {
    "updateHandler": {"autoCommit": {"maxDocs": -1, "maxTime": 15000}},
    "query": {
        "useFilterForSortedQuery": False,
        "queryResultWindowSize": 20,
        "filterCache": {"autowarmCount": "0", "name": "filterCache", "size": "512"},
    },
}


@pytest.mark.parametrize(
    ("collection", "expected"),
    [
        ({}, {}),
        (
            {"caches": {"filter": {"size": 100, "autowarmCount": 0}}},
            {"query.filterCache.size": 100, "query.filterCache.autowarmCount": 0},
        ),
        (
            {"caches": {"queryResult": {"maxRamMegabytes": 64, "initialSize": 8}}},
            {"query.queryResultCache.maxRamMB": 64, "query.queryResultCache.initialSize": 8},
        ),
        (
            {"caches": {"document": {"className": "solr.CaffeineCache", "enabled": True}}},
            {
                "query.documentCache.class": "solr.CaffeineCache",
                "query.documentCache.enabled": True,
            },
        ),
        (
            {"caches": {"fieldValue": {"regenerator": "solr.NoOpRegenerator"}}},
            {"query.fieldValueCache.regenerator": "solr.NoOpRegenerator"},
        ),
        (
            {"queryResultWindowSize": 50, "queryResultMaxDocsCached": 9, "maxBooleanClauses": 7},
            {
                "query.queryResultWindowSize": 50,
                "query.queryResultMaxDocsCached": 9,
                "query.maxBooleanClauses": 7,
            },
        ),
        (
            {"enableLazyFieldLoading": False, "useFilterForSortedQuery": True},
            {"query.enableLazyFieldLoading": False, "query.useFilterForSortedQuery": True},
        ),
        (
            {"autoCommit": {"maxDocuments": 5}, "autoSoftCommit": {"maxMilliseconds": -1}},
            {"updateHandler.autoCommit.maxDocs": 5, "updateHandler.autoSoftCommit.maxTime": -1},
        ),
    ],
)
def test_only_what_is_asked_for_is_set(
    collection: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert config_properties(Collection.model_validate(collection)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("query.queryResultWindowSize", 20),
        ("query.filterCache.size", "512"),
        ("query.fieldValueCache.size", None),
        ("query.queryResultWindowSize.x", None),
    ],
)
def test_reads_a_property_by_its_path(name: str, expected: object) -> None:
    assert read_property(CONFIG, name) == expected


def test_numbers_and_booleans_may_be_text() -> None:
    same = {
        "query.filterCache.size": 512,
        "query.useFilterForSortedQuery": False,
        "updateHandler.autoCommit.maxTime": 15000,
    }
    assert differences(CONFIG, same) == {}


def test_differences_show_both_sides() -> None:
    wanted = {"query.filterCache.size": 513, "query.fieldValueCache.size": 5}
    assert differences(CONFIG, wanted) == {
        "query.filterCache.size": (513, "512"),
        "query.fieldValueCache.size": (5, None),
    }
