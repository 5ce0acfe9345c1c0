"""`spec.comparison`: what the results are compared with, and what counts as a difference."""

from enum import StrEnum
from typing import ClassVar

from solrbench.api.rules import Model, Rule, exactly_one
from solrbench.api.v1alpha1.fields import FileName, ObjectName, ObjectReference, Percent

_LEAST_EFFECT = 0.1


class PrimaryMetric(StrEnum):
    """The figure of each step that decides whether it is better or worse."""

    AVERAGE = "Average"
    P50 = "P50"
    P90 = "P90"
    P95 = "P95"
    P99 = "P99"
    REQUESTS_PER_SECOND = "RequestsPerSecond"


class StoredReport(Model):
    """A report in a ConfigMap, as `solrbench report NAME -o json` prints it."""

    name: ObjectName
    """`name` is the name of the ConfigMap in the benchmark's namespace."""
    key: FileName = "report.json.gz"
    """`key` is the key that holds the report; it may be packed by gzip."""


class BaselineReport(Model):
    """A report that was kept."""

    config_map: StoredReport
    """`configMap` is the ConfigMap that holds the report."""


class Baseline(Model):
    """The results that those of this benchmark are compared with."""

    benchmark: ObjectReference | None = None
    """`benchmark` is another benchmark in the same namespace. This one starts when that one has
    succeeded."""
    report: BaselineReport | None = None
    """`report` is a report that was kept of a benchmark that may be gone."""

    rules: ClassVar = (exactly_one("benchmark", "report"),)


class ComparisonSpec(Model):
    """How results are compared: with a baseline, and variants with the first one."""

    baseline: Baseline | None = None
    """`baseline` is what the results are compared with; without it only variants are compared."""
    smallest_effect_percent: Percent = 5
    """`smallestEffectPercent` is the smallest difference that matters: a figure is Same if any
    difference is smaller. Shares of failures matter from one percentage point on."""
    primary: PrimaryMetric = PrimaryMetric.P95
    """`primary` is the figure of all requests of a step that decides whether the step is Better,
    Worse or Same; other figures, and single request names, have a word only where it has one."""

    rules: ClassVar = (
        # As a minimum, the API server would cut it to 0 for whole numbers.
        Rule(
            cel="self.smallestEffectPercent >= 0.1",
            message="smallestEffectPercent must be at least 0.1",
            is_satisfied=lambda comparison: comparison.smallest_effect_percent >= _LEAST_EFFECT,
        ),
    )
