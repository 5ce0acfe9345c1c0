"""Stored resources that the operator cannot read."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.controller.invalid import mark_invalid
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def rejected(body: dict[str, Any]) -> dict[str, Any]:
    """Return a benchmark as it is stored after it was rejected."""
    cluster = FakeCluster(body)
    with pytest.raises(ValidationError) as caught:
        SolrBenchmark.parse(body)
    mark_invalid(cluster, body, caught.value, NOW)
    return cluster.objects["SolrBenchmark", "default", "one"]


def test_broken_rule_ends_the_benchmark() -> None:
    status = rejected(small("one", backoffLimit=-1))["status"]
    assert status["phase"] == "Failed"
    found = {each["type"]: each for each in status["conditions"]}
    assert found["Succeeded"]["reason"] == found["Accepted"]["reason"] == "InvalidSpec"
    assert "spec.backoffLimit" in found["Succeeded"]["message"]
    assert (found["Complete"]["status"], found["Complete"]["reason"]) == ("True", "InvalidSpec")
    assert {each["lastTransitionTime"] for each in found.values()} == {"2026-01-01T00:00:00Z"}


def test_invalid_benchmark_is_marked_once() -> None:
    body = rejected(small("one", backoffLimit=-1))
    cluster = FakeCluster(body)
    stored = cluster.objects["SolrBenchmark", "default", "one"]
    with pytest.raises(ValidationError) as caught:
        SolrBenchmark.parse(body)
    mark_invalid(cluster, stored, caught.value, NOW)
    assert cluster.objects["SolrBenchmark", "default", "one"] is stored


def test_field_of_a_newer_definition_ends_nothing() -> None:
    status = rejected(small("one", load__surprise="Please"))["status"]
    found = {each["type"]: each for each in status["conditions"]}
    assert found["Accepted"]["reason"] == "DefinitionNewer"
    assert (found["Succeeded"]["status"], found["Complete"]["status"]) == ("Unknown", "False")
    assert "upgrade the operator" in found["Succeeded"]["message"]
    assert "spec.load.surprise" in found["Succeeded"]["message"]
    assert "phase" not in status


def test_broken_rule_beside_a_newer_field_ends_it_too() -> None:
    assert (
        rejected(small("one", backoffLimit=-1, load__surprise="No"))["status"]["phase"] == "Failed"
    )
