import base64
import io
import xml.etree.ElementTree as ET
import zipfile
from fnmatch import fnmatchcase
from typing import Any

import pytest

from solrbench.api.v1alpha1.collection import Collection
from solrbench.api.v1alpha1.dataset import Generator
from solrbench.contract.generated_documents import DocumentGenerator
from solrbench.errors import PermanentError
from solrbench.solr.config_set import archive_of, built_in_archive, config_properties, differences
from support.failing import failing


def unzipped(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return {name: files.read(name) for name in files.namelist()}


def test_built_in_archive_has_config_and_schema() -> None:
    files = unzipped(built_in_archive())
    assert sorted(files) == ["managed-schema.xml", "solrconfig.xml"]
    assert built_in_archive() == built_in_archive()


def test_built_in_caches_are_all_declared_and_cold() -> None:
    query = ET.fromstring(unzipped(built_in_archive())["solrconfig.xml"]).find("query")
    assert query is not None
    caches = {each.tag: each.attrib for each in query if each.tag.endswith("Cache")}
    assert set(caches) == {"filterCache", "queryResultCache", "documentCache", "fieldValueCache"}
    assert {(each["size"], each["autowarmCount"]) for each in caches.values()} == {("512", "0")}


@pytest.mark.parametrize(
    ("field", "kind", "many"),
    [
        ("id", "string", False),
        ("title_t", "text_general", False),
        ("category_s", "string", False),
        ("tags_ss", "string", True),
        ("published_dt", "pdate", False),
        ("price_d", "pdouble", False),
        ("popularity_i", "pint", False),
        ("anything at all", "text_general", True),
    ],
)
def test_built_in_types_go_by_the_ending(field: str, kind: str, many: bool) -> None:
    schema = ET.fromstring(unzipped(built_in_archive())["managed-schema.xml"])
    rules = [each for each in schema if each.tag in ("field", "dynamicField")]
    matching = [each for each in rules if fnmatchcase(field, each.attrib["name"])]
    rule = max(matching, key=lambda each: (each.tag == "field", len(each.attrib["name"])))
    types = {each.attrib["name"]: each.attrib for each in schema.iter("fieldType")}
    assert rule.attrib["type"] == kind
    inherited = types[kind].get("multiValued", "false")
    assert rule.attrib.get("multiValued", inherited) == str(many).lower()


def test_generated_documents_have_typed_fields() -> None:
    schema = ET.fromstring(unzipped(built_in_archive())["managed-schema.xml"])
    endings = [e.attrib["name"] for e in schema.iter("dynamicField") if len(e.attrib["name"]) > 1]
    (document,) = DocumentGenerator(Generator(documents=1)).range(range(1))
    fields = [name for name in document if name != "id"]
    assert all(any(fnmatchcase(name, ending) for ending in endings) for name in fields)


def test_files_of_a_config_map() -> None:
    body = {
        "metadata": {"name": "mine"},
        "data": {"solrconfig.xml": "<config/>", "schema.xml": "<schema name='é'/>"},
        "binaryData": {"x.bin": base64.b64encode(b"\0\xff").decode()},
    }
    assert unzipped(archive_of(body)) == {
        "schema.xml": "<schema name='é'/>".encode(),
        "solrconfig.xml": b"<config/>",
        "x.bin": b"\0\xff",
    }


def test_ready_made_zip_is_passed_on() -> None:
    encoded = base64.b64encode(b"any bytes").decode()
    body = {"metadata": {"name": "mine"}, "binaryData": {"configset.zip": encoded}}
    assert archive_of(body) == b"any bytes"


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": {"schema.xml": "<schema/>"}}])
def test_config_map_without_config_set(body: dict[str, object]) -> None:
    with failing(PermanentError, "InvalidConfigSet", r"ConfigMap mine must hold solrconfig\.xml"):
        archive_of({"metadata": {"name": "mine"}, **body})


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
            {
                "updateHandler.autoCommit.maxDocs": 5,
                "updateHandler.autoCommit.openSearcher": False,
                "updateHandler.autoSoftCommit.maxTime": -1,
            },
        ),
    ],
)
def test_only_what_is_asked_for_is_set(
    collection: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert config_properties(Collection.model_validate(collection)) == expected


def test_differences_show_both_sides_and_numbers_and_booleans_may_be_text() -> None:
    same = {
        "query.filterCache.size": 512,
        "query.queryResultWindowSize": 20,
        "query.useFilterForSortedQuery": False,
        "updateHandler.autoCommit.maxTime": 15000,
    }
    assert differences(CONFIG, same) == {}
    other = {
        "query.filterCache.size": (513, "512"),
        "query.fieldValueCache.size": (5, None),
        "query.queryResultWindowSize.x": (5, None),
    }
    assert differences(CONFIG, {key: wanted for key, (wanted, _) in other.items()}) == other
