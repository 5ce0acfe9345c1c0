"""A sizing in real pods: the cheaper of two topologies holds its load; the other is not begun."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import build_sweep, ended_sweep, small

NAME = "sizing"
SECONDS = 300
RATE = 20
Body = dict[str, Any]


def sweep_body() -> Body:
    """Return a sizing of two topologies, which differ in what they request."""
    load = {
        "steps": [{"name": "given", "requestsPerSecond": RATE, "durationSeconds": 10}],
        # What else the machine does must not make a round Invalid.
        "validity": {
            "maxWorkerCpuPercent": 100,
            "maxStolenPercent": 100,
            "maxCpuPressurePercent": 100,
            "maxOthersCpuPercent": 100,
            "maxDriftPercent": 100,
            "maxOwnDelayPercent": 100,
            "maxLagMilliseconds": 60_000,
        },
    }
    # Both are so far from the limit that two rounds are enough.
    objectives = [{"name": "fast", "responseTime": {"maxMilliseconds": 60_000}}]
    cores = {
        "name": "cores",
        "field": "target.solrCloud.resources.requests.cpu",
        "values": ["150m", "100m"],
    }
    return build_sweep(
        small(NAME, load=load, objectives=objectives),
        axes=[cores],
        objective={"minimise": "Cost", "subjectTo": "Objectives"},
        prices={"currency": "EUR", "perCoreHour": 1.0, "perMemoryGibibyteHour": 0.1},
        repeats={"until": "BestKnown", "min": 2, "max": 3},
    )


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    with ended_sweep(sweep_body(), SECONDS) as found:
        yield found


def test_the_cheapest_that_holds_the_rate_is_named_with_its_price(status: Body) -> None:
    (result,) = status["sizing"]
    assert result["conclusion"] == "Found", result["message"]
    # Solr and ZooKeeper request 0.15 cores and 960 MiB.
    assert result["pricePerHour"] == pytest.approx(0.15 + 0.1 * 960 / 1024, rel=0.001)
    assert status["answers"][0] == result["message"]
    assert f"holds {RATE} requests/s with p95 ≤ 60" in result["message"]
    assert "cores 100m, 0.244 EUR/h" in result["message"]
    assert [each["name"] for each in status["best"]] == [result["point"]]


def test_what_costs_more_is_not_begun(status: Body) -> None:
    cheap, dear = status["points"]
    # Two rounds decide; one that a busy machine made Invalid is made again.
    assert len(cheap["headrooms"]) == 2
    assert (dear["state"], dear["reason"]) == ("NotMeasured", "DearerThanCheapest")
    found = kube.items("solrbenchmarks", f"solrbench.io/sweep={NAME}")
    names = sorted(each["metadata"]["name"] for each in found)
    later = [f"{NAME}-{cheap['name']}-{round_}" for round_ in range(2, cheap["rounds"] + 1)]
    assert names == [f"{NAME}-{cheap['name']}", *later]


def test_each_round_makes_a_target_of_its_own(status: Body) -> None:
    name = f"{NAME}-{status['points'][0]['name']}-2"
    assert "reuses" not in kube.status(name)["target"]
