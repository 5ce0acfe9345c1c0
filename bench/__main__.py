"""`python -m bench [PART ...]`: measure every bar, or some parts, and print one table."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.bottlenecks.computed import computed_bottlenecks
from bench.bottlenecks.planted import bottlenecks
from bench.capacity.search import capacity, capacity_of_server
from bench.capacity.user_search import user_capacity
from bench.faults.planted import faults
from bench.harness.processes import DidNotHappenError, stolen_seconds
from bench.harness.table import Row, render, skipped
from bench.load.accuracy import accuracy
from bench.load.arrivals import arrivals
from bench.load.cost import cost
from bench.load.gaps import gaps
from bench.load.large_query_file import queries
from bench.load.long_step import day
from bench.load.many_users import many_users
from bench.load.many_workers import wide
from bench.load.merged_histograms import merged
from bench.load.saturation import saturation
from bench.load.scaling import scaling
from bench.load.stalls import stalls
from bench.load.telemetry_cost import telemetry_cost
from bench.load.throughput import small_responses, solr_responses
from bench.operator.operator_scale import operator_scale
from bench.operator.sweep_scale import sweep_scale
from bench.statistics.adaptive_sweeps import adaptive_sweeps
from bench.statistics.comparison_words import words
from bench.statistics.healthy_verdicts import healthy
from bench.statistics.intervals import intervals
from bench.statistics.measured_pairs import different_pairs, equal_pairs
from bench.statistics.real_pairs import real_pairs
from bench.statistics.short_repeats import short_repeats
from bench.statistics.size_bends import bends
from bench.statistics.steady_steps import steady
from bench.statistics.trends import trends

_PARTS: dict[str, Callable[[Path], list[Row]]] = {
    "small": partial(small_responses, repeats=3, seconds=4),
    "solr": partial(solr_responses, repeats=3, seconds=4),
    "cost": partial(cost, rounds=3, seconds=6),
    "accuracy": partial(accuracy, seconds=12),
    "stalls": partial(stalls, seconds=20),
    "arrivals": partial(arrivals, repeats=5, seconds=4),
    "gaps": partial(gaps, steps=100, seconds=4),
    "saturation": partial(saturation, steps=60, seconds=3),
    "scaling": partial(scaling, repeats=3, seconds=4),
    "merged": partial(merged, count=400_000),
    "bottlenecks": partial(bottlenecks, each=2, seconds=5),
    "telemetry": partial(telemetry_cost, pairs=30, seconds=12),
    "computed": partial(computed_bottlenecks, each=200),
    "day": partial(day, names=10, workers=50, seconds=86_400),
    "wide": partial(wide, workers=200, seconds=20),
    "queries": partial(queries, count=10_000_000),
    "healthy": partial(healthy, runs=20, seconds=10),
    "many-users": partial(many_users, users=100_000, seconds=60),
    "trends": partial(trends, times=1, seconds=1440),
    "scale": partial(operator_scale, seconds=60),
    "sweep": partial(sweep_scale, points=500),
    "adaptive": partial(adaptive_sweeps, sweeps=40),
    "bends": partial(bends, series=60),
    "steady": partial(steady, runs=400),
    "short-repeats": partial(short_repeats, runs=300),
    "words": partial(words, pairs=1000),
    "pairs": partial(equal_pairs, rounds=180, runs=8),
    "differing": partial(different_pairs, rounds=130, runs=4),
    "realpairs": partial(real_pairs, pairs=20, minutes=45),
    "intervals": partial(intervals, steps=1000, seconds=300, rate=100),
    "capacity": partial(capacity, count=100),
    "users": partial(user_capacity, count=40),
    "faults": faults,
    "search": partial(capacity_of_server, trials=15, seconds=15),
}

_ON_REQUEST = frozenset({"realpairs", "faults"})
"""Parts that run only by name: one needs an operator in a cluster, the other checks the bench."""


def main(arguments: list[str]) -> int:
    """Measure and print; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(_PARTS))
    usual = [each for each in _PARTS if each not in _ON_REQUEST]
    wanted = parser.parse_args(arguments).parts or usual
    if unknown := set(wanted) - set(_PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    began, stolen = time.monotonic(), stolen_seconds()
    rows = [row for name in wanted for row in _measure(name)]
    taken = (stolen_seconds() - stolen) / (time.monotonic() - began)
    print(render(rows))
    print(f"The host took {taken:.3f} cores from this machine meanwhile.")
    return int(any(row.is_met is False for row in rows))


def _measure(name: str) -> list[Row]:
    print(f"measuring {name} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="solrbench-bench-") as folder:
        try:
            return _PARTS[name](Path(folder))
        except (FileNotFoundError, DidNotHappenError) as error:
            return [skipped(name, "", error)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
