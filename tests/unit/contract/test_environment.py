from typing import Any

import pytest

from solrbench.contract.environment import (
    AttemptRecord,
    Environment,
    NodeRecord,
    add_attempt,
    seeds,
    spec_hash,
)
from support.results.builders import make_spec


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        pytest.param({"collection": {"shards": 2}}, False, id="what is measured"),
        pytest.param({"collection": {"shards": 1, "replicas": {"nrt": 1}}}, True, id="defaults"),
        pytest.param({"suspend": True, "cleanup": "Never"}, True, id="what may change"),
        pytest.param({"ttlSecondsAfterFinished": 5}, True, id="time to live"),
    ],
)
def test_the_hash_follows_what_is_measured_alone(change: dict[str, Any], *, is_same: bool) -> None:
    assert (spec_hash(make_spec("a")) == spec_hash(make_spec("a", **change))) is is_same


def test_every_seed_is_recorded() -> None:
    assert seeds(make_spec("a")) == {"workload.queries.seed": 9, "dataset.generator.seed": 4}


FIRST = AttemptRecord(
    target=1,
    load=1,
    images={"solr": "solr:9.6"},
    solr_version="9.6.1",
    jvm_version="17",
    nodes={"solr": ["a", "b"]},
    documents=1000,
)


def environment_of(attempt: AttemptRecord) -> Environment:
    nodes = [NodeRecord(name=name) for name in attempt.nodes["solr"]]
    return Environment(spec_hash="5", nodes=nodes, attempts=[attempt])


@pytest.mark.parametrize("change", [{}, {"documents": None}], ids=["none", "of an older version"])
def test_attempts_on_the_same_target_do_not_differ(change: dict[str, Any]) -> None:
    again = FIRST.model_copy(update={"load": 2} | change)
    found = add_attempt(environment_of(FIRST), environment_of(again))
    assert found.attempts == [FIRST, again]
    assert found.differences == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"nodes": {"solr": ["a", "c"]}}, "nodes of solr: a, b at first, a, c in attempt 2 of"),
        ({"images": {"solr": "solr:9.7"}}, "image of solr: solr:9.6 at first, solr:9.7 in"),
        ({"images": {}}, "image of solr: solr:9.6 at first, unknown in attempt 2 of the target"),
        ({"solr_version": "9.7.0"}, "Solr: 9.6.1 at first, 9.7.0 in"),
        ({"documents": 990}, "documents: 1000 at first, 990 in attempt 2 of the target"),
        ({"jvm_version": "21"}, "JVM: 17 at first, 21 in attempt 2 of the target, 2 of the load"),
    ],
)
def test_difference_of_an_attempt_is_named(change: dict[str, Any], text: str) -> None:
    other = FIRST.model_copy(update={"target": 2, "load": 2} | change)
    found = add_attempt(environment_of(FIRST), environment_of(other))
    (difference,) = found.differences
    assert difference.startswith(text)
    assert {each.name for each in found.nodes} >= {"a", "b"}
