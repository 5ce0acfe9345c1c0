"""Documents of step runs as the samples that numbers are made from."""

from collections.abc import Iterable

from solrbench.analysis.samples import BenchmarkSamples, RunSamples, StepSamples
from solrbench.api.v1alpha1 import Spec
from solrbench.contract.step_document import StepRunResult


def step_samples(documents: Iterable[StepRunResult]) -> StepSamples:
    """Return step runs as the repeats of one step."""
    return StepSamples(map(RunSamples, documents))


def benchmark_samples(spec: Spec, documents: Iterable[StepRunResult]) -> BenchmarkSamples:
    """Return step runs as those of a benchmark."""
    return BenchmarkSamples(spec, map(RunSamples, documents))
