"""A random process is lost at a random moment; the counts are still those that were asked for.

Eighty benchmarks, one loss in each. Twenty of them stand on the Solr Operator, every other one with
a ZooKeeper of its operator; thirty have steps that index. The moment and the victim come from the
number of the case, so that a case that fails can be repeated: `make soak CASES="SolrOperator-3"`.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import ON_OPERATOR, SMALL_SOLR, small
from support.solr.operators import left_of
from support.solr.solr_state import documents_by_core

Run = Callable[..., str]

pytestmark = pytest.mark.soak

CASES = {"StatefulSet": 30, "SolrOperator": 20, "IndexingStep": 30}
PHASES = ("Provisioning", "Indexing", "Measuring")
LATEST_SECONDS = 12
"""How long after the beginning of a phase a loss may come; each takes 10 to 40 s."""
REQUESTS, STEPS, DOCUMENTS = 120, 2, 20_000
REPLICAS = {"StatefulSet": 1, "SolrOperator": 1, "IndexingStep": 2}
SELECTORS = {
    "solrbench": "app.kubernetes.io/name=solr-benchmark-operator",
    "solr-operator": "control-plane=solr-operator",
    "zookeeper-operator": "component=zookeeper-operator",
}
"""The operators whose pod may be lost; the others are pods of the benchmark."""


@dataclass(frozen=True)
class Loss:
    """What one case took away, and when."""

    pod: str
    phase: str
    after_seconds: float


def target_of(kind: str, case: int) -> dict[str, Any]:
    """Return two Solr nodes; under the Solr Operator, half of the cases have its ZooKeeper."""
    if kind != "SolrOperator":
        return SMALL_SOLR | {"nodes": 2}
    if case % 2:
        return ON_OPERATOR | {"nodes": 2}
    keys = ("replicas", "resources")
    ensemble = {key: SMALL_SOLR["zookeeper"][key] for key in keys} | {"mode": "Provided"}
    return ON_OPERATOR | {"nodes": 2, "zookeeper": ensemble}


def body_of(name: str, kind: str, case: int) -> dict[str, Any]:
    """Return a benchmark that indexes for some seconds and measures two steps of six seconds."""
    step: dict[str, Any] = {"users": 2, "requests": REQUESTS}
    step["thinkTime"] = {"constantMilliseconds": 100}
    if kind == "IndexingStep":
        step["indexing"] = {"batchSize": 50}
    steps = [step | {"name": f"step-{number}"} for number in range(1, STEPS + 1)]
    indexing = {"pods": 2, "batchSize": 100, "concurrency": 1}
    return small(
        name,
        target__solrCloud=target_of(kind, case),
        collection={"shards": 2, "replicas": {"nrt": REPLICAS[kind]}},
        dataset={"generator": {"documents": DOCUMENTS, "seed": 3}, "indexing": indexing},
        load={"workers": 2, "steps": steps},
        cleanup="Never",
    )


def lose_one(name: str, case_kind: str, chance: random.Random) -> Loss:
    """Wait for a random moment of a random phase, and end a random pod that it then needs."""
    # What a step has added can only be lost while it is measured.
    first = PHASES.index("Measuring") if case_kind == "IndexingStep" else 0
    reached = PHASES[chance.randrange(first, len(PHASES)) :]
    kube.wait_for(f"phase of {name}", lambda: kube.status(name).get("phase") in reached, 300)
    seconds = chance.uniform(0, LATEST_SECONDS)
    # The moment itself is what the case is about: there is no condition to wait for.
    time.sleep(seconds)
    phase = str(kube.status(name).get("phase"))
    pods = {pod["metadata"]["name"]: name for pod in kube.items("pods") if belongs(pod, name)}
    operators = SELECTORS if case_kind == "SolrOperator" else ("solrbench",)
    for operator in operators:
        pods |= {
            pod["metadata"]["name"]: operator for pod in kube.items("pods", SELECTORS[operator])
        }
    # One of each kind first, so that two Solr nodes are not twice as likely as the operator.
    kinds = sorted({kind_of(pod, owner) for pod, owner in pods.items()})
    kind = chance.choice(kinds)
    victim = chance.choice(
        sorted(pod for pod, owner in pods.items() if kind_of(pod, owner) == kind)
    )
    kube.kubectl("delete", "pod", victim, "--grace-period=0", "--force", "--ignore-not-found")
    return Loss(victim, phase, seconds)


def belongs(pod: dict[str, Any], name: str) -> bool:
    """Return whether a running pod is of a benchmark, be it ours or another operator's."""
    return (
        bool(pod["metadata"]["name"].startswith(f"{name}-"))
        and "deletionTimestamp" not in pod["metadata"]
        and pod["status"].get("phase") in {"Pending", "Running"}
    )


def kind_of(pod: str, owner: str) -> str:
    """Return a pod's name without the number that differs between two pods of one component."""
    return owner if owner in SELECTORS else pod.removeprefix(owner).rstrip("-0123456789")


CASE_NAMES = [
    pytest.param(kind, case, id=f"{kind}-{case}")
    for kind, count in CASES.items()
    for case in range(count)
]


@pytest.mark.parametrize(("kind", "case"), CASE_NAMES)
def test_one_random_loss_changes_no_count_and_leaves_nothing(
    run: Run, request: pytest.FixtureRequest, kind: str, case: int
) -> None:
    if kind == "SolrOperator":
        request.getfixturevalue("solr_operator")
    chance = random.Random(f"{kind}-{case}")
    name = run(body_of(f"loss-{case}", kind, case))
    loss = lose_one(name, kind, chance)
    status = kube.wait_for_end(name)
    results = status.get("results", [])
    verdicts = status.get("verdicts", [])
    row = (
        f"{kind:12} {case:2}  {loss.after_seconds:4.0f} s  {loss.phase:12} {loss.pod:50}"
        f" {status['phase']:9} {status.get('attempts')}"
        f" {' '.join(sorted({each['verdict'] for each in verdicts}))}"
    )
    request.node.user_properties.append(("shown", row))
    assert status["phase"] == "Succeeded", (loss, status["conditions"])
    assert [result["requests"] for result in results] == [REQUESTS] * STEPS, loss
    assert status["dataset"]["documents"] == DOCUMENTS, loss
    # The steps' own documents were on each replica once, and were removed again.
    reasons = {reason["reason"] for each in verdicts for reason in each.get("reasons", [])}
    assert "DocumentsLost" not in reasons, (loss, verdicts)
    if kind == "IndexingStep":
        expected = REPLICAS[kind] * DOCUMENTS
        kube.wait_for("documents", lambda: sum(documents_by_core(name).values()) == expected, 60)
    kube.delete(name)
    kube.wait_for("removal of what operators made", lambda: not left_of(name), 90)
