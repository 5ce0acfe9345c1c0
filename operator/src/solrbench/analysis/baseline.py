"""A benchmark beside its baseline: what is read of each, which steps both measured, the comparison.

Either may be a benchmark of the cluster or a report that was kept as a file.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from pydantic import ValidationError

from solrbench.analysis.difference_tests import (
    DEFINITIONS,
    SETTINGS,
    ComparisonRule,
    ComparisonSettings,
    decide_details,
    differing,
)
from solrbench.analysis.differences import RepeatValue, compare_metrics
from solrbench.analysis.metrics import INDEX_SIZE, INDEXING
from solrbench.analysis.samples import RepeatValues, RunSamples, StepSamples
from solrbench.analysis.step_comparison import ComparedRequestMetric, ComparedStep, compare_steps
from solrbench.analysis.step_trends import compare_trends
from solrbench.api.rules import ADMITTED
from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from solrbench.api.v1alpha1.comparisons import MAX_FIGURES, BaselineComparison, FigureComparison
from solrbench.api.v1alpha1.findings import VALID, StepVerdict, Trend
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.environment import MeasuredTarget
from solrbench.contract.foreign import (
    ForeignDataError,
    decode_json,
    unpack,
    validate,
)
from solrbench.contract.step_document import StepRunResult

MAX_REPORT_BYTES = 64 << 20
"""What a report may have as JSON."""

MAX_REPORT_MEMORY = 4 << 30
"""What the values of a report may take where its reader is a command, with the memory of a user."""

MAX_STORED_BYTES = 12 << 20
"""What a report in a ConfigMap may unpack to: the operator has half a gigabyte for all tenants."""

MAX_SPEC_BYTES = 512 << 10
"""What its spec may have: each unknown field would be an error of its own."""

MAX_FIGURES_BYTES = 4 << 20
"""What it may have without its series, which are most of it and compared with nothing."""

MAX_FIGURES_MEMORY = 20 << 20
"""What the values of that may take."""

_NO_SERIES: dict[str, Any] = {
    name: [] for name in ("thousands", "warmUpThousands", "caches", "warmUpCaches", "diagnostics")
}
# Within a text the quotes of a name would be escaped, so only keys are found.
_SERIES = re.compile(rf'"({"|".join(["windows", *_NO_SERIES])})"\s*:\s*\[[^][]*+\]'.encode())
_GZIP_MAGIC = b"\x1f\x8b"

StepKey = tuple[str, str]
"""A step and a variant, which is empty without variants."""


class UnreadableReportError(ValueError):
    """What was given is no report of this version or an older one."""


@dataclass(frozen=True)
class ComparisonInput:
    """One side of a comparison.

    Attributes:
        name: as sentences call it
        spec: what was measured, as JSON has it
        runs: its step runs with their times
        invalid: steps that are Invalid
        dataset: what was measured while indexing
        trends: what grew
    """

    name: str
    spec: Mapping[str, Any]
    runs: Sequence[RunSamples]
    invalid: frozenset[StepKey] = frozenset()
    dataset: DatasetStatus = field(default_factory=DatasetStatus)
    trends: Sequence[Trend] = ()

    @property
    def steps(self) -> dict[StepKey, StepSamples]:
        """Return the step runs by step and variant, of each the last attempt, as measured.

        A spec of another version may have no such steps, so they are found without it. Trials of a
        search for the capacity are left out: no two are at the same rate.
        """
        latest: dict[str, RunSamples] = {}
        for run in sorted(self.runs, key=lambda run: (run.document.attempt, _start(run))):
            latest[run.document.id] = run
        groups: dict[StepKey, list[RunSamples]] = {}
        steps = (run for run in latest.values() if run.document.trial is None)
        for run in sorted(steps, key=lambda run: (run.document.repeat, _start(run))):
            groups.setdefault((run.document.step, run.document.variant), []).append(run)
        return {key: StepSamples(group) for key, group in groups.items()}

    @property
    def index_metrics(self) -> RepeatValues:
        """Return time and size of every index that was filled, one value for each of them."""
        by_index: dict[datetime | None, tuple[str, MeasuredTarget]] = {}
        for run in self.runs:
            target = run.document.target
            if target is not None and target.indexing_seconds is not None:
                by_index[target.indexed] = run.target, target
        if not by_index:  # nothing is measured yet, or an older version stored it
            return _index_metrics([(1, "", self.dataset.seconds, self.dataset.index_bytes)])
        return _index_metrics(
            (number, key, record.indexing_seconds, record.index_bytes)
            for number, (key, record) in enumerate(by_index.values(), start=1)
        )


def _start(run: RunSamples) -> datetime:
    return run.document.start_time


def _index_metrics(
    indexes: Iterable[tuple[int, str, float | None, float | None]],
) -> RepeatValues:
    """Return figures from number, target, seconds and bytes of each index."""
    figures: RepeatValues = {}
    for number, target, seconds, size in indexes:
        for metric, value in ((INDEXING, seconds), (INDEX_SIZE, size)):
            if value:
                figures.setdefault(metric, []).append(RepeatValue(number, target, value))
    return figures


def benchmark_input(
    name: str, benchmark: SolrBenchmark, runs: Sequence[RunSamples]
) -> ComparisonInput:
    """Return a benchmark and its stored step runs as one side."""
    return ComparisonInput(
        name,
        spec_as_json(benchmark.spec),
        runs,
        invalid_steps(benchmark.status.verdicts),
        benchmark.status.dataset,
        benchmark.status.trends,
    )


def report_input(name: str, text: bytes) -> ComparisonInput:
    """Return a report of a ConfigMap as one side; it may be packed by gzip.

    Raises:
        UnreadableReportError: if it is none, or takes more than the limits of a stored report.
    """
    return comparison_input_of(name, _decode(_without_series(text), MAX_FIGURES_MEMORY))


def _without_series(text: bytes) -> bytes:
    figures = _SERIES.sub(rb'"\1":[]', _unpacked(text, MAX_STORED_BYTES))
    if len(figures) > MAX_FIGURES_BYTES:
        raise UnreadableReportError(
            f"without series over time it is larger than {MAX_FIGURES_BYTES >> 20} MiB"
        )
    return figures


def comparison_input_of(name: str, report: Mapping[str, Any]) -> ComparisonInput:
    """Return the JSON object of a report as one side.

    Raises:
        UnreadableReportError: if it is none.
    """
    try:
        status = report.get("status") or {}
        if len(orjson.dumps(report["spec"])) > MAX_SPEC_BYTES:
            raise UnreadableReportError(f"its spec has more than {MAX_SPEC_BYTES >> 10} KiB")
        return ComparisonInput(
            name,
            complete_spec(report["spec"]),
            [RunSamples(_document(each)) for each in report["steps"]],
            invalid_steps(validate(StepVerdict, each) for each in status.get("verdicts", [])),
            validate(DatasetStatus, status.get("dataset", {})),
            [validate(Trend, each) for each in status.get("trends", [])],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise UnreadableReportError(
            f"it is not a report of `solrbench report -o json`: {error!r} is missing or another"
        ) from error
    except ForeignDataError as error:
        raise UnreadableReportError(f"another version wrote it ({error})") from error


def complete_spec(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored spec with today's defaults; as it is, if another version wrote it."""
    try:
        return spec_as_json(Spec.model_validate(stored, context={ADMITTED: True}))
    except ValidationError:
        return dict(stored)


