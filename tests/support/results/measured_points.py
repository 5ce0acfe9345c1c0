"""Points of sweeps that are measured, and what is said of them."""

from collections.abc import Callable, Sequence
from statistics import geometric_mean
from typing import Any, NamedTuple

from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import BestPoint, SolrBenchmarkSweep, SweepPoint
from solrbench.sweep.conclusions import answer_sweep
from solrbench.sweep.plan import make_plan
from solrbench.sweep.points import DesignPoint


class Answers(NamedTuple):
    """What is said of a sweep: the conclusion of each point by its values in words, and more."""

    conclusions: dict[str, Conclusion | None]
    sentences: list[str]
    best: list[BestPoint]


def valid_point(point: DesignPoint, **figures: Any) -> SweepPoint:
    return SweepPoint(name=point.name, values=point.indexes, **({"state": "Valid"} | figures))


def repeated(values: Sequence[float]) -> dict[str, Any]:
    """Return the figures of a point whose repeats have these p95."""
    p95 = geometric_mean(values)
    return {"p95_milliseconds": p95, "repeats": len(values), "repeat_values": [*values]}


def answer(sweep: SolrBenchmarkSweep, measure: Callable[[DesignPoint], dict[str, Any]]) -> Answers:
    """Return what is said of a sweep; `measure` returns the figures of a point."""
    plan = make_plan(sweep)
    assert not plan.problems
    points = [valid_point(each.point, **measure(each.point)) for each in plan.points]
    found, sentences, best = answer_sweep(sweep.spec, plan, points)
    texts = {each.point.name: each.point.text for each in plan.points}
    named = {texts[name]: each.conclusion for name, each in found.items()}
    return Answers(named, sentences, best)
