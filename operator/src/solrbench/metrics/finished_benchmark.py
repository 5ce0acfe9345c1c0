"""What metrics show of a benchmark that is over, in a tenth of the memory of its status."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from solrbench.metrics.metric_family import BenchmarkFamily, Sample, ShownBenchmark


class Series(NamedTuple):
    """The samples of one family.

    Attributes:
        labels: their labels
        numbers: as many numbers

    """

    labels: tuple[tuple[str, ...], ...]
    numbers: "array[float]"


@dataclass(frozen=True)
class FinishedBenchmark:
    """A benchmark whose numbers do not change any more.

    Attributes:
        namespace: of the benchmark
        name: its name
        phase: its last phase
        end: when it was over
        series: the samples of each family that has any, by the family's name

    """

    namespace: str
    name: str
    phase: str
    end: datetime
    series: Mapping[str, Series]

    def read(self, family: BenchmarkFamily) -> Iterator[Sample]:
        """Return the samples of a family."""
        found = self.series.get(family.name)
        return iter(()) if found is None else zip(found.labels, found.numbers, strict=True)

    def without(self, families: AbstractSet[str]) -> "FinishedBenchmark":
        """Return the same without the samples of the families with these names."""
        if families.isdisjoint(self.series):
            return self
        kept = {name: series for name, series in self.series.items() if name not in families}
        return replace(self, series=kept)


def freeze(
    benchmark: ShownBenchmark, end: datetime, families: Iterable[BenchmarkFamily]
) -> FinishedBenchmark:
    """Return what the families show of a benchmark that is over since `end`."""
    series = {}
    for family in families:
        samples = [each for each in family.samples(benchmark) if each[1] is not None]
        if samples:
            labels = tuple(labels for labels, _ in samples)
            numbers = array("d", (number for _, number in samples if number is not None))
            series[family.name] = Series(_share(labels), numbers)
    return FinishedBenchmark(benchmark.namespace, benchmark.name, benchmark.phase, end, series)


@lru_cache(maxsize=1024)
def _share(labels: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return the labels once for all families and benchmarks that have the same."""
    return labels
