"""Where in which ZooKeeper a SolrCloud keeps its state."""

from datetime import timedelta

import pytest

from solrbench.plan.target.zookeeper_path import ZooKeeperPath, member_hosts, zookeeper_path
from support.resources.objects import STARTED, stored
from support.resources.small_resource import SOLR, Changes

OUTSIDE: Changes = {f"{SOLR}.zookeeper": {"mode": "External", "connectionString": "zk-0:1,zk-1:2"}}
OPERATED: Changes = {f"{SOLR}.provisioner": "SolrOperator"}


def path(changes: Changes, *, later: int = 0, attempt: int = 1) -> ZooKeeperPath:
    benchmark = stored(changes)
    solr = benchmark.spec.target.solr_cloud
    assert solr is not None
    return zookeeper_path(benchmark, solr, STARTED + timedelta(seconds=later), attempt)


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
    assert path(three).servers == ",".join(
        f"base-zookeeper-{i}.base-zookeeper.search.svc:2181" for i in (1, 2, 3)
    )
    benchmark = stored(OPERATED | three | {f"{SOLR}.zookeeper.mode": "Provided"})
    solr = benchmark.spec.target.solr_cloud
    assert solr is not None
    service = "base-solrcloud-zookeeper-headless.search.svc"
    assert member_hosts(benchmark, solr) == [
        f"base-solrcloud-zookeeper-{i}.{service}" for i in (0, 1, 2)
    ]


def test_external_connection_string_is_parsed() -> None:
    found = path(OUTSIDE)
    assert found.servers == "zk-0:1,zk-1:2"
    assert found.connection.startswith("zk-0:1,zk-1:2/search-base-")


def test_no_try_finds_the_state_of_another_one_in_an_outside_ensemble() -> None:
    tries = [path(OUTSIDE), path(OUTSIDE, attempt=2), path(OUTSIDE, later=1)]
    other = path(OUTSIDE | {"metadata.name": "other"})
    assert len({each.chroot for each in [*tries, other]}) == 4
    assert path(OUTSIDE) == path(OUTSIDE)


def test_a_chroot_is_the_folder_of_all_tries_in_an_outside_ensemble() -> None:
    found = path(OUTSIDE | {f"{SOLR}.zookeeper.chroot": "/benchmarks"})
    folder, _, name = found.chroot.rpartition("/")
    assert folder == "/benchmarks"
    assert name.startswith("search-base-")
