"""Two sides compared: all steps that both measured, and what was measured of the index."""

from collections.abc import Sequence
from dataclasses import dataclass

from solrbench.results.comparison.compared_steps import ComparedFigure, ComparedStep, compare_steps
from solrbench.results.comparison.comparison_settings import ComparisonSettings
from solrbench.results.comparison.findings import Rule, decide_details
from solrbench.results.comparison.metric import INDEX_SIZE, INDEXING
from solrbench.results.comparison.side import Side
from solrbench.results.comparison.side_difference import compare_figures
from solrbench.results.comparison.spec_differences import DEFINITIONS, SETTINGS, differing
from solrbench.results.model.step_result import StepRunResult

MOST_NOTES = 12
"""Lines on what two specs differ in."""

_PERCENTS = (50.0, 95.0, 99.0)


@dataclass(frozen=True)
class SideComparison:
    """What two sides show beside each other.

    Attributes:
        before: the baseline
        after: what is compared with it
        figures: all figures that both have, step by step; those of the index last
        settings: settings of target and collection in which they differ
        differences: definitions of data, requests and steps in which they differ

    """

    before: Side
    after: Side
    figures: Sequence[ComparedFigure]
    settings: Sequence[str]
    differences: Sequence[str]

    def is_invalid(self, figure: ComparedFigure) -> bool:
        """Say whether the step of a figure is Invalid on either side."""
        compared = figure.compared
        return (compared.step, compared.variant) in self.after.invalid or (
            compared.step,
            compared.baseline_variant,
        ) in self.before.invalid


def compare_sides(before: Side, after: Side, settings: ComparisonSettings) -> SideComparison:
    """Return two sides beside each other, measured apart.

    Steps, variants and request names are the same if they have one name.
    """
    percents = _percents(after, settings)
    compared_steps = _compared_steps(before, after)
    figures = compare_steps(compared_steps, percents, settings.rule, settings.metric)
    return SideComparison(
        before,
        after,
        [*figures, *_indexing(before, after, settings.rule)],
        differing(before.spec, after.spec, SETTINGS, MOST_NOTES),
        _differences(before, after),
    )


def _percents(side: Side, settings: ComparisonSettings) -> list[float]:
    """Return the percentiles of the spec, and the primary one."""
    load = side.spec.get("load", {})
    chosen = {float(each) for each in load.get("percentiles", _PERCENTS)}
    if settings.percent is not None:
        chosen.add(settings.percent)
    return sorted(chosen)


def _compared_steps(before: Side, after: Side) -> list[ComparedStep]:
    earlier, later = before.step_runs, after.step_runs
    pairs = _variant_pairs(
        list(dict.fromkeys(variant for _, variant in earlier)),
        list(dict.fromkeys(variant for _, variant in later)),
    )
    steps = dict.fromkeys(step for step, _ in later)
    return [
        ComparedStep(
            step, variant, earlier[step, other], later[step, variant], baseline_variant=other
        )
        for step in steps
        for other, variant in pairs
        if (step, other) in earlier and (step, variant) in later
    ]


def _variant_pairs(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    """Return which variants are compared: those of one name, else the first of either side."""
    common = [(each, each) for each in after if each in before]
    return common or list(zip(before[:1], after[:1], strict=False))


def _indexing(before: Side, after: Side, rule: Rule) -> list[ComparedFigure]:
    """Return what was measured of the index; with one of each side there is no word."""
    known = before.index_figures, after.index_figures
    found = []
    for metric in (INDEXING, INDEX_SIZE):
        sides = [each.get(metric, []) for each in known]
        difference = compare_figures(metric, sides[0], sides[1], in_rounds=False)
        if difference is not None:
            (finding,) = decide_details([difference], rule)
            found.append(
                ComparedFigure(ComparedStep("", "", [], []), "", finding, is_primary=False)
            )
    return found


def _differences(before: Side, after: Side) -> list[str]:
    found = differing(before.spec, after.spec, DEFINITIONS, MOST_NOTES)
    only = [
        f"only {side.name} has {', '.join(missing)}"
        for side, missing in (
            (before, _missing(before.documents, after.documents)),
            (after, _missing(after.documents, before.documents)),
        )
        if missing
    ]
    return [*only, *found][:MOST_NOTES]


def _missing(own: Sequence[StepRunResult], other: Sequence[StepRunResult]) -> list[str]:
    known = {each.step for each in other}
    missing = [step for step in dict.fromkeys(each.step for each in own) if step not in known]
    return [f"step {each}" for each in missing[:5]]
