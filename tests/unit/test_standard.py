"""The resources of standard datasets are good, and the sample has the shape that they index."""

import json
import re
from datetime import datetime
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from solrbench.api.v1alpha1 import SolrBenchmark
from support.narrowing import not_none
from support.repository import ROOT, load_module

FOLDER = ROOT / "examples/standard"
NAMES = ("geonames", "nyc-taxis")
COUNTS = {"geonames": 11_396_503, "nyc-taxis": 165_346_692}


@cache
def body(name: str, file: str) -> dict[str, Any]:
    text = (FOLDER / name / f"{file}.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)
    return found


@cache
def fields(name: str) -> dict[str, str]:
    # A file of the repository.
    root = ET.fromstring(body(name, "config")["data"]["schema.xml"])
    return {each.attrib["name"]: each.attrib["type"] for each in root.findall("field")}


@pytest.mark.parametrize("name", NAMES)
def test_resources_are_good_and_expect_all_documents(name: str) -> None:
    real = SolrBenchmark.parse(body(name, "benchmark")).spec
    tried = SolrBenchmark.parse(body(name, "sample")).spec
    assert not_none(real.dataset).expected_documents == COUNTS[name]
    assert f"{COUNTS[name]:,}" in (FOLDER / "README.md").read_text("utf-8")
    for spec in (real, tried):
        source, queries = spec.collection.config_set.config_map, spec.workload.queries
        assert not_none(source).name == name
        assert not_none(not_none(queries).config_map).key in body(name, "config")["data"]


@pytest.mark.parametrize("name", NAMES)
def test_queries_have_names_and_fields_of_the_schema(name: str) -> None:
    lines = body(name, "config")["data"]["queries.jsonl"].splitlines()
    queries = [json.loads(line) for line in lines]
    assert len({each["name"] for each in queries}) == len(queries) >= 9
    for text in lines:
        asked = re.findall(r'"field": "(\w+)"|"query": "(\w+):|"sort": "(\w+) ', text)
        for field in filter(None, (name for groups in asked for name in groups)):
            assert field in fields(name), text


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_is_the_same_each_time_and_has_the_types_of_the_schema(name: str) -> None:
    sample = load_module(FOLDER / "sample.py")
    lines = list(sample.documents(name, 200))
    assert lines == list(load_module(FOLDER / "sample.py").documents(name, 200))
    types: dict[str, tuple[type, ...]] = {
        "int": (int,),
        "long": (int,),
        "double": (int, float, list),
        "string": (str,),
        "text": (str,),
    }
    for document in map(json.loads, lines):
        for field, value in document.items():
            kind = fields(name)[field]
            if kind == "date":
                datetime.strptime(value, "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007 - as in the data
            else:
                assert isinstance(value, types[kind]), field
