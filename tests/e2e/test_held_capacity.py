"""The capacity that is found of a real Solr is held by it for an hour.

`make soak-capacity` runs it five times, side by side; `SOLRBENCH_SOAK_SECONDS` is another time than
an hour.

What limits these Solrs is their own rate limiter: three requests at once, each of which lasts a
tenth of a second, and a queue. A machine that others share, too, may change its speed by a third
within a minute, and with it each capacity that is a matter of CPU: a search says Inconclusive then,
and an hour would show the machine.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from support.cluster import kube
from support.cluster.benchmarks import config_map, small
from support.repository import ROOT
from support.solr import existing_solr

SECONDS = int(os.environ.get("SOLRBENCH_SOAK_SECONDS", "3600"))
LONGEST_SEARCH = 2 * 3600
"""Deployment, indexing, and a search with all its trials and confirming runs."""

pytestmark = [pytest.mark.soak, pytest.mark.timeout(2 * LONGEST_SEARCH + 2 * SECONDS)]

SLOTS, MILLISECONDS = 3, 100
MOST_PER_SECOND = SLOTS * 1000 / MILLISECONDS
"""No more requests are answered, at any speed of the machine."""
LIMITER = {
    "rate-limiters": {
        "enabled": True,
        "allowedRequests": SLOTS,
        "guaranteedSlots": SLOTS,
        "slotBorrowingEnabled": False,
        "slotAcquisitionTimeoutInMS": 120_000,
    }
}
MANIFESTS = "limiter-manifests"

FAST = {"name": "fast", "responseTime": {"percentile": 95, "maxMilliseconds": 350}}
PARTS: dict[str, Any] = {
    "workload": {
        "queries": {"generated": {"count": 200}},
        # A function of Solr that waits once for each document that is returned.
        "parameters": {"rows": "1", "fl": f"id,wait:sleep({MILLISECONDS},1)"},
    },
    "warmUp": {"durationSeconds": 60},
    "load__resources": {"requests": {"cpu": "50m", "memory": "256Mi"}},
    "objectives": [FAST],
}
# A queue takes seconds to settle: longer trials say more than more of them.
SEARCH = {"maxTrials": 15, "trialSeconds": 120}


def _manifests() -> str:
    """Return nginx as in the example, which marks searches: Solr limits no others."""
    example, _benchmark = yaml.safe_load_all((ROOT / "examples/companions.yaml").read_text("utf-8"))
    text: str = example["data"]["balancer.yaml"]
    for place, line in {
        "upstream solr": "map $uri $kind { ~/select$ QUERY; }",
        "proxy_pass": "proxy_set_header Solr-Request-Type $kind;",
    }.items():
        assert text.count(place) == 1
        text = text.replace(place, f"{line} {place}")
    return text.replace("cpu: 100m", "cpu: 25m")  # five fit two cores


@pytest.fixture
def target(time: int) -> Iterator[dict[str, Any]]:
    """Make a Solr that limits its searches; it stays for both benchmarks."""
    name = f"limited-{time}"
    companion = {"configMap": {"name": MANIFESTS}, "values": {"CONNECTIONS": "256"}}
    kept = small(
        name,
        companions=[companion],
        cleanup="Never",
        target__solrCloud__resources__requests__cpu="50m",
        load__resources=PARTS["load__resources"],
    )
    kube.apply(config_map(MANIFESTS, balancer__yaml=_manifests()), kept)
    kube.wait_for_success(name)
    existing_solr.put_into_zookeeper(f"{name}-solr-0", "clusterprops.json", LIMITER)
    yield {"existing": {"urls": [f"http://{name}-balancer:8080/solr"]}}
    kube.delete(name)
    kube.kubectl("delete", "configmap", MANIFESTS, "--ignore-not-found")


def status_of(body: dict[str, Any], seconds: float) -> dict[str, Any]:
    kube.apply(body)
    name = body["metadata"]["name"]
    status = kube.wait_for_success(name, seconds)
    kube.delete(name)
    return status


@pytest.mark.parametrize("time", range(1, 6))
def test_the_rate_that_was_found_keeps_the_objective_for_an_hour(
    time: int, target: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    search = small(f"find-capacity-{time}", target=target, load={"capacity": SEARCH}, **PARTS)
    (found,) = status_of(search, LONGEST_SEARCH)["capacity"]
    assert found["conclusion"] == "Found", found["message"]
    # The queue for three slots (M/D/3) lets 5 % wait so long at four fifths of what they can do.
    assert 0.7 < found["requestsPerSecond"] / MOST_PER_SECOND < 1, found["message"]

    rate = found["requestsPerSecondInterval"]["lower"]
    step = {"name": "hour", "requestsPerSecond": rate, "durationSeconds": SECONDS}
    held = small(f"hold-capacity-{time}", target=target, load={"steps": [step]}, **PARTS)
    (objective,) = status_of(held, LONGEST_SEARCH + SECONDS)["objectives"]["results"]
    record_property("shown", f"{found['message']} {objective['message']}")
    # Of all requests of that hour; of one repeat, the interval says what another hour might have.
    assert objective["value"] <= objective["limit"], f"{found['message']} {objective['message']}"
