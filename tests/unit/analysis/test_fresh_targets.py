"""The note that fresh targets differ by more than the step runs on one of them."""

import math
from collections.abc import Iterable
from random import Random

from solrbench.analysis.conclusions import collect_answers
from solrbench.api.v1alpha1 import Status
from solrbench.contract.environment import MeasuredTarget
from solrbench.stats.repeats import compare_targets
from support.results.builders import make_document, make_result, make_spec
from support.results.samples import benchmark_samples

STEPS = ("a", "b", "c")
SPREAD = (0.8, 0.9, 1.0, 1.0, 1.1, 1.2)
"""Factors of the times of six targets: their standard deviation is 14 %."""

Times = list[list[float]]
"""Mean service times in ms, by target and step."""


def measured(factors: Iterable[float], deviation: float = 0.02) -> Times:
    """Return the times of three steps on targets, the second step of which is twice as slow."""
    draw = Random(1)
    return [
        [10 * step * factor * draw.gauss(1, deviation) for step in (1, 2, 1)] for factor in factors
    ]


def answers(times: Times, start_on: str = "FreshTarget") -> list[str]:
    """Return what a benchmark says with these times, of each repeat on a target of its own."""
    load = {
        "repeats": {"count": len(times), "startOn": start_on},
        "steps": [{"name": name, "users": 2, "requests": 10} for name in STEPS],
    }
    documents = [
        make_document(
            step,
            repeat,
            make_result([round(1000 * each)] * 10),
            target=MeasuredTarget(attempt=repeat, pods={"solr-0": str(repeat)}),
        )
        for repeat, row in enumerate(times, 1)
        for step, each in zip(STEPS, row, strict=False)
    ]
    spec = make_spec(*STEPS, load=load)
    return collect_answers(spec, Status(), benchmark_samples(spec, documents))


def test_targets_that_differ_are_named_with_both_numbers_and_what_to_do() -> None:
    (note,) = answers(measured(SPREAD))
    found = note.removeprefix("The mean service times of 6 fresh targets differ by ")
    between, _, rest = found.partition(" % (standard deviation), step runs on one target by ")
    within, _, remedy = rest.partition(" %. ")
    assert 12 < float(between) < 18
    assert 1 < float(within) < 4
    assert remedy == "Use more fresh targets (load.repeats.count) rather than longer steps."


def test_equal_targets_are_not_named() -> None:
    assert not answers(measured([1.0] * 6))
    assert not answers(measured([1.0] * 6, deviation=0.1))


def test_few_targets_or_those_that_are_not_fresh_are_not_named() -> None:
    assert not answers(measured((0.8, 1.2)))
    assert not answers(measured(SPREAD), "SameTarget")


def test_a_target_that_lacks_a_step_does_not_count() -> None:
    times = measured(SPREAD[:4])
    times[0].pop()
    (note,) = answers(times)
    assert "of 3 fresh targets" in note


def test_one_step_says_nothing_of_the_step_runs_on_a_target() -> None:
    assert not answers([row[:1] for row in measured(SPREAD)])


def test_hardly_any_equal_targets_are_named() -> None:
    draw = Random(2)
    tails = [
        compare_targets([[math.log(draw.gauss(1, 0.03)) for _ in STEPS] for _ in range(6)])[2]
        for _ in range(500)
    ]
    assert sum(tail < 0.01 for tail in tails) <= 12
