"""A benchmark beside its baseline: what is read of each, which steps both measured, the comparison.

Either may be a benchmark of the cluster or a report that was kept as a file.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import orjson
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from solrbench.analysis.differences import (
    ComparisonRule,
    RepeatValue,
    conclude_details,
    estimate_difference,
)
from solrbench.analysis.metrics import (
    INDEX_SIZE,
    INDEXING,
    MIN_VALUES_FOR_RANKS,
    ComparedMetric,
    Difference,
    store_figure,
)
from solrbench.analysis.samples import RepeatValues, RunSamples, StepSamples, filled_indexes
from solrbench.analysis.step_comparison import (
    DEFINITIONS,
    SETTINGS,
    ComparedStep,
    ComparisonSettings,
    compare_steps,
    differing,
)
from solrbench.analysis.step_trends import compare_trends
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from solrbench.api.v1alpha1.comparisons import (
    MAX_FIGURES,
    MAX_REPEATS,
    BaselineComparison,
    FigureComparison,
)
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict, Trend, steps_that_are
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.foreign import ForeignDataError, decode_json, unpack, validate
from solrbench.contract.step_document import SERIES, StepRunResult

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

MAX_FIGURES_MEMORY = 18 << 20
"""What the values of that may take."""

_MAX_NAMED = 5
_NO_SERIES: dict[str, Any] = {to_camel(name): [] for name in SERIES}
# Within a text the quotes of a name would be escaped, so only keys are found.
_SERIES = re.compile(rf'"({"|".join(["windows", *_NO_SERIES])})"\s*:\s*\[[^][]*+\]'.encode())
_GZIP_MAGIC = b"\x1f\x8b"

StepKey = tuple[str, str]
"""A step and a variant, which is empty without variants."""


class UnreadableReportError(ValueError):
    """What was given is no report of this version or an older one."""


@dataclass(frozen=True)
class ComparisonInput:
    """One side of a comparison, with the name that sentences call it by.

    Its spec says what was measured, as JSON has it; `benchmark` is the name of the benchmark in its
    namespace, empty if it is not known.
    """

    name: str
    spec: Mapping[str, Any]
    runs: Sequence[RunSamples]
    invalid: frozenset[StepKey] = frozenset()
    dataset: DatasetStatus = field(default_factory=DatasetStatus)
    trends: Sequence[Trend] = ()
    benchmark: str = ""

    @property
    def steps(self) -> dict[StepKey, StepSamples]:
        """Return the step runs by step and variant, of each the last attempt, as measured.

        A spec of another version may have no such steps, so they are found without it. Trials of a
        search for the capacity are left out: no two are at the same rate.
        """
        latest: dict[str, RunSamples] = {}
        started = attrgetter("document.start_time")
        for run in sorted(self.runs, key=lambda run: (run.document.attempt, started(run))):
            latest[run.document.id] = run
        groups: dict[StepKey, list[RunSamples]] = {}
        steps = (run for run in latest.values() if run.document.trial is None)
        for run in sorted(steps, key=lambda run: (run.document.repeat, started(run))):
            groups.setdefault((run.document.step, run.document.variant), []).append(run)
        return {key: StepSamples(group) for key, group in groups.items()}

    @property
    def index_metrics(self) -> RepeatValues:
        """Return time and size of every index that was filled, one value for each of them.

        A time that is that of the index pods is left out.
        """
        indexes = [
            (target, each.indexing_seconds if each.indexing_is_valid else None, each.index_bytes)
            for target, each in filled_indexes(self.runs)
        ]
        if not indexes:  # nothing is measured yet
            data = self.dataset
            indexes = [("", data.seconds if data.is_valid else None, data.index_bytes)]
        values: RepeatValues = {}
        for number, (target, seconds, size) in enumerate(indexes, start=1):
            for metric, value in ((INDEXING, seconds), (INDEX_SIZE, size)):
                if value:
                    values.setdefault(metric, []).append(RepeatValue(number, target, value))
        return values


def benchmark_input(
    name: str, benchmark: SolrBenchmark, runs: Sequence[RunSamples]
) -> ComparisonInput:
    """Return a benchmark and its stored step runs as one side."""
    return ComparisonInput(
        name,
        plain(benchmark.spec),
        runs,
        _invalid_keys(benchmark.status.verdicts),
        benchmark.status.dataset,
        benchmark.status.trends,
        benchmark.metadata.name,
    )


def report_input(name: str, text: bytes) -> ComparisonInput:
    """Return a report of a ConfigMap as one side; it may be packed by gzip.

    It raises `UnreadableReportError` if it is none, or beyond the limits of a stored report.
    """
    figures = _drop_series(_unpacked(text, MAX_STORED_BYTES))
    if len(figures) > MAX_FIGURES_BYTES:
        raise UnreadableReportError(
            f"without series over time it is larger than {MAX_FIGURES_BYTES >> 20} MiB"
        )
    return comparison_input_of(name, _decode(figures, MAX_FIGURES_MEMORY))


def _drop_series(text: bytes | bytearray) -> bytes:
    # Nothing that is compared is read from series, and they take most of the time and memory.
    return _SERIES.sub(rb'"\1":[]', text)


def comparison_input_of(name: str, report: Mapping[str, Any]) -> ComparisonInput:
    """Return the JSON object of a report as one side; `UnreadableReportError` if it is none."""
    expected = "it is not a report of `solrbench report NAME -o json`"
    if missing := [name for name in ("spec", "steps") if name not in report]:
        raise UnreadableReportError(f"{expected}: it has no {' and no '.join(missing)}")
    try:
        status = report.get("status") or {}
        if len(orjson.dumps(report["spec"])) > MAX_SPEC_BYTES:
            raise UnreadableReportError(f"its spec has more than {MAX_SPEC_BYTES >> 10} KiB")
        found = ComparisonInput(
            name,
            complete_spec(report["spec"]),
            [
                RunSamples(validate(StepRunResult, {**each, **_NO_SERIES}))
                for each in report["steps"]
            ],
            _invalid_keys(validate(StepVerdict, each) for each in status.get("verdicts", [])),
            validate(DatasetStatus, status.get("dataset", {})),
            [validate(Trend, each) for each in status.get("trends", [])],
            str(report.get("benchmark", "")).rpartition("/")[2],
        )
        # All repeats of a step that both have are decoded, which takes a millisecond for each. They
        # are in the order of time, in which some may lack a zone.
        repeats = max((len(samples.runs) for samples in found.steps.values()), default=0)
    except (KeyError, TypeError, AttributeError) as error:
        raise UnreadableReportError(f"{expected}: its fields are of another type") from error
    except ForeignDataError as error:
        raise UnreadableReportError(f"another version wrote it ({error})") from error
    if repeats > MAX_REPEATS:
        raise UnreadableReportError(f"a step has {repeats} repeats, limit {MAX_REPEATS}")
    return found


def complete_spec(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored spec with today's defaults; as it is, if another version wrote it."""
    try:
        return plain(Spec.parse_admitted(stored))
    except ValidationError:
        return {**stored}


