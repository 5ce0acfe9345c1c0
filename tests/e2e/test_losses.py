"""Whatever is killed, and whenever: the numbers at the end are those that were asked for."""

from collections.abc import Callable
from typing import Any

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, small
from support.solr.solr_state import shards, solr_pods

Run = Callable[..., str]
REQUESTS = 240
THINKING = {"constantMilliseconds": 100}
"""Two users with 100 ms between requests take 12 s for one step."""


def steps(number: int) -> list[dict[str, Any]]:
    names = [f"step-{i}" for i in range(1, number + 1)]
    return [
        {"name": name, "users": 2, "requests": REQUESTS, "thinkTime": THINKING} for name in names
    ]


def stored(name: str) -> int:
    number: int = kube.status(name).get("report", {}).get("storedSteps", 0)
    return number


def wait_for_measuring(name: str, stored_steps: int, attempt: int = 1) -> None:
    """Wait until a step is being measured and some are stored already."""

    def measuring() -> bool:
        status = kube.status(name)
        load = status.get("liveLoad") or {}
        return (
            load.get("stage") == "Measuring"
            and load.get("requests", 0) > 0
            and status["attempts"]["load"] >= attempt
            and stored(name) >= stored_steps
        )

    kube.wait_for(f"measuring of {name}", measuring, 300)


def check_counts(status: dict[str, Any], number: int) -> None:
    assert [each["requests"] for each in status["results"]] == [REQUESTS] * number
    assert status["report"]["storedSteps"] == number


def test_lost_worker_and_lost_master_cost_only_the_step_under_way(run: Run) -> None:
    name = run(small("load-lost", load={"workers": 2, "steps": steps(3)}))
    wait_for_measuring(name, 1)
    kube.kill_one(name, "load-worker")
    wait_for_measuring(name, 1, attempt=2)
    assert kube.status(name)["attempts"] == {"target": 1, "load": 2}
    wait_for_measuring(name, 2, attempt=2)
    kube.kill_one(name, "load-master")
    status = kube.wait_for_success(name)
    assert status["attempts"] == {"target": 1, "load": 3}
    check_counts(status, 3)


def test_lost_solr_node_starts_everything_again_and_keeps_what_is_stored(run: Run) -> None:
    name = run(small("solr-lost", load={"steps": steps(2)}))
    wait_for_measuring(name, 1)
    before = kube.items("configmaps", f"solrbench.io/benchmark={name},solrbench.io/step-run")
    kube.kill(f"{name}-solr-0")
    status = kube.wait_for_success(name)
    assert status["attempts"]["target"] == 2
    check_counts(status, 2)
    after = {
        each["metadata"]["name"]: each["metadata"]["uid"]
        for each in kube.items("configmaps", f"solrbench.io/benchmark={name},solrbench.io/step-run")
    }
    assert before
    for each in before:
        assert after[each["metadata"]["name"]] == each["metadata"]["uid"]


def test_operator_killed_in_every_phase_and_an_index_pod_change_no_number(run: Run) -> None:
    indexing = {"pods": 2, "batchSize": 100, "concurrency": 1}
    name = run(
        small(
            "operator-lost",
            target__solrCloud=SMALL_SOLR | {"nodes": 2},
            collection={"shards": 2},
            dataset={"generator": {"documents": 60_000, "seed": 3}, "indexing": indexing},
            load={"steps": steps(2)},
            cleanup="Never",
        )
    )
    for phase in ("Provisioning", "Indexing", "Measuring"):
        kube.wait_for_phase(name, phase)
        _kill_operator()
        if phase == "Indexing":
            kube.wait_for("documents", lambda: kube.status(name)["dataset"].get("documents"), 60)
            kube.kill_one(name, "index")
    status = kube.wait_for_success(name)
    assert status["attempts"] == {"target": 1, "load": 1}
    check_counts(status, 2)
    assert status["dataset"]["documents"] == 60_000
    assert len(solr_pods(name)) == 2
    assert len(shards(name)) == 2


def _kill_operator() -> None:
    labels = "app.kubernetes.io/name=solr-benchmark-operator"
    found = [body["metadata"]["name"] for body in kube.items("pods", labels)]
    assert found
    for pod in found:
        kube.kill(pod)
