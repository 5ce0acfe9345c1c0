import pytest

from solrbench.results.model.environment import Environment, NodeRecord, seeds, spec_hash
from unit.results.builders import make_spec


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
    assert seeds(make_spec("a")) == {
        "workload.queries.seed": 9,
        "dataset.generator.seed": 4,
    }


def test_an_environment_survives_json() -> None:
    spec = make_spec("a")
    environment = Environment(
        spec_hash=spec_hash(spec),
        seeds=seeds(spec),
        images={"solr": "solr:9.10.1@sha256:00"},
        nodes=[NodeRecord(name="one", cpu_cores=2.0, memory_bytes=2**34)],
    )
    text = environment.model_dump_json(by_alias=True)
    assert Environment.model_validate_json(text) == environment
