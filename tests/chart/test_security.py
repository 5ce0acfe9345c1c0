from typing import Any

import pytest
import yaml

from chart.rendering import (
    CASES,
    CHART,
    NAMESPACE,
    deployment,
    of_kind,
    rendered,
    settings,
    template,
)
from solrbench.api.kinds import KINDS
from solrbench.contract import names
from solrbench.controller.owned_objects import OWNED_KINDS
from solrbench.controller.watches import KINDS as WATCHED
from solrbench.manifests.network_policies import build_network_policies
from support.cluster.network import Place, admits
from support.resources.objects import stored

BENCHMARK = stored({"metadata.namespace": "team-a"})

APPLIED = {
    "Job",
    "StatefulSet",
    "Deployment",
    "Service",
    "ConfigMap",
    "SolrCloud",
    "PodDisruptionBudget",
}
"""The others are made by the controllers of Kubernetes."""

Rule = dict[str, list[str]]


def _pod_specs(case: str) -> list[dict[str, Any]]:
    found = [each["spec"] for each in of_kind(case, "Pod")]
    made = [*of_kind(case, "Deployment"), *of_kind(case, "Job")]
    return found + [each["spec"]["template"]["spec"] for each in made]


@pytest.mark.parametrize("case", CASES)
def test_pods_run_as_the_user_of_the_image_and_keep_nothing(case: str) -> None:
    assert len(_pod_specs(case)) == 3
    for spec in _pod_specs(case):
        assert spec["securityContext"]["runAsUser"] == 65532
        assert all("emptyDir" in volume for volume in spec.get("volumes", []))


def _rules(case: str, *kinds: str) -> list[Rule]:
    return [rule for kind in kinds for role in of_kind(case, kind) for rule in role["rules"]]


def _may(rules: list[Rule], group: str, resource: str) -> set[str]:
    return {
        verb
        for rule in rules
        if group in rule["apiGroups"] and resource in rule["resources"]
        for verb in rule["verbs"]
    }


@pytest.mark.parametrize("case", CASES)
def test_no_right_is_a_wildcard_and_secrets_are_read_only_if_asked_for(case: str) -> None:
    rules = _rules(case, "Role", "ClusterRole")
    assert rules
    for rule in rules:
        words = {word for part in rule.values() for word in part}
        assert words.isdisjoint({"*", "pods/exec", "impersonate", "escalate", "bind"})
    assert _may(rules, "", "secrets") == ({"get"} if case == "everything" else set())


@pytest.mark.parametrize(("api_version", "kind"), [each.reference for each in OWNED_KINDS])
def test_the_operator_may_do_what_it_does_with_children(api_version: str, kind: str) -> None:
    group = api_version.rpartition("/")[0]
    verbs = {"list"} | ({"create", "patch"} if kind in APPLIED else set())
    if kind != "Pod":  # pods are found by their labels alone
        verbs |= {"get"}
    if kind not in ("ReplicaSet", "ZookeeperCluster"):  # these go with Deployment and SolrCloud
        verbs |= {"delete"}
    if (api_version, kind) in WATCHED:
        verbs |= {"watch"}
    assert _may(_rules("default", "Role"), group, f"{kind.lower()}s") == verbs


def test_the_operator_may_do_what_it_does_with_benchmarks() -> None:
    rules = _rules("default", "Role")
    benchmarks = {"get", "list", "watch", "create", "patch", "delete"}
    assert _may(rules, "solrbench.io", "solrbenchmarks") == benchmarks
    assert _may(rules, "solrbench.io", "solrbenchmarks/status") == {"update"}
    assert _may(rules, "solrbench.io", "solrbenchmarks/finalizers") == {"update"}
    sweeps = {"get", "list", "watch", "patch", "delete"}
    assert _may(rules, "solrbench.io", "solrbenchmarksweeps") == sweeps
    assert _may(rules, "solrbench.io", "solrbenchmarksweeps/status") == {"update"}
    assert _may(rules, "solrbench.io", "solrbenchmarksweeps/finalizers") == {"update"}
    assert _may(rules, "", "events") == {"list", "create"}
    assert _may(rules, "", "pods/log") == {"get"}
    assert _may(_rules("every_namespace", "ClusterRole"), "", "pods/log") == {"get"}


