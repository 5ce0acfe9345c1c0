"""The stack chart, with the real charts of the Solr Operator and the ZooKeeper operator in it."""

import functools
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from chart.rendering import template

ROOT = Path(__file__).parents[2]
MAKE = ". hack/lib/common.sh; . hack/lib/go.sh; . hack/lib/operators.sh; make_stack"
DEPLOYMENTS = {
    "": {"try-solr-benchmark-operator", "try-solr-operator"},
    "solrbench.enabled=false": {"try-solr-operator"},
    "solr-operator.enabled=false": {"try-solr-benchmark-operator"},
    "solr-operator.zookeeper-operator.install=true": {
        "try-solr-benchmark-operator",
        "try-solr-operator",
        "try-zookeeper-operator",
    },
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the chart with its dependencies."""
    folder = tmp_path_factory.mktemp("stack") / "solr-benchmark-stack"
    environment = os.environ | {"SOLRBENCH_STACK": str(folder)}
    command = ["bash", "-euc", MAKE]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120, env=environment)
    return folder


@functools.cache
def rendered(stack: Path, setting: str) -> tuple[dict[str, Any], ...]:
    done = template(*(["--set", setting] if setting else []), chart=stack)
    assert done.returncode == 0, done.stderr
    return tuple(filter(None, yaml.safe_load_all(done.stdout)))


def deployments(stack: Path, setting: str = "") -> dict[str, dict[str, Any]]:
    found = [each for each in rendered(stack, setting) if each["kind"] == "Deployment"]
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in found}


@pytest.mark.parametrize(("setting", "names"), DEPLOYMENTS.items())
def test_settings_choose_what_is_installed(stack: Path, setting: str, names: set[str]) -> None:
    assert deployments(stack, setting).keys() == names


def test_images_are_those_of_the_versions_that_are_named(stack: Path) -> None:
    pods = deployments(stack, "solr-operator.zookeeper-operator.install=true")
    images = {name: spec["containers"][0]["image"] for name, spec in pods.items()}
    assert images["try-solr-operator"] == "apache/solr-operator:v0.9.1"
    assert images["try-zookeeper-operator"] == "pravega/zookeeper-operator:0.2.15"


def test_pod_of_the_solr_operator_is_restricted(stack: Path) -> None:
    (container,) = deployments(stack)["try-solr-operator"]["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "runAsNonRoot": True,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }


@pytest.mark.parametrize("setting", ["install", "use"])
def test_solr_operator_asks_for_zookeepers_only_where_their_operator_is(
    stack: Path, setting: str
) -> None:
    flags = {}
    for value in ("", f"solr-operator.zookeeper-operator.{setting}=true"):
        (container,) = deployments(stack, value)["try-solr-operator"]["containers"]
        flags[value] = container["args"][0]
    assert list(flags.values()) == ["-zk-operator=false", "-zk-operator=true"]
