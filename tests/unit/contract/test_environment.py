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


def test_the_hash_is_the_same_with_defaults_written_out() -> None:
    implicit = make_spec("a")
    explicit = make_spec("a", collection={"shards": 1, "replicas": {"nrt": 1}})
    assert spec_hash(implicit) == spec_hash(explicit)


def test_the_hash_follows_what_is_measured() -> None:
    assert spec_hash(make_spec("a")) != spec_hash(make_spec("a", collection={"shards": 2}))


@pytest.mark.parametrize(
    "change", [{"suspend": True}, {"cleanup": "Never"}, {"ttlSecondsAfterFinished": 5}]
)
def test_the_hash_leaves_out_what_may_change(change: dict[str, object]) -> None:
    assert spec_hash(make_spec("a")) == spec_hash(make_spec("a", **change))


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


def test_attempts_on_the_same_target_do_not_differ() -> None:
    again = FIRST.model_copy(update={"load": 2})
    found = add_attempt(environment_of(FIRST), environment_of(again))
    assert found.attempts == [FIRST, again]
    assert found.differences == []


def test_documents_that_an_older_version_did_not_record_are_no_difference() -> None:
    again = FIRST.model_copy(update={"load": 2, "documents": None})
    assert add_attempt(environment_of(FIRST), environment_of(again)).differences == []


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
