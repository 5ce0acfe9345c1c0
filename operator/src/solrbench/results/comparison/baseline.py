"""A comparison of two sides as the status shows it."""

from collections.abc import Sequence

from solrbench.api.v1alpha1.status.comparison import (
    MAX_FIGURES,
    BaselineComparison,
    FigureComparison,
)
from solrbench.results.comparison.compared_steps import ComparedFigure
from solrbench.results.comparison.side_comparison import SideComparison
from solrbench.results.trends.differences import compare_trends

_DIGITS = 3
_PERCENT_DIGITS = 2


def baseline_comparison(found: SideComparison) -> BaselineComparison:
    """Return as much of a comparison as a status holds, what decides first."""
    whole = whole_comparison(found)
    figures = whole.figures
    kept = {"figures": figures[:MAX_FIGURES], "left_out": max(len(figures) - MAX_FIGURES, 0)}
    return whole.model_copy(update=kept)


def whole_comparison(found: SideComparison) -> BaselineComparison:
    """Return all of a comparison, what decides first."""
    ordered = sorted(found.figures, key=lambda each: not each.is_primary)
    # Without validation: a status holds fewer figures than a file may have.
    return BaselineComparison.model_construct(
        baseline=found.before.name,
        figures=[shown_figure(each, invalid=found.is_invalid(each)) for each in ordered],
        left_out=0,
        trends=compare_trends(found.before.trends, found.after.trends),
        settings=list(found.settings),
        differences=list(found.differences),
    )


def primary_words(figures: Sequence[FigureComparison]) -> list[FigureComparison]:
    """Return the figures that decide about their steps."""
    return [each for each in figures if each.primary]


def shown_figure(figure: ComparedFigure, *, invalid: bool) -> FigureComparison:
    """Return a figure of a step as a status shows it; `invalid` if either side is."""
    finding = figure.finding
    difference = finding.difference
    interval = finding.interval_percent
    return FigureComparison(
        step=figure.compared.step or None,
        variant=figure.compared.variant or None,
        request=figure.request or None,
        figure=difference.metric.name,
        primary=figure.is_primary,
        baseline=round(difference.before, _DIGITS),
        value=round(difference.after, _DIGITS),
        difference_percent=_percent(finding.percent),
        low_percent=None if interval is None else _percent(interval.lower),
        high_percent=None if interval is None else _percent(interval.upper),
        word=finding.word,
        more_repeats=finding.more_repeats,
        on_target=difference.on_target and finding.word is not None,
        invalid=invalid,
    )


def _percent(value: float) -> float:
    """Return per cent as they are shown; never a negative zero."""
    return round(value, _PERCENT_DIGITS) + 0.0
