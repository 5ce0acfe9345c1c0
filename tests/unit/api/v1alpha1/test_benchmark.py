"""One seed for the whole spec, and seeds of parts that take precedence."""

from typing import Any

from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from support.resources.small_resource import resource

GENERATED: dict[str, Any] = {"generated": {}}
MIX = [
    {"name": "read", "queries": GENERATED},
    {"name": "write", "updates": {"generated": {"ids": "New"}}},
    {
        "name": "flow",
        "transaction": {"inputs": GENERATED, "requests": [{"name": "one"}]},
    },
]


def parsed(**changes: Any) -> Spec:
    given = {f"spec.{key.replace('__', '.')}": value for key, value in changes.items()}
    return SolrBenchmark.parse(resource(given)).spec


def test_parts_without_a_seed_get_that_of_the_spec() -> None:
    spec = parsed(seed=7, workload={"mix": MIX}, dataset={"generator": {"documents": 1}})
    assert spec.dataset is not None
    assert spec.dataset.generator is not None
    assert spec.workload.mix is not None
    read, write, flow = spec.workload.mix
    assert read.queries is not None
    assert write.updates is not None
    assert write.updates.generated is not None
    assert flow.transaction is not None
    assert flow.transaction.inputs is not None
    seeds = (
        spec.dataset.generator.seed,
        spec.workload.seed,
        read.queries.seed,
        write.updates.generated.seed,
        flow.transaction.inputs.seed,
    )
    assert seeds == (7, 7, 7, 7, 7)


def test_seed_of_a_part_takes_precedence() -> None:
    spec = parsed(seed=7, dataset={"generator": {"documents": 1, "seed": 3}})
    assert spec.dataset is not None
    assert spec.dataset.generator is not None
    assert spec.dataset.generator.seed == 3
    assert spec.workload.draw_seed == 7


def test_seed_is_one_by_default() -> None:
    spec = parsed()
    assert (spec.seed, spec.workload.draw_seed) == (1, 1)


def test_locustfile_draws_nothing() -> None:
    spec = parsed(seed=7, workload={"locustfile": {"configMap": {"name": "mine"}}})
    assert spec.workload.seed == 1


def test_stored_spec_is_left_as_it_is() -> None:
    body = resource({"spec.seed": 7})
    SolrBenchmark.parse(body)
    assert "seed" not in body["spec"]["workload"]["queries"]
