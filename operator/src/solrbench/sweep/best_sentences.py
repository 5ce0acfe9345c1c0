"""Which point is best in each condition, what it requests, and whether the best one changes."""

from collections.abc import Iterator, Sequence

from solrbench.analysis.metrics import MIN_REPEATS, Difference
from solrbench.analysis.sentences import format_more_repeats
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.stats.number_format import format_gibibytes, format_number
from solrbench.sweep.differences import (
    BestSet,
    Candidate,
    RankedCondition,
    join_some,
    phrase_point,
)
from solrbench.sweep.objective_figure import ObjectiveFigure
from solrbench.sweep.plan import PlannedPoint
from solrbench.sweep.points import Values

MAX_CONDITIONS = 3
"""Conditions whose best point has sentences of its own; the first sentence counts all."""


def answer_best(
    figure: ObjectiveFigure, usual: Values, found: Sequence[tuple[RankedCondition, BestSet]]
) -> Iterator[str]:
    """Yield whether the best point changes with the condition, then the best of each condition.

    `usual` has the values of the baseline.
    """
    chosen = [(each, best) for each, best in found if best]
    for each, best in found[:MAX_CONDITIONS]:
        if not best and each.candidates and (len(each.candidates) > 1 or not each.condition.values):
            first = _describe(each.candidates[0], figure, each, usual)
            where, leader = each.condition.where, figure.leader
            few = f"which may be chance with fewer than {MIN_REPEATS} repeats"
            yield f"{leader.capitalize()}{where}, {few}: {first}."
    if len(chosen) > 1:
        yield _over_conditions(chosen, usual)
    for each, best in chosen[:MAX_CONDITIONS]:
        yield from _of_condition(each, best, figure, usual)


def _over_conditions(chosen: Sequence[tuple[RankedCondition, BestSet]], usual: Values) -> str:
    """Return the settings that are among the best in each condition, or that there are none."""
    axes = " and ".join(value.axis for value in chosen[0][0].condition.values)
    among = [
        {_settings(candidate, each, usual): None for candidate, _ in best} for each, best in chosen
    ]
    common = [name for name in among[0] if all(name in names for names in among[1:])]
    if common:
        return (
            f"In each of {len(chosen)} conditions of {axes}, {join_some(common)}"
            f" {'is' if len(common) == 1 else 'are'} among the best."
        )
    by_best: dict[str, list[str]] = {}
    for (each, _), names in zip(chosen, among, strict=True):
        by_best.setdefault(next(iter(names)), []).append(each.condition.text)
    named = join_some(f"{name} with {' or '.join(texts)}" for name, texts in by_best.items())
    return f"The best point changes with {axes}: {named}."


def _settings(candidate: Candidate, ranked: RankedCondition, usual: Values) -> str:
    """Return the settings of a point that differ from the baseline of the sweep."""
    given = {value.axis: value for value in ranked.condition.values}
    # As if the condition was that of the baseline, so that only settings differ.
    base = tuple(given.get(value.axis, value) for value in usual)
    return phrase_point(candidate.measured.values, base)


def _of_condition(
    ranked: RankedCondition, best: BestSet, figure: ObjectiveFigure, usual: Values
) -> Iterator[str]:
    """Yield the best point of a condition; then what is Same, and what is not known."""
    (chosen, difference), *rest = best
    where, first = ranked.condition.where, ranked.candidates[0]
    leader = ""
    if difference is not None:
        leader = (
            f" It is the cheapest of {len(best)} points without a shown difference from the"
            f" {figure.leader}, {_describe(first, figure, ranked, usual)}."
        )
    yield f"Best{where}: {_describe(chosen, figure, ranked, usual)}.{leader}"
    which = "best" if difference is None else figure.leader
    same = _named(rest, Conclusion.SAME, ranked, usual)
    if same:
        yield f"No relevant difference from the {which}{where}: {join_some(same)}."
    inconclusive = _named(rest, Conclusion.INCONCLUSIVE, ranked, usual)
    if inconclusive:
        yield f"Inconclusive against the {which}{where}: {join_some(inconclusive)}."


def _named(
    near: Sequence[tuple[Candidate, Difference | None]],
    conclusion: Conclusion,
    ranked: RankedCondition,
    usual: Values,
) -> list[str]:
    return [
        f"{_settings(candidate, ranked, usual)} "
        + (
            _cost(candidate.planned)
            if conclusion is Conclusion.SAME
            else f"({format_more_repeats(difference)} would decide)"
        )
        for candidate, difference in near
        if difference is not None and difference.conclusion is conclusion
    ]


def _describe(
    candidate: Candidate, figure: ObjectiveFigure, ranked: RankedCondition, usual: Values
) -> str:
    shown = figure.text(candidate.measured.shown_value)
    return f"{_settings(candidate, ranked, usual)}, {shown} {_cost(candidate.planned)}"


def _cost(planned: PlannedPoint) -> str:
    """Return what Solr and ZooKeeper of a point request."""
    cost = planned.demand.target
    cores = f"{format_number(cost.cores)} cores" if cost.cores else "no CPU"
    return f"({cores} and {format_gibibytes(cost.memory_bytes)} requested)"
