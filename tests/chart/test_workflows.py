"""Workflows as actionlint reads them, and their scripts with programs that only record calls."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from chart.programs import find_program
from support.repository import ROOT, WORKFLOWS, copy_parts, write_programs

SHELLCHECK = Path(sys.executable).parent / "shellcheck"


def actionlint(path: Path) -> str:
    """Return what actionlint finds in a workflow."""
    command = [find_program("actionlint"), "-no-color", "-shellcheck", str(SHELLCHECK), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actionlint_finds_nothing(path: Path) -> None:
    assert actionlint(path) == ""


@pytest.mark.parametrize(
    ("text", "fault", "found"),
    [
        ("needs: check", "needs: checks", "needs job"),
        ("steps.push.outputs", "steps.psh.outputs", "psh"),
        ('"$IMAGE@$DIGEST"', "$IMAGE@$DIGEST", "SC2086"),
    ],
    ids=["job", "step", "script"],
)
def test_actionlint_finds_a_fault(text: str, fault: str, found: str, tmp_path: Path) -> None:
    whole = (ROOT / ".github/workflows/release.yaml").read_text("utf-8")
    assert text in whole
    (tmp_path / "release.yaml").write_text(whole.replace(text, fault), "utf-8")
    assert found in actionlint(tmp_path / "release.yaml")


RECORDER = """#!/bin/bash
call="${0##*/} $*"
echo "$call" >> "$CALLS"
case $call in
"kind get clusters") grep -o "^kind create cluster --name solrbench" "$CALLS" | grep -o "[a-z]*$" ;;
"minikube "*" status") grep -q " start " "$CALLS" ;;
"kubectl get crd "*) grep -q "^helm .* monitoring" "$CALLS" ;;
"kubectl "*" secret "*) base64 <<< word ;;
"helm version --short") echo v3.19.0 ;;
"helm dependency build "*) [[ ! -e $3/Chart.lock ]] && touch "$3/Chart.lock" ;;
esac
"""
"""Answers that the scripts read; the cluster is there, or Prometheus, once it was asked for. Of
a lock file, the real "helm dependency build" wants each repository added by name."""

CREATES = {
    "kind": "kind create cluster --name solrbench --kubeconfig CACHE/kind.conf --wait 120s"
    " --image kindest/node:v1.30.0",
    "minikube": "minikube --profile solrbench start --driver docker --cpus no-limit"
    " --memory no-limit --wait all --kubernetes-version v1.30.0",
}
LOADS = {
    "kind": "kind load docker-image --name solrbench",
    "minikube": "minikube --profile solrbench image load",
}
DELETES = {
    "kind": "kind delete cluster --name solrbench --kubeconfig CACHE/kind.conf",
    "minikube": "minikube --profile solrbench delete",
}
MEASURED = ("quickstart", "solr-operator", "ssweep/topology", "quickstart-solr-10")
SOLR_10 = "--set metadata.name=quickstart-solr-10 --set spec.target.solrCloud.image.tag=10.0.0"
RUNS = (
    "quickstart.yaml --replace --timeout 45m",
    "solr-operator.yaml --replace --timeout 45m",
    "sweep.yaml --replace --timeout 45m",
    f"quickstart.yaml --replace --timeout 45m {SOLR_10}",
)


@pytest.fixture(name="checkout")
def _checkout(tmp_path: Path) -> Path:
    """Copy what the scripts read, beside programs that record how they are called."""
    root = tmp_path / "checkout"
    copy_parts(root, "charts", "examples", "hack", "operator")
    copy_parts(root, "Makefile", "Dockerfile", "pyproject.toml", "requirements.lock")
    programs = "curl", "docker", "helm", "kind", "kubectl", "minikube", "python", "solrbench"
    write_programs(root / ".venv/bin", dict.fromkeys(programs, RECORDER))
    (root / ".venv/ready").touch()
    return root


def calls_of(checkout: Path, cluster: str, commands: list[str]) -> list[str]:
    """Return what the programs are called with by the commands, one after another."""
    calls = checkout / "calls"
    cache = checkout.parent / "cache"
    given = os.environ | {
        "CALLS": str(calls),
        "CLUSTER": cluster,
        "KUBERNETES": "v1.30.0",
        "PATH": f"{checkout / '.venv/bin'}:{os.environ['PATH']}",
        "SOLRBENCH_CACHE": str(cache),
    }
    shell = ["bash", "-euo", "pipefail", "-c"]
    for command in commands:
        done = subprocess.run(
            [*shell, command], env=given, cwd=checkout, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return calls.read_text("utf-8").replace(str(cache), "CACHE").splitlines()


def scripts_of(cluster: str) -> list[str]:
    """Return the scripts of a job that need no runner."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/clusters.yaml").read_text("utf-8"))
    scripts = [step.get("run", "") for step in workflow["jobs"][cluster]["steps"]]
    return [each for each in scripts if each.startswith(("make ", "hack/"))]


