"""Answers of config sets beside each other in a real Solr: planted changes, named by kind."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import build_sweep, config_map, ended_sweep, small

NAME = "answers"
SECONDS = 600
Body = dict[str, Any]

SOLRCONFIG = """<?xml version="1.0" encoding="UTF-8"?>
<config>
  <luceneMatchVersion>9.11</luceneMatchVersion>
  <dataDir>${solr.data.dir:}</dataDir>
  <schemaFactory class="ClassicIndexSchemaFactory"/>
  <updateHandler class="solr.DirectUpdateHandler2"><updateLog/></updateHandler>
  <requestHandler name="/select" class="solr.SearchHandler">
    <lst name="defaults"><str name="facet.sort">%s</str></lst>
  </requestHandler>
</config>
"""
SCHEMA = """<?xml version="1.0" encoding="UTF-8"?>
<schema name="shop" version="1.6">
  <uniqueKey>id</uniqueKey>
  <fieldType name="string" class="solr.StrField" docValues="true"/>
  <fieldType name="long" class="solr.LongPointField" docValues="true"/>
  <fieldType name="double" class="solr.DoublePointField" docValues="true"/>
  <fieldType name="date" class="solr.DatePointField" docValues="true"/>
  <fieldType name="words" class="solr.TextField">
    <analyzer><tokenizer name="standard"/>%s</analyzer>
  </fieldType>
  <field name="id" type="string" indexed="true" stored="true" required="true"/>
  <field name="_version_" type="long" indexed="false" stored="false"/>
  <field name="_root_" type="string" indexed="true" stored="false" docValues="false"/>
  <dynamicField name="*_s" type="string" indexed="true" stored="true"/>
  <dynamicField name="*_ss" type="string" indexed="true" stored="true" multiValued="true"/>
  <dynamicField name="*_t" type="words" indexed="true" stored="true"/>
  <dynamicField name="*_i" type="long" indexed="true" stored="true"/>
  <dynamicField name="*_l" type="long" indexed="true" stored="true"/>
  <dynamicField name="*_d" type="double" indexed="true" stored="true"/>
  <dynamicField name="*_dt" type="date" indexed="true" stored="true"/>
</schema>
"""
# Words of one letter more are one word: such queries find more documents.
TRUNCATED = '<filter name="truncate" prefixLength="3"/>'
DOCUMENTS = 2000
DELETED = f"doc-{DOCUMENTS - 1:012d}"
QUERIES = [
    {"q": f"id:{DELETED}"},
    {"q": "*:*", "fq": f"-id:{DELETED}", "rows": 0, "facet": "true", "facet.field": "category_s"},
]


def conf(name: str, filters: str = "", facet_sort: str = "count") -> Body:
    solrconfig, schema = SOLRCONFIG % facet_sort, SCHEMA % filters
    return config_map(name, solrconfig__xml=solrconfig, schema__xml=schema)


def sweep_body() -> Body:
    """Return a sweep: the second point has other shards alone, the third one all changes."""
    mix = [
        {"name": "own", "weight": 1, "queries": {"configMap": {"name": "answers-queries"}}},
        {"name": "drawn", "weight": 3, "queries": {"generated": {"count": 200}}},
    ]
    config_set = {"configMap": {"name": "answers-plain"}}
    body = small(NAME, collection__configSet=config_set, workload={"mix": mix})
    config = {
        "name": "config",
        "role": "Setting",
        "fields": [
            "collection.configSet.configMap.name",
            "collection.shards",
            "dataset.firstDocuments",
        ],
        "values": [
            {"name": "plain", "value": ["answers-plain", 1, DOCUMENTS]},
            {"name": "equal", "value": ["answers-plain", 2, DOCUMENTS]},
            {"name": "changed", "value": ["answers-changed", 1, DOCUMENTS - 1]},
        ],
    }
    return build_sweep(body, axes=[config], order="Listed")


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    lines = "".join(f"{json.dumps(each)}\n" for each in QUERIES)
    kube.apply(
        conf("answers-plain"),
        conf("answers-changed", TRUNCATED, facet_sort="index"),
        config_map("answers-queries", queries__txt=lines),
    )
    with ended_sweep(sweep_body(), SECONDS) as found:
        yield found


def test_planted_changes_are_named_and_the_equal_side_is_not_accused(status: Body) -> None:
    found = {each["candidate"]: each for each in status["answerComparisons"]}
    equal, changed = found["equal"], found["changed"]
    assert equal["conclusion"] == "SameAnswers", equal
    assert equal["queries"] > 100
    assert "1 shards" in equal["notes"][0]
    assert "2 shards" in equal["notes"][0]
    assert changed["conclusion"] == "Differ", changed
    assert changed["numFound"] > changed["different"] / 2
    assert changed["facets"] >= 1
    assert len(json.dumps(status["answerComparisons"])) < 2000


def test_the_deleted_document_is_an_example(status: Body) -> None:
    report = json.loads(kube.solrbench("report", f"ssweep/{NAME}", "-o", "json"))
    (changed,) = [each for each in report["answers"] if each["candidate"] == "changed"]
    examples = {each["query"]: each for each in changed["examples"]}
    found = examples[f"q=id:{DELETED}"]
    assert found["kind"] == "numFound"
    assert found["baseline"] == f"1 found: {DELETED}"


def test_the_first_sentences_say_it(status: Body) -> None:
    first, second = status["answers"][:2]
    assert first.startswith("equal answers all ")
    assert "differently" in second


def test_the_load_was_measured_after_it(status: Body) -> None:
    for point in status["points"]:
        benchmark = kube.status(f"{NAME}-{point['name']}")
        assert benchmark["report"]["storedSteps"] == 1
        assert "coldStart" not in benchmark
