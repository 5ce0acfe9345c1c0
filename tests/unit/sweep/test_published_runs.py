"""The published times of five studies as points of sweeps, and what the product says of them.

Each number is of the study itself. What is known of it, and was often concluded otherwise, is in
the names of the tests; `tests/unit/analysis/test_studies.py` asks the comparison alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import SweepPoint
from solrbench.stats.distributions import relative_deviation_percent
from solrbench.sweep.conclusions import answer_sweep
from solrbench.sweep.plan import make_plan
from support.resources.small_sweep import HEAP, parse_sweep, users_axis

NODES = {"name": "nodes", "field": "target.solrCloud.nodes", "values": [1, 3]}
ZOOKEEPERS = {
    "name": "zookeepers",
    "field": "target.solrCloud.zookeeper.replicas",
    "values": [3, 1, 5],
}
BALANCER = {
    "name": "balancer",
    "field": "collection.caches",
    "values": [{"name": "none"}, {"name": "nginx", "value": {"filter": {"size": 16}}}],
}
MACHINES = {"name": "machines", "field": "target.solrCloud.nodes", "values": [1, 2]}
RATES = {"name": "rate", "field": "load.steps[0].requestsPerSecond", "values": [1, 2, 4, 8, 16]}
Found = tuple[dict[str, Conclusion | None], list[str], str | None]


def found_in(
    runs: Mapping[str, Sequence[float]], *axes: dict[str, Any], metric: str = "P95Milliseconds"
) -> Found:
    """Return conclusions, sentences and the best point of points with these repeats."""
    sweep = parse_sweep(
        {"spec.axes": list(axes), "spec.design": "Full", "spec.objective": {"metric": metric}}
    )
    plan = make_plan(sweep)
    figure = "p95_milliseconds" if metric.startswith("P95") else "requests_per_second"
    points = [
        SweepPoint(
            name=each.point.name,
            values=each.point.indexes,
            state="Valid" if values else "Pending",
            repeats=len(values) or None,
            repeat_values=list(values) or None,
            deviation_percent=relative_deviation_percent(values) if len(values) > 1 else None,
            **({figure: sum(values) / len(values)} if values else {}),
        )
        for each in plan.points
        for values in [runs.get(each.point.text, ())]
    ]
    conclusions, sentences, best = answer_sweep(sweep.spec, plan, points)
    texts = {each.point.name: each.point.text for each in plan.points}
    named = {texts[name]: each.conclusion for name, each in conclusions.items()}
    return named, sentences, texts[best[0].name] if best else None


@pytest.mark.parametrize(
    ("runs", "axis", "metric"),
    [
        ({"nodes 1": [514], "nodes 3": [510]}, NODES, "P95Milliseconds"),
        ({"nodes 1": [8.64], "nodes 3": [9.42]}, NODES, "RequestsPerSecond"),
        ({"heap 1Gi": [2.20], "heap 2Gi": [2.43]}, HEAP, "RequestsPerSecond"),
        ({"heap 1Gi": [2137], "heap 2Gi": [1947]}, HEAP, "P95Milliseconds"),
        (
            {"zookeepers 1": [9593], "zookeepers 3": [9453, 9668], "zookeepers 5": [9708]},
            ZOOKEEPERS,
            "P95Milliseconds",
        ),
    ],
)
def test_single_runs_show_no_effect_of_replicas_heap_or_zookeepers(
    runs: dict[str, list[float]], axis: dict[str, Any], metric: str
) -> None:
    """iSamples: "~10% performance increase" by three Solr, of runs of 23 and 63 s.

    McGill: "3 seems to be the best configuration"; its two runs differ more than the three means.
    """
    values = [value for value in axis["values"] if f"{axis['name']} {value}" in runs]
    conclusions, sentences, best = found_in(runs, axis | {"values": values}, metric=metric)
    assert set(conclusions.values()) == {None}
    assert best is None
    assert not any(each.startswith("Best") for each in sentences)
    assert all("not compared: needs 3 or more repeats" in each for each in sentences[:1])
    assert any("which may be chance with fewer than 3 repeats" in each for each in sentences)


BALANCED = {
    1: [153.4093732, 164.8779734, 163.5545080, 161.5097791, 158.8979786],
    2: [150.5095058, 138.5902512, 146.0740558, 145.2780308, 164.5890730],
    4: [167.7064319, 157.4898545, 160.2312613, 155.9549423, 163.1832261],
}
DIRECT = {
    1: [189.6049885, 181.4044423, 179.3843134, 178.3939055, 193.0434055],
    2: [149.0765482, 165.2344755, 146.9476904, 150.5897358, 159.6380510],
    4: [146.6134977, 148.2016753, 156.1254584, 149.2328461, 141.2826979],
}


def test_a_balancer_and_threads_interact() -> None:
    """Ed-Fi: "did not see any improvement with the nginx load balancer"."""
    runs = {f"balancer none, users {n}": values for n, values in DIRECT.items()}
    runs |= {f"balancer nginx, users {n}": values for n, values in BALANCED.items()}
    threads = users_axis(4) | {"values": [1, 2, 4]}
    conclusions, sentences, _ = found_in(runs, BALANCER, threads)
    assert conclusions["balancer nginx, users 1"] is Conclusion.BETTER
    (together,) = [each for each in sentences if "interact" in each.lower()]
    assert "balancer nginx and users 4, the p95 is 24.7 % higher than" in together
    assert together.endswith(": worse.")


def test_the_least_load_is_not_the_best() -> None:
    """HathiTrust: two shards on one machine take 1.5 s at 4 queries/s, on two the same at 8."""
    runs = {
        f"machines {machines}, rate {rate}": [factor * seconds for factor in (0.99, 1, 1.01)]
        for machines, times in {1: (1, 1.2, 1.5, 20, 45), 2: (0.5, 0.7, 1, 1.5, 20)}.items()
        for rate, seconds in zip((1, 2, 4, 8, 16), times, strict=True)
    }
    _, sentences, best = found_in(runs, MACHINES, RATES)
    assert not any("requests/s" in each for each in sentences if each.startswith("Best"))
    assert best in (None, "machines 2, rate 1")
