"""The page that documents the resource."""

from functools import cache

import pytest

from solrbench.api.reference import render_reference
from solrbench.api.v1alpha1 import Spec


@cache
def page() -> str:
    return render_reference()


@cache
def sections() -> dict[str, str]:
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in page().split("\n## ")[1:]}


def row(section: str, field: str) -> list[str]:
    lines = sections()[section].splitlines()
    (line,) = [each for each in lines if each.startswith(f"| `{field}` |")]
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_every_object_is_linked_to_a_section_that_exists() -> None:
    links = {part.partition(")")[0] for part in page().split("](#")[1:]}
    assert links == {name.lower() for name in sections()} - {"solrbenchmark", "solrbenchmarksweep"}


def test_every_field_of_the_spec_has_a_row() -> None:
    for field in Spec.model_fields.values():
        assert field.alias is not None
        assert row("Spec", field.alias)


@pytest.mark.parametrize(
    ("section", "field", "cells"),
    [
        (
            "SolrCloud",
            "nodes",
            ["integer", "`1`", "1 to 100", "`nodes` is the number of Solr nodes, one pod each."],
        ),
        ("SolrCloud", "image", ["[SolrImage](#solrimage)", "its fields' defaults"]),
        ("SolrCloud", "nodeSelector", ["map of string", "-", "at most 32 entries"]),
        ("Step", "users", ["integer", "-", "1 to 100,000"]),
        ("Step", "requestsPerSecond", ["number", "-", "0 to 1,000,000"]),
        ("Spec", "warmUp", ["[WarmUp](#warmup)", "-"]),
        ("Workload", "method", ["one of `GET`, `POST`", "`GET`"]),
        ("Status", "observedGeneration", ["integer", "-"]),
    ],
)
def test_row_shows_type_default_bounds_and_meaning(
    section: str, field: str, cells: list[str]
) -> None:
    assert row(section, field)[1 : 1 + len(cells)] == cells


def test_rules_are_listed_with_their_object() -> None:
    assert "- steps must have different names" in sections()["Load"]


def test_page_says_what_may_change() -> None:
    assert (
        "`spec.cleanup`, `spec.results`, `spec.suspend`, `spec.ttlSecondsAfterFinished`" in page()
    )
