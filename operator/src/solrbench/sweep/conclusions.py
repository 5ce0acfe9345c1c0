"""What a sweep shows, in sentences: for each axis, each two that are crossed, and index sizes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.sweep.spec import PointTargetPolicy, SweepSpec
from solrbench.api.v1alpha1.sweep.status import MAX_ANSWERS, SweepPoint
from solrbench.results.comparison.findings import Finding
from solrbench.results.text.comparison_word_text import NO_WORD
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.results.best_answers import answer_best
from solrbench.sweep.results.differences import (
    METRICS,
    Interaction,
    MeasuredPoint,
    compare_all,
    find_interactions,
    read_measured,
    rule_of,
)
from solrbench.sweep.results.next_steps import advise
from solrbench.sweep.results.phrases import join_some, phrase_finding
from solrbench.sweep.results.size_answers import answer_sizes
from solrbench.sweep.states import is_valid

MOST_VALUES = 8
"""Values of an axis that a sentence names each."""
MOST_CHARACTERS = 600
FRESH_TARGET = "FreshTarget"


def answer_sweep(
    spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]
) -> tuple[Mapping[str, Word | None], list[str]]:
    """Return the word of each point but the baseline, and the answers.

    Args:
        spec: of the sweep
        plan: its plan
        points: the points of the plan, in its order

    """
    metric = spec.objective.metric
    baseline, others = read_measured(plan, points, metric)
    sizes = list(answer_sizes(plan, points))
    if baseline is None or not others:
        return {}, sizes
    rule = rule_of(spec)
    findings = compare_all(baseline, others, metric, rule)
    by_name = {each.name: found for each, found in zip(others, findings, strict=True)}
    label = METRICS[metric].label
    sentences = [
        *_axes(baseline, others, by_name, label),
        *answer_best(spec, plan, points, rule),
        *advise(spec, baseline, others, by_name),
        *map(_interaction, find_interactions(baseline, others, metric, rule)),
        *sizes,
        *_rounds(spec, plan, points),
        *_scope(spec, findings),
    ]
    return (
        {name: found.word for name, found in by_name.items()},
        [each[:MOST_CHARACTERS] for each in sentences[:MAX_ANSWERS]],
    )


def _axes(
    baseline: MeasuredPoint,
    others: Sequence[MeasuredPoint],
    found: Mapping[str, Finding],
    label: str,
) -> Iterator[str]:
    """Yield a sentence for each axis that was changed alone."""
    for place, usual in enumerate(baseline.values):
        alone = [
            each
            for each in others
            if [i for i, v in enumerate(each.values) if v.index != baseline.values[i].index]
            == [place]
        ]
        if alone:
            words = [(each, found[each.name]) for each in alone]
            yield f"{usual.axis}, {label} beside {usual.label}: {_values(place, words)}"


def _values(place: int, found: Sequence[tuple[MeasuredPoint, Finding]]) -> str:
    shown = sorted(found, key=lambda each: -abs(each[1].percent))[:MOST_VALUES]
    named = [_value(place, *each) for each in found if each in shown]
    if len(found) <= MOST_VALUES:
        return "; ".join(named)
    counts = Counter(str(each.word or NO_WORD) for _, each in found)
    numbers = ", ".join(f"{number} {word}" for word, number in sorted(counts.items()))
    return f"{numbers}; furthest: {'; '.join(named)}"


def _value(place: int, point: MeasuredPoint, finding: Finding) -> str:
    invalid = "" if point.is_valid else ", Invalid"
    return f"{point.values[place].label} {phrase_finding(finding)}{invalid}"


def _interaction(found: Interaction) -> str:
    first, second = found.values
    pair = f"{first.axis} with {second.axis}: {first.label} and {second.label} together"
    finding = found.finding
    match finding.word:
        case Word.SAME:
            return f"{pair} are what either alone gives, {phrase_finding(finding)}"
        case None | Word.UNCLEAR:
            return f"{pair}, beside what either alone gives: {phrase_finding(finding)}"
        case _:
            return f"{pair} are not what either alone gives: {phrase_finding(finding)}"


def _rounds(spec: SweepSpec, plan: SweepPlan, points: Sequence[SweepPoint]) -> Iterator[str]:
    """Yield how many benchmarks the rounds took, and which of them were left out."""
    if spec.repeats is None:
        return
    rounds = [each.rounds or 0 for each in points]
    most = len(points) * (spec.repeats.max // plan.repeats_per_round)
    left_out = [
        f"{done - (point.repeats or 0) // plan.repeats_per_round} of {done} of {planned.point.text}"
        for planned, point, done in zip(plan.points, points, rounds, strict=True)
        if is_valid(point) and (point.repeats or 0) < done * plan.repeats_per_round
    ]
    tail = f"; Invalid and left out: {join_some(left_out)}" if left_out else ""
    yield (
        f"rounds: {min(rounds)} to {max(rounds)} of each point, {sum(rounds)} benchmarks of at most"
        f" {most}{tail}"
    )


def _scope(spec: SweepSpec, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what words from repeats on one target are about."""
    repeats = spec.template.load_repeats
    if repeats.get("startOn") == FRESH_TARGET or all(each.word is None for each in findings):
        return
    is_one_each = repeats.get("count", 1) == 1 and spec.start_on is PointTargetPolicy.FRESH_TARGET
    if spec.repeats is not None and is_one_each:
        return  # each round is on targets of its own
    how = (
        "all repeats of a point ran on one"
        if spec.repeats is None
        else "repeats of a round, and points that share a target, ran on one"
    )
    yield (
        f"words are about the targets that were measured: {how},"
        " and equal targets differ by more than their repeats"
    )
