"""`python -m bench.faults.quick_parts PART`: one part of the bench in short.

It exits with 0 if every bar is met, with `NOTICED` and the rows if one is missed.
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.bottlenecks.computed import computed_bottlenecks
from bench.capacity.search import capacity
from bench.harness.table import Row
from bench.load.accuracy import accuracy
from bench.load.arrivals import arrivals
from bench.load.gaps import computed_gaps
from bench.load.merged_histograms import merged
from bench.load.saturation import saturation
from bench.load.stalls import stalls
from bench.statistics.comparison_words import words
from bench.statistics.intervals import intervals
from bench.statistics.trends import trends

NOTICED = 3
"""Exit code that no interpreter and no argument parser ends with."""

QUICK_PARTS: dict[str, Callable[[Path], list[Row]]] = {
    "accuracy": partial(accuracy, seconds=6),
    "arrivals": partial(arrivals, repeats=1, seconds=4),
    "capacity": partial(capacity, count=10),
    "computed": partial(computed_bottlenecks, each=40),
    "gaps": partial(computed_gaps, steps=200, seconds=4),
    # Near its bar the coverage needs all steps, so there is one series only.
    "intervals": partial(intervals, steps=1000, seconds=300, rate=100, names=["ten stalls"]),
    "merged": partial(merged, count=20_000),
    "saturation": partial(saturation, steps=3, seconds=3),
    "stalls": partial(stalls, seconds=20),
    "trends": partial(trends, times=1, seconds=1440),
    "words": partial(words, pairs=400),
}


def main(part: str) -> int:
    """Measure; `NOTICED` if a bar is missed."""
    with tempfile.TemporaryDirectory(prefix="solrbench-fault-") as folder:
        missed = [row for row in QUICK_PARTS[part](Path(folder)) if row.is_met is False]
    for row in missed:
        print(f"{row.what}: {row.figure}, not {row.bar}")
    return NOTICED if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
