"""pydantic's verdict on the tables that the API server validates in the integration tests."""

from typing import Any

import pytest
from pydantic import ValidationError

from hack.generate.crd import build_crd, build_schema
from solrbench.api.kinds import SWEEP
from solrbench.api.rules import plain
from solrbench.api.schema import VALIDATIONS
from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.result_rules import OBJECTIVE_RULES, max_request_names
from solrbench.api.v1alpha1.spec_rules import search_seconds
from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.environment import seeds
from support.failing import refused
from support.resources.bad.rows import Bad
from support.resources.bad.sweeps import BAD_SWEEPS
from support.resources.bad_resources import BAD
from support.resources.good_resources import GOOD
from support.resources.small_resource import Changes, resource
from support.resources.small_sweep import parse_sweep
from support.results.builders import make_spec


def test_the_base_is_good() -> None:
    assert SolrBenchmark.parse(resource()).key == "default/base"


def test_rows_have_different_names() -> None:
    assert len({row.name for row in BAD}) == len(BAD) >= 40


@pytest.mark.parametrize("row", BAD, ids=lambda row: row.name)
def test_bad_resource_is_refused_with_field_and_remedy(row: Bad) -> None:
    found = refused(SolrBenchmark.parse, resource(row.changes))
    assert any(row.field in line and row.local in line for line in found), found


@pytest.mark.parametrize("changes", GOOD.values(), ids=GOOD.keys())
def test_good_resource_is_accepted(changes: Changes) -> None:
    SolrBenchmark.parse(resource(changes))


def test_stored_form_is_read_back_unchanged() -> None:
    benchmark = SolrBenchmark.parse(resource())
    assert SolrBenchmark.parse(plain(benchmark)) == benchmark


GENERATED: dict[str, Any] = {"generated": {}}
MIX = [
    {"name": "read", "queries": GENERATED},
    {"name": "write", "updates": {"generated": {"ids": "New"}}},
    {"name": "flow", "transaction": {"inputs": GENERATED, "requests": [{"name": "one"}]}},
]


def parsed(**changes: Any) -> Spec:
    return SolrBenchmark.parse(resource({f"spec.{key}": changes[key] for key in changes})).spec


def test_parts_without_a_seed_get_that_of_the_spec() -> None:
    spec = parsed(seed=7, workload={"mix": MIX}, dataset={"generator": {"documents": 1}})
    assert [*seeds(spec).values()] == [7] * 5


def test_seed_of_a_part_takes_precedence() -> None:
    spec = parsed(seed=7, dataset={"generator": {"documents": 1, "seed": 3}})
    assert spec.model_dump()["dataset"]["generator"]["seed"] == 3
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


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"users": 5}, "users-5"),
        ({"requestsPerSecond": 16.0}, "rate-16"),
        ({"requestsPerSecond": 0.5}, "rate-0-5"),
        ({"requestsPerSecond": 0.001}, "rate-0-001"),
        ({"requestsPerSecond": 1_000_000.0}, "rate-1000000"),
        ({"replay": {}}, "replay"),
        ({"users": 5, "name": "peak"}, "peak"),
    ],
)
def test_name_of_a_step(fields: dict[str, object], name: str) -> None:
    assert Step.model_validate({"requests": 1} | fields).name == name
    # The API server stores no default name, which an objective may have all the same.
    stored = {"objectives": [{"steps": [name]}], "load": {"steps": [fields]}}
    assert OBJECTIVE_RULES[0].holds(stored)


QUERIES: dict[str, Any] = {"name": "q", "queries": {"generated": {}}}


def transaction(handler: str) -> dict[str, Any]:
    requests = [{"name": "find"}, {"name": "then", "handler": handler}]
    return {"mix": [QUERIES, {"name": "t", "transaction": {"requests": requests}}]}


@pytest.mark.parametrize(
    ("workload", "may"),
    [
        ({"queries": {"generated": {}}}, False),
        ({"mix": [QUERIES]}, False),
        (transaction("/query"), False),
        (transaction("/update/json"), True),
        ({"mix": [QUERIES | {"handler": "/update"}]}, True),
        ({"queries": {"generated": {}}, "handler": "/update"}, True),
        ({"mix": [QUERIES, {"name": "w", "updates": {"generated": {}}}]}, True),
        ({"locustfile": {"configMap": {"name": "mine", "key": "a.py"}}}, True),
    ],
)
def test_updates_and_own_users_may_change_the_index(workload: dict[str, Any], may: bool) -> None:
    assert Workload.model_validate(workload).may_change_index is may


