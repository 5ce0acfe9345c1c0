"""The times that stored step runs hold, by step, variant, request and repeat.

A stored step run has its times as packed texts, which are expensive to read. Here each is decoded
once, and whatever is concluded from step runs (results, comparisons, objectives, verdicts) asks the
same `Times`: those of one request name in one repeat, of all repeats, or of all requests together.
A number that was read once is kept; decoded times are kept within a bound (`stats.times`).
"""

import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from solrbench.analysis.differences import RepeatValue
from solrbench.analysis.metrics import (
    AVERAGE,
    DOCUMENTS,
    FAILED,
    RATE,
    TIME_UNTIL_FOUND,
    ComparisonMetric,
    percentile_metric,
)
from solrbench.analysis.server_metrics import slowest_percentile
from solrbench.api.v1alpha1 import Spec
from solrbench.contract.environment import MeasuredTarget
from solrbench.contract.request_counts import RequestCounts, sum_counts
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.contract.step_runs import variant_names
from solrbench.stats import histograms
from solrbench.stats.distributions import STANDARD_ERRORS
from solrbench.stats.histograms import BucketCounts
from solrbench.stats.time_blocks import TimeBlocks
from solrbench.stats.times import Times

StepRuns = Sequence[StepRunResult]
"""The repeats of one step through one variant, ascending."""

ALL_REQUESTS = "all requests"
"""Name of the result of all requests of a step. A name in a query file has no blank."""

T = TypeVar("T")


@dataclass(eq=False)
class RequestSamples:
    """What became of the requests of one name, or of all, in one step run or in several repeats.

    Closed loops have no response times.
    """

    results: Sequence[RequestResult]
    service: Times
    response: Times
    failed: Times

    @classmethod
    def of_result(
        cls, result: RequestResult, sending_seconds: float | None = None
    ) -> "RequestSamples":
        """Return those of one request name in one step run, which sent for so long, if known."""

        def times(histogram: str | None, blocks: str, total: int, highest: int | None) -> Times:
            def decode() -> tuple[BucketCounts, list[TimeBlocks]]:
                counts = histograms.read(histogram) if histogram else BucketCounts.merged([])
                known = TimeBlocks.decode(blocks)
                known.sending_seconds = sending_seconds or math.inf
                return counts, [known]

            return Times(decode, total, highest)

        service = result.service_time_histogram, result.service_time_blocks
        response = result.response_time_histogram, result.response_time_blocks
        of_response = result.response_sum_microseconds, result.response_max_microseconds
        return cls(
            [result],
            times(*service, result.sum_microseconds, result.max_microseconds),
            times(*response, *of_response),
            times(result.failed_time_histogram, "", 0, None),
        )

    @classmethod
    def merged(cls, parts: Sequence["RequestSamples"], *, are_repeats: bool) -> "RequestSamples":
        """Return those of several request names in one step run, or of all repeats of a step."""
        if len(parts) == 1:
            return parts[0]

        def times(
            read: Callable[[RequestSamples], Times], total: int, highest: int | None
        ) -> Times:
            def decode() -> tuple[BucketCounts, list[TimeBlocks]]:
                samples = [read(part).samples for part in parts]
                histogram = BucketCounts.merged(each.histogram for each in samples)
                blocks = [repeat for each in samples for repeat in each.repeats]
                # Blocks of one time are added; each repeat keeps its own.
                return histogram, blocks if are_repeats else [TimeBlocks.merged(blocks)]

            return Times(decode, total, highest)

        results = [result for part in parts for result in part.results]
        counts = sum_counts(results)
        of_response = counts.response_sum_microseconds, counts.response_max_microseconds
        return cls(
            results,
            times(lambda part: part.service, counts.sum_microseconds, counts.max_microseconds),
            times(lambda part: part.response, *of_response),
            times(lambda part: part.failed, 0, None),
        )

    @cached_property
    def counts(self) -> RequestCounts:
        """The sum over all results."""
        return sum_counts(self.results)

    @cached_property
    def is_planned(self) -> bool:
        """Whether requests were sent at a planned rate, so that they have response times."""
        return any(result.response_time_histogram is not None for result in self.results)

    @property
    def perceived(self) -> Times:
        """The times that a user waits: response times with a planned rate, else service times."""
        return self.response if self.is_planned else self.service

    def good_within(self, microseconds: int) -> int:
        """Return how many good responses came within a time, in an open loop rather too few."""
        # There failures are counted by service times, which are shorter than response times.
        # A step run that broke off has no times of failures: each counts as in time. Requests that
        # were never sent are no failures, but stand beside these with the time that they waited.
        unknown = max(self.counts.failures - self.failed.count, 0)
        in_time = self.perceived.within(microseconds) - self.failed.within(microseconds)
        return max(in_time - unknown, 0)


