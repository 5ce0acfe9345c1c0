"""`python -m bench [PART ...]`: measure every bar, or some parts, and print one table."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.client import client
from bench.faults import faults
from bench.harness.processes import DidNotHappenError, stolen_seconds
from bench.harness.table import Row, render, skipped
from bench.indexing.index_clients import index_clients
from bench.indexing.index_repeats import index_repeats
from bench.load.answer_pass import answer_pass
from bench.load.arrivals import arrivals, gaps
from bench.load.bottlenecks import bottlenecks
from bench.load.throughput import cost, scaling, small_responses, solr_responses, telemetry_cost
from bench.load.times import accuracy, merged, saturation, stalls
from bench.load.visibility import visibility
from bench.load.worker_limits import many_users, queries
from bench.operator.operator_scale import operator_scale
from bench.operator.sweep_page import sweep_page
from bench.operator.sweep_scale import sweep_scale
from bench.statistics.adaptive_sweeps import adaptive_sweeps
from bench.statistics.capacity import capacity, capacity_of_server
from bench.statistics.comparison_conclusions import conclusions
from bench.statistics.computed_bottlenecks import computed_bottlenecks
from bench.statistics.growth import growing
from bench.statistics.held_capacity import held_capacity
from bench.statistics.intervals import intervals
from bench.statistics.ladders import ladders
from bench.statistics.measured_pairs import different_pairs, equal_pairs
from bench.statistics.objectives_at_limit import objectives_at_limit
from bench.statistics.real_pairs import real_pairs
from bench.statistics.sizing import sizing
from bench.statistics.sweep_designs import sweep_designs
from bench.statistics.verdicts import healthy, short_repeats

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
    "queries": partial(queries, count=10_000_000),
    "healthy": partial(healthy, runs=20, seconds=10),
    "many-users": partial(many_users, users=100_000, seconds=60),
    "scale": partial(operator_scale, seconds=60),
    "sweep": partial(sweep_scale, points=500),
    "page": partial(sweep_page, views=9),
    "adaptive": partial(adaptive_sweeps, sweeps=40),
    "designs": partial(sweep_designs, sweeps=20),
    "sizing": partial(sizing, worlds=60),
    "short-repeats": partial(short_repeats, runs=300),
    "conclusions": partial(conclusions, pairs=1000),
    "pairs": partial(equal_pairs, rounds=180, runs=8),
    "differing": partial(different_pairs, rounds=130, runs=4),
    "realpairs": partial(real_pairs, pairs=20, minutes=45),
    "intervals": partial(intervals, steps=1000, seconds=300, rate=100),
    "capacity": partial(capacity, count=100),
    "computed": partial(computed_bottlenecks, count=400),
    "held": partial(held_capacity, count=100),
    "objectives": partial(objectives_at_limit, count=300),
    "ladders": partial(ladders, count=500),
    "trends": partial(growing, count=200),
    "index": partial(index_clients, rounds=5),
    "index-repeats": partial(index_repeats, documents=1_000_000, repeats=28),
    "visibility": partial(visibility, seconds=40),
    "answers": partial(answer_pass, pairs=20, seconds=10),
    "faults": faults,
    "client": partial(client, calls=20),
    "search": partial(capacity_of_server, trials=15, seconds=15),
}

_ON_REQUEST = frozenset({"realpairs", "faults", "index", "index-repeats", "answers", "visibility"})
"""Parts that run only by name: one needs an operator in a cluster, one checks the bench, the others
need a JDK and Maven."""


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
