"""The standard datasets on samples of their shape: config set, queries and resource go together."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.cluster import kube
from support.cluster.benchmarks import config_map

FOLDER = Path(__file__).parents[2] / "examples" / "standard"
DOCUMENTS = 200
"""As many as `kubectl apply` takes: 256 KiB in an annotation."""


@pytest.fixture(scope="module", params=["geonames", "nyc-taxis"])
def status(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    name: str = request.param
    command = [sys.executable, str(FOLDER / "sample.py"), name, str(DOCUMENTS)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    config, benchmark = (
        yaml.safe_load((FOLDER / name / f"{file}.yaml").read_text("utf-8"))
        for file in ("config", "sample")
    )
    benchmark["spec"]["warmUp"] = {"requests": 0}
    benchmark["spec"]["load"]["steps"] = [{"name": "one-user", "users": 1, "requests": 110}]
    yield from kube.measured(config, config_map(f"{name}-sample", documents__json=lines), benchmark)


def test_all_documents_are_indexed_and_no_query_fails(status: dict[str, Any]) -> None:
    assert status["dataset"]["documents"] == DOCUMENTS
    assert len(status["results"]) >= 9
    assert sum(each.get("failures", 0) for each in status["results"]) == 0