class RunSamples:
    """One stored step run with its times."""

    def __init__(self, document: StepRunResult) -> None:
        self.document = document
        self._results = [
            RequestSamples.of_result(result, document.duration_seconds)
            for result in document.requests
        ]
        self._known: dict[str, RequestSamples] = {}

    def decode_times(self) -> None:
        """Decode all times, which otherwise happens when a number of them is asked for.

        ValueError is raised if others than a load have made them.
        """
        for result in self._results:
            _ = result.service.count, result.response.count, result.failed.count

    def of(self, request: str) -> RequestSamples:
        """Return the samples of a request name, or of `ALL_REQUESTS` but whole transactions."""
        if request not in self._known:
            parts = [
                each
                for each, result in zip(self._results, self.document.requests, strict=True)
                # The time of a transaction is that of its requests, which would count twice.
                if result.request == request
                or (request == ALL_REQUESTS and not result.is_transaction)
            ]
            self._known[request] = RequestSamples.merged(parts, are_repeats=False)
        return self._known[request]

    @cached_property
    def target(self) -> str:
        """An identifier of the target of the step run; empty where it was not recorded."""
        target = self.document.target
        if target is None or not target.pods:
            return ""
        return hashlib.sha256(repr(sorted(target.pods.items())).encode()).hexdigest()

    def values(self, request: str, percents: Iterable[float]) -> dict[ComparisonMetric, float]:
        """Return the metrics of a request name, with the times that a user perceives."""
        samples, document = self.of(request), self.document
        counts, times = samples.counts, samples.perceived
        if not counts.requests:
            return {}
        values = {FAILED: 100 * counts.failures / counts.requests}
        # It is of no request: of a step with one name, all requests are those of the name.
        is_whole = request == ALL_REQUESTS or len(document.requests) == 1
        found = slowest_percentile(document.visibility, 95) if is_whole else None
        if found is not None and 0 < found.value < math.inf:
            values[TIME_UNTIL_FOUND] = found.value
        if document.rate_seconds > 0:
            values[RATE] = document.rated(counts) / document.rate_seconds
            if documents := document.documents(counts):
                values[DOCUMENTS] = documents / document.rate_seconds
        if times.average is not None:
            values[AVERAGE] = times.average / 1000
            for percent in percents:
                value = times.percentile(percent)
                if value is not None:
                    values[percentile_metric(percent)] = value / 1000
        return values

    def errors(self, request: str, percents: Iterable[float]) -> dict[ComparisonMetric, float]:
        """Return standard errors by time blocks, of logarithms, as far as the step shows them."""
        samples = self.of(request)
        times = samples.perceived
        intervals = {AVERAGE: times.mean_interval()}
        intervals |= {percentile_metric(each): times.percentile_interval(each) for each in percents}
        errors = {
            metric: math.log(known.upper / known.lower) / (2 * STANDARD_ERRORS)
            for metric, known in intervals.items()
            if known is not None and known.lower > 0
        }
        # A planned rate is met however much arrivals vary.
        of_rate = None if samples.is_planned else times.rate_error()
        if of_rate is None:
            return errors
        return errors | dict.fromkeys((RATE, DOCUMENTS), of_rate / STANDARD_ERRORS)


RepeatValues = dict[ComparisonMetric, list[RepeatValue]]
"""Of one request name: by metric the values of all repeats that have one."""


def filled_indexes(runs: Iterable[RunSamples]) -> list[tuple[str, MeasuredTarget]]:
    """Return each index that was filled for the step runs, after an identifier of its target."""
    by_time: dict[datetime | None, tuple[str, MeasuredTarget]] = {}
    for run in runs:
        target = run.document.target
        if target is not None and target.indexing_seconds is not None:
            by_time[target.indexed] = run.target, target
    return list(by_time.values())


