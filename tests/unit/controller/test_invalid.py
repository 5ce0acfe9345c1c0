"""Stored resources that the operator cannot read."""

from typing import Any, cast

import pytest
from pydantic import ValidationError

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import Cluster
from solrbench.controller.invalid import mark_invalid
from solrbench.errors import TemporaryError
from support.benchmarks import small
from support.fake_cluster import FakeCluster


def rejected(body: dict[str, Any]) -> dict[str, Any]:
    """Return a benchmark as it is stored after it was rejected."""
    cluster = FakeCluster(body)
    with pytest.raises(ValidationError) as caught:
        SolrBenchmark.parse(body)
    mark_invalid(cast(Cluster, cluster), body, caught.value)
    return cluster.objects["SolrBenchmark", "default", "one"]


def test_broken_rule_ends_the_benchmark() -> None:
    status = rejected(small("one", backoffLimit=-1))["status"]
    assert status["phase"] == "Failed"
    told = {each["type"]: each for each in status["conditions"]}
    assert told["Succeeded"]["reason"] == told["Accepted"]["reason"] == "InvalidSpec"
    assert "spec.backoffLimit" in told["Succeeded"]["message"]


def test_field_of_a_newer_definition_ends_nothing() -> None:
    body = small("one", load__surprise="Please")
    with pytest.raises(TemporaryError, match="upgrade it") as caught:
        rejected(body)
    assert caught.value.reason == "DefinitionNewer"
    assert "spec.load.surprise" in caught.value.message
    assert "status" not in body


def test_broken_rule_beside_a_newer_field_ends_it_too() -> None:
    assert (
        rejected(small("one", backoffLimit=-1, load__surprise="No"))["status"]["phase"] == "Failed"
    )
