"""What rounds of a sweep spare beside a fixed number of repeats, and their wrong conclusions.

Figures of repeats are drawn (log-normal, CV and true levels known) and handed to the product's own
decisions as the benchmarks of points; what these begin is measured next, until the sweep is over.

Machine time is that of the steps plus the start of each benchmark, by starts measured in pods: a
round is a benchmark of its own, so it starts again where a fixed number of repeats on one target
does not. Where targets are made anew, both make one for each repeat.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

from bench.harness.table import Row, at_most
from bench.statistics.comparison_conclusions import is_wrong
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint, SweepStatus
from solrbench.sweep.decision import decide_sweep
from solrbench.sweep.plan import make_plan
from solrbench.sweep.state import ChildView, PointState, SweepObservation

POINTS, MAXIMUM, CV = 12, 20, 0.02
STEP_SECONDS, REUSED_SECONDS, FRESH_SECONDS = 60, 4, 30
"""A step, and the start of a benchmark on the index of the one before or on a target of its own."""
NOW = datetime(2026, 1, 1, tzinfo=UTC)

LEVELS: dict[str, Sequence[float]] = {
    "all equal": [0] * POINTS,
    "one 10 % better, the others equal": [0] * (POINTS - 1) + [-10],
    "ladder in steps of 5 %": [5.0 * each for each in range(POINTS)],
    "from 30 % better to 60 % worse": [0, -30, -20, -10, -5, 0, 0, 5, 10, 20, 40, 60],
}
"""By how many per cent the p95 of each point is above that of the first, the baseline."""


@dataclass(frozen=True)
class Ended:
    """A sweep at its end: the word of each point but the baseline, its repeats and benchmarks."""

    conclusions: Sequence[Conclusion | None]
    repeats: int
    benchmarks: int

    @property
    def shared_seconds(self) -> float:
        """Machine time where all points use one target and its index."""
        starts = FRESH_SECONDS + (self.benchmarks - 1) * REUSED_SECONDS
        return starts + self.repeats * STEP_SECONDS

    @property
    def fresh_seconds(self) -> float:
        """Machine time where each repeat makes its own target."""
        return self.repeats * (FRESH_SECONDS + STEP_SECONDS)


def adaptive_sweeps(_folder: Path, sweeps: int) -> list[Row]:
    """Return machine time and repeats beside always 20, and the wrong conclusions of both."""
    compared = [_compare(name, sweeps) for name in LEVELS]
    rows = [row for each in compared for row in _rows(each)]
    for what, title in _TARGETS.items():
        mean = sum(each.share(what) for each in compared) / len(compared)
        rows.append(_row(f"{title}: mean", mean, most=60))
    return rows


_TARGETS = {"shared_seconds": "one target for all", "fresh_seconds": "a target for each round"}


@dataclass(frozen=True)
class Compared:
    """Sweeps of the same levels, in rounds of one repeat and with a fixed number of repeats."""

    name: str
    single: Sequence[Ended]
    fixed: Sequence[Ended]

    def share(self, what: str) -> float:
        """Return a number of the sweeps in rounds, in per cent of that of the others."""
        sides = self.single, self.fixed
        spent, always = (sum(float(getattr(e, what)) for e in each) for each in sides)
        return 100 * spent / always


def _compare(name: str, sweeps: int) -> Compared:
    draw, levels, rounds = Random(name), LEVELS[name], {"until": "Decided"}
    return Compared(
        name,
        [run(_sweep(rounds, {}), levels, draw) for _ in range(sweeps)],
        [run(_sweep(None, {"count": MAXIMUM}), levels, draw, MAXIMUM) for _ in range(sweeps)],
    )


def _rows(compared: Compared) -> list[Row]:
    levels, conclusions = LEVELS[compared.name], len(compared.fixed) * (POINTS - 1)
    wrong = {
        name: _count_wrong(levels, found)
        for name, found in (("rounds", compared.single), (f"always {MAXIMUM}", compared.fixed))
    }
    shown = ", ".join(f"{name} {number}" for name, number in wrong.items())
    single, fixed = map(_count_inconclusive, (compared.single, compared.fixed))
    repeats = (
        f"repeats {compared.share('repeats'):.0f} %; wrong of {conclusions} conclusions: {shown};"
        f" Inconclusive {single} and {fixed}"
    )
    return [
        _row(f"{title}, {compared.name}", compared.share(what), detail)
        for (what, title), detail in zip(_TARGETS.items(), (repeats, ""), strict=True)
    ]


def _row(which: str, percent: float, detail: str = "", most: int = 70) -> Row:
    return at_most(f"machine time of a sweep, {which}", percent, most, "{:.0f} %", detail)


def _count_inconclusive(found: Sequence[Ended]) -> int:
    return sum(each.conclusions.count(Conclusion.INCONCLUSIVE) for each in found)


def _count_wrong(levels: Sequence[float], found: Sequence[Ended]) -> int:
    return sum(
        is_wrong(level, conclusion)
        for each in found
        for level, conclusion in zip(levels[1:], each.conclusions, strict=True)
    )


def run(
    sweep: SolrBenchmarkSweep, levels: Sequence[float], draw: Random, repeats: int = 1
) -> Ended:
    """Return how a sweep ends whose benchmarks have so many repeats each."""

    def measure(point: SweepPoint) -> ChildView:
        level = log(100 + levels[point.values[0]])
        logarithms = [level + draw.gauss(0, CV) for _ in range(repeats)]
        return measured(exp(sum(logarithms) / repeats), map(exp, logarithms))

    status, begun = run_to_end(sweep, measure, POINTS)
    _baseline, *others = sorted(status.points, key=lambda each: each.values)
    return Ended([each.conclusion for each in others], repeats * begun, begun)


def run_to_end(
    sweep: SolrBenchmarkSweep, measure: Callable[[SweepPoint], ChildView], concurrency: int
) -> tuple[SweepStatus, int]:
    """Return the status at the end of a sweep, and how many benchmarks were measured."""
    plan, children, begun = make_plan(sweep), dict[str, ChildView](), 0
    if plan.problems:
        raise ValueError(plan.problems)
    while sweep.status.completion_time is None:
        seen = SweepObservation(sweep, plan, children, NOW, concurrency=concurrency)
        sweep = sweep.model_copy(update={"status": decide_sweep(seen).status})
        running = [each for each in sweep.status.points if each.state == PointState.RUNNING]
        children = {each.name: measure(each) for each in running}
        begun += len(running)
    return sweep.status, begun


def measured(p95: float, repeats: Iterable[float]) -> ChildView:
    """Return the benchmark of a point with its p95 in ms, in all and by repeat."""
    summary = {
        "p95Milliseconds": p95,
        "requestsPerSecond": 100.0,
        "verdict": "Valid",
        "repeats": [{"target": 1, "p95Milliseconds": each} for each in repeats],
    }
    return replace(DONE, summary=summary)


DONE = ChildView(
    is_finished=True,
    has_succeeded=True,
    reason="Succeeded",
    progress_percent=100,
    seconds=60.0,
    summary={},
    telemetry={},
    suspend=False,
    cleanup="Always",
)


TEMPLATE = {
    "target": {"solrCloud": {"provisioner": "StatefulSet", "nodes": 1, "heap": "1Gi"}},
    "collection": {"replicas": {"nrt": 1}},
    "dataset": {"generator": {"documents": 1000}},
    "workload": {"queries": {"generated": {"count": 200}}},
}
LOAD = {"steps": [{"name": "one", "users": 1, "durationSeconds": 60}]}


def parse_sweep(spec: Mapping[str, Any], **template: Any) -> SolrBenchmarkSweep:
    """Return a sweep whose template is `TEMPLATE` with some parts of its own."""
    body = {"template": {"spec": TEMPLATE | template}, **spec}
    return SolrBenchmarkSweep.parse(
        {"metadata": {"name": "known", "namespace": "default"}, "spec": body}
    )


def _sweep(rounds: dict[str, Any] | None, repeats: dict[str, int]) -> SolrBenchmarkSweep:
    # An axis of loads would have no best point.
    seeds = {"name": "seed", "field": "seed", "values": [*range(1, POINTS + 1)], "role": "Setting"}
    spec: dict[str, Any] = {"axes": [seeds], "parallelism": POINTS}
    spec |= {"startOn": "FreshTarget", "order": "Listed"}  # no targets to be removed
    if rounds is not None:
        spec["repeats"] = rounds
    return parse_sweep(spec, load=LOAD | {"repeats": repeats})
