"""The order of measuring, and the ids that results are kept under."""

from solrbench.plan.step_runs import (
    all_step_runs,
    rate_before,
    remaining_step_runs,
    step_of,
    variant_names,
)
from support.resources.objects import stored
from support.resources.small_resource import Changes, step

LADDER: Changes = {
    "spec.load.repeats.count": 2,
    "spec.load.steps": [step(name="low"), step(name="high")],
}
ENDPOINTS = [{"name": "raw", "endpoint": "Nodes"}, {"name": "proxy", "urls": ["http://proxy/solr"]}]


def ids(changes: Changes) -> list[str]:
    return [str(each) for each in all_step_runs(stored(changes).spec)]


def test_repeats_are_the_outer_loop() -> None:
    assert ids(LADDER) == ["r1-s0-low", "r1-s1-high", "r2-s0-low", "r2-s1-high"]


def test_variants_take_turns_within_each_repeat() -> None:
    assert ids(LADDER | {"spec.target.variants": ENDPOINTS}) == [
        "r1-v0-s0-low",
        "r1-v0-s1-high",
        "r1-v1-s0-low",
        "r1-v1-s1-high",
        "r2-v0-s0-low",
        "r2-v0-s1-high",
        "r2-v1-s0-low",
        "r2-v1-s1-high",
    ]


def test_step_run_ids_contain_variant_and_step() -> None:
    spec = stored(LADDER | {"spec.target.variants": ENDPOINTS}).spec
    found = [(each.variant, step_of(spec, each).name) for each in all_step_runs(spec)]
    assert found[:3] == [("raw", "low"), ("raw", "high"), ("proxy", "low")]
    assert variant_names(spec) == ("raw", "proxy")


def test_step_runs_are_ordered_by_their_ids() -> None:
    spec = stored(LADDER | {"spec.target.variants": ENDPOINTS}).spec
    assert sorted(all_step_runs(spec)) == list(all_step_runs(spec))


def test_what_is_stored_is_left_out() -> None:
    spec = stored(LADDER).spec
    left = remaining_step_runs(spec, frozenset({"r1-s0-low", "r2-s1-high"}))
    assert [str(each) for each in left] == ["r1-s1-high", "r2-s0-low"]


def test_a_ramp_begins_at_the_planned_rate_of_the_step_before() -> None:
    steps = [
        {"name": "first", "requestsPerSecond": 8, "requests": 10},
        {"name": "second", "requestsPerSecond": 16, "requests": 10},
        {"name": "third", "users": 2, "requests": 10},
        {"name": "last", "requestsPerSecond": 8, "requests": 10},
    ]
    spec = stored({"spec.load.steps": steps}).spec
    assert [rate_before(spec, each) for each in all_step_runs(spec)] == [0.0, 8.0, 16.0, 0.0]