def _invalid_keys(verdicts: Iterable[StepVerdict]) -> frozenset[StepKey]:
    return frozenset((each.step, each.variant or "") for each in steps_that_are(INVALID, verdicts))


def parse_report(text: bytes) -> dict[str, Any]:
    """Return the JSON object of a report in a file, without series; gzip may have packed it.

    It raises `UnreadableReportError` if it is none, or larger than `MAX_REPORT_BYTES`.
    """
    return _decode(_drop_series(_unpacked(text, MAX_REPORT_BYTES)), MAX_REPORT_MEMORY)


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


def compare_candidate(
    baseline: ComparisonInput, candidate: ComparisonInput, settings: ComparisonSettings
) -> BaselineComparison:
    """Return two sides beside each other, measured apart; what decides comes first.

    Steps, variants and request names are the same if they have one name.

    It raises `UnreadableReportError` if times or numbers of a step are none that a load measures.
    """
    percents = set(settings.percentiles)
    if settings.percent is not None:
        percents.add(settings.percent)
    steps = _compared_steps(baseline.steps, candidate.steps)
    try:
        metrics = compare_steps(steps, sorted(percents), settings.rule, settings.metric)
        metrics += _compare_indexing(baseline, candidate, settings.rule)
        smallest = settings.rule.smallest_effect_percent
        trends = compare_trends(baseline.trends, candidate.trends, smallest)
        metrics.sort(key=lambda compared: not compared.is_primary)
        figures = [
            store_figure(
                each,
                is_invalid=(each.step, each.variant) in candidate.invalid
                or (each.step, each.baseline_variant) in baseline.invalid,
            )
            for each in metrics
        ]
    except (ValueError, ArithmeticError) as error:
        raise UnreadableReportError(f"its numbers are none of a load: {error}") from error
    # Without validation: a status holds fewer metrics than a file may have.
    return BaselineComparison.model_construct(
        baseline=baseline.name,
        figures=figures,
        left_out=0,
        drift_unknown=is_drift_unknown(each.difference for each in metrics if each.is_primary),
        trends=trends,
        settings=differing(baseline.spec, candidate.spec, SETTINGS, MAX_SPEC_NOTES),
        differences=_differences(baseline, candidate),
    )


