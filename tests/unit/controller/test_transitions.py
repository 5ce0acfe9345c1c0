"""Changes of any field at any time, against a cluster in memory.

tests/integration/test_transitions.py makes many more of them against the real API server.
"""

import random
from typing import Any

import pytest
from pydantic import ValidationError

from solrbench.api.kinds import BENCHMARK
from solrbench.api.problems import problems
from solrbench.api.v1alpha1 import SolrBenchmark
from support.cluster.admission import RejectedError
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import OperatorDriver
from support.transitions.walk import Walk

pytestmark = pytest.mark.slow

Body = dict[str, Any]


class Admission:
    """Does in memory what the API server does with a benchmark."""

    def __init__(self, cluster: FakeCluster) -> None:
        self._cluster = cluster

    def store(self, body: Body) -> Body:
        return self._cluster.put(self._admit(body))

    def replace(self, body: Body) -> Body:
        key = "SolrBenchmark", body["metadata"]["namespace"], body["metadata"]["name"]
        stored, given = self._cluster.objects[key], self._admit(body)
        changed = {
            each
            for each in stored["spec"].keys() | given["spec"].keys()
            if stored["spec"].get(each) != given["spec"].get(each)
        }
        if changed - BENCHMARK.mutable:
            raise RejectedError([f"spec.{each} must not change" for each in changed])
        generation = stored["metadata"].get("generation", 1) + bool(changed)
        metadata = stored["metadata"] | {"generation": generation}
        return self._cluster.put(stored | {"metadata": metadata, "spec": given["spec"]})

    def _admit(self, body: Body) -> Body:
        try:
            spec = SolrBenchmark.parse(body | {"status": {}}).spec
        except ValidationError as error:
            raise RejectedError(problems(error)) from error
        return body | {"spec": spec.model_dump(mode="json", by_alias=True, exclude_none=True)}


@pytest.mark.parametrize("seed", [1, 2])
def test_every_change_is_refused_or_effective(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster()
    operator = OperatorDriver(cluster, monkeypatch)
    admission = Admission(cluster)
    walk = Walk(operator, "default", admission.store, admission.replace, random.Random(seed))
    walk.go(100)
    walk.finish()
    assert {state for state, _ in walk.seen} >= {"queued", "running"}
