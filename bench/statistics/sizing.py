"""How often a sizing names the cheapest topology that holds a load, and what that takes.

A world is twelve topologies, of nodes and cores, with capacities by a response surface and prices
by what they request. Rounds are drawn around the capacities (log-normal) and handed to the
product's own decisions as the benchmarks of points; what these begin is measured next, until the
sweep is over.

Machine time is the number of benchmarks, as each searches for a capacity on a target of its own. It
is compared with two rounds of every topology, the least by which all capacities are known from more
than one run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import exp, log
from pathlib import Path
from random import Random

from bench.harness.table import Row, at_least, at_most
from bench.statistics.adaptive_sweeps import DONE, parse_sweep, run_to_end
from solrbench.api.v1alpha1.sweep import SizingConclusion, SolrBenchmarkSweep, SweepPoint
from solrbench.sweep.plan import make_plan
from solrbench.sweep.state import ChildView

CV = 0.03
NODES, CORES = (1, 2, 3, 4), (1, 2, 4)
MIN_ROUNDS, MAX_ROUNDS = 2, 16
EACH = 100.0
"""Requests per second of a node with one core."""

_VARIATIONS = (("equal variation", 1.0, 50), ("two to one in variation", 2.0, 60))
"""By how much the variation of points differs, and the most machine time in per cent."""

World = Mapping[tuple[int, ...], float]
"""The capacity of each topology, by the places of its values."""


@dataclass(frozen=True)
class Sized:
    """What a sizing said of a world, and how many benchmarks it took."""

    conclusion: SizingConclusion
    is_right: bool
    is_held: bool
    benchmarks: int


def sizing(_folder: Path, worlds: int) -> list[Row]:
    """Return in how many worlds the cheapest is named, and the machine time."""
    rows = []
    for title, spread, most in _VARIATIONS:
        found = [_run(Random(f"{title}/{seed}"), spread) for seed in range(worlds)]
        right = sum(each.is_right for each in found)
        wrong = sum(not each.is_held for each in found)
        unsure = sum(each.conclusion is SizingConclusion.INCONCLUSIVE for each in found)
        share = 100 * sum(each.benchmarks for each in found) / (_POINTS * MIN_ROUNDS * worlds)
        detail = f"named one that does not hold: {wrong}; uncertain: {unsure}"
        named = f"sizing of {worlds} worlds, {title}: the cheapest that holds is named"
        spent = f"sizing, {title}: machine time beside all capacities"
        rows += [
            at_least(named, right, round(0.95 * worlds), "{:.0f}", detail),
            at_most(spent, share, most, "{:.0f} %"),
        ]
    near = [_run(Random(f"near/{seed}"), 1.0, _draw_near_world) for seed in range(worlds)]
    said = 100 * sum(not each.is_held for each in near) / worlds
    what = "sizing, the cheapest point is 1 % short of its load: said to hold it"
    return [*rows, at_most(what, said, 10, "{:.1f} %")]


_POINTS = len(NODES) * len(CORES)


def _draw_world(draw: Random) -> World:
    """Return capacities that grow less than in proportion to nodes and cores, with bends."""
    nodes, cores = draw.uniform(0.6, 1.0), draw.uniform(0.6, 1.0)
    together = draw.uniform(-0.15, 0.05)
    return {
        (i, j): EACH
        * exp(nodes * log(n) + cores * log(c) + together * log(n) * log(c) + draw.gauss(0, 0.05))
        for i, n in enumerate(NODES)
        for j, c in enumerate(CORES)
    }


def _draw_demand(draw: Random) -> tuple[World, float]:
    """Return a world and a load that at least one topology holds, near the smallest or largest."""
    world = _draw_world(draw)
    least, most = min(world.values()), max(world.values())
    return world, round(exp(draw.uniform(log(0.9 * least), log(0.95 * most))), 1)


def _draw_near_world(draw: Random) -> tuple[World, float]:
    """Return a world whose cheapest topology is 1 % short of the load, and all others hold it."""
    world = dict.fromkeys(_draw_world(draw), 2 * EACH)
    return {**world, (0, 0): 0.99 * EACH}, EACH


def _run(
    draw: Random, spread: float, draw_case: Callable[[Random], tuple[World, float]] = _draw_demand
) -> Sized:
    world, demand = draw_case(draw)
    variation = {key: CV * draw.uniform(1, spread) for key in world}

    def measure(point: SweepPoint) -> ChildView:
        key = tuple(point.values)
        rate = world[key] * exp(draw.gauss(0, variation[key]))
        capacity = {"conclusion": "Found", "requestsPerSecond": rate}
        return replace(DONE, status={"capacity": [capacity]})

    sweep = _sweep(demand)
    status, begun = run_to_end(sweep, measure, 1)
    (result,) = status.sizing
    values = {each.name: tuple(each.values) for each in status.points}
    prices = {tuple(each.point.indexes): each.price or 0.0 for each in make_plan(sweep).points}
    holding = [key for key in world if world[key] >= demand]
    cheapest = min(prices[key] for key in holding)
    named = values[result.point] if result.point is not None else None
    return Sized(
        result.conclusion,
        named in holding and named is not None and prices[named] == cheapest,
        named is None or named in holding,
        begun,
    )


def _sweep(demand: float) -> SolrBenchmarkSweep:
    axes = [
        {"name": "nodes", "field": "target.solrCloud.nodes", "values": [*NODES]},
        {
            "name": "cores",
            "field": "target.solrCloud.resources.requests.cpu",
            "values": [str(each) for each in CORES],
        },
    ]
    objective = {"minimise": "Cost", "subjectTo": "Objectives", "requestsPerSecond": demand}
    spec = {
        "axes": axes,
        "design": "Full",
        "objective": objective,
        "prices": {"currency": "EUR", "perCoreHour": 0.04, "perMemoryGibibyteHour": 0.005},
        "repeats": {"until": "BestKnown", "min": MIN_ROUNDS, "max": MAX_ROUNDS},
    }
    fast = {"name": "fast", "responseTime": {"maxMilliseconds": 200}}
    return parse_sweep(spec, load={"capacity": {}}, objectives=[fast])
