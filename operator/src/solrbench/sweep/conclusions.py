"""What a sweep shows, in sentences: its axes, the best points, and what is known beyond them."""

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from solrbench.analysis.differences import SMALLEST_EFFECT_PERCENT, ComparisonRule
from solrbench.analysis.metrics import MIN_REPEATS, Difference, Scale
from solrbench.analysis.sentences import (
    CONCLUSIONS,
    difference_sentence,
    format_remedy,
    shorten_sentence,
)
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import MAX_ANSWERS, BestPoint, SweepPoint
from solrbench.api.v1alpha1.sweep_spec import SweepSpec
from solrbench.stats.number_format import count_noun, format_bytes, format_cores, format_percent
from solrbench.sweep.advice import advise, advise_rounds
from solrbench.sweep.differences import (
    Candidate,
    MeasuredCondition,
    MeasuredPoint,
    RankedCondition,
    best_sets,
    compare_with_baselines,
    find_best,
    join_some,
    rule_of,
)
from solrbench.sweep.index_size import answer_sizes
from solrbench.sweep.interactions import Interaction, find_interactions
from solrbench.sweep.objective_figure import ObjectiveFigure, figure_of
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.planned_points import PlannedPoint
from solrbench.sweep.state import is_valid

MAX_VALUES = 4
"""Values of an axis that a sentence names each."""
MAX_POINTS_WITH_ROOM = 300
"""With more points, answers are fewer and shorter: their status stays below 120 kB."""


class _Room(NamedTuple):
    """How many sentences there may be, of these on axes in a condition, and how long each."""

    answers: int
    on_axes: int
    characters: int


_USUAL_ROOM = _Room(MAX_ANSWERS, on_axes=6, characters=600)
_LITTLE_ROOM = _Room(10, on_axes=3, characters=300)
MIN_POINTS = 2
"""Of a single point there is nothing to say."""


class SweepAnswers(NamedTuple):
    """What is known of the points of a sweep; the `best` of each condition are tested once for all.

    `differences` are those of the points from their baselines, by name. Baselines themselves have
    none, nor have the points of a condition whose baseline was not measured.
    """

    differences: Mapping[str, Difference]
    sentences: list[str]
    best: list[BestPoint]


