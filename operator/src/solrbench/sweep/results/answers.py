"""What a sweep shows, in sentences: for each axis, each two that are crossed, and index sizes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from solrbench.api.v1alpha1.status.word import MORE_THAN_50, Word
from solrbench.api.v1alpha1.sweep.spec import SweepSpec
from solrbench.api.v1alpha1.sweep.status import MAX_ANSWERS, SweepPoint
from solrbench.results.comparison.findings import Finding
from solrbench.results.stats.number_format import format_number
from solrbench.results.text.comparison_text import format_signed
from solrbench.results.text.word_text import NO_WORD, format_more_repeats
from solrbench.sweep.plan import SweepPlan
from solrbench.sweep.results.differences import (
    METRICS,
    Interaction,
    Measured,
    compare_all,
    find_interactions,
    read_measured,
)
from solrbench.sweep.results.size_answers import answer_sizes

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
    findings = compare_all(baseline, others, metric)
    by_name = {each.name: found for each, found in zip(others, findings, strict=True)}
    label = METRICS[metric].label
    sentences = [
        *_axes(baseline, others, by_name, label),
        *map(_interaction, find_interactions(baseline, others, metric)),
        *sizes,
        *_scope(spec, findings),
        *_next_step(others, findings),
    ]
    return (
        {name: found.word for name, found in by_name.items()},
        [each[:MOST_CHARACTERS] for each in sentences[:MAX_ANSWERS]],
    )


def _axes(
    baseline: Measured, others: Sequence[Measured], found: Mapping[str, Finding], label: str
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


def _values(place: int, found: Sequence[tuple[Measured, Finding]]) -> str:
    shown = sorted(found, key=lambda each: -abs(each[1].percent))[:MOST_VALUES]
    named = [_value(place, *each) for each in found if each in shown]
    if len(found) <= MOST_VALUES:
        return "; ".join(named)
    counts = Counter(str(each.word or NO_WORD) for _, each in found)
    numbers = ", ".join(f"{number} {word}" for word, number in sorted(counts.items()))
    return f"{numbers}; furthest: {'; '.join(named)}"


def _value(place: int, point: Measured, finding: Finding) -> str:
    invalid = "" if point.is_valid else ", Invalid"
    return f"{point.values[place].label} {_words(finding)}{invalid}"


def _words(finding: Finding) -> str:
    """Return `Same (-1 %, 95 %: -6 to 4)`, or why there is no word."""
    percent, interval = format_signed(finding.percent), finding.interval_percent
    if finding.word is None:
        return f"{percent} ({NO_WORD})"
    if interval is None:
        return f"{finding.word} ({percent})"
    low, high = format_number(interval.lower), format_number(interval.upper)
    return f"{finding.word} ({percent}, 95 %: {low} to {high})"


def _interaction(found: Interaction) -> str:
    first, second = found.values
    pair = f"{first.axis} with {second.axis}: {first.label} and {second.label} together"
    finding = found.finding
    match finding.word:
        case Word.SAME:
            return f"{pair} are what either alone gives, {_words(finding)}"
        case None | Word.UNCLEAR:
            return f"{pair}, beside what either alone gives: {_words(finding)}"
        case _:
            return f"{pair} are not what either alone gives: {_words(finding)}"


def _scope(spec: SweepSpec, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what words from repeats on one target are about."""
    repeats = (spec.template.spec.get("load") or {}).get("repeats")
    fresh = isinstance(repeats, dict) and repeats.get("startOn") == FRESH_TARGET
    if not fresh and any(each.word is not None for each in findings):
        yield (
            "words are about the targets that were measured: all repeats of a point ran on one,"
            " and equal targets differ by more than their repeats"
        )


def _text(point: Measured) -> str:
    return ", ".join(f"{each.axis} {each.label}" for each in point.values)


def _next_step(points: Sequence[Measured], findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what would make unclear words clear."""
    unclear = [
        (each.more_repeats or MORE_THAN_50, _text(point))
        for point, each in zip(points, findings, strict=True)
        if each.word is Word.UNCLEAR
    ]
    if not unclear:
        return
    fewest, nearest = min(unclear, key=lambda each: each[0])
    many = format_more_repeats(fewest).removeprefix(": ")
    yield (
        f"{len(unclear)} of {len(findings)} points are Unclear; {nearest} needs {many} of it and of"
        " the baseline, the others as many or more"
    )
