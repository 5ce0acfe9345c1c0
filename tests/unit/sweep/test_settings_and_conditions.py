"""Axes that are chosen and axes that are given: points are compared within each condition."""

from collections.abc import Mapping
from itertools import product
from random import Random
from typing import Any

import pytest

from solrbench.api.v1alpha1.sweep_spec import Axis
from support.resources.small_sweep import HEAP, parse_sweep, plan
from support.results.compared_figures import spread
from support.results.measured_points import Answers, answer, repeated

USERS = {"name": "users", "field": "load.steps[0].users", "values": [1, 2, 4]}


@pytest.mark.parametrize(
    ("fields", "is_condition"),
    [
        (["load.steps[0].users"], True),
        (["load.steps[0].requestsPerSecond"], True),
        (["dataset.generator.documents"], True),
        (["dataset.generator.documents", "workload.queries"], True),
        (["seed"], True),
        (["dataset.indexing.batchSize"], False),
        (["target.solrCloud.heap"], False),
        (["target.solrCloud.image.tag", "collection.configSet"], False),
        (["collection.caches"], False),
        (["companions[0].values.CONNECTIONS"], False),
        (["loads"], False),
    ],
)
def test_what_an_axis_is_follows_from_its_fields(fields: list[str], *, is_condition: bool) -> None:
    given: dict[str, Any] = {"name": "axis", "values": [1, 2]}
    given |= {"field": fields[0]} if len(fields) == 1 else {"fields": fields}
    assert Axis.model_validate(given).is_condition is is_condition
    turned = given | {"role": "Setting" if is_condition else "Condition"}
    assert Axis.model_validate(turned).is_condition is not is_condition


def test_an_axis_of_both_must_say_what_it_is() -> None:
    mixed = {
        "name": "both",
        "fields": ["target.solrCloud.heap", "load.steps[0].users"],
        "values": [["1Gi", 1], ["2Gi", 2]],
    }
    (problem,) = plan({"spec.axes": [mixed]}).problems
    assert problem == (
        "spec.axes[0].role: must be set where settings change together with conditions"
        " (load.steps[0].users): Setting to compare its values, or Condition"
    )
    assert plan({"spec.axes": [mixed | {"role": "Setting"}]}).problems == ()


def measure(repeats: Mapping[Any, list[float]], axes: list[Any]) -> Answers:
    """Return what is said of all combinations, whose p95 are given by the labels of values."""
    sweep = parse_sweep({"spec.design": "Full", "spec.axes": axes})
    return answer(sweep, lambda point: repeated(repeats[tuple(e.label for e in point.values)]))


def test_what_is_best_in_each_condition_is_said_once() -> None:
    repeats = {
        (heap, users): spread(level * int(users), 5, 1.0)
        for heap, level in (("512Mi", 100.0), ("1Gi", 100.4), ("2Gi", 70.0))
        for users in ("1", "2", "4")
    }
    _, sentences, _ = measure(repeats, [HEAP, USERS])
    assert "In each of 3 conditions of users, heap 2Gi is among the best." in sentences
    assert not any("Best: " in each for each in sentences)  # never over conditions
    assert sum(each.startswith("Best with users ") for each in sentences) == 3


def test_a_full_design_of_which_points_are_missing_is_not_advised() -> None:
    sweep = parse_sweep({"spec.design": "Full", "spec.axes": [HEAP, USERS]})
    missing = {"heap 1Gi, users 2", "heap 2Gi, users 2"}
    _, sentences, _ = answer(
        sweep, lambda p: {} if p.text in missing else repeated(spread(10.0, 5, 1.0))
    )
    (said,) = (each for each in sentences if each.startswith("Nothing is compared with users 2"))
    assert said.endswith(" no others were measured.")


def test_a_sweep_of_conditions_alone_has_figures_and_no_conclusion() -> None:
    repeats = {(users,): spread(10.0 * int(users), 5, 1.0) for users in ("1", "2", "4")}
    conclusions, sentences, chosen = measure(repeats, [USERS])
    assert conclusions == {}
    assert sentences == [
        "The p95 of the baseline: 10 ms with users 1; 20 ms with users 2; 40 ms with users 4."
    ]
    assert chosen == []


def test_conditions_without_other_settings_are_named() -> None:
    sweep = parse_sweep({"spec.axes": [HEAP, USERS]})
    _, sentences, _ = answer(sweep, lambda _: repeated(spread(10.0, 5, 1.0)))
    assert any(
        each.startswith("Nothing is compared with users 2; users 4, where") for each in sentences
    )


CACHED = {"name": "caches", "field": "seed", "values": [1, 2], "role": "Setting"}


def test_three_axes_that_act_together_beyond_each_two_are_named() -> None:
    repeats = {
        each: spread(150.0 if each == ("1Gi", "2", "2") else 100.0, 5, 1.0)
        for each in product(("512Mi", "1Gi"), "12", "12")
    }
    axes = [HEAP | {"values": ["512Mi", "1Gi"]}, CACHED, USERS | {"values": [1, 2]}]
    _, sentences, _ = measure(repeats, axes)
    named = [each for each in sentences if each.startswith("Interaction of ")]
    assert named[0].startswith("Interaction of heap and users: ")  # a condition comes first
    assert named[2].startswith("Interaction of heap and caches: ")
    assert named[3].startswith(
        "Interaction of heap, caches and users: with heap 1Gi, caches 2 and users 2, the p95 is"
        " 50 % higher than their separate effects and those of each two predict"
    )


def test_conclusions_of_all_conditions_together_are_hardly_ever_wrong() -> None:
    """Of equal settings in four conditions, one in a hundred sweeps may have a wrong conclusion."""
    axes = [HEAP, USERS | {"values": [1, 2, 3, 4]}]
    draw, wrong, wrong_best = Random(7), 0, 0
    for _ in range(12):
        repeats = {
            (heap, str(users)): [users * draw.lognormvariate(3, 0.02) for _ in range(5)]
            for heap in ("512Mi", "1Gi", "2Gi")
            for users in (1, 2, 3, 4)
        }
        conclusions, _, best = measure(repeats, axes)
        wrong += any(each in ("Better", "Worse") for each in conclusions.values())
        wrong_best += any("512Mi" not in each.values for each in best)
    assert wrong <= 1
    assert wrong_best <= 1
