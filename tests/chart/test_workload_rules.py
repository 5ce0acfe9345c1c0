"""Every pod of the rendered chart keeps the rules of the usual scanners."""

from collections.abc import Iterator

import pytest

from chart.rendering import CASES, of_kind, rendered
from support.resources.workload_rules import Workload, find_problems, unexplained

EXECUTING = {"pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "nodes/proxy"}


def workloads(case: str) -> Iterator[Workload]:
    for each in of_kind(case, "Deployment"):
        yield Workload("operator", each["spec"]["template"]["spec"], serves=True)
    for each in of_kind(case, "Job"):
        yield Workload("uninstall", each["spec"]["template"]["spec"], serves=False)
    for each in of_kind(case, "Pod"):
        yield Workload("test", each["spec"], serves=False)


@pytest.mark.parametrize("case", CASES)
def test_every_pod_of_the_chart_keeps_the_rules(case: str) -> None:
    assert unexplained(find_problems(workloads(case))) == set()


@pytest.mark.parametrize("case", CASES)
def test_no_role_executes_in_pods_or_makes_roles(case: str) -> None:
    for kind in ("Role", "ClusterRole"):
        for role in of_kind(case, kind):
            for rule in role["rules"]:
                assert EXECUTING.isdisjoint(rule.get("resources", []))
                assert "rbac.authorization.k8s.io" not in rule.get("apiGroups", [])


@pytest.mark.parametrize("case", CASES)
def test_nothing_in_the_chart_is_reachable_from_outside(case: str) -> None:
    assert not {each["kind"] for each in rendered(case)} & {"Ingress", "Secret", "DaemonSet"}
    for service in of_kind(case, "Service"):
        assert service["spec"].get("type", "ClusterIP") == "ClusterIP"


def test_policies_select_the_operator_and_every_pod_of_a_benchmark() -> None:
    for policy in of_kind("everything", "NetworkPolicy"):
        assert "Ingress" in policy["spec"]["policyTypes"]
        assert policy["spec"]["podSelector"]["matchLabels"]
