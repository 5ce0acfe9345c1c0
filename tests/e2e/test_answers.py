"""Answers of config sets beside each other in a real Solr: one planted change, named by kind."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SPEC, config_map, ended_sweep

NAME = "answers"
SECONDS = 600
Body = dict[str, Any]

SOLRCONFIG = """<?xml version="1.0" encoding="UTF-8"?>
<config>
  <luceneMatchVersion>9.11</luceneMatchVersion>
  <dataDir>${solr.data.dir:}</dataDir>
  <schemaFactory class="ClassicIndexSchemaFactory"/>
  <updateHandler class="solr.DirectUpdateHandler2"><updateLog/></updateHandler>
  <requestHandler name="/select" class="solr.SearchHandler"/>
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


def conf(name: str, filters: str = "") -> Body:
    return config_map(name, solrconfig__xml=SOLRCONFIG, schema__xml=SCHEMA % filters)


def sweep_body() -> Body:
    """Return a sweep over three config sets, of which the third analyses words in another way."""
    spec = copy.deepcopy(SMALL_SPEC)
    spec["collection"]["configSet"] = {"configMap": {"name": "answers-plain"}}
    names = ["answers-plain", "answers-equal", "answers-truncated"]
    field = "collection.configSet.configMap.name"
    return {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmarkSweep",
        "metadata": {"name": NAME},
        "spec": {
            "template": {"spec": spec},
            "axes": [{"name": "config", "field": field, "values": names}],
            "order": "Listed",
        },
    }


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    for body in (
        conf("answers-plain"),
        conf("answers-equal"),
        conf("answers-truncated", TRUNCATED),
    ):
        kube.apply(body)
    with ended_sweep(sweep_body(), SECONDS) as found:
        yield found


def test_the_planted_change_is_named_and_the_equal_side_is_not_accused(status: Body) -> None:
    found = {each["candidate"]: each for each in status["answerComparisons"]}
    equal, truncated = found["answers-equal"], found["answers-truncated"]
    assert equal["conclusion"] == "SameAnswers", equal
    assert equal["queries"] > 100
    assert truncated["conclusion"] == "Differ", truncated
    assert truncated["numFound"] > truncated["different"] / 2
    assert len(json.dumps(status["answerComparisons"])) < 2000


def test_the_first_sentences_say_it(status: Body) -> None:
    first, second = status["answers"][:2]
    assert first.startswith("answers-equal answers all ")
    assert "differently" in second


def test_the_load_was_measured_after_it(status: Body) -> None:
    for point in status["points"]:
        benchmark = kube.status(f"{NAME}-{point['name']}")
        assert benchmark["report"]["storedSteps"] == 1
        assert "coldStart" not in benchmark