def _role_namespaces(case: str) -> list[str]:
    roles = [each["metadata"] for each in of_kind(case, "Role")]
    return [each["namespace"] for each in roles if not each["name"].endswith("-lease")]


@pytest.mark.parametrize("case", CASES)
def test_the_operator_may_hold_its_own_lease_and_no_other(case: str) -> None:
    (role,) = [each for each in of_kind(case, "Role") if "-lease" in each["metadata"]["name"]]
    held, made = role["rules"]
    assert role["metadata"]["namespace"] == NAMESPACE
    assert held["resourceNames"] == [deployment(case)["metadata"]["name"]]
    assert (held["verbs"], made["verbs"]) == (["get", "patch"], ["create"])
    assert held["resources"] == made["resources"] == ["leases"]


def test_rights_reach_as_far_as_the_watched_namespaces() -> None:
    assert _role_namespaces("default") == [NAMESPACE]
    assert _role_namespaces("everything") == ["team-a", "team-b"]
    assert _role_namespaces("every_namespace") == []
    changing = [
        rule
        for rule in _rules("everything", "ClusterRole")
        if "delete" in rule["verbs"] and rule["apiGroups"] != ["solrbench.io"]
    ]
    assert changing == []
    assert "delete" in _may(_rules("every_namespace", "ClusterRole"), "apps", "statefulsets")


@pytest.mark.parametrize("case", CASES)
def test_every_role_of_the_operator_is_bound_to_it(case: str) -> None:
    account = deployment(case)["spec"]["template"]["spec"]["serviceAccountName"]
    bound = set()
    for binding in of_kind(case, "RoleBinding") + of_kind(case, "ClusterRoleBinding"):
        (subject,) = binding["subjects"]
        assert (subject["name"], subject["namespace"]) == (account, NAMESPACE)
        bound.add((binding["roleRef"]["name"], binding["metadata"].get("namespace")))
    aggregated = ("-view", "-edit")
    roles = of_kind(case, "Role") + of_kind(case, "ClusterRole")
    names = {(each["metadata"]["name"], each["metadata"].get("namespace")) for each in roles}
    assert bound == {name for name in names if not name[0].endswith(aggregated)}


def test_rights_for_the_whole_cluster_can_be_left_out() -> None:
    kinds = {each["kind"] for each in rendered("minimal")}
    assert kinds.isdisjoint({"ClusterRole", "ClusterRoleBinding", "ServiceAccount"})
    cluster = _rules("default", "ClusterRole")
    assert _may(cluster, "", "nodes") == {"get", "list"}
    assert _may(cluster, "apiextensions.k8s.io", "customresourcedefinitions") == set()


def test_viewers_only_read_and_editors_only_change() -> None:
    roles = {each["metadata"]["name"]: each for each in of_kind("everything", "ClusterRole")}
    view = roles[f"bench-{NAMESPACE}-view"]
    edit = roles[f"bench-{NAMESPACE}-edit"]
    to_view = "rbac.authorization.k8s.io/aggregate-to-view"
    assert view["metadata"]["labels"][to_view] == "true"
    assert to_view not in edit["metadata"]["labels"]
    reading = {"get", "list", "watch"}
    for kind in KINDS:
        assert _may(view["rules"], kind.group, kind.plural) == reading
        assert "create" in _may(edit["rules"], kind.group, kind.plural)
    assert _may(edit["rules"], "solrbench.io", "solrbenchmarks/status") == set()


def test_network_policies_are_off_by_default() -> None:
    assert of_kind("default", "NetworkPolicy") == []


