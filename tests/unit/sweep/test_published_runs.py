"""The published times of five studies as points of sweeps, and what the product says of them.

Each number is of the study itself. What is known of it, and was often concluded otherwise, is in
the names of the tests; `tests/unit/analysis/test_studies.py` asks the comparison alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import yaml

from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.sweep.points import DesignPoint
from support.repository import ROOT
from support.resources.small_sweep import HEAP, parse_sweep
from support.results.measured_points import Answers, answer, repeated
from support.results.published_times import BALANCED, DIRECT

NODES = {"name": "nodes", "field": "target.solrCloud.nodes", "values": [1, 3]}
ZOOKEEPERS = {
    "name": "zookeepers",
    "field": "target.solrCloud.zookeeper.replicas",
    "values": [3, 1, 5],
}
MACHINES = {"name": "machines", "field": "target.solrCloud.nodes", "values": [1, 2]}
RATES = {"name": "rate", "field": "load.steps[0].requestsPerSecond", "values": [1, 2, 4, 8, 16]}


def found_in(
    runs: Mapping[str, Sequence[float]], *axes: dict[str, Any], metric: str = "P95Milliseconds"
) -> Answers:
    """Return what is said of points with these repeats."""
    changes = {"spec.axes": [*axes], "spec.design": "Full", "spec.objective": {"metric": metric}}
    step = {"name": "one", "durationSeconds": 10} | ({} if RATES in axes else {"users": 1})
    return conclude(parse_sweep(changes, {"spec.load.steps": [step]}), runs)


def study(name: str, **spec: Any) -> Any:
    """Return the sweep that the project ships for a study, with these fields of its spec."""
    path = ROOT / f"examples/studies/{name}.yaml"
    *_, body = yaml.safe_load_all(path.read_text("utf-8"))
    return SolrBenchmarkSweep.parse(body | {"spec": body["spec"] | spec})


def conclude(sweep: Any, runs: Mapping[str, Sequence[float]]) -> Answers:
    """Return the same of a sweep whose points have these values of the figure of its objective."""

    def measure(point: DesignPoint) -> dict[str, Any]:
        if point.text not in runs:
            return {"state": "Planned"}
        found = repeated(runs[point.text])
        shown = found["p95_milliseconds"]
        return found | {"requests_per_second": shown, "value": shown}

    return answer(sweep, measure)


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
    assert best == []
    assert not any(each.startswith("Best") for each in sentences)
    assert all("not compared: needs 3 or more repeats" in each for each in sentences[:1])
    assert any("which may be chance with fewer than 3 repeats" in each for each in sentences)


def test_a_balancer_helps_one_processor_and_hurts_four() -> None:
    """Ed-Fi: "did not see any improvement with the nginx load balancer"."""
    runs = {
        f"processors {number}, endpoint {endpoint}": [1000 / each for each in times]
        for endpoint, by_number in (("direct", DIRECT), ("balancer", BALANCED))
        for number, times in by_number.items()
    }
    five = {"until": "Decided", "min": 5, "max": 5}  # as the study did, without looks before
    conclusions, sentences, best = conclude(study("edfi", repeats=five), runs)
    assert conclusions == {
        "processors 1, endpoint balancer": "Better",
        "processors 2, endpoint balancer": "Inconclusive",
        "processors 4, endpoint balancer": "Worse",
    }
    assert sentences[0].startswith(
        "endpoint balancer with processors 1: the rate of documents is 14.9 % higher than with"
    )
    assert sentences[3] == (
        "The best point changes with processors: endpoint balancer with processors 1 or processors"
        " 2; the baseline with processors 4."
    )
    assert [(each.condition, each.values.partition(", ")[2]) for each in best] == [
        ("processors 1", "endpoint balancer"),
        ("processors 2", "endpoint balancer"),
        ("processors 4", "endpoint direct"),
    ]
    (together,) = [each for each in sentences if each.startswith("Interaction of processors and")]
    assert "processors 4 and endpoint balancer, the rate of documents is 19.8 % lower" in together
    assert together.endswith(": worse.")


@pytest.mark.parametrize(
    ("request_name", "times", "percent"),
    [("check-out", (7380, 13350), 80.9), ("check-in", (3740, 4750), 27)],
)
def test_a_release_is_slower_by_transaction(
    request_name: str, times: tuple[float, float], percent: float
) -> None:
    """FOLIO: mean times with 20 users of the release before and of the one that was measured.

    Its text has them once: that repeats differ by 1 % is assumed.
    """
    objective = {"metric": "MeanMilliseconds", "step": "users-20", "request": request_name}
    sweep = study("folio", objective=objective)
    before, after = ([factor * each for factor in (0.99, 1, 1.01)] for each in times)
    conclusions, sentences, best = conclude(
        sweep, {"release 9.9.0": before, "release 9.10.1": after}
    )
    assert conclusions == {"release 9.10.1": Conclusion.WORSE}
    assert sentences[0].startswith(
        f"release 9.10.1: the mean time of {request_name} in users-20 is {percent:g} % higher"
    )
    assert best[0].values == "release 9.9.0"


def test_each_place_has_a_capacity() -> None:
    """HathiTrust: two shards on one machine hold 4 queries/s, on two machines 8.

    It has a single run of each, and none of one shard: the repeats are assumed.
    """
    sweep = study("hathitrust-capacity", baseline={"place": [1, 2]})
    conclusions, sentences, best = conclude(
        sweep, {"place 1/2": [3.96, 4, 4.04], "place 2/2": [7.92, 8, 8.08]}
    )
    assert conclusions == {"place 2/2": Conclusion.BETTER}
    assert sentences[0].startswith("place 2/2: the capacity is 100 % higher than with 1/2")
    assert sentences[1].startswith("Best: place 2/2, capacity 8 requests/s")
    assert best[0].values == "place 2/2"


def test_the_least_load_is_not_the_best() -> None:
    """HathiTrust: two shards on one machine take 1.5 s at 4 queries/s, on two the same at 8."""
    runs = {
        f"machines {machines}, rate {rate}": [factor * seconds for factor in (0.99, 1, 1.01)]
        for machines, times in {1: (1, 1.2, 1.5, 20, 45), 2: (0.5, 0.7, 1, 1.5, 20)}.items()
        for rate, seconds in zip((1, 2, 4, 8, 16), times, strict=True)
    }
    _, sentences, best = found_in(runs, MACHINES, RATES)
    assert "In each of 5 conditions of rate, machines 2 is among the best." in sentences
    assert not any(each.startswith("Best: ") for each in sentences)  # never over rates
    assert best[0].values == "machines 2, rate 1"
