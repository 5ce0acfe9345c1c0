"""Points that are measured in rounds until their words are there."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from statistics import fmean, geometric_mean, stdev
from typing import Any

import pytest

from solrbench.api.v1alpha1.sweep import SweepPoint, SweepStatus
from solrbench.api.v1alpha1.sweep_objective import Metric
from solrbench.api.v1alpha1.sweep_spec import Rounds, RoundsUntil
from solrbench.sweep.decision import SweepDecision, decide_sweep
from solrbench.sweep.objective_figure import ObjectiveFigure
from solrbench.sweep.plan import make_plan
from solrbench.sweep.points import benchmark_name
from solrbench.sweep.rounds import add_round
from solrbench.sweep.state import ChildView, SweepObservation, round_of
from solrbench.sweep.target_reuse import find_idle
from solrbench.sweep.validation import build_child
from support.resources.small_resource import Changes
from support.resources.small_sweep import (
    DONE,
    HEAP,
    NOW,
    again,
    go_on_until,
    observe,
    parse_sweep,
    run_to_end,
    running,
    users_axis,
)

ROUNDS: Changes = {
    "spec.repeats": {"until": "Decided", "min": 3, "max": 6},
    "spec.startOn": "FreshTarget",
    "spec.parallelism": 4,
}
FAILED = None
RepeatValues = dict[int, Sequence[float | None]]
"""p95 of each round, by the number of users; the last one is that of all later rounds. 0 stands for
one that is Invalid."""


def measure(figures: RepeatValues, changes: Changes | None = None) -> tuple[SweepStatus, list[str]]:
    """Return the status at the end, and the benchmarks that were made, in their order."""
    axes = {"spec.axes": [users_axis(len(figures))]}
    return go_on(figures, observe(ROUNDS | axes | (changes or {}), concurrency=4))


def go_on(figures: RepeatValues, seen: SweepObservation) -> tuple[SweepStatus, list[str]]:
    """Return the same of a sweep that was observed; its points are in the order of their values."""
    made: list[str] = []

    def end(point: SweepPoint) -> ChildView:
        made.append(benchmark_name("trial", point.name, round_of(point)))
        return ended(figures, point)

    status = run_to_end(seen, end)
    points = sorted(status.points, key=lambda each: each.values)
    return status.model_copy(update={"points": points}), made


def ended(figures: RepeatValues, point: SweepPoint) -> ChildView:
    of_point = figures[point.values[0] + 1]
    figure = of_point[min(round_of(point), len(of_point)) - 1]
    if figure is FAILED:
        return replace(DONE, has_succeeded=False, reason="DeadlineExceeded")
    verdict, value = (VERDICT, figure) if figure else ("Invalid", 7.8)
    repeats = [{"target": 1, "p95Milliseconds": value}]
    summary = {"p95Milliseconds": value, "verdict": verdict, "repeats": repeats}
    return replace(DONE, summary=DONE.summary | summary)


VERDICT = "Valid"
EQUAL = (100.0, 100.1, 99.9, 100.0, 100.1, 99.9)
NOISY = (95.0, 111.0, 99.0, 106.0, 93.0, 107.0)
NEAR = (50.0, 53.0, 48.0, 52.0, 49.0, 51.0)
SEED = {"name": "seed", "field": "seed", "values": [1, 2, 3, 4], "role": "Setting"}


def test_time_goes_to_the_points_that_are_open() -> None:
    status, made = measure({1: EQUAL, 2: (100.5, 100.4, 100.6), 3: (200.0, 201.0, 199.0), 4: NOISY})
    assert [each.rounds for each in status.points] == [6, 3, 3, 6]
    assert [each.conclusion for each in status.points] == [None, "Same", "Worse", "Inconclusive"]
    assert len(made) == len(set(made)) == 18
    assert made[-1].endswith("-6")
    assert (status.phase, status.estimate.remaining_seconds) == ("Succeeded", 0)


def test_what_is_open_beside_the_best_goes_on() -> None:
    figures: RepeatValues = {1: EQUAL, 2: (49.9, 50.0, 50.1), 3: NEAR}
    status, _ = measure(figures, {"spec.axes": [SEED | {"values": [1, 2, 3]}]})
    # The baseline takes part in every round.
    assert [each.rounds for each in status.points] == [6, 6, 6]


def test_conditions_are_not_compared_and_no_choice_for_the_best() -> None:
    given = {"spec.axes": [users_axis(3) | {"role": "Condition"}]}
    status, _ = measure({1: EQUAL, 2: (49.9, 50.0, 50.1), 3: NEAR}, given)
    assert [each.rounds for each in status.points] == [3, 3, 3]
    assert [each.conclusion for each in status.points] == [None, None, None]
    assert status.best == []


def test_a_best_point_that_is_the_same_as_the_baseline_is_not_compared() -> None:
    """2 is 1 % above and 3 is 2 % below 1: the Same as it, and open beside each other."""
    above, below = (100.75, 101.1, 101.15), (98.25, 98.1, 97.65)
    status, _ = measure({1: EQUAL, 2: above, 3: below})
    assert [each.conclusion for each in status.points] == [None, "Same", "Same"]
    assert [each.rounds for each in status.points] == [3, 3, 3]


def test_what_slows_down_a_round_cancels_out() -> None:
    """Each round is 10 % slower than the one before; the third one is far off."""
    slower = (100.0, 110.0, 190.0, 133.0, 146.0)
    above = [1.1 * each for each in slower]
    factors = (1.004, 0.997, 1, 1.003, 1)
    equal = [each * factor for each, factor in zip(slower, factors, strict=True)]
    repeats = {"until": "Decided", "min": 5, "max": 10}
    status, _ = measure({1: slower, 2: above, 3: equal}, {"spec.repeats": repeats})
    assert [each.conclusion for each in status.points] == [None, "Worse", "Same"]
    assert [each.repeat_rounds for each in status.points] == [[1, 2, 3, 4, 5]] * 3


def test_only_what_may_be_best_goes_on_until_the_best_is_known() -> None:
    near = (98.0, 102.0, 97.0, 101.0, 99.0, 103.0)
    far: RepeatValues = {1: (200.0, 190.0, 211.0, 195.0, 205.0, 192.0)}
    figures = far | {2: EQUAL, 3: near, 4: (180.0, 170.0, 195.0)}
    race = {"until": "BestKnown", "min": 4, "max": 6}
    status, _ = measure(figures, {"spec.axes": [SEED], "spec.repeats": race})
    assert [each.rounds for each in status.points] == [6, 6, 6, 4]


def test_a_sweep_with_repeats_goes_on_until_it_is_decided() -> None:
    found = parse_sweep({"spec.repeats": {}})
    assert found.spec.rounds == Rounds(RoundsUntil.DECIDED, 5, 20)
    template: Changes = {"spec.load.repeats": {"count": 3}}
    found = parse_sweep({"spec.repeats": {"min": 7, "max": 7}}, template)
    # 7 repeats are no multiple of 3, and none takes more than the most.
    assert found.spec.rounds == Rounds(RoundsUntil.DECIDED, 2, 2)


def test_repeats_of_the_template_are_rounds() -> None:
    template: Changes = {"spec.load.repeats": {"count": 3}}
    changes: Changes = {"spec.axes": [users_axis(2)], "spec.order": "Random"}
    changes["spec.startOn"] = "FreshTarget"
    sweep = parse_sweep(changes, template)
    seen = SweepObservation(sweep, make_plan(sweep), {}, NOW, concurrency=1)
    point = seen.plan.points[0].point
    assert build_child(sweep, point)["spec"]["load"]["repeats"] == {}
    status, made = go_on({1: EQUAL, 2: NOISY}, seen)
    assert [each.rounds for each in status.points] == [3, 3]
    assert len(made) == len(set(made)) == 6
    assert status.round == 3
    orders = {tuple(each.split("-")[2] for each in made[at : at + 2]) for at in (0, 2, 4)}
    assert len(orders) == 2  # the order of each round is drawn
    listed = parse_sweep(changes | {"spec.order": "Listed"}, template)
    assert listed.spec.rounds is None
    assert build_child(listed, point)["spec"]["load"]["repeats"] == {"count": 3}


def test_points_that_are_added_are_measured_beside_the_baseline() -> None:
    before, _ = measure({1: EQUAL, 2: EQUAL})
    more = observe(ROUNDS | {"spec.axes": [users_axis(3)]}, concurrency=4)
    figures: RepeatValues = {1: EQUAL, 2: EQUAL, 3: EQUAL}
    status, _ = go_on(figures, again(more, SweepDecision(before), {}))
    assert [each.repeat_rounds for each in status.points] == [[*range(1, 7)], [1, 2, 3], [4, 5, 6]]
    assert status.points[2].conclusion == "Same"


def test_a_point_must_stay_between_its_rounds_and_the_baseline_the_same() -> None:
    changes = ROUNDS | {"spec.axes": [users_axis(3)], "spec.parallelism": 1}
    _, decision = go_on_until(
        observe(changes),
        lambda _: DONE,
        lambda status: [each.rounds for each in status.points] == [1, 1, 1],
    )
    under_way = running(decision.status)
    rest = [each for each in decision.status.points if each not in under_way]
    gone = next(each.values[0] + 1 for each in rest if each.values != [0])
    removed = [each for each in (1, 2, 3, 9) if each != gone]
    for values, reason in ((removed, "PointsRemoved"), ([9, 1, 2, 3], "SweepChanged")):
        axis = users_axis(2) | {"values": values}
        held = decide_sweep(again(observe(changes | {"spec.axes": [axis]}), decision, {})).status
        assert reason in [each.reason for each in held.conditions]
        assert [each.rounds for each in held.points] == [1, 1, 1]


@pytest.mark.parametrize("round_", [2, 3])
def test_a_point_that_ends_while_the_template_is_another_stays_in_its_round(round_: int) -> None:
    repeats = "spec.template.spec.load.repeats"
    changes: Changes = {"spec.axes": [users_axis(2)], "spec.order": "Random"}
    figures: RepeatValues = {1: EQUAL, 2: EQUAL}
    seen, decision = go_on_until(
        observe(changes | {repeats: {"count": 5}}),
        partial(ended, figures),
        lambda status: status.round == round_,
    )
    done = {each.name: ended(figures, each) for each in running(decision.status)}
    held = decide_sweep(again(observe(changes | {repeats: {"count": 1}}), decision, done))
    assert [each.reason for each in held.status.conditions if each.type == "Accepted"] == [
        "SweepChanged"
    ]
    status, _ = go_on(figures, again(seen, held, {}))
    assert [each.repeat_rounds for each in status.points] == [[1, 2, 3, 4, 5]] * 2
    assert [each.rounds for each in status.points] == [5, 5]


def reusing(*axes: dict[str, Any]) -> SweepObservation:
    """Return a sweep in rounds whose points begin on the target of the one before."""
    fields = {"axes": [*axes], "parallelism": 1, "design": "Full", "startOn": "SameTarget"}
    return observe(ROUNDS | {f"spec.{name}": value for name, value in fields.items()})


def without_idle(status: SweepStatus) -> SweepDecision:
    """Return the status once the targets that nothing uses are removed."""
    idle = find_idle(status.points, status.targets)
    left = [each for each in status.targets if each not in idle]
    return SweepDecision(status.model_copy(update={"targets": left}))


LOADS = users_axis(2) | {"name": "load"}


@pytest.mark.parametrize(("axes", "keeps"), [([LOADS], True), ([HEAP, LOADS], False)])
def test_targets_are_made_anew_in_each_round_unless_all_points_use_one(
    axes: list[dict[str, Any]], *, keeps: bool
) -> None:
    seen = reusing(*axes)
    reuses: list[str | None] = []
    for _ in range(60):
        status = decide_sweep(seen).status
        assert status.fixed_hash is not None  # also where all points are planned again
        reuses += [each.reuses for each in running(status)]
        seen = again(seen, without_idle(status), {each.name: DONE for each in running(status)})
    number = len(seen.plan.points)
    assert (reuses[number] is None) is not keeps
    assert reuses.count(None) == (1 if keeps else len(reuses) // 2)


def test_the_target_of_a_point_that_failed_last_in_a_round_is_known_as_its_own() -> None:
    seen = reusing(HEAP, LOADS)
    while (decision := decide_sweep(seen)).status.round < 2:
        under_way = running(decision.status)
        left = sum(each.state == "Planned" for each in decision.status.points)
        ends = DONE if left else replace(DONE, has_succeeded=False, reason="DeadlineExceeded")
        decided = decision if under_way else without_idle(decision.status)
        seen = again(seen, decided, {each.name: ends for each in under_way})
    (failed,) = [each.name for each in decision.status.points if each.state == "Failed"]
    # By that, `cleanup: OnSuccess` keeps it.
    assert failed in [each.point for each in decision.status.targets]


def test_inconclusive_rounds_are_compared_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.VERDICT", "Inconclusive")
    status, _ = measure({1: EQUAL, 2: EQUAL})
    assert [each.state for each in status.points] == ["Inconclusive"] * 2
    assert {each.conclusion for each in status.points} == {None, "Same"}
    counts = status.counts
    assert (counts.succeeded, counts.inconclusive, counts.invalid) == (2, 2, 0)


@pytest.mark.parametrize(
    ("lacking", "state"),
    [
        (["LoadSharesNodes", "StepTooShort"], "Valid"),
        (["StepTooShort", "NotSteady"], "Inconclusive"),
        (["NotSteady"], "Inconclusive"),
    ],
)
def test_rounds_need_no_interval_from_within_a_step(
    monkeypatch: pytest.MonkeyPatch, lacking: list[str], state: str
) -> None:
    unchecked = [{"reason": each, "message": ""} for each in lacking]
    verdict = {"step": "s", "verdict": "Inconclusive", "reasons": [], "unchecked": unchecked}
    done = replace(DONE, status={**DONE.status, "verdicts": [verdict]})
    monkeypatch.setattr(f"{__name__}.DONE", done)
    monkeypatch.setattr(f"{__name__}.VERDICT", "Inconclusive")
    status, _ = measure({1: EQUAL, 2: EQUAL})
    assert [each.state for each in status.points] == [state] * 2


def test_invalid_rounds_are_left_out() -> None:
    status, _ = measure({1: EQUAL, 2: (100.0, 0, 100.1, 99.9, 100.0), 3: (0, 0, 0, 0)})
    assert [each.state for each in status.points] == ["Valid", "Valid", "Invalid"]
    _, second, third = status.points
    assert (second.rounds, second.repeats) == (4, 3)
    assert third.rounds == 3
    assert third.conclusion in {None, "Inconclusive"}


@pytest.mark.parametrize("without", [0, 1])
def test_a_point_without_a_figure_is_given_up_at_the_first_look(without: int) -> None:
    def end(point: SweepPoint) -> ChildView:
        child = ended({1: EQUAL, 2: EQUAL}, point)
        return replace(child, summary={"verdict": "Valid"}) if point.values == [without] else child

    seen = observe(ROUNDS | {"spec.axes": [users_axis(2)]}, concurrency=4)
    assert [each.rounds for each in run_to_end(seen, end).points] == [3, 3]


def test_a_failure_ends_the_rounds_of_its_point_alone() -> None:
    status, _ = measure({1: EQUAL, 2: (100.0, FAILED)})
    assert [(each.state, each.rounds) for each in status.points] == [("Valid", 3), ("Failed", 1)]
    assert status.phase == "Failed"
    # In one of these rounds it is the last benchmark of the sweep.
    for last in (5, 6):
        status, _ = measure({1: EQUAL, 2: (*NOISY[: last - 1], FAILED)}, {"spec.parallelism": 1})
        assert (status.points[1].state, status.points[1].conclusion) == ("Failed", None)
    # What it had measured is as much as what the other one has measured meanwhile.
    few: Changes = {"spec.repeats": {"until": "Decided", "min": 2, "max": 6}}
    status, _ = measure({1: EQUAL, 2: (100.0, FAILED)}, few)
    assert not any(each.startswith("users 2") for each in status.answers)


P95 = ObjectiveFigure(Metric.P95_MILLISECONDS)
BEGUN = SweepPoint(name="p", values=[0], state="Running")


def one_round(state: str = "Valid", **figures: Any) -> SweepPoint:
    return SweepPoint(name="p", values=[0], state=state, **figures)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 1, 2), (2, 5)])
def test_merged_figures_are_those_of_all_repeats(sizes: tuple[int, ...]) -> None:
    drawn = [100.0, 103.0, 99.0, 101.5, 98.0, 104.0, 100.5]
    total, used = BEGUN, 0
    for size in sizes:
        part = drawn[used : used + size]
        used += size
        figures: dict[str, Any] = {"p95_milliseconds": geometric_mean(part), "repeat_values": part}
        total = add_round(total, one_round(repeats=size, **figures), P95, 7 + len(part))
    assert (total.rounds, total.repeats) == (len(sizes), used)
    edges = [sum(sizes[:each]) for each in range(len(sizes) + 1)]
    of_rounds = [geometric_mean(drawn[a:b]) for a, b in pairwise(edges)]
    assert total.repeat_values == pytest.approx(of_rounds, rel=1e-3)
    assert total.repeat_rounds == [7 + each for each in sizes]
    assert total.p95_milliseconds == pytest.approx(geometric_mean(drawn[:used]), rel=1e-3)
    expected = 100 * stdev(of_rounds) / fmean(of_rounds)
    assert total.deviation_percent == pytest.approx(expected, rel=0.1)


def test_figure_of_a_whole_benchmark_is_the_mean_of_the_rounds() -> None:
    total, figure = BEGUN, ObjectiveFigure(Metric.P99_MILLISECONDS)
    for round_, value in enumerate((10, 40), 1):
        total = add_round(total, one_round(value=value, repeats=1), figure, round_)
    assert (total.value, total.repeat_values, total.repeat_rounds) == (20, [10, 40], [1, 2])


def test_round_whose_servers_were_not_read_takes_nothing_away() -> None:
    blind = one_round(p95_milliseconds=9, repeats=3)
    known = {"read_bytes_per_request": 3, "read_bytes_deviation": 0.5, "index_bytes": 1000}
    read = blind.model_copy(update=known)
    total = add_round(add_round(blind, read, P95, 1), blind, P95, 2)
    found = total.read_bytes_per_request, total.read_bytes_deviation, total.index_bytes
    assert found == (3, 0.5, 1000)


@pytest.mark.parametrize(
    ("verdicts", "verdict", "inconclusive"),
    [
        (["Valid", "Valid", "Invalid"], "Valid", None),
        (["Inconclusive", "Valid", "Valid"], "Inconclusive", 1),
        (["Valid", "Inconclusive", "Inconclusive"], "Inconclusive", 2),
        (["Valid", "Inconclusive", "Invalid"], "Inconclusive", 1),
    ],
)
def test_point_is_inconclusive_if_a_round_behind_its_figures_is(
    verdicts: list[str], verdict: str, inconclusive: int | None
) -> None:
    total = BEGUN
    for round_, each in enumerate(verdicts, 1):
        ended = one_round(each, p95_milliseconds=9, repeats=1)
        total = add_round(total.model_copy(update={"state": "Running"}), ended, P95, round_)
    assert (total.state, total.inconclusive_rounds, total.rounds) == (verdict, inconclusive, 3)


def test_round_without_the_figure_of_the_objective_has_no_value() -> None:
    total = add_round(BEGUN, one_round(), P95, 1)
    assert (total.rounds, total.repeat_values, total.repeat_rounds) == (1, None, None)
