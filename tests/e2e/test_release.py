"""The release of the operator changes while a benchmark runs: its numbers and pods stay."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.cluster import kube
from support.cluster.benchmarks import SMALL_REQUESTS, small

pytestmark = pytest.mark.alone

Run = Callable[..., str]
CHART = Path(__file__).parents[2] / "charts" / "solr-benchmark-operator"
STEPS = 4


def helm(*arguments: str, stdin: str | None = None) -> str:
    command = ["helm", *arguments, "--namespace", kube.NAMESPACE]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def operator_pods() -> set[str]:
    found = kube.items("pods", "app.kubernetes.io/instance=solrbench")
    return {each["metadata"]["uid"] for each in found}


def pods_of_target(name: str) -> dict[str, str]:
    """Return the uids of the pods of Solr and ZooKeeper by their names."""
    found = [*kube.pods(name, "solr"), *kube.pods(name, "zookeeper")]
    return {each["metadata"]["name"]: each["metadata"]["uid"] for each in found}


def wait_for_measuring(name: str) -> None:
    kube.wait_for(
        f"measuring of {name}",
        lambda: (kube.status(name).get("liveLoad") or {}).get("stage") == "Measuring",
        240,
    )


def measured(name: str) -> dict[str, object]:
    """Return a benchmark of half a minute of load whose target stays."""
    thinking = {"constantMilliseconds": 75}
    steps = [
        {"name": f"step-{number}", "users": 2, "requests": SMALL_REQUESTS, "thinkTime": thinking}
        for number in range(1, STEPS + 1)
    ]
    return small(name, load__steps=steps, cleanup="Never")


def test_upgrade_and_rollback_keep_numbers_and_pods(run: Run) -> None:
    name = run(measured("released"))
    wait_for_measuring(name)
    target, operator = pods_of_target(name), operator_pods()
    changed = ("--reuse-values", "--set-string", "podAnnotations.upgraded=true")
    helm("upgrade", "solrbench", str(CHART), *changed, "--wait", "--timeout", "2m")
    upgraded = operator_pods()
    assert not operator & upgraded
    helm("rollback", "solrbench", "--wait", "--timeout", "2m")
    assert not upgraded & operator_pods()
    status = kube.wait_for_success(name, 240)
    assert status["attempts"] == {"target": 1, "load": 1}
    assert [each["requests"] for each in status["results"]] == [SMALL_REQUESTS] * STEPS
    assert pods_of_target(name) == target


def test_uninstalling_in_mid_run_leaves_nothing_terminating(run: Run) -> None:
    name = run(measured("uninstalled"))
    wait_for_measuring(name)
    values = helm("get", "values", "solrbench", "--output", "json")
    assert json.loads(values)
    try:
        helm("uninstall", "solrbench", "--wait", "--timeout", "2m")
        kube.delete(name, 30)  # no operator runs
        assert pods_of_target(name) == {}
    finally:
        flags = ("--take-ownership", "--force-conflicts", "--wait", "--timeout", "3m")
        helm("upgrade", "--install", "solrbench", str(CHART), "--values", "-", *flags, stdin=values)
