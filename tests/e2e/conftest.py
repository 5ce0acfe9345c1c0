"""Whole benchmarks in real pods, by the operator that `make install` put into the cluster."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from support.cluster import kube
from support.servers import web_server as web_server_pod
from support.solr.operators import SOLR_OPERATOR, ZOOKEEPER_OPERATOR, enforce


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/e2e" in str(item.path):
            item.add_marker(pytest.mark.e2e)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print a line for each loss or capacity that `make soak` and `soak-capacity` recorded."""
    for kind in ("passed", "failed"):
        for report in terminalreporter.stats.get(kind, []):
            for name, row in report.user_properties:
                if name == "shown" and report.when == "call":
                    terminalreporter.write_line(f"{row} {kind}")


@pytest.fixture(scope="session", autouse=True)
def operator() -> None:
    """The operator must be there; its namespace must hold nothing of an earlier run."""
    if not os.environ.get("KUBECONFIG"):
        pytest.skip('no cluster: make cluster images install, then eval "$(hack/cluster/env)"')
    kube.kubectl("rollout", "status", "deployment", "--timeout=120s")
    kube.kubectl("delete", "solrbenchmarksweeps", "--all")  # they would make benchmarks again
    for body in kube.items("solrbenchmarks"):
        kube.delete(body["metadata"]["name"])
    ours = f"app.kubernetes.io/instance!=solrbench,!control-plane,{NO_OPERATOR}"
    kube.kubectl("delete", "pods,services,deployments", "-l", ours, "--grace-period=1")


@pytest.fixture
def run() -> Iterator[Callable[..., str]]:
    """Apply a benchmark with what it refers to; it is deleted after the test, with everything."""
    names: list[str] = []

    def applied(body: dict[str, Any], *others: dict[str, Any]) -> str:
        names.append(body["metadata"]["name"])
        kube.apply(*others, body)
        return names[-1]

    yield applied
    for name in names:
        kube.delete(name)


@pytest.fixture(scope="session")
def web_server() -> Iterator[str]:
    """A web server in the cluster; gives its address there."""
    yield web_server_pod.start(WEB_SERVER)
    web_server_pod.stop(WEB_SERVER)


@pytest.fixture(scope="module")
def solr_operator() -> Iterator[None]:
    """Both operators at work, in a namespace that admits the pods they make."""
    for operator_ in (SOLR_OPERATOR, ZOOKEEPER_OPERATOR):
        if not operator_.is_installed():
            pytest.skip("no Solr Operator: hack/cluster/operators installs it")
    enforce("baseline")
    for operator_ in (SOLR_OPERATOR, ZOOKEEPER_OPERATOR):
        operator_.start()
    yield
    enforce("restricted")


WEB_SERVER = "files"
NO_OPERATOR = (
    "!control-plane,app.kubernetes.io/name!=zookeeper-operator,component!=zookeeper-operator"
)
