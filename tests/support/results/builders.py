"""Small specs and documents for the tests of this folder."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hdrh import histogram as hdrh

from solrbench.analysis.samples import BenchmarkSamples
from solrbench.analysis.verdict import evaluate_document, evaluate_step, evaluate_steps
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.target import Variant, VariantEndpoint
from solrbench.contract.environment import Environment
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.stats.histograms import buckets_of
from solrbench.stats.time_blocks import TimeBlocks

ReferenceHistogram: Any = hdrh.HdrHistogram  # the package has no types
START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def verdict_of_document(document: StepRunResult, load: dict[str, Any]) -> StepVerdict:
    """Return the verdict on a step of one step run."""
    spec = Load.model_validate(load)
    return evaluate_step([evaluate_document(document, spec)], spec)


def make_spec(*steps: str, **changes: object) -> Spec:
    """Return a spec with a ladder of `steps`."""
    return Spec.model_validate(
        {
            "target": {"solrCloud": {"nodes": 2}},
            "dataset": {"generator": {"documents": 1000, "seed": 4}},
            "workload": {"queries": {"generated": {}, "seed": 9}},
            "load": {
                "repeats": {"count": 3},
                "steps": [{"name": name, "users": 2, "requests": 10} for name in steps],
            },
            **changes,
        }
    )


def make_variants(spec: Spec, *names: str) -> Spec:
    """Return `spec` with endpoints of these names."""
    variants = [Variant(name=name, endpoint=VariantEndpoint.NODES) for name in names]
    target = spec.target.model_copy(update={"variants": variants})
    return spec.model_copy(update={"target": target})


def make_result(
    microseconds: Sequence[int], name: str = "query", failures: int = 0, **fields: Any
) -> RequestResult:
    """Return the result of requests that took `microseconds`, with other `fields`."""
    histogram = ReferenceHistogram(1, 3_600_000_000, 3)
    for value in microseconds:
        histogram.record_value(value)
    return RequestResult(
        request=name,
        requests=len(microseconds),
        failures=failures,
        sum_microseconds=sum(microseconds),
        min_microseconds=min(microseconds, default=None),
        max_microseconds=max(microseconds, default=None),
        service_time_histogram=histogram.encode().decode(),
    ).model_copy(update=fields)


def make_timed_result(
    seconds: Sequence[Sequence[int]], name: str = "query", **fields: Any
) -> RequestResult:
    """Return the result of requests that took so many µs, by the second in which they ended."""
    blocks = TimeBlocks()
    for second, times in enumerate(seconds):
        blocks.add(second, Counter(buckets_of(times)), sum(times))
    every = [each for times in seconds for each in times]
    return make_result(every, name, service_time_blocks=blocks.encode(), **fields)


def with_response_times(service: RequestResult, response: RequestResult) -> RequestResult:
    """Return the result of an open loop, which has the times of `response` as response times."""
    return service.model_copy(
        update={
            "response_time_histogram": response.service_time_histogram,
            "response_time_blocks": response.service_time_blocks,
            "response_sum_microseconds": response.sum_microseconds,
            "response_max_microseconds": response.max_microseconds,
        }
    )


def swinging(seconds: int, per_second: int = 20) -> list[list[int]]:
    """Return times around 1 ms by second, which become longer and shorter again."""
    return [
        [1000 + 100 * (second % 3) + 5 * index for index in range(per_second)]
        for second in range(seconds)
    ]


def make_document(
    step: str,
    repeat: int,
    *results: RequestResult,
    seconds: float = 1.0,
    attempt: int = 1,
    variant: str = "",
    **fields: Any,
) -> StepRunResult:
    """Return the document of one step run, with other `fields`."""
    return StepRunResult(
        id=f"r{repeat}-{variant}s0-{step}",
        repeat=repeat,
        variant=variant,
        step=step,
        users=2,
        attempt=attempt,
        start_time=START,
        end_time=START + timedelta(seconds=seconds),
        seconds=seconds,
        requests=list(results),
        workers=[],
    ).model_copy(update=fields)


def report_body(spec: Spec, documents: Iterable[StepRunResult], **more: Any) -> dict[str, Any]:
    """Return the full report of a benchmark, as its command prints it."""
    return {"spec": plain(spec), "steps": list(map(plain, documents)), **more}


def verdicts_of(
    spec: Spec, documents: Iterable[StepRunResult], environment: Environment | None = None
) -> list[StepVerdict]:
    runs = [evaluate_document(each, spec.load) for each in documents]
    samples = BenchmarkSamples(spec, [run.samples for run in runs])
    return evaluate_steps(samples, runs, environment)
