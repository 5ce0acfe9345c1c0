"""What a spec asks of comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparison import PrimaryMetric
from solrbench.api.v1alpha1.load.repeats import DEFAULT_MAX, DEFAULT_MIN
from solrbench.results.comparison.findings import DEFAULT_RULE, SMALLEST_EFFECT_PERCENT, Rule
from solrbench.results.comparison.looks import Looks
from solrbench.results.comparison.metric import AVERAGE, RATE, Metric, percentile_metric

_PERCENTILES = {
    PrimaryMetric.P50: 50.0,
    PrimaryMetric.P90: 90.0,
    PrimaryMetric.P95: 95.0,
    PrimaryMetric.P99: 99.0,
}


@dataclass(frozen=True)
class ComparisonSettings:
    """What is asked of a comparison.

    Attributes:
        rule: how words are found
        primary: the figure of each step that decides about it

    """

    rule: Rule = DEFAULT_RULE
    primary: PrimaryMetric = PrimaryMetric.P95

    @property
    def percent(self) -> float | None:
        """Return which percentile the primary figure is, None if it is none."""
        return _PERCENTILES.get(self.primary)

    @property
    def metric(self) -> Metric:
        """Return the primary figure as a metric."""
        if self.percent is not None:
            return percentile_metric(self.percent)
        return AVERAGE if self.primary is PrimaryMetric.AVERAGE else RATE


def settings_of_spec(spec: Spec) -> ComparisonSettings:
    """Return what a spec asks; of repeats that go on until it is decided, a look after each."""
    comparison, repeats = spec.comparison, spec.load.repeats
    looks = None if repeats.until is None else Looks(repeats.least, repeats.most)
    return ComparisonSettings(Rule(comparison.smallest_effect_percent, looks), comparison.primary)


def settings_of_sides(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    smallest_effect_percent: float | None = None,
    primary: PrimaryMetric | None = None,
) -> ComparisonSettings:
    """Return what to ask about two sides, by their specs as JSON.

    Args:
        before: spec of the baseline
        after: spec of the other side, whose `comparison` counts where nothing else is given
        smallest_effect_percent: the difference that matters
        primary: the figure of each step that decides about it

    """
    wanted = after.get("comparison", {})
    effect = wanted.get("smallestEffectPercent", SMALLEST_EFFECT_PERCENT)
    figure = primary or PrimaryMetric(wanted.get("primary", PrimaryMetric.P95))
    looks = _stored_looks(after) or _stored_looks(before)
    return ComparisonSettings(Rule(smallest_effect_percent or effect, looks), figure)


def _stored_looks(spec: Mapping[str, Any]) -> Looks | None:
    """Return the looks of repeats that went on until it was decided."""
    repeats = spec.get("load", {}).get("repeats")
    if not isinstance(repeats, Mapping) or "until" not in repeats:
        return None
    return Looks(repeats.get("min", DEFAULT_MIN), repeats.get("max", DEFAULT_MAX))