def test_network_policies_let_in_what_the_values_say() -> None:
    policies = {
        each["metadata"]["namespace"]: each
        for each in of_kind("everything", "NetworkPolicy")
        if "Egress" in each["spec"]["policyTypes"]
    }
    assert set(policies) == {NAMESPACE, "team-a", "team-b"}
    (test, metrics) = policies[NAMESPACE]["spec"]["ingress"]
    assert test["from"][0]["podSelector"]["matchLabels"]["app.kubernetes.io/component"] == "test"
    assert metrics["ports"] == [{"protocol": "TCP", "port": "metrics"}]
    assert "monitoring" in str(metrics["from"])
    existing = {"to": [{"ipBlock": {"cidr": "198.51.100.0/24"}}]}
    ports = {"ports": [{"port": 8983}, {"port": 2181}]}
    assert policies[NAMESPACE]["spec"]["egress"][-1] == existing | ports
    team = policies["team-a"]["spec"]
    picked = {"matchLabels": {"app.kubernetes.io/managed-by": "solrbench-operator"}}
    assert team["podSelector"] == picked
    assert team["ingress"] == [{"ports": [{"port": 8089}]}]
    assert team["egress"][-1]["to"] == [{"ipBlock": {"cidr": "192.0.2.0/24"}}]


def _admits(policies: list[dict[str, Any]], component: str, source: Place, port: int) -> bool:
    target = Place("team-a", names.labels(BENCHMARK, component, 1))
    return admits(policies, target, source, port)


def test_policies_of_the_chart_and_of_each_benchmark_agree() -> None:
    by_chart = of_kind("everything", "NetworkPolicy")
    peers = settings("everything").policy_peers
    policies = [*by_chart, *build_network_policies(BENCHMARK, peers)]
    own = Place("team-a", names.labels(BENCHMARK, names.LOAD_WORKER, 1))
    another = Place("team-a", own.labels | {names.LABEL_BENCHMARK: "another"})
    operator = Place(NAMESPACE, deployment("everything")["spec"]["selector"]["matchLabels"])
    for component, port in ((names.LOAD_MASTER, 5557), (names.SOLR, 9101), (names.SOLR, 8983)):
        assert _admits(policies, component, own, port)
        assert _admits(policies, component, operator, port)
        assert not _admits(policies, component, Place("team-b", own.labels), port)
        assert _admits(policies, component, another, port) == (port == 8983)
    assert _admits(policies, names.COMPANION, another, 80)
    # The policies of nodes and companions do not depend on rules of the values.
    values = str(CHART.parents[1] / "tests/chart/values/everything.yaml")
    without = "--set-json", "networkPolicy.benchmarks.extraEgress=[]"
    done = template("-f", values, "--api-versions", "monitoring.coreos.com/v1", *without)
    assert done.returncode == 0, done.stderr
    plain = {each["metadata"]["name"] for each in yaml.safe_load_all(done.stdout) if each}
    assert {each["metadata"]["name"] for each in by_chart} <= plain
    # A rule of the values is for all pods.
    assert _admits(policies, names.LOAD_MASTER, Place("anywhere"), 8089)


def test_policies_of_benchmarks_need_a_right_and_can_be_left_out() -> None:
    allowed = _may(_rules("default", "Role"), "networking.k8s.io", "networkpolicies")
    assert allowed == {"get", "create", "patch"}
    assert settings("default").policy_peers.opens_nodes
    assert _may(_rules("minimal", "Role"), "networking.k8s.io", "networkpolicies") == set()
    assert not settings("minimal").policy_peers.labels


def test_policies_in_every_namespace_are_refused_with_the_remedy() -> None:
    values = CHART.parents[1] / "tests/chart/values/every_namespace.yaml"
    done = template("-f", str(values), "--set", "networkPolicy.benchmarks.enabled=true")
    assert done.returncode != 0
    assert "needs watchNamespaces to name its namespaces" in done.stderr