def _document(stored: dict[str, Any]) -> StepRunResult:
    """Return a stored step run without its longest series."""
    return validate(StepRunResult, {**stored, **_NO_SERIES})


def spec_as_json(spec: Spec) -> dict[str, Any]:
    """Return a spec as JSON has it, with all defaults."""
    return spec.model_dump(mode="json", by_alias=True, exclude_none=True)


def invalid_steps(verdicts: Iterable[StepVerdict]) -> frozenset[StepKey]:
    """Return the steps that are Invalid by these verdicts."""
    return frozenset(
        (verdict.step, verdict.variant or "") for verdict in verdicts if verdict.verdict != VALID
    )


def parse_report(text: bytes) -> dict[str, Any]:
    """Return the JSON object of a report in a file, which may be packed by gzip.

    Raises:
        UnreadableReportError: if it is none, or larger than `MAX_REPORT_BYTES`.
    """
    return _decode(_unpacked(text, MAX_REPORT_BYTES), MAX_REPORT_MEMORY)


def _unpacked(text: bytes, max_bytes: int) -> bytes | bytearray:
    if not text.startswith(_GZIP_MAGIC):
        if len(text) > max_bytes:
            raise UnreadableReportError(f"it is larger than {max_bytes >> 20} MiB")
        return text
    try:
        return unpack(text, max_bytes)
    except ForeignDataError as error:
        raise UnreadableReportError(f"it is packed, but {error}") from error


def _decode(text: bytes | bytearray, max_memory: int) -> dict[str, Any]:
    try:
        report = decode_json(text, max_memory)
    except ForeignDataError as error:
        raise UnreadableReportError(str(error)) from error
    if not isinstance(report, dict):
        raise UnreadableReportError("it is not a JSON object")
    return report


MAX_SPEC_NOTES = 12
"""Lines on what two specs differ in."""

_PERCENTS = (50.0, 95.0, 99.0)