def is_drift_unknown(primary: Iterable[Difference]) -> bool:
    """Say whether a conclusion rests on too few repeats to show a machine that changed.

    Sides that were measured one after the other differ by what changed in between, too.
    """
    repeats = (min(each.repeats) for each in primary if each.conclusion is not None)
    return any(each < MIN_VALUES_FOR_RANKS for each in repeats)


def _compared_steps(
    baseline: Mapping[StepKey, StepSamples], candidate: Mapping[StepKey, StepSamples]
) -> list[ComparedStep]:
    """Return the steps of both; variants are those of one name, else the first of either side."""
    earlier = list(dict.fromkeys(variant for _, variant in baseline))
    later = list(dict.fromkeys(variant for _, variant in candidate))
    pairs = [(each, each) for each in later if each in earlier]
    pairs = pairs or list(zip(earlier[:1], later[:1], strict=False))
    return [
        ComparedStep(
            step, variant, baseline[step, other], candidate[step, variant], baseline_variant=other
        )
        for step in dict.fromkeys(step for step, _ in candidate)
        for other, variant in pairs
        if (step, other) in baseline and (step, variant) in candidate
    ]


def _compare_indexing(
    baseline: ComparisonInput, candidate: ComparisonInput, rule: ComparisonRule
) -> list[ComparedMetric]:
    """Return what was measured of the index; from one index nothing is concluded."""
    values, others = baseline.index_metrics, candidate.index_metrics
    estimated = [
        estimate_difference(metric, values.get(metric, []), others.get(metric, []))
        for metric in (INDEXING, INDEX_SIZE)
    ]
    return [
        ComparedMetric(difference)
        for each in estimated
        if each is not None
        for difference in conclude_details([each], rule)
    ]


def _differences(baseline: ComparisonInput, candidate: ComparisonInput) -> list[str]:
    lines = differing(baseline.spec, candidate.spec, DEFINITIONS, MAX_SPEC_NOTES)
    only = []
    for side, other in ((baseline, candidate), (candidate, baseline)):
        known, steps = (dict.fromkeys(step for step, _ in each.steps) for each in (other, side))
        if missing := [f"step {step}" for step in steps if step not in known][:_MAX_NAMED]:
            only.append(f"only {side.name} has {', '.join(missing)}")
    return [*only, *lines][:MAX_SPEC_NOTES]


def fit_comparison(whole: BaselineComparison) -> BaselineComparison:
    """Return as much of a comparison as a status holds."""
    figures = whole.figures
    kept = {"figures": figures[:MAX_FIGURES], "left_out": max(len(figures) - MAX_FIGURES, 0)}
    return whole.model_copy(update=kept)


def primary_comparisons(figures: Sequence[FigureComparison]) -> list[FigureComparison]:
    """Return the metrics that decide about their steps."""
    return [comparison for comparison in figures if comparison.primary]
