"""One side of a comparison: a benchmark in the cluster or a report that was kept."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.api.rules import ADMITTED
from solrbench.api.v1alpha1 import SolrBenchmark, Spec
from solrbench.api.v1alpha1.status.target import DatasetStatus
from solrbench.api.v1alpha1.status.trends import Trend
from solrbench.api.v1alpha1.status.verdicts import VALID, StepVerdict
from solrbench.results.comparison.metric import INDEX_SIZE, INDEXING
from solrbench.results.comparison.repeat_figures import Figures, target_of
from solrbench.results.comparison.side_difference import RepeatFigure
from solrbench.results.model.measured_target import MeasuredTarget
from solrbench.results.model.step_result import StepRunResult

MAX_REPORT_BYTES = 64 << 20
"""What a report may have as JSON."""

_MOST_PROBLEMS = 2
_NO_SERIES: dict[str, Any] = {"thousands": [], "warmUpThousands": [], "caches": []}
_GZIP_MAGIC = b"\x1f\x8b"

StepKey = tuple[str, str]
"""A step and a variant, which is empty without variants."""


class UnreadableReportError(ValueError):
    """What was given is no report of this version or an older one."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        name: as sentences call it
        spec: what was measured, as JSON has it
        documents: its step runs
        invalid: steps that are Invalid
        dataset: what was measured while indexing
        trends: what grew

    """

    name: str
    spec: Mapping[str, Any]
    documents: Sequence[StepRunResult]
    invalid: frozenset[StepKey] = frozenset()
    dataset: DatasetStatus = field(default_factory=DatasetStatus)
    trends: Sequence[Trend] = ()

    @property
    def step_runs(self) -> dict[StepKey, list[StepRunResult]]:
        """Return the step runs by step and variant, of each the last attempt, as measured.

        Trials of a search for the capacity are left out: no two are at the same rate.
        """
        latest: dict[str, StepRunResult] = {}
        for document in sorted(self.documents, key=lambda each: (each.attempt, each.start_time)):
            latest[document.id] = document
        found: dict[StepKey, list[StepRunResult]] = {}
        steps = (each for each in latest.values() if each.trial is None)
        for document in sorted(steps, key=lambda each: (each.repeat, each.start_time)):
            found.setdefault((document.step, document.variant), []).append(document)
        return found

    @property
    def index_figures(self) -> Figures:
        """Return time and size of every index that was filled, one value for each of them."""
        by_index: dict[datetime | None, tuple[str, MeasuredTarget]] = {}
        for document in self.documents:
            if document.target is not None and document.target.indexing_seconds is not None:
                by_index[document.target.indexed] = target_of(document), document.target
        if not by_index:  # nothing is measured yet, or an older version stored it
            return _index_figures([(1, "", self.dataset.seconds, self.dataset.index_bytes)])
        return _index_figures(
            (number, key, each.indexing_seconds, each.index_bytes)
            for number, (key, each) in enumerate(by_index.values(), start=1)
        )


def _index_figures(
    indexes: Iterable[tuple[int, str, float | None, float | None]],
) -> Figures:
    """Return figures from number, target, seconds and bytes of each index."""
    figures: Figures = {}
    for number, target, seconds, size in indexes:
        for metric, value in ((INDEXING, seconds), (INDEX_SIZE, size)):
            if value:
                figures.setdefault(metric, []).append(RepeatFigure(number, target, value))
    return figures


def benchmark_side(name: str, benchmark: SolrBenchmark, documents: Sequence[StepRunResult]) -> Side:
    """Return a benchmark and its stored step runs as one side."""
    return Side(
        name,
        spec_as_json(benchmark.spec),
        documents,
        invalid_steps(benchmark.status.verdicts),
        benchmark.status.dataset,
        benchmark.status.trends,
    )


def report_side(name: str, text: bytes, max_bytes: int = MAX_REPORT_BYTES) -> Side:
    """Return what `solrbench report -o json` printed as one side; it may be packed by gzip.

    Raises:
        UnreadableReportError: if it is none, or larger than `max_bytes`.

    """
    return side_of(name, parse_report(text, max_bytes))


def side_of(name: str, report: Mapping[str, Any]) -> Side:
    """Return the JSON object of a report as one side.

    Raises:
        UnreadableReportError: if it is none.

    """
    try:
        status = report.get("status") or {}
        return Side(
            name,
            complete_spec(report["spec"]),
            [_document(each) for each in report["steps"]],
            invalid_steps(map(StepVerdict.model_validate, status.get("verdicts", []))),
            DatasetStatus.model_validate(status.get("dataset", {})),
            [Trend.model_validate(each) for each in status.get("trends", [])],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise UnreadableReportError(
            f"it is not a report of `solrbench report -o json`: {error!r} is missing or another"
        ) from error
    except ValidationError as error:
        found = "; ".join(problems(error)[:_MOST_PROBLEMS])
        raise UnreadableReportError(f"another version wrote it ({found})") from error


def complete_spec(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored spec with today's defaults; as it is, if another version wrote it."""
    try:
        return spec_as_json(Spec.model_validate(stored, context={ADMITTED: True}))
    except ValidationError:
        return dict(stored)


def _document(stored: dict[str, Any]) -> StepRunResult:
    """Return a stored step run without its series, which are most of it."""
    requests = [{**each, "windows": [], "slowRequests": []} for each in stored["requests"]]
    return StepRunResult.model_validate({**stored, **_NO_SERIES, "requests": requests})


def spec_as_json(spec: Spec) -> dict[str, Any]:
    """Return a spec as JSON has it, with all defaults."""
    return spec.model_dump(mode="json", by_alias=True, exclude_none=True)


def invalid_steps(verdicts: Iterable[StepVerdict]) -> frozenset[StepKey]:
    """Return the steps that are Invalid by these verdicts."""
    return frozenset((each.step, each.variant or "") for each in verdicts if each.verdict != VALID)


def parse_report(text: bytes, max_bytes: int = MAX_REPORT_BYTES) -> dict[str, Any]:
    """Return the JSON object of a report, which may be packed by gzip.

    Raises:
        UnreadableReportError: if it is none, or larger than `max_bytes`.

    """
    if text.startswith(_GZIP_MAGIC):
        text = _unpack(text, max_bytes)
    if len(text) > max_bytes:
        raise UnreadableReportError(f"it is larger than {max_bytes >> 20} MiB")
    try:
        report = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UnreadableReportError(f"it is not JSON: {error}") from error
    if not isinstance(report, dict):
        raise UnreadableReportError("it is not a JSON object")
    return report


def _unpack(packed: bytes, max_bytes: int) -> bytes:
    """Return what a gzip file holds, never much more than a report may have."""
    try:
        stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
        text = stream.decompress(packed, max_bytes + 1)
    except zlib.error as error:
        raise UnreadableReportError(f"it is packed, but broken: {error}") from error
    if len(text) <= max_bytes and not stream.eof:
        raise UnreadableReportError("it is packed, but cut off")
    return text
