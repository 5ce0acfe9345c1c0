"""What a spec asks of comparisons."""

from dataclasses import dataclass

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.comparison import PrimaryMetric
from solrbench.results.comparison.findings import DEFAULT_RULE, Rule
from solrbench.results.comparison.looks import Looks
from solrbench.results.comparison.metric import AVERAGE, RATE, Metric, percentile_metric

_PERCENTILES = {
    PrimaryMetric.P50: 50.0,
    PrimaryMetric.P90: 90.0,
    PrimaryMetric.P95: 95.0,
    PrimaryMetric.P99: 99.0,
}


@dataclass(frozen=True)
class Question:
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


def question_of(spec: Spec) -> Question:
    """Return what a spec asks; of repeats that go on until it is decided, a look after each."""
    comparison, repeats = spec.comparison, spec.load.repeats
    looks = None if repeats.until is None else Looks(repeats.least, repeats.most)
    return Question(Rule(comparison.smallest_effect_percent, looks), comparison.primary)