class StepSamples:
    """The repeats of one step through one variant, ascending, with their times."""

    def __init__(self, runs: Iterable[RunSamples]) -> None:
        """Take the repeats; there may be none."""
        self.runs = tuple(runs)
        self._known: dict[str, RequestSamples] = {}

    def __bool__(self) -> bool:
        """Whether anything is stored of the step."""
        return bool(self.runs)

    @property
    def documents(self) -> list[StepRunResult]:
        """The step runs."""
        return [run.document for run in self.runs]

    @property
    def names(self) -> set[str]:
        """The names of the requests that were sent."""
        return {result.request for run in self.runs for result in run.document.requests}

    @property
    def requests(self) -> int:
        """The number of all requests; whole transactions are none."""
        return sum(result.requests for run in self.runs for result in run.document.single_requests)

    @property
    def seconds(self) -> float:
        """The time that rates of all step runs are divided by."""
        return sum(run.document.rate_seconds for run in self.runs)

    def repeats(self, request: str) -> list[RequestSamples]:
        """Return the samples of a request name, or of `ALL_REQUESTS`, repeat by repeat."""
        return [run.of(request) for run in self.runs]

    def of(self, request: str) -> RequestSamples:
        """Return the samples of a request name, or of `ALL_REQUESTS`, in all repeats."""
        if request not in self._known:
            parts = self.repeats(request)
            # Of a step with one request name, all requests are those of the name.
            alike = (each for name, each in self._known.items() if self.repeats(name) == parts)
            known = next(alike, None) or RequestSamples.merged(parts, are_repeats=True)
            self._known[request] = known
        return self._known[request]

    def rate(self, request: str) -> float:
        """Return the requests per second of a request name, or of `ALL_REQUESTS`."""
        # The drain is left out: one request that waits 30 s for its timeout would lower the rate of
        # a step of 60 s by a third. What broke off knows no names.
        runs = [run for run in self.runs if request == ALL_REQUESTS or not run.document.broke_off]
        seconds = sum(run.document.rate_seconds for run in runs)
        rated = sum(run.document.rated(each) for run in runs for each in run.of(request).results)
        return rated / seconds if seconds else 0.0

    def documents_per_request(self, request: str) -> float:
        """Return the documents of good responses by the requests of a rate; 0 unless it indexes."""
        counted = [(run.document, each) for run in self.runs for each in run.of(request).results]
        rated = sum(document.rated(each) for document, each in counted)
        return sum(document.documents(each) for document, each in counted) / rated if rated else 0.0

    def values(self, request: str, percents: Sequence[float]) -> RepeatValues:
        """Return the metrics of a request name, or of `ALL_REQUESTS`, in each repeat."""
        values: RepeatValues = {}
        for run in self.runs:
            errors = run.errors(request, percents)
            for metric, value in run.values(request, percents).items():
                error = errors.get(metric, 0.0)
                found = RepeatValue(run.document.repeat, run.target, value, error)
                values.setdefault(metric, []).append(found)
        # A repeat without one may have taken longer than the limit: the others would be too short.
        if len(values.get(TIME_UNTIL_FOUND, ())) < len(self.runs):
            values.pop(TIME_UNTIL_FOUND, None)
        # One without any good update has no ratio: the others alone would be too good.
        if len(values.get(DOCUMENTS, ())) < sum(bool(e.document.batch_size) for e in self.runs):
            values.pop(DOCUMENTS, None)
        return values


class BenchmarkSamples:
    """All stored step runs of a benchmark, trials included, of each the last attempt."""

    def __init__(
        self, spec: Spec, runs: Iterable[RunSamples], before: "BenchmarkSamples | None" = None
    ) -> None:
        """Group the step runs of `spec`; a variant is empty without variants.

        Steps that have the same step runs as in `before` are taken from there, with their numbers.
        ValueError is raised for a step or variant that `spec` does not have, and for requests
        without a duration.
        """
        given, latest = list(runs), dict[str, RunSamples]()
        for run in sorted(given, key=lambda run: run.document.attempt):
            latest[run.document.id] = run
        self.spec = spec
        self.runs = [run for run in given if latest[run.document.id] is run]
        grouped: dict[tuple[str, str], list[RunSamples]] = {
            (step.name, variant): [] for step in spec.load.steps for variant in variant_names(spec)
        }
        # Trials of the search for the capacity are no steps.
        steps = (run for run in self.runs if run.document.trial is None)
        for run in sorted(steps, key=lambda run: run.document.repeat):
            _check(run.document, grouped.keys())
            grouped[run.document.step, run.document.variant].append(run)
        steps_before = {} if before is None else before._steps  # noqa: SLF001  of this class
        self._steps: dict[tuple[str, str], StepSamples] = {
            key: known
            if (known := steps_before.get(key)) is not None and known.runs == tuple(group)
            else StepSamples(group)
            for key, group in grouped.items()
        }
        self._known: dict[Hashable, Any] = {}

    def of(self, step: str, variant: str) -> StepSamples:
        """Return what is stored of a step through a variant."""
        return self._steps[step, variant]

    def steps(self) -> Iterator[tuple[str, str, StepSamples]]:
        """Yield each step and variant of which something is stored, in the order of the ladder."""
        for (step, variant), samples in self._steps.items():
            if samples:
                yield step, variant, samples

    def once(self, key: Hashable, conclude: Callable[[], T]) -> T:
        """Return what is concluded from these step runs, which is done once for each key."""
        if key not in self._known:
            self._known[key] = conclude()
        found: T = self._known[key]
        return found


def _check(document: StepRunResult, known: Iterable[tuple[str, str]]) -> None:
    if all(document.step != step for step, _ in known):
        raise ValueError(f"step run {document.id}: step {document.step} is not in spec.load.steps")
    if (document.step, document.variant) not in known:
        raise ValueError(
            f"step run {document.id}: variant {document.variant!r} is not in spec.target.variants"
        )
    if document.seconds <= 0 and any(result.requests for result in document.single_requests):
        raise ValueError(f"step run {document.id}: seconds is {document.seconds}, must be above 0")
