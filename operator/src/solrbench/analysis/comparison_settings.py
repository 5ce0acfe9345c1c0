"""What a comparison is asked: which metric decides, what matters; and how two specs differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from solrbench.analysis.differences import DEFAULT_RULE, SMALLEST_EFFECT_PERCENT, ComparisonRule
from solrbench.analysis.metrics import (
    AVERAGE,
    DOCUMENTS,
    RATE,
    TIME_UNTIL_FOUND,
    ComparisonMetric,
    percentile_metric,
)
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.load import DEFAULT_MAX, DEFAULT_MIN, DEFAULT_PERCENTILES
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.contract.foreign import ForeignDataError
from solrbench.stats.tests import Looks

_PERCENTILES = {
    PrimaryMetric.P50: 50.0,
    PrimaryMetric.P90: 90.0,
    PrimaryMetric.P95: 95.0,
    PrimaryMetric.P99: 99.0,
}
_OTHERS = {
    PrimaryMetric.AVERAGE: AVERAGE,
    PrimaryMetric.REQUESTS_PER_SECOND: RATE,
    PrimaryMetric.DOCUMENTS_PER_SECOND: DOCUMENTS,
    PrimaryMetric.TIME_UNTIL_FOUND: TIME_UNTIL_FOUND,
}


@dataclass(frozen=True)
class ComparisonSettings:
    """What is asked of a comparison; the primary metric of each step decides about it."""

    rule: ComparisonRule = DEFAULT_RULE
    primary: PrimaryMetric = PrimaryMetric.P95
    percentiles: Sequence[float] = DEFAULT_PERCENTILES

    @property
    def percent(self) -> float | None:
        """Return which percentile the primary metric is, None if it is none."""
        return _PERCENTILES.get(self.primary)

    @property
    def metric(self) -> ComparisonMetric:
        """Return the primary metric."""
        if self.percent is not None:
            return percentile_metric(self.percent)
        return _OTHERS[self.primary]


def settings_of_spec(spec: Spec) -> ComparisonSettings:
    """Return what a spec asks of its variants and of its baseline.

    Repeats that go on until it is decided go on until both are, so both were looked at after each.
    """
    comparison, repeats = spec.comparison, spec.load.repeats
    looks = None if repeats.until is None else Looks(repeats.least, repeats.most)
    return ComparisonSettings(
        ComparisonRule(comparison.smallest_effect_percent, looks),
        comparison.primary,
        spec.load.percentiles,
    )


def settings_of_candidate(
    candidate: Mapping[str, Any],
    baseline_name: str,
    smallest_effect_percent: float | None = None,
    primary: PrimaryMetric | None = None,
) -> ComparisonSettings:
    """Return what to ask about a candidate, whose `comparison` counts where nothing else is given.

    `candidate` is its spec as JSON, and `baseline_name` the name of the benchmark that it is
    compared with, empty if that is not known.

    It raises `ForeignDataError` if another version wrote the spec and says there what none of this
    one would.
    """
    try:
        wanted = candidate.get("comparison", {})
        effect = wanted.get("smallestEffectPercent", SMALLEST_EFFECT_PERCENT)
        rule = ComparisonRule(
            smallest_effect_percent or float(effect), _stored_looks(candidate, baseline_name)
        )
        decisive = primary or PrimaryMetric(wanted.get("primary", PrimaryMetric.P95))
        percentiles = candidate.get("load", {}).get("percentiles", ComparisonSettings.percentiles)
        return ComparisonSettings(rule, decisive, [*map(float, percentiles)])
    except (AttributeError, TypeError, ValueError) as error:
        raise ForeignDataError(f"another version wrote its spec ({error})") from error


def _stored_looks(candidate: Mapping[str, Any], baseline_name: str) -> Looks | None:
    """Return the looks of repeats that went on until they were decided beside this baseline."""
    repeats = candidate.get("load", {}).get("repeats")
    # A report of another version is compared as it is, whatever stands there.
    if not isinstance(repeats, Mapping) or "until" not in repeats:
        return None
    beside = candidate.get("comparison", {}).get("baseline")
    # A baseline that is a kept report is not named by its benchmark: it may be this one.
    if beside is None or beside.get("benchmark", {}).get("name", baseline_name) != baseline_name:
        return None
    return Looks(repeats.get("min", DEFAULT_MIN), repeats.get("max", DEFAULT_MAX))


SETTINGS = ("target", "collection", "podOptions")
"""Parts of a spec whose differences are what is compared."""

DEFINITIONS = ("dataset", "workload", "warmUp", "load.steps", "load.between", "seed")
"""Parts that say what is done: with other documents or requests, other values mean nothing."""

_MAX_CHARACTERS = 60
"""Of a value that is named."""


def differing(
    baseline: Mapping[str, Any], candidate: Mapping[str, Any], parts: Sequence[str], most: int
) -> list[str]:
    """Return the fields of `parts` in which two specs differ, at most `most` lines.

    A line is `collection.shards: 1, then 2`; where there are more, the last one says how many.
    """
    lines = [
        line
        for part in parts
        for line in _compare(part, _value(baseline, part), _value(candidate, part))
    ]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"{len(lines) - most + 1} more"]


def _value(spec: Mapping[str, Any], path: str) -> Any:
    value: Any = spec
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _compare(path: str, baseline: Any, candidate: Any) -> Iterator[str]:
    if baseline == candidate:
        return
    if isinstance(baseline, Mapping) and isinstance(candidate, Mapping):
        for name in dict.fromkeys([*baseline, *candidate]):
            yield from _compare(f"{path}.{name}", baseline.get(name), candidate.get(name))
    elif (
        isinstance(baseline, list)
        and isinstance(candidate, list)
        and len(baseline) == len(candidate)
    ):
        for index, (one, other) in enumerate(zip(baseline, candidate, strict=True)):
            yield from _compare(f"{path}[{index}]", one, other)
    else:
        yield f"{path}: {_text(baseline)}, then {_text(candidate)}"


def _text(value: Any) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
