"""What rounds over a sweep spare beside a fixed number of repeats, and how often words are wrong.

Figures of repeats are drawn (log-normal, CV and true levels known) and handed to the product's own
decisions as the benchmarks of points; what these begin is measured next, until the sweep is over.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

from bench.harness.table import Row
from solrbench.api.v1alpha1.status.comparison_word import Word
from solrbench.api.v1alpha1.sweep.status import SweepStatus
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.sweep.decision import decide_sweep
from solrbench.sweep.plan import SweepPlan, make_plan
from solrbench.sweep.states import PointState
from solrbench.sweep.views import ChildView, SweepObservation

POINTS, MOST, CV = 12, 20, 0.02
MATTERS_PERCENT = 5.0
_NOW = datetime(2026, 1, 1, tzinfo=UTC)

LEVELS: dict[str, Sequence[float]] = {
    "all equal": [0] * POINTS,
    "one 10 % better, the others equal": [0] * (POINTS - 1) + [-10],
    "ladder in steps of 5 %": [5.0 * each for each in range(POINTS)],
    "from 30 % better to 60 % worse": [0, -30, -20, -10, -5, 0, 0, 5, 10, 20, 40, 60],
}
"""By how many per cent the p95 of each point is above that of the first, the baseline."""


@dataclass(frozen=True)
class Ended:
    """A sweep at its end: the word of each point but the baseline, and all its repeats."""

    words: Sequence[Word | None]
    repeats: int


def adaptive_sweeps(_folder: Path, sweeps: int) -> list[Row]:
    """Return the repeats beside always 20 of each point, and the words that are wrong in both."""
    rows, shares = [], []
    for name, levels in LEVELS.items():
        draw = Random(name)
        rounds, fixed = {"until": "Decided"}, {"count": MOST}
        adaptive = [run(_sweep(rounds, {}), levels, draw) for _ in range(sweeps)]
        usual = [run(_sweep(None, fixed), levels, draw, MOST) for _ in range(sweeps)]
        share = 100 * sum(each.repeats for each in adaptive) / (sweeps * POINTS * MOST)
        shares.append(share)
        rows.append(_row(name, share, levels, adaptive, usual))
    mean = sum(shares) / len(shares)
    what = f"repeats of {POINTS} points beside always {MOST} repeats, CV 2 %"
    return [*rows, Row(f"{what}: mean", "<= 60 %", f"{mean:.0f} %", mean <= 60)]


def _row(
    name: str,
    share: float,
    levels: Sequence[float],
    adaptive: Sequence[Ended],
    usual: Sequence[Ended],
) -> Row:
    wrong, fixed_wrong = _count_wrong(levels, adaptive), _count_wrong(levels, usual)
    words = len(adaptive) * (POINTS - 1)
    return Row(
        f"repeats of a sweep, {name}",
        "<= 60 %",
        f"{share:.0f} %",
        share <= 60,
        f"wrong words {wrong} of {words}, with always {MOST} {fixed_wrong}; Unclear"
        f" {_count_unclear(adaptive)} and {_count_unclear(usual)}",
    )


def _count_unclear(found: Sequence[Ended]) -> int:
    return sum(each.words.count(Word.UNCLEAR) for each in found)


def _count_wrong(levels: Sequence[float], found: Sequence[Ended]) -> int:
    """Count a direction where there is none or the other one, and `Same` where it matters."""
    return sum(
        _is_wrong(level, word)
        for each in found
        for level, word in zip(levels[1:], each.words, strict=True)
    )


def _is_wrong(percent: float, word: Word | None) -> bool:
    if word is Word.SAME:
        return abs(log(1 + percent / 100)) >= log(1 + MATTERS_PERCENT / 100) - 1e-9
    return (word is Word.BETTER and percent >= 0) or (word is Word.WORSE and percent <= 0)


def run(
    sweep: SolrBenchmarkSweep, levels: Sequence[float], draw: Random, repeats: int = 1
) -> Ended:
    """Return how a sweep ends whose benchmarks have so many repeats each."""
    plan, children, spent = make_plan(sweep), dict[str, ChildView](), 0
    if plan.problems:
        raise ValueError(plan.problems)
    while sweep.status.completion_time is None:
        seen = SweepObservation(sweep, plan, children, _NOW, concurrency=POINTS)
        status = decide_sweep(seen).status
        sweep = sweep.model_copy(update={"status": status})
        running = [each for each in status.points if each.state == PointState.RUNNING]
        children = {each.name: _measure(levels[each.values[0]], draw, repeats) for each in running}
        spent += repeats * len(running)
    return Ended(_words(sweep.status, plan), spent)


def _words(status: SweepStatus, plan: SweepPlan) -> list[Word | None]:
    baseline = plan.baseline
    ordered = sorted(status.points, key=lambda each: each.values)
    return [each.word for each in ordered if baseline is None or each.name != baseline.point.name]


def _measure(percent: float, draw: Random, repeats: int) -> ChildView:
    """Return the benchmark of a point, as its status shows it."""
    logarithms = [log(100 + percent) + draw.gauss(0, CV) for _ in range(repeats)]
    mean = sum(logarithms) / repeats
    variance = sum((each - mean) ** 2 for each in logarithms) / max(1, repeats - 1)
    figures = {"p95Milliseconds": exp(mean), "requestsPerSecond": 100.0, "verdict": "Valid"}
    deviation = {} if repeats == 1 else {"p95DeviationPercent": 100 * variance**0.5}
    return replace(_DONE, summary=figures, total={"repeats": repeats, **deviation})


_DONE = ChildView(
    is_finished=True,
    has_succeeded=True,
    reason="Succeeded",
    progress_percent=100,
    seconds=60.0,
    summary={},
    total={},
    telemetry={},
    suspend=False,
    cleanup="Always",
)


def _sweep(rounds: dict[str, Any] | None, repeats: dict[str, int]) -> SolrBenchmarkSweep:
    load = {"steps": [{"name": "one", "durationSeconds": 60}], "repeats": repeats}
    template = {
        "target": {"solrCloud": {"provisioner": "StatefulSet", "nodes": 1, "heap": "1Gi"}},
        "collection": {"replicas": {"nrt": 1}},
        "dataset": {"generator": {"documents": 1000}},
        "workload": {"queries": {"generated": {"count": 200}}},
        "load": load,
    }
    users = {"name": "users", "field": "load.steps[0].users", "values": [*range(1, POINTS + 1)]}
    spec: dict[str, Any] = {"template": {"spec": template}, "axes": [users], "parallelism": POINTS}
    spec["startOn"] = "FreshTarget"  # there are no targets to be removed
    if rounds is not None:
        spec["repeats"] = rounds
    return SolrBenchmarkSweep.parse(
        {"metadata": {"name": "known", "namespace": "default"}, "spec": spec}
    )
