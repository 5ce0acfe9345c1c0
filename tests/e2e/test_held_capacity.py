"""The capacity that is found of a real Solr is held by it for an hour.

`make soak-capacity` runs it five times, side by side; `SOLRBENCH_SOAK_SECONDS` is another time than
an hour.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, small

SECONDS = int(os.environ.get("SOLRBENCH_SOAK_SECONDS", "3600"))
LONGEST_SEARCH = 2 * 3600
"""Deployment, indexing, and a search with all its trials and confirming runs."""

pytestmark = [pytest.mark.soak, pytest.mark.timeout(2 * LONGEST_SEARCH + 2 * SECONDS)]

# The limit is eight times what a request takes alone, so that a queue decides. Nearer to full use
# the queue would take longer to settle than a trial, and follow each change of the machine's speed.
FAST = {"name": "fast", "responseTime": {"percentile": 95, "maxMilliseconds": 300}}
# A fifth of a CPU: five fit two cores, and what else these do takes nothing from a Solr. It uses
# the first compiler alone, as it would become faster for minutes, and an hour easier to hold.
TARGET = SMALL_SOLR | {
    "resources": {
        "requests": {"cpu": "50m", "memory": "768Mi"},
        "limits": {"cpu": "200m", "memory": "1536Mi"},
    }
}
PARTS: dict[str, Any] = {
    "target__solrCloud": TARGET,
    # Some 25 requests of 7 ms of CPU a second: most of the CPU time is Solr's. Where requests were
    # cheaper, five senders of 150 of them a second kept both cores busy, and each other waiting.
    "collection__caches": {"queryResult": {"size": 0, "autowarmCount": 0}},
    "dataset": {"generator": {"documents": 10_000, "seed": 3}},
    "workload": {
        "queries": {"generated": {"count": 2000, "facetPercent": 100}},
        "parameters": {"rows": "20", "hl": "true", "fl": "id"},
    },
    "warmUp": {"durationSeconds": 90},
    "load__resources": {"requests": {"cpu": "75m", "memory": "256Mi"}},
    "objectives": [FAST],
}
# A queue takes seconds to settle: longer trials say more than more of them.
SEARCH = {"maxTrials": 18, "trialSeconds": 80}


def status_of(body: dict[str, Any], seconds: float) -> dict[str, Any]:
    kube.apply(body)
    name = body["metadata"]["name"]
    status = kube.wait_for_success(name, seconds)
    kube.delete(name)
    return status


@pytest.mark.parametrize("time", range(1, 6))
def test_the_rate_that_was_found_keeps_the_objective_for_an_hour(
    time: int, record_property: Callable[[str, object], None]
) -> None:
    search = small(f"find-capacity-{time}", load={"capacity": SEARCH}, **PARTS)
    (found,) = status_of(search, LONGEST_SEARCH)["capacity"]
    assert found["conclusion"] == "Found", found["message"]

    # The other target may differ, so the lower end of what the first one sustains is its rate.
    rate = found["requestsPerSecondInterval"]["lower"]
    step = {"name": "hour", "requestsPerSecond": rate, "durationSeconds": SECONDS}
    held = small(f"hold-capacity-{time}", load={"steps": [step]}, **PARTS)
    (objective,) = status_of(held, LONGEST_SEARCH + SECONDS)["objectives"]["results"]
    record_property("shown", f"{found['message']} {objective['message']}")
    # An hour is long enough for a narrow interval: what is Inconclusive is not kept.
    assert objective["conclusion"] == "Met", f"{found['message']} {objective['message']}"
