"""Addresses of nodes, where each variant leads, and the place of a SolrCloud in ZooKeeper."""

from datetime import timedelta

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.target import Provisioner, SolrCloud
from solrbench.contract.endpoints import (
    ZooKeeperPath,
    member_hosts,
    needs_service,
    solr_hosts,
    solr_urls,
    variant_endpoints,
    zookeeper_path,
)
from solrbench.controller.provisioners.registry import PROVISIONERS
from support.narrowing import not_none
from support.resources.objects import STARTED, stored
from support.resources.small_resource import SOLR, Changes

OPERATED: Changes = {f"{SOLR}.provisioner": "SolrOperator"}


def target(changes: Changes) -> tuple[SolrBenchmark, SolrCloud]:
    benchmark = stored(changes)
    return benchmark, not_none(benchmark.spec.target.solr_cloud)


def test_nodes_of_our_own() -> None:
    assert solr_urls(*target({})) == [
        "http://base-solr-0.base-solr.search.svc:8983/solr",
        "http://base-solr-1.base-solr.search.svc:8983/solr",
    ]


def test_nodes_of_the_solr_operator_by_the_names_that_they_give_themselves() -> None:
    # as seen of v0.10.0: SOLR_HOST is $(POD_NAME).<name>-solrcloud-headless.<namespace>
    assert solr_hosts(*target(OPERATED)) == [
        "base-solrcloud-0.base-solrcloud-headless.search",
        "base-solrcloud-1.base-solrcloud-headless.search",
    ]


def test_every_provisioner_has_an_implementation() -> None:
    assert PROVISIONERS.keys() == set(Provisioner)


NODES = ["http://a:8983/solr", "http://b:8983/solr"]


def test_every_variant_has_the_urls_of_its_endpoint() -> None:
    variants = [
        {"name": "raw", "endpoint": "Nodes"},
        {"name": "service", "endpoint": "Service"},
        {"name": "proxy", "urls": ["http://proxy.web.svc/solr"]},
    ]
    found = variant_endpoints(stored({"spec.target.variants": variants}), NODES)
    assert {each.variant: each.urls for each in found} == {
        "raw": NODES,
        "service": ["http://base-solr-common.search.svc:8983/solr"],
        "proxy": ["http://proxy.web.svc/solr"],
    }


def test_without_variants_there_is_nothing_to_choose() -> None:
    assert variant_endpoints(stored(), NODES) == []
    assert not needs_service(stored())


OUTSIDE: Changes = {f"{SOLR}.zookeeper": {"mode": "External", "connectionString": "zk-0:1,zk-1:2"}}


def path(changes: Changes, *, later: int = 0, attempt: int = 1) -> ZooKeeperPath:
    return zookeeper_path(*target(changes), STARTED + timedelta(seconds=later), attempt)


@pytest.mark.parametrize(
    ("changes", "chroot"),
    [
        ({}, ""),
        ({f"{SOLR}.zookeeper": {"chroot": "/a"}}, "/a"),
        (OPERATED, "/search-base"),
        (OPERATED | {f"{SOLR}.zookeeper": {"mode": "Provided"}}, "/search-base"),
        (OPERATED | {f"{SOLR}.zookeeper": {"mode": "Provided", "chroot": "/a/b"}}, "/a/b"),
    ],
)
def test_path_in_an_ensemble_of_its_own(changes: Changes, chroot: str) -> None:
    assert path(changes).chroot == chroot


def test_members_are_named_as_they_are_made() -> None:
    three = {f"{SOLR}.zookeeper.replicas": 3}
    servers = [f"base-zookeeper-{i}.base-zookeeper.search.svc:2181" for i in (1, 2, 3)]
    assert path(three).servers == ",".join(servers)
    provided = OPERATED | three | {f"{SOLR}.zookeeper.mode": "Provided"}
    service = "base-solrcloud-zookeeper-headless.search.svc"
    hosts = [f"base-solrcloud-zookeeper-{i}.{service}" for i in (0, 1, 2)]
    assert member_hosts(*target(provided)) == hosts


def test_external_connection_string_is_parsed() -> None:
    found = path(OUTSIDE)
    assert found.servers == "zk-0:1,zk-1:2"
    assert found.connection.startswith("zk-0:1,zk-1:2/search.base-")


def test_no_try_finds_the_state_of_another_one_in_an_outside_ensemble() -> None:
    tries = [path(OUTSIDE), path(OUTSIDE, attempt=2), path(OUTSIDE, later=1)]
    other = path(OUTSIDE | {"metadata.name": "other"})
    names = ("a", "b-c"), ("a-b", "c")
    tries += [path(OUTSIDE | {"metadata.namespace": a, "metadata.name": b}) for a, b in names]
    assert len({each.chroot for each in [*tries, other]}) == 6
    assert path(OUTSIDE) == path(OUTSIDE)


def test_a_chroot_is_the_folder_of_all_tries_in_an_outside_ensemble() -> None:
    found = path(OUTSIDE | {f"{SOLR}.zookeeper.chroot": "/benchmarks"})
    folder, _, name = found.chroot.rpartition("/")
    assert folder == "/benchmarks"
    assert name.startswith("search.base-")
