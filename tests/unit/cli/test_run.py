"""Replacing a benchmark, and resources of another version."""

from typing import Any

import click
import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli import deletion
from solrbench.cli.commands import run
from solrbench.cli.options import as_cli_errors
from support.fakes.fake_cluster import FakeCluster
from support.resources.small_resource import resource


def body(**metadata: Any) -> dict[str, Any]:
    made = resource({})
    made["metadata"] = {"name": "one", "namespace": "default", **metadata}
    return made


def test_replacing_ends_when_a_finalizer_holds_the_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deletion, "POLL_SECONDS", 0.001)
    cluster = FakeCluster(body(finalizers=["solrbench.io/finalizer"]))
    with pytest.raises(click.ClickException, match=r"held by .* solrbench\.io/finalizer;"):
        run._apply(cluster, body(), replace=True, seconds=0.01)
    assert cluster.applied == []


def test_replacing_goes_on_when_the_benchmark_is_gone() -> None:
    cluster = FakeCluster(body())
    deletion.replace_existing(cluster, body(), 10, replace=True)
    assert cluster.names("SolrBenchmark") == set()


def test_a_resource_of_another_version_is_one_line() -> None:
    newer = body()
    newer["spec"]["novelty"] = True
    with (
        pytest.raises(click.ClickException, match=r"spec\.novelty: .*operator's version"),
        as_cli_errors(),
    ):
        SolrBenchmark.parse(newer)