@pytest.mark.parametrize("cluster", ["kind", "minikube"])
def test_scripts_of_a_cluster_install_and_measure(cluster: str, checkout: Path) -> None:
    calls = calls_of(checkout, cluster, [*scripts_of(cluster), "make cluster-down"])
    assert calls.count(CREATES[cluster]) == 1
    loaded = [each.split()[-1] for each in calls if each.startswith(LOADS[cluster])]
    images = [
        "docker.io/library/solr:9.10.1",
        "docker.io/library/zookeeper:3.9.4",
        "localhost/solrbench/solrbench:dev",
    ]
    operator = "docker.io/apache/solr-operator:v0.9.1"
    assert loaded == [*images * 3, operator], "once for the stack, once for each demo"
    installed = [each.split()[3] for each in calls if each.startswith("helm upgrade --install")]
    monitoring = ["monitoring"] if cluster == "kind" else []
    assert installed == [*monitoring, "bench", "solrbench", "solrbench"]
    run = [each for each in calls if each.startswith("solrbench run")]
    assert run == [
        *(f"solrbench run -n bench -f examples/{each}" for each in RUNS),
        "solrbench run --replace -n solrbench -f examples/quickstart.yaml",
        "solrbench run --replace -n solrbench -f examples/solr-operator.yaml",
    ]
    for resource in MEASURED:
        name = resource.partition("/")[2] or resource
        page = f"solrbench report -n bench {resource} -o html --output-file build/ci/{name}.html"
        assert page in calls
    assert calls[-1] == DELETES[cluster]
    other = {"kind": "minikube", "minikube": "kind"}[cluster]
    assert not [each for each in calls if each.startswith(f"{other} ")]


def test_dashboards_are_installed_and_checked_where_prometheus_is(checkout: Path) -> None:
    calls = calls_of(checkout, "kind", ["hack/ci/stack", "hack/ci/monitoring", "hack/ci/stack"])
    without, with_prometheus = (
        each for each in calls if each.startswith("helm upgrade --install bench")
    )
    for setting in ("serviceMonitor", "dashboard"):
        assert f"metrics.{setting}.enabled=true" not in without
        assert f"--set solr-benchmark-operator.metrics.{setting}.enabled=true" in with_prometheus
    check = "python -m hack.dashboards.panel_data --grafana http://127.0.0.1:3000"
    assert check in calls_of(checkout, "kind", ["hack/ci/dashboards"])


def test_playground_has_dashboards_and_a_result(checkout: Path) -> None:
    calls = calls_of(checkout, "kind", ["hack/playground", "hack/playground remove"])
    order = [
        "kind create cluster",
        "helm upgrade --install monitoring",
        "helm upgrade --install bench",
        "solrbench run --replace -n bench -f examples/quickstart.yaml",
        "solrbench report -n bench quickstart -o html",
        "kind delete cluster",
    ]
    places = [next(i for i, call in enumerate(calls) if call.startswith(each)) for each in order]
    assert places == sorted(places)


def test_unknown_cluster_is_refused(checkout: Path) -> None:
    with pytest.raises(AssertionError, match="CLUSTER is packages, kind or minikube, not"):
        calls_of(checkout, "k3d", ["make cluster"])
