"""Users of a custom locustfile, and a worker that is lost while they send."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR

Run = Callable[..., str]
EXAMPLE = Path(__file__).parents[2] / "examples" / "custom-locustfile.yaml"
STEP = {"name": "desks", "users": 4, "durationSeconds": 20}


def example(**load: Any) -> list[dict[str, Any]]:
    """Return the example, made small: the file, then the benchmark."""
    file, benchmark = yaml.safe_load_all(EXAMPLE.read_text("utf-8"))
    spec = benchmark["spec"]
    spec["target"] = {"solrCloud": SMALL_SOLR}
    spec["dataset"] = {"generator": {"documents": 2000}}
    spec["load"] = load
    spec["warmUp"] = {"requests": 0}
    return [file, benchmark]


def test_custom_users_go_on_when_a_worker_is_lost(run: Run) -> None:
    file, benchmark = example(workers=2, onWorkerLoss="Redistribute", steps=[STEP])
    name = run(benchmark, file)

    def measuring() -> bool:
        load = kube.status(name).get("liveLoad") or {}
        return load.get("stage") == "Measuring" and load.get("requests", 0) > 20

    kube.wait_for("requests", measuring, 300)
    kube.kill_one(name, "load-worker")
    status = kube.wait_for_success(name)
    assert status["attempts"] == {"target": 1, "load": 1}
    counted = {each["request"]: each["requests"] for each in status["results"]}
    assert counted["check-out"] > 10
    assert counted["find-item"] >= counted["check-out"]
    (verdict,) = status["verdicts"]
    assert verdict["verdict"] == "Invalid"
    assert "WorkersLost" in {reason["reason"] for reason in verdict["reasons"]}