def answer_sweep(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> SweepAnswers:
    """Return what is known of the points, which are in the order of the plan."""
    figure, rule = figure_of(spec), rule_of(spec)
    room = _room(len(points))
    best = best_sets(spec, plan, points)
    conditions = [each.condition for each in best]
    measured = sum(len(condition.measured) for condition in conditions)
    if plan.baseline is None or measured < MIN_POINTS:
        return SweepAnswers({}, [*answer_sizes(plan, points)], find_best(best))
    found = compare_with_baselines(conditions, figure, rule)
    interactions = find_interactions(conditions, figure.comparison, rule)
    rounds = max(point.rounds or 0 for point in points)
    sentences = [
        *itertools.islice(_axis_sentences(conditions, found, figure.words), room.on_axes),
        *_smallest_effect(figure, rule, found.values()),
        *answer_best(figure, best),
        *_along_conditions(conditions, figure),
        *(_interaction(each, figure.words) for each in interactions),
        *answer_sizes(plan, points),
        *advise(spec, conditions, found, rounds),
        *_rounds(spec, plan, points),
        *_on_targets(spec, plan, found),
    ]
    return SweepAnswers(found, shorten_answers(sentences, len(points)), find_best(best))


def shorten_answers(sentences: Sequence[str], number_of_points: int) -> list[str]:
    """Return as many sentences as a status has room for, each cut to what it has room for."""
    room = _room(number_of_points)
    return [shorten_sentence(each, room.characters) for each in sentences[: room.answers]]


def _room(number_of_points: int) -> _Room:
    return _USUAL_ROOM if number_of_points <= MAX_POINTS_WITH_ROOM else _LITTLE_ROOM


MAX_CONDITIONS = 3
"""Conditions whose best point has sentences of its own; the first sentence counts all."""


def answer_best(figure: ObjectiveFigure, found: Sequence[RankedCondition]) -> Iterator[str]:
    """Yield whether the best point changes with the condition, then the best of each condition."""
    chosen = [each for each in found if each.best]
    for each in found[:MAX_CONDITIONS]:
        if not each.best and len(each.candidates) > 1:
            first = _describe(each.candidates[0], figure, each)
            few = f"which may be chance with fewer than {MIN_REPEATS} repeats"
            yield f"{figure.leader.capitalize()}{each.condition.where}, {few}: {first}."
    if len(chosen) > 1:
        yield _over_conditions(chosen)
    for each in chosen[:MAX_CONDITIONS]:
        yield from _of_condition(each, figure)


def _over_conditions(chosen: Sequence[RankedCondition]) -> str:
    """Return the settings that are among the best in each condition, or that there are none."""
    axes = " and ".join(value.axis for value in chosen[0].condition.values)
    among = [
        {each.condition.phrase(candidate.measured): None for candidate in each.best}
        for each in chosen
    ]
    common = [name for name in among[0] if all(name in names for names in among[1:])]
    if common:
        return (
            f"In each of {len(chosen)} conditions of {axes}, {join_some(common)}"
            f" {'is' if len(common) == 1 else 'are'} among the best."
        )
    by_best: dict[str, list[str]] = {}
    for each, names in zip(chosen, among, strict=True):
        by_best.setdefault(next(iter(names)), []).append(each.condition.text)
    named = join_some(f"{name} with {' or '.join(texts)}" for name, texts in by_best.items())
    return f"The best point changes with {axes}: {named}."


def _of_condition(ranked: RankedCondition, figure: ObjectiveFigure) -> Iterator[str]:
    """Yield the best point of a condition; then what is Same, and what is not known."""
    chosen, first, where = ranked.best[0], ranked.candidates[0], ranked.condition.where
    leader = ""
    if chosen.difference is not None:
        leader = (
            f" It is the cheapest of {len(ranked.best)} points without a shown difference from the"
            f" {figure.leader}, {_describe(first, figure, ranked)}."
        )
    yield f"Best{where}: {_describe(chosen, figure, ranked)}.{leader}"
    which = "best" if chosen.difference is None else figure.leader
    same = _named(ranked, Conclusion.SAME)
    if same:
        yield f"No relevant difference from the {which}{where}: {join_some(same)}."
    inconclusive = _named(ranked, Conclusion.INCONCLUSIVE)
    # What the baseline is compared with, the sentences of the axes have said.
    is_said = chosen.difference is None and chosen.measured == ranked.condition.baseline
    if inconclusive and not is_said:
        yield f"Inconclusive against the {which}{where}: {join_some(inconclusive)}."
    if ranked.not_compared:
        names = join_some(ranked.condition.phrase(each.measured) for each in ranked.not_compared)
        few = f"fewer than {MIN_REPEATS} repeats, or rounds in common"
        yield f"Not compared with the {which}{where} ({few}): {names}."


def _named(ranked: RankedCondition, conclusion: Conclusion) -> list[str]:
    """Return those of the best points, beside the chosen one, that have a conclusion."""
    return [
        ranked.condition.phrase(candidate.measured)
        + (
            _cost(candidate.planned)
            if conclusion is Conclusion.SAME
            else f" ({format_remedy(difference)})"
        )
        for candidate in ranked.best[1:]
        if (difference := candidate.difference) is not None and difference.conclusion is conclusion
    ]


def _describe(candidate: Candidate, figure: ObjectiveFigure, ranked: RankedCondition) -> str:
    settings = ranked.condition.phrase(candidate.measured)
    shown = figure.text(candidate.measured.shown_value)
    return f"{settings}, {shown}{_cost(candidate.planned)}"


def _cost(planned: PlannedPoint) -> str:
    """Return what Solr and ZooKeeper of a point request, after a blank; nothing if they exist."""
    cost = planned.demand.target
    if not cost.memory_bytes:  # what is made takes at least its heap
        return ""
    cores = format_cores(cost.cores) if cost.cores else "no CPU"
    return f" ({cores} and {format_bytes(cost.memory_bytes)} requested)"


_MAX_FIGURES = 10
"""In one sentence: with the largest of a handful, the bend that is looked for is left out."""


def _along_conditions(
    conditions: Sequence[MeasuredCondition], figure: ObjectiveFigure
) -> Iterator[str]:
    """Yield the figure of the baseline in each condition, where there are several."""
    given = [
        f"{figure.short(each.baseline.shown_value)}{each.where}{_invalid(each.baseline)}"
        for each in conditions
        if each.baseline is not None
    ]
    if len(given) > 1:
        words = figure.words[:1].upper() + figure.words[1:]
        yield f"{words} of the baseline: {join_some(given, _MAX_FIGURES)}."


def _axis_sentences(
    conditions: Sequence[MeasuredCondition], found: Mapping[str, Difference], figure: str
) -> Iterator[str]:
    """Yield a sentence for each axis that was changed alone, in each condition."""
    axes = conditions[0].measured[0].values if conditions else ()
    for place, axis in enumerate(axes):
        for condition in conditions:
            if condition.baseline is None:
                continue
            values = [
                (point, found[point.name])
                for point in condition.others
                if [value.axis for value in condition.changes(point)] == [axis.axis]
            ]
            if values:
                yield _values(place, condition.baseline, values, figure, condition.where)


def _smallest_effect(
    figure: ObjectiveFigure, rule: ComparisonRule, found: Collection[Difference]
) -> Iterator[str]:
    """Yield up to which size no difference was relevant, where that is not the usual one."""
    effect = rule.smallest_effect_percent
    is_usual = effect == SMALLEST_EFFECT_PERCENT or figure.comparison.scale is Scale.POINTS
    if not is_usual and any(each.conclusion is Conclusion.SAME for each in found):
        yield (
            f"A difference is relevant from {format_percent(effect)} on"
            " (comparison.smallestEffectPercent)."
        )


def _invalid(point: MeasuredPoint) -> str:
    return "" if point.is_valid else " (Invalid)"


def _values(
    place: int,
    baseline: MeasuredPoint,
    found: Sequence[tuple[MeasuredPoint, Difference]],
    figure: str,
    where: str,
) -> str:
    usual = baseline.values[place]

    def describe(point: MeasuredPoint, difference: Difference) -> str:
        label = point.values[place].label + where + _invalid(point)
        subject = f"{usual.axis} {label}: {figure}"
        return difference_sentence(subject, difference, f"with {usual.label}{_invalid(baseline)}")

    shown = sorted(found, key=lambda each: -abs(each[1].estimate))[:MAX_VALUES]
    named = " ".join(describe(*each) for each in found if each in shown)
    if len(found) <= MAX_VALUES:
        return named
    counts = Counter(CONCLUSIONS[each.conclusion] for _, each in found)
    numbers = ", ".join(f"{number} {word}" for word, number in sorted(counts.items()))
    return (
        f"{len(found)} values of {usual.axis}{where}: {numbers}. The largest differences: {named}"
    )


def _interaction(found: Interaction, figure: str) -> str:
    *axes, last = (value.axis for value in found.values)
    values = [f"{value.axis} {value.label}" for value in found.values]
    together = f"{', '.join(values[:-1])} and {values[-1]}"
    subject = f"Interaction of {', '.join(axes)} and {last}: with {together}, {figure}"
    than = "their separate effects" + (" and those of each two" if len(values) > 2 else "")
    return difference_sentence(subject, found.difference, f"{than} predict")


def _rounds(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield how many benchmarks the rounds took, and which of them were left out."""
    if spec.rounds is None:
        return
    rounds = [sweep_point.rounds or 0 for sweep_point in points]
    left_out = [
        f"{done - len(point.repeat_rounds or [])} of {done} of {planned.point.text}"
        for planned, point, done in zip(plan.points, points, rounds, strict=True)
        if is_valid(point) and len(point.repeat_rounds or []) < done
    ]
    tail = f" Excluded, as Invalid or without the figure: {join_some(left_out)}."
    fewest, most = min(rounds), max(rounds)
    counted = f"{fewest} to {most} rounds were"
    if fewest == most:
        counted = count_noun(most, "round was", "rounds were")
    # The baseline takes part in the rounds of points that are added later, too.
    limit = sum(max(each, spec.rounds.most) for each in rounds)
    yield (
        f"{counted} run of each point, {count_noun(sum(rounds), 'benchmark')} of at most"
        f" {limit}.{tail if left_out else ''}"
    )


def _on_targets(spec: SweepSpec, plan: SweepPlan, found: Mapping[str, Difference]) -> Iterator[str]:
    """Yield what conclusions on one target are worth, and the remedy where targets are made."""
    if not any(each.on_target and each.conclusion for each in found.values()):
        return
    are_made = any(each.demand.target.memory_bytes for each in plan.points)
    remedy = f" {advise_rounds(spec)}, or startOn of load.repeats to FreshTarget."
    yield (
        "Conclusions on one target are about these targets: identical ones may differ more than"
        f" repeats.{remedy if are_made and spec.rounds is None else ''}"
    )