def ladder(steps: int, repeats: int, variants: int, mix: int) -> Spec:
    entries = [{"name": f"q{n}", "queries": {"generated": {}}} for n in range(mix)]
    target: dict[str, Any] = {"solrCloud": {"nodes": 2}}
    if variants > 1:
        target["variants"] = [{"name": f"v{n}", "endpoint": "Nodes"} for n in range(variants)]
    rungs = [{"users": n + 1, "requests": 1} for n in range(steps)]
    load = {"repeats": {"count": repeats}, "steps": rungs}
    return make_spec(target=target, workload={"mix": entries}, load=load)


@pytest.mark.parametrize(
    ("steps", "repeats", "variants", "mix"),
    [(32, 1, 1, 8), (12, 20, 1, 20), (4, 20, 8, 8), (32, 100, 1, 2)],
)
def test_ladders_that_fit_are_accepted(steps: int, repeats: int, variants: int, mix: int) -> None:
    assert max_request_names(ladder(steps, repeats, variants, mix)) >= mix


@pytest.mark.parametrize(
    ("steps", "repeats", "variants", "mix", "message"),
    [
        (32, 1, 1, 9, "names of workload.mix must be at most 256"),
        (4, 1, 8, 9, "names of workload.mix must be at most 256"),
        (32, 100, 1, 3, "names of workload.mix must be at most 8000"),
        (20, 21, 1, 20, "load.repeats times load.steps times target.variants"),
    ],
)
def test_ladders_that_do_not_fit_are_refused(
    steps: int, repeats: int, variants: int, mix: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ladder(steps, repeats, variants, mix)


def test_names_of_files_are_as_few_as_fit() -> None:
    assert max_request_names(ladder(1, 1, 1, 1)) == 50
    assert max_request_names(ladder(32, 1, 1, 1)) == 8
    assert max_request_names(ladder(4, 1, 8, 1)) == 8
    assert max_request_names(ladder(32, 100, 1, 1)) == 2


@pytest.mark.parametrize("name", BAD_SWEEPS)
def test_bad_sweeps_are_refused_as_by_the_api_server(name: str) -> None:
    changes, words = BAD_SWEEPS[name]
    assert words in "\n".join(refused(parse_sweep, changes))


def test_one_that_has_started_keeps_to_the_rules_of_its_version() -> None:
    started = {"status": {"startTime": "2026-01-01T00:00:00Z"}, "metadata.name": "n" * 25}
    assert parse_sweep(started).key == f"default/{'n' * 25}"


def test_values_and_templates_are_kept_as_they_are() -> None:
    spec = build_schema(SWEEP)["properties"]["spec"]["properties"]
    anything = {"x-kubernetes-preserve-unknown-fields": True}
    assert spec["axes"]["items"]["properties"]["values"]["items"] == anything
    assert anything.items() <= spec["template"]["properties"]["spec"].items()


@pytest.mark.parametrize("part", ["template.spec", "baseline.heap", "axes[0].values[0]"])
def test_what_has_no_schema_is_not_nested_without_end(part: str) -> None:
    value: Any = [1]
    for _ in range(100):
        value = {"a": value}
    axis = {"name": "users", "field": "load.steps[0].users", "values": [value]}
    changes: Changes = {"spec.axes": [axis]} if "axes" in part else {f"spec.{part}": value}
    text = f"spec.{part}: must not be nested more than 64 levels deep"
    assert text in "\n".join(refused(parse_sweep, changes))


def test_what_must_not_change_says_what_to_do() -> None:
    spec = build_schema(SWEEP)["properties"]["spec"]
    fields = spec["properties"].items()
    fixed = {name for name, field in fields if "must not change" in str(field.get(VALIDATIONS))}
    assert fixed == {"design", "objective", "order", "repeats", "seed", "startOn"}
    assert "delete the sweep" in str(spec["properties"]["design"][VALIDATIONS])
    assert build_crd(SWEEP)["spec"]["names"]["shortNames"] == ["ssweep"]


@pytest.mark.parametrize(
    "capacity",
    [{}, {"maxTrials": 8, "trialSeconds": 60, "settleSeconds": 7, "confirmSeconds": 500}],
)
def test_deadline_of_a_search_is_the_time_that_it_takes_at_most(capacity: dict[str, int]) -> None:
    changes: Changes = {
        "spec.load": {"steps": [], "capacity": capacity},
        "spec.objectives": [{"name": "fast", "responseTime": {"maxMilliseconds": 200}}],
    }
    most = search_seconds(SolrBenchmark.parse(resource(changes)).spec)
    SolrBenchmark.parse(resource(changes | {"spec.deadlines": {"measuringSeconds": most}}))
    with pytest.raises(ValidationError, match=r"deadlines\.measuringSeconds must not be less"):
        SolrBenchmark.parse(resource(changes | {"spec.deadlines": {"measuringSeconds": most - 1}}))
