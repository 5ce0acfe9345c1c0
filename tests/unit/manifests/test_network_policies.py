"""Only a benchmark's own pods and the operator connect to its load, and to the agents."""

from dataclasses import replace
from typing import cast

import pytest

from solrbench.contract import names
from solrbench.controller.stages.target import reconcile_target
from solrbench.errors import TemporaryError
from solrbench.manifests.network_policies import PolicyPeers, build_network_policies
from support.cluster.network import Place, admits
from support.controller.runs import reconcile_context
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored
from support.resources.small_resource import SOLR, create
from support.solr.cloud import Cloud

LABELS = {"app": "operator"}
PEERS = PolicyPeers("tools", LABELS)
OPERATOR = Place("tools", LABELS)
ONE, OTHER = stored({"metadata.name": "one"}), stored({"metadata.name": "other"})
POLICIES = [each for one in (ONE, OTHER) for each in build_network_policies(one, PEERS)]
LOAD = [(names.LOAD_MASTER, 5557), (names.LOAD_MASTER, 8089), (names.LOAD_WORKER, 1)]
AGENTS = [(names.SOLR, names.AGENT_PORT), (names.ZOOKEEPER, names.AGENT_PORT)]
NODES = [(names.SOLR, names.SOLR_PORT), (names.ZOOKEEPER, names.ZOOKEEPER_PORT)]


def own(component: str, benchmark: str = "one") -> Place:
    found = {"one": ONE, "other": OTHER}[benchmark]
    return Place("search", names.labels(found, component, 2))


@pytest.mark.parametrize(("component", "port"), [*LOAD, (names.INDEX, 9101), *AGENTS])
def test_load_index_and_agents_are_for_the_benchmark_and_the_operator(
    component: str, port: int
) -> None:
    target = own(component)
    assert all(admits(POLICIES, target, own(each), port) for each in names.COMPONENTS)
    assert admits(POLICIES, target, OPERATOR, port)
    others = [own(names.LOAD_WORKER, "other"), Place("search", LABELS), Place("tools")]
    assert not any(admits(POLICIES, target, each, port) for each in others)


@pytest.mark.parametrize(("component", "port"), [*NODES, (names.ZOOKEEPER, 3888)])
def test_nodes_are_open_unless_the_namespace_has_a_policy_of_its_own(
    component: str, port: int
) -> None:
    assert admits(POLICIES, own(component), Place("anywhere"), port)
    closed = build_network_policies(ONE, PolicyPeers("tools", LABELS, opens_nodes=False))
    assert not admits(closed, own(component), Place("anywhere"), port)
    assert admits(closed, own(component), own(names.LOAD_WORKER), port)


def test_an_existing_target_and_an_unknown_operator_have_none() -> None:
    existing = build_network_policies(stored(create()), PEERS)
    assert [each["metadata"]["name"] for each in existing] == ["base-load-master"]
    assert build_network_policies(ONE, PolicyPeers("tools")) == []


def test_policies_belong_to_the_benchmark() -> None:
    for policy in build_network_policies(ONE, PEERS):
        (owner,) = policy["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"]) == ("SolrBenchmark", ONE.metadata.uid)


def test_policies_are_there_before_the_pods() -> None:
    run = reconcile_context(Cloud(), {f"{SOLR}.provisioner": "StatefulSet"})
    run.settings = replace(run.settings, policy_peers=PEERS)
    with pytest.raises(TemporaryError):
        reconcile_target(run)
    kinds = [each["kind"] for each in cast(FakeCluster, run.cluster).applied]
    assert kinds[:2] == ["NetworkPolicy", "NetworkPolicy"]
    assert "StatefulSet" in kinds[2:]
