"""How well indexing a million documents repeats on a real Solr, and the conclusions on equal sides.

Sides take turns in rounds, each round in an order of its own, as variants of one benchmark do. All
are equal, so that each two of them are an equal pair; pairs share sides. Every run begins with the
empty collection, whose documents the load master deletes after it. A JVM becomes faster for
minutes: its first runs do not count.
"""

from collections.abc import Sequence
from itertools import combinations
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, median

from bench.harness.pairs import ratio_interval
from bench.harness.product import product
from bench.harness.table import Row, at_most
from bench.servers.real_solr import real_solr
from bench.statistics.comparison_conclusions import Outcome, equal_rows, find
from solrbench.analysis.differences import DEFAULT_RULE, RepeatValue
from solrbench.analysis.metrics import DOCUMENTS
from solrbench.analysis.samples import RunSamples

_BATCH, _STREAMS = 1000, 2
_SIDES, _SETTLING_RUNS = 7, 9
_CONTENTS = {"documents": 1000, "seed": 1, "wordsPerDocument": 4}
"""Of the generator: 211 B each on average."""
_MAX_HALF_PERCENT = 3.0
_SECONDS_EACH = 120.0


def index_repeats(folder: Path, documents: int, repeats: int) -> list[Row]:
    """Measure seven sides with so many repeats each: 21 pairs."""
    draw = Random(1)
    turns = [
        (repeat, side) for repeat in range(repeats) for side in draw.sample(range(_SIDES), _SIDES)
    ]
    rates = _rates(folder, documents, _SETTLING_RUNS + len(turns))[_SETTLING_RUNS:]
    sides: list[list[RepeatValue]] = [[] for _ in range(_SIDES)]
    for (repeat, side), rate in zip(turns, rates, strict=True):
        sides[side].append(RepeatValue(repeat, "target", rate))
    found = [
        Outcome(find(before, after, DEFAULT_RULE, DOCUMENTS).conclusion, repeats)
        for before, after in combinations(sides, 2)
    ]
    values = [[each.value for each in side] for side in sides]
    halves = [_half_percent(each) for each in values]
    what = f"{repeats} repeats of {documents:,} documents"
    mean = f"{fmean(map(fmean, values)):,.0f} documents/s"
    detail = f"median of {len(halves)} sides; worst {max(halves):.1f} %; {mean}"
    return [
        at_most(f"{what}: interval", median(halves), _MAX_HALF_PERCENT, "± {:.1f} %", detail),
        *equal_rows(f"{len(found)} equal pairs of {what}", found),
    ]


def _rates(folder: Path, documents: int, runs: int) -> list[float]:
    """Return the documents per second of each run."""
    requests = documents // _BATCH
    step = {"users": _STREAMS, "requests": requests, "indexing": {"batchSize": _BATCH}}
    warm_up = {"requests": requests // 2}
    steps = [{"name": f"run-{number}"} | step for number in range(runs)]
    with real_solr(folder) as solr:
        solr.create("books", 1)
        with product(solr, folder, *steps, generator=_CONTENTS, warmUp=warm_up) as running:
            measured = running.documents(_SECONDS_EACH * runs)
    return [RunSamples(each).values("update", [])[DOCUMENTS] for each in measured]


def _half_percent(values: Sequence[float]) -> float:
    """Return half of the 95 % interval of a side's rate, in per cent of its mean."""
    mean = fmean(values)
    low, _, high = ratio_interval([log(each / mean) for each in values])
    return (high - low) / 2
