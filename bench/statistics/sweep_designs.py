"""Sweeps on machines that change: how often which design is right, and with how many repeats.

The machine slows down while a sweep is measured, or one round of it is slow, or equal targets
differ. Levels are drawn (log-normal) for the benchmarks that the product's own rounds plan, one
after another on a clock; no rule was tuned on these seeds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bench.harness.table import Row, at_least, at_most
from bench.statistics.adaptive_sweeps import LOAD, measured, parse_sweep
from bench.statistics.comparison_conclusions import is_wrong
from solrbench.analysis.differences import (
    DEFAULT_RULE,
    RepeatValue,
    conclude_details,
    conclude_primary,
    estimate_difference,
)
from solrbench.analysis.metrics import P95, Difference
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.sweep.conclusions import answer_sweep
from solrbench.sweep.plan import make_plan
from solrbench.sweep.planned_points import PlannedPoint, draw_order
from solrbench.sweep.rounds import finish_points, plan_next_round
from solrbench.sweep.state import ChildView, PointState, list_points

POINTS, REPEAT_SECONDS = 30, 120
SEEDS = {"name": "seed", "field": "seed", "values": [*range(1, POINTS + 1)], "role": "Setting"}
"""An axis for which all points use one target."""
HEAPS = {
    "name": "heap",
    "field": "target.solrCloud.heap",
    "values": [f"{1024 + each}Mi" for each in range(POINTS)],
}
"""An axis that changes the target."""
DECIDED: dict[str, Any] = {"repeats": {}}
"""The default design of a sweep with repeats: rounds until Decided, 5 to 20."""
BEST_KNOWN = {"repeats": {"until": "BestKnown"}}


@dataclass
class Machine:
    """Where sweeps run: equal benchmarks differ by its noise, its targets and its clock.

    Attributes:
        levels: by how many per cent the points are above the first one, the baseline
        slow_round: in which all is 60 % slower
    """

    draw: Random
    levels: Sequence[float]
    noise: float = 0.01
    between_targets: float = 0.0
    slower_per_hour: float = 0.0
    slow_round: int = 0
    clock: float = 0.0
    repeats: int = 0
    targets: dict[str, float] = field(default_factory=dict)

    def measure(self, point: SweepPoint, target: str, round_: int, count: int) -> ChildView:
        """Return a benchmark of so many repeats, as its status shows it."""
        if target not in self.targets:
            self.targets[target] = self.draw.gauss(0, self.between_targets)
        level = log(100 + self.levels[point.values[0]]) + self.targets[target]
        level += log(1.6) if round_ == self.slow_round else 0.0
        values = []
        for _ in range(count):
            slower = log(1 + self.slower_per_hour) * self.clock / 3600
            values.append(exp(level + slower + self.draw.gauss(0, self.noise)))
            self.clock += REPEAT_SECONDS
        self.repeats += count
        return measured(sum(values) / count, values)


class Found(NamedTuple):
    """How a sweep ends: the value of the best point, if there is one, and all but the baseline."""

    best: int | None
    differences: Sequence[Difference]


def run(machine: Machine, axis: dict[str, Any], spec: dict[str, Any], count: int = 1) -> Found:
    """Return how a sweep ends whose template has so many repeats."""
    axis = axis | {"values": axis["values"][: len(machine.levels)]}
    sweep = parse_sweep({"axes": [axis], **spec}, load=LOAD | {"repeats": {"count": count}})
    plan, rounds, round_ = make_plan(sweep), sweep.spec.rounds, 0
    if plan.problems:
        raise ValueError(plan.problems)
    points = list_points(plan.points, {})
    while True:
        in_turn: Sequence[PlannedPoint] = plan.points
        if rounds is not None:
            points, round_ = plan_next_round(sweep.spec, rounds, plan, points, round_)
            in_turn = draw_order(plan.points, sweep.spec.seed, round_)
        begun = {each.name: each for each in points if each.state == PointState.PLANNED}
        if not begun:
            break
        children = {}
        for each in in_turn:
            name = each.point.name
            if name in begun:
                target = each.target or f"{name} in {round_}"
                of_benchmark = 1 if rounds is not None and "repeats" not in spec else count
                children[name] = machine.measure(begun[name], target, round_, of_benchmark)
        under_way = {"state": PointState.RUNNING}
        points = [e.model_copy(update=under_way) if e.name in begun else e for e in points]
        points = finish_points(points, children, sweep.spec, round_)
    known, _, best = answer_sweep(sweep.spec, plan, points)
    ordered = sorted(points, key=lambda each: each.values)
    named = {each.name for each in best}
    value = next((each.values[0] for each in points if each.name in named), None)
    return Found(value, [known[each.name] for each in ordered if each.name in known])


_DIFFERENT = (Conclusion.BETTER, Conclusion.WORSE)


def sweep_designs(_folder: Path, sweeps: int) -> list[Row]:
    """Return the bars of sweeps on machines that slow down, and what other designs give there."""
    rows = []
    for percent in (0, 1, 5):
        rows += _drift(f"30 equal points, {percent} % slower an hour", percent / 100, sweeps)
    rows += _power(sweeps)
    rows += [_slow_round(level, sweeps) for level in (0.0, 6.0)]
    rows += [_racing(sweeps)]
    rows += [
        row
        for kind in ("equal", "best changes")
        for noise in (0.02, 0.05)
        for row in _conditions(kind, noise, 160 * sweeps)  # 1 % of 800 is chance
    ]
    rows += [_details(rounds, worse, 10 * sweeps) for worse in (0, 8) for rounds in (3, 4, 5)]
    rows += [
        _topologies(between, noise, sweeps)
        for between in (0.016, 0.03, 0.05)
        for noise in (0.003, 0.01, 0.02)
    ]
    rows += [
        _apart("repeats of 6 min, 5 % slower an hour", log(1.05) / 10, 0.0, 10 * sweeps),
        _apart("slow noise, AR(1) 0.9 with sd 5 %", 0.0, 0.05, 10 * sweeps),
        _apart("nothing changes, 5 % slower", 0.0, 0.0, 10 * sweeps, percent=5.0),
    ]
    return rows


def _drift(what: str, slower: float, sweeps: int) -> list[Row]:
    found = {}
    designs: dict[str, tuple[dict[str, Any], int]] = {
        "until Decided": (DECIDED, 1),
        "5 rounds": ({}, 5),
        "5 repeats, Listed": ({"order": "Listed"}, 5),
    }
    for name, (spec, count) in designs.items():
        draw, wrong, same, repeats = Random(f"{what}/{name}"), 0, 0, 0
        for _ in range(sweeps):
            machine = Machine(draw, [0.0] * POINTS, slower_per_hour=slower)
            points = run(machine, SEEDS, spec, count).differences
            wrong += sum(each.conclusion in _DIFFERENT for each in points)
            same += sum(each.conclusion is Conclusion.SAME for each in points)
            repeats += machine.repeats
        found[name] = (wrong / sweeps, same / sweeps, repeats / sweeps / POINTS)
    wrong_each, same_each, repeats_each = found.pop("until Decided")
    wrong_five, same_five, _ = found["5 rounds"]
    others = "; ".join(f"{name}: {a:.1f} false, {b:.1f} Same" for name, (a, b, _) in found.items())
    five = f"false conclusions of 29, five rounds, {what}"
    return [
        at_most(f"false conclusions of 29, {what}", wrong_each, 0.1, "{:.2f}", others),
        at_least(f"Same of 29, {what}", same_each, 27, "{:.1f}"),
        at_most(f"repeats of a point, {what}", repeats_each, 12, "{:.1f}"),
        at_most(five, wrong_five, 0.1, "{:.2f}", f"{same_five:.1f} Same"),
    ]


def _apart(what: str, slope: float, slow_noise: float, pairs: int, percent: float = 0.0) -> Row:
    """Compare ten repeats with ten that came after them; those are slower by so many per cent."""
    draw, wrong = Random(what), 0
    for _ in range(pairs):
        state, values = draw.gauss(0, slow_noise), []
        for number in range(20):
            slower = log(1 + percent / 100) if number >= 10 else 0.0
            own = draw.gauss(0, 0.01 if percent == 0 else 0.02)
            values.append(RepeatValue(number, "", exp(state + slope * number + slower + own)))
            state = 0.9 * state + draw.gauss(0, slow_noise * 0.19**0.5)
        difference = estimate_difference(P95, values[:10], values[10:])
        if difference is not None:
            (found,) = conclude_primary([difference], DEFAULT_RULE)
            wrong += (found.conclusion in _DIFFERENT) is (percent == 0)
    bar, which = (15, "false") if percent == 0 else (12, "not found")
    title = f"{which}, 10 repeats a side measured apart: {what}"
    return at_most(title, 100 * wrong / pairs, bar, "{:.1f} %")


def _power(sweeps: int) -> list[Row]:
    right, draw = 0, Random("one 10 % better")
    for _ in range(sweeps):
        machine = Machine(draw, [0.0] * (POINTS - 1) + [-10.0], slower_per_hour=0.05)
        *_, last = run(machine, SEEDS, DECIDED).differences
        right += last.conclusion is Conclusion.BETTER
    what = "a point 10 % better of 30 is found, 5 % slower an hour"
    return [at_least(what, 100 * right / sweeps, 98, "{:.0f} %")]


def _slow_round(level: float, sweeps: int) -> Row:
    right, draw = 0, Random(f"slow round {level}")
    expected = Conclusion.WORSE if level else Conclusion.SAME
    for _ in range(10 * sweeps):
        machine = Machine(draw, [0.0, level], noise=0.01, slow_round=1 + draw.randrange(5))
        (point,) = run(machine, SEEDS, {}, 5).differences
        right += point.conclusion is expected
    what = f"{expected} of two points {level:.0f} % apart, one of 5 rounds 60 % slower"
    return at_least(what, 10 * right / sweeps, 97, "{:.1f} %")


def _racing(sweeps: int) -> Row:
    draw, right, spent = Random("race"), 0, {}
    for name, spec in (("BestKnown", BEST_KNOWN), ("Decided", DECIDED)):
        repeats = 0
        for _ in range(sweeps):
            machine = Machine(draw, [0.0] * (POINTS - 1) + [-20.0], noise=0.05)
            found = run(machine, SEEDS, spec)
            right += name == "BestKnown" and found.best == POINTS - 1
            repeats += machine.repeats
        spent[name] = repeats / sweeps / POINTS
    detail = (
        f"until Decided {spent['Decided']:.1f}; the best is named in {100 * right / sweeps:.0f} %"
    )
    what = "repeats of a point until BestKnown, one of 30 20 % better, CV 5 %"
    return at_most(what, spent["BestKnown"], 10, "{:.1f}", detail)


def _topologies(between: float, noise: float, sweeps: int) -> Row:
    """Count false conclusions on equal topologies, with and without a suffix."""
    draw, plain, marked = Random(f"{between}/{noise}"), Counter[bool](), Counter[bool]()
    designs: list[tuple[dict[str, Any], int]] = [({}, count) for count in (3, 5, 10)]
    designs += [(DECIDED, 1), ({"order": "Listed"}, 5)]
    for _ in range(sweeps):
        for spec, count in designs:
            machine = Machine(draw, [0.0] * 6, noise, between_targets=between)
            for each in run(machine, HEAPS, spec, count).differences:
                (marked if each.on_target else plain)[each.conclusion in _DIFFERENT] += 1
    share, one = (100 * found[True] / found.total() for found in (plain, marked))
    what = f"false on topologies, targets {100 * between:g} % apart, repeats {100 * noise:g} %"
    detail = f"`on one target`, order Listed: {one:.0f} %"
    return at_most(what, share, 1, "{:.2f} %", detail)


_FIGURES = 48
"""P95 and rate of four steps with five request names and their totals."""


def _details(rounds: int, worse: int, sweeps: int) -> Row:
    """Count what is false of the other figures of a point, some of which are 30 % worse.

    Fresh targets differ by 3 %, which all figures of a round share, and each figure by 3 %.
    """
    draw, wrong, called, found = Random(f"details {rounds}/{worse}"), 0, 0, 0
    for _ in range(sweeps):
        shared = [[draw.gauss(0, 0.03) for _ in range(rounds)] for _ in range(2)]
        levels = [log(1.3) if number < worse else 0.0 for number in range(_FIGURES)]
        estimated = [
            estimate_difference(
                P95,
                *(
                    [
                        RepeatValue(each, str(each), exp(level + target + draw.gauss(0, 0.03)))
                        for each, target in enumerate(targets)
                    ]
                    for level, targets in zip((0.0, of_figure), shared, strict=True)
                ),
                in_rounds=True,
            )
            for of_figure in levels
        ]
        known = [each for each in estimated if each is not None]
        for level, each in zip(levels, conclude_details(known, DEFAULT_RULE), strict=True):
            is_different = each.conclusion in _DIFFERENT
            called += is_different
            found += is_different and level > 0
            wrong += is_wrong(100 * (exp(level) - 1), each.conclusion)
    what = f"false of {_FIGURES} other figures, {worse} of them 30 % worse, {rounds} rounds"
    detail = f"{wrong} of {called} that differ"
    if worse:
        detail += f"; {100 * found / sweeps / worse:.0f} % are found"
    return at_most(what, 100 * wrong / sweeps / _FIGURES, 1, "{:.2f} %", detail)


_USERS = {"name": "users", "field": "load.steps[0].users", "values": [1, 2, 4, 8]}
_CHANGES = {(2, 0): -20.0, (2, 3): 20.0}
"""In per cent, by the places of heap and users: the third heap is best at first, worst at last."""


def _conditions(kind: str, noise: float, sweeps: int) -> list[Row]:
    """Count what is false of three settings in each of four conditions, five rounds."""
    draw, changes = Random(f"{kind}/{noise}"), _CHANGES if kind != "equal" else {}
    heaps = HEAPS | {"values": HEAPS["values"][:3]}
    spec = {"axes": [heaps, _USERS], "design": "Full"}
    sweep = parse_sweep(spec, load=LOAD | {"repeats": {"count": 5}})
    plan, wrong, wrong_pairs, wrong_best, found_all = make_plan(sweep), 0, 0, 0, 0
    for _ in range(sweeps):
        rounds = [draw.gauss(0, 0.1) for _ in range(5)]
        points = [_measure(each, changes, rounds, noise, draw) for each in plan.points]
        words, answers, chosen = answer_sweep(sweep.spec, plan, points)
        right = 0
        for planned in plan.points:
            heap, users = planned.point.indexes
            percent = changes.get((heap, users), 0.0)
            true = Conclusion.BETTER if percent < 0 else Conclusion.WORSE
            if (word := words.get(planned.point.name)) is not None:
                wrong += is_wrong(percent, word.conclusion)
                right += bool(percent) and word.conclusion is true
        # Without a change no two axes act together.
        wrong_pairs += kind == "equal" and any(
            each.startswith("Interaction") and each.rstrip(".").endswith(("better", "worse"))
            for each in answers
        )
        best = {each.condition: each.values for each in chosen}
        # What is better and not found leaves the cheapest one, which the answer says.
        places: dict[str | None, Sequence[int]] = {"users 1": (0, 1, 2)} if changes else {}
        wrong_best += any(
            all(str(HEAPS["values"][place]) not in values for place in places.get(condition, (0,)))
            for condition, values in best.items()
        )
        found_all += right == len(changes)
    what = f"of 3 settings in 4 conditions, {kind}, repeats {100 * noise:g} %"
    detail = f"both effects of 20 % found in {100 * found_all / sweeps:.0f} %" if changes else ""
    false_pairs = f"sweeps with a false interaction {what}"
    return [
        at_most(f"false conclusions {what}", 100 * wrong / sweeps / 8, 1, "{:.2f} %", detail),
        at_most(false_pairs, 100 * wrong_pairs / sweeps, 1, "{:.1f} %"),
        at_most(f"sweeps, a wrong best point {what}", 100 * wrong_best / sweeps, 2, "{:.1f} %"),
    ]


def _measure(
    planned: PlannedPoint,
    changes: Mapping[tuple[int, int], float],
    rounds: Sequence[float],
    noise: float,
    draw: Random,
) -> SweepPoint:
    """Return a point whose level grows with the users, in rounds that differ."""
    heap, users = planned.point.indexes
    level = 100 * (1 + users) * (1 + changes.get((heap, users), 0.0) / 100)
    values = [level * exp(slow + draw.gauss(0, noise)) for slow in rounds]
    return SweepPoint(
        name=planned.point.name,
        values=[heap, users],
        state=PointState.VALID,
        p95_milliseconds=sum(values) / len(values),
        repeats=len(values),
        rounds=len(values),
        repeat_values=values,
        repeat_rounds=[*range(1, len(values) + 1)],
    )