@dataclass(frozen=True)
class CandidateComparison:
    """What two sides show beside each other.

    Attributes:
        before: the baseline
        after: what is compared with it
        figures: all figures that both have, step by step; those of the index last
        settings: settings of target and collection in which they differ
        differences: definitions of data, requests and steps in which they differ
    """

    before: ComparisonInput
    after: ComparisonInput
    figures: Sequence[ComparedRequestMetric]
    settings: Sequence[str]
    differences: Sequence[str]

    def is_invalid(self, figure: ComparedRequestMetric) -> bool:
        """Say whether the step of a figure is Invalid on either side."""
        compared = figure.compared
        return (compared.step, compared.variant) in self.after.invalid or (
            compared.step,
            compared.baseline_variant,
        ) in self.before.invalid


def compare_candidate(
    before: ComparisonInput, after: ComparisonInput, settings: ComparisonSettings
) -> CandidateComparison:
    """Return two sides beside each other, measured apart.

    Steps, variants and request names are the same if they have one name.
    """
    percents = _percents(after, settings)
    compared_steps = _compared_steps(before, after)
    figures = compare_steps(compared_steps, percents, settings.rule, settings.metric)
    return CandidateComparison(
        before,
        after,
        [*figures, *_indexing(before, after, settings.rule)],
        differing(before.spec, after.spec, SETTINGS, MAX_SPEC_NOTES),
        _differences(before, after),
    )


def _percents(side: ComparisonInput, settings: ComparisonSettings) -> list[float]:
    """Return the percentiles of the spec, and the primary one."""
    load = side.spec.get("load", {})
    chosen = {float(percentile) for percentile in load.get("percentiles", _PERCENTS)}
    if settings.percent is not None:
        chosen.add(settings.percent)
    return sorted(chosen)


def _compared_steps(before: ComparisonInput, after: ComparisonInput) -> list[ComparedStep]:
    earlier, later = before.steps, after.steps
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


def _indexing(
    before: ComparisonInput, after: ComparisonInput, rule: ComparisonRule
) -> list[ComparedRequestMetric]:
    """Return what was measured of the index; with one of each side there is no word."""
    known = before.index_metrics, after.index_metrics
    compared = []
    for metric in (INDEXING, INDEX_SIZE):
        sides = [each.get(metric, []) for each in known]
        difference = compare_metrics(metric, sides[0], sides[1], in_rounds=False)
        if difference is not None:
            (finding,) = decide_details([difference], rule)
            compared.append(
                ComparedRequestMetric(
                    ComparedStep("", "", StepSamples([]), StepSamples([])),
                    "",
                    finding,
                    is_primary=False,
                )
            )
    return compared


def _differences(before: ComparisonInput, after: ComparisonInput) -> list[str]:
    lines = differing(before.spec, after.spec, DEFINITIONS, MAX_SPEC_NOTES)
    only = [
        f"only {side.name} has {', '.join(missing)}"
        for side, missing in (
            (before, _missing(before.runs, after.runs)),
            (after, _missing(after.runs, before.runs)),
        )
        if missing
    ]
    return [*only, *lines][:MAX_SPEC_NOTES]


def _missing(own: Sequence[RunSamples], other: Sequence[RunSamples]) -> list[str]:
    known = {run.document.step for run in other}
    missing = dict.fromkeys(run.document.step for run in own if run.document.step not in known)
    return [f"step {each}" for each in list(missing)[:5]]


_DIGITS = 3
_PERCENT_DIGITS = 2


def baseline_comparison(found: CandidateComparison) -> BaselineComparison:
    """Return as much of a comparison as a status holds, what decides first."""
    whole = whole_comparison(found)
    figures = whole.figures
    kept = {"figures": figures[:MAX_FIGURES], "left_out": max(len(figures) - MAX_FIGURES, 0)}
    return whole.model_copy(update=kept)


def whole_comparison(found: CandidateComparison) -> BaselineComparison:
    """Return all of a comparison, what decides first."""
    ordered = sorted(found.figures, key=lambda compared: not compared.is_primary)
    # Without validation: a status holds fewer figures than a file may have.
    return BaselineComparison.model_construct(
        baseline=found.before.name,
        figures=[
            metric_comparison(compared, invalid=found.is_invalid(compared)) for compared in ordered
        ],
        left_out=0,
        trends=compare_trends(found.before.trends, found.after.trends),
        settings=list(found.settings),
        differences=list(found.differences),
    )


def primary_comparisons(figures: Sequence[FigureComparison]) -> list[FigureComparison]:
    """Return the figures that decide about their steps."""
    return [comparison for comparison in figures if comparison.primary]


def metric_comparison(figure: ComparedRequestMetric, *, invalid: bool) -> FigureComparison:
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
