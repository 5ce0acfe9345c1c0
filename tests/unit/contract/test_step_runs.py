"""The order of measuring, and the ids that results are kept under."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.arrivals import WarmUp
from solrbench.contract.step_runs import (
    DEFAULT_WARM_UP,
    all_step_runs,
    empties_caches,
    measured_on_target,
    prepares_each_step,
    rate_before,
    remaining_step_runs,
    warm_up_of,
)
from support.resources.objects import stored
from support.resources.small_resource import Changes, custom_locustfile, step

LOAD_STEPS: Changes = {
    "spec.load.repeats.count": 2,
    "spec.load.steps": [step(name="low"), step(name="high")],
}
LISTED: Changes = {"spec.load.repeats.order": "Listed"}
ENDPOINTS = [{"name": "raw", "endpoint": "Nodes"}, {"name": "proxy", "urls": ["http://proxy/solr"]}]


def ids(changes: Changes) -> list[str]:
    return [str(each) for each in all_step_runs(stored(changes).spec)]


def test_repeats_are_the_outer_loop() -> None:
    assert ids(LOAD_STEPS) == ["r1-s0-low", "r1-s1-high", "r2-s0-low", "r2-s1-high"]


def test_variants_take_turns_within_each_repeat() -> None:
    assert ids(LOAD_STEPS | LISTED | {"spec.target.variants": ENDPOINTS}) == [
        *("r1-v0-s0-low", "r1-v0-s1-high", "r1-v1-s0-low", "r1-v1-s1-high"),
        *("r2-v0-s0-low", "r2-v0-s1-high", "r2-v1-s0-low", "r2-v1-s1-high"),
    ]


def orders(count: int, seed: int = 1, **repeats: Any) -> list[list[str]]:
    """Return the variants of each repeat in their order."""
    fields = {"count": count} | repeats
    changes = {"spec.seed": seed, "spec.load.repeats": fields, "spec.target.variants": ENDPOINTS}
    spec = stored(changes).spec
    variants: list[list[str]] = [[] for _ in range(count)]
    for each in all_step_runs(spec):
        variants[each.repeat - 1].append(each.variant)
    return variants


def test_interleaved_variants_turn_round() -> None:
    forth, back = ["raw", "proxy"], ["proxy", "raw"]
    assert orders(4, order="Interleaved") == [forth, back, forth, back]
    assert orders(4, order="Reversed") == [back, forth, back, forth]


def test_variants_are_drawn_anew_for_each_repeat() -> None:
    drawn = orders(40, order="Random")
    assert drawn == orders(40)  # the default
    first = [each[0] for each in drawn]
    assert 10 < first.count("raw") < 30
    assert {tuple(sorted(each)) for each in drawn} == {("proxy", "raw")}
    assert drawn != orders(40, seed=2)


def test_steps_keep_their_order() -> None:
    spec = stored(LOAD_STEPS | {"spec.load.repeats.order": "Random"}).spec
    assert [each.step for each in all_step_runs(spec)] == ["low", "high"] * 2


@pytest.mark.parametrize(
    ("start_on", "expected"),
    [
        ("SameTarget", ["r1-s1-high", "r2-s0-low", "r2-s1-high"]),
        ("FreshData", ["r2-s0-low", "r2-s1-high"]),
        ("FreshTarget", ["r2-s0-low", "r2-s1-high"]),
    ],
)
def test_a_target_is_measured_with_its_repeats(start_on: str, expected: list[str]) -> None:
    spec = stored(LOAD_STEPS | {"spec.load.repeats.startOn": start_on}).spec
    left = remaining_step_runs(spec, frozenset({"r1-s0-low"}))
    assert [str(each) for each in measured_on_target(spec, left, 2)] == expected


def test_a_ramp_begins_at_the_planned_rate_of_the_step_before() -> None:
    steps = [
        {"name": "first", "requestsPerSecond": 8, "requests": 10},
        {"name": "second", "requestsPerSecond": 16, "requests": 10},
        {"name": "third", "users": 2, "requests": 10},
        {"name": "last", "requestsPerSecond": 8, "requests": 10},
    ]
    spec = stored({"spec.load.steps": steps}).spec
    assert [rate_before(spec, each) for each in all_step_runs(spec)] == [0.0, 8.0, 16.0, 0.0]


ONCE: Changes = {"spec.workload.queries": {"configMap": {"name": "q"}, "order": "Once"}}

BETWEEN: Changes = {"spec.load.between.warmUp": {"requests": 7}}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, DEFAULT_WARM_UP),
        (custom_locustfile(), DEFAULT_WARM_UP),
        (ONCE, None),
        (ONCE | {"spec.warmUp": {"requests": 5}}, WarmUp(requests=5)),
        ({"spec.warmUp": {"requests": 0}}, None),
        ({"spec.warmUp": {"durationSeconds": 9}}, WarmUp(duration_seconds=9)),
        (BETWEEN | {"spec.warmUp": {"durationSeconds": 9}}, WarmUp(requests=7)),
        ({"spec.load.between": {}, "spec.warmUp": {"requests": 9}}, WarmUp(requests=9)),
        ({"spec.load.between.warmUp": {"requests": 0}}, None),
        (ONCE | {"spec.workload.warmUpQueries": {"configMap": {"name": "w"}}}, DEFAULT_WARM_UP),
    ],
)
def test_warm_up_of_a_step_follows_its_spec(
    changes: dict[str, Any], expected: WarmUp | None
) -> None:
    assert warm_up_of(stored(changes).spec) == expected


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        (None, (False, False)),
        ({}, (True, False)),
        ({"caches": "Empty"}, (True, True)),
        ({"before": "EachRepeat", "caches": "Empty"}, (False, True)),
    ],
)
def test_preparation_of_a_step_follows_its_spec(
    between: dict[str, Any] | None, expected: tuple[bool, bool]
) -> None:
    changes = {} if between is None else {"spec.load.between": between}
    spec = stored(changes).spec
    assert (prepares_each_step(spec), empties_caches(spec)) == expected
