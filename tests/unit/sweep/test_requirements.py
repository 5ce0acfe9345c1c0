"""How long a load takes, and which pods a point has."""

from dataclasses import replace
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.pods import Toleration
from solrbench.api.v1alpha1.prices import Prices
from solrbench.sweep.cluster_capacity import FreeNode, without_capacity
from solrbench.sweep.requirements import (
    LoadDuration,
    PodGroup,
    duration_text,
    find_price,
    load_duration,
    measure_requests,
    pod_groups,
)
from support.resources.small_resource import RESTORED, resource

TIMED = {"name": "one", "users": 2, "durationSeconds": 30}
RATE = {"name": "one", "requestsPerSecond": 4}
COUNTED = {"name": "two", "users": 2, "requests": 100}
STEADY = {"untilSteady": {"maxSeconds": 50, "windows": 5, "windowSeconds": 2}}
SEARCH = {"maxTrials": 8, "trialSeconds": 20, "settleSeconds": 5}


def duration(load: dict[str, Any], warm_up: dict[str, Any]) -> LoadDuration:
    changes = {
        "spec.load": {"steps": [TIMED]} | load,
        "spec.warmUp": warm_up,
        "spec.objectives": [{"name": "fast", "meanResponseTime": {"maxMilliseconds": 9}}],
    }
    return load_duration(SolrBenchmark.parse(resource(changes)).spec)


@pytest.mark.parametrize(
    ("load", "warm_up", "text"),
    [
        ({}, {"requests": 0}, "30 s"),
        ({"repeats": {"count": 4}}, {"durationSeconds": 5}, "2.33 min"),
        ({}, STEADY, "40 s to 80 s"),
        (
            {"steps": [TIMED, TIMED | {"name": "two"}], "between": {"before": "EachStep"}},
            STEADY,
            "80 s to 2.67 min",
        ),
        ({"steps": [RATE | {"requests": 100}]}, {"requests": 0}, "25 s"),
        ({"steps": [RATE | {"durationSeconds": 10, "rampSeconds": 5}]}, {"requests": 0}, "15 s"),
    ],
)
def test_load_takes_steps_and_warm_ups(
    load: dict[str, Any], warm_up: dict[str, Any], text: str
) -> None:
    assert duration_text(duration(load, warm_up)) == text


def test_what_ends_after_requests_is_counted() -> None:
    found = duration_text(duration({"steps": [TIMED, COUNTED]}, {"requests": 9}))
    counted = [f"1 {what} that ends after a number of requests" for what in ("step", "warm-up")]
    assert found == " and ".join(["30 s", *counted])


def test_trials_of_a_search_count_with_their_warm_ups() -> None:
    once, each = (
        duration({"capacity": SEARCH, "between": {"before": before}}, {"durationSeconds": 10})
        for before in ("EachRepeat", "EachStep")
    )
    assert once.longest_seconds - once.shortest_seconds == 7 * 25 + 7 * (300 + 3 * 20 + 25)
    assert each.longest_seconds - once.longest_seconds == (8 + 7) * 10


def test_backup_is_restored_without_index_pods() -> None:
    for changes, has_pods in (({}, True), (RESTORED, False)):
        groups = pod_groups(SolrBenchmark.parse(resource(changes)).spec)
        assert ("index" in {each.component for each in groups}) is has_pods


def test_room_for_agents_is_needed_where_pods_are_read_and_costs_nothing() -> None:
    prices = Prices(currency="USD", per_core_hour=1.0, per_memory_gibibyte_hour=1.0)
    without, with_agents = (
        measure_requests(SolrBenchmark.parse(resource({"spec.load.telemetry.collect": each})).spec)
        for each in ("Servers", "ServersAndPods")
    )
    servers, pods = without.pods, with_agents.pods
    agents = {each.component for each in pods if each.has_agent}
    assert agents == {"solr", "zookeeper"}
    (solr,) = (each for each in pods if each.component == "solr")
    node = FreeNode("n1", solr.cores + 0.049, solr.memory_bytes + (1 << 30), 9)
    assert without_capacity([replace(solr, count=1)], [node]) == [replace(solr, count=1)]
    assert without_capacity([replace(solr, count=1, has_agent=False)], [node]) == []
    assert find_price(prices, pods) == find_price(prices, servers)
    assert with_agents.target == without.target
    count = sum(each.count for each in pods if each.has_agent)
    assert with_agents.total.cores == pytest.approx(without.total.cores + count * 0.05)


def test_nodes_that_others_may_not_use_are_taken_first() -> None:
    gib = 1 << 30
    taint = {"key": "dedicated", "value": "solr", "effect": "NoSchedule"}
    general = FreeNode("general", 8, 16 * gib + 1, 9)
    dedicated = FreeNode("solr", 8, 16 * gib, 9, taints=[taint])
    toleration = Toleration(key="dedicated", operator="Equal", value="solr")
    solr = PodGroup("solr", 1, 1.0, 12 * gib, 0, "target", tolerations=(toleration,))
    workers = PodGroup("load-worker", 2, 1.0, 4 * gib, 0, "load")
    assert without_capacity([solr, workers], [general, dedicated]) == []
