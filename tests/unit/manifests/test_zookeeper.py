"""The ZooKeeper ensemble, and the script that a server runs before it stops."""

import socketserver
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.resources.objects import container, environment, pick, pod, target
from support.resources.small_resource import SOLR, Changes
from support.servers.in_thread import in_thread


def zookeeper(changes: Changes | None = None) -> dict[str, Any]:
    return pick(target(changes), "StatefulSet", "base-zookeeper")


def ensemble(replicas: int) -> Changes:
    return {f"{SOLR}.zookeeper": {"replicas": replicas}}


def test_ids_start_at_1_and_are_the_pods_ordinals() -> None:
    manifest = zookeeper(ensemble(3))
    assert (manifest["spec"]["replicas"], manifest["spec"]["ordinals"]) == (3, {"start": 1})
    (my_id,) = [each for each in container(manifest)["env"] if each["name"] == "ZOO_MY_ID"]
    path = my_id["valueFrom"]["fieldRef"]["fieldPath"]
    assert path == "metadata.labels['apps.kubernetes.io/pod-index']"


@pytest.mark.parametrize("replicas", [3, 5, 7])
def test_members_know_one_another_by_id(replicas: int) -> None:
    found = environment(zookeeper(ensemble(replicas)))
    assert found["ZOO_SERVERS"].split(" ") == [
        f"server.{i}=base-zookeeper-{i}.base-zookeeper.search.svc:2888:3888;2181"
        for i in range(1, replicas + 1)
    ]
    assert found["ZOO_STANDALONE_ENABLED"] == "false"


def test_quorum_ports_are_bound_without_resolving_the_own_name() -> None:
    found = environment(zookeeper(ensemble(3)))
    assert found["ZOO_CFG_EXTRA"].split(" ") == ["quorumListenOnAllIPs=true"]


def test_a_lone_member_stands_alone() -> None:
    found = environment(zookeeper(ensemble(1)))
    assert found["ZOO_SERVERS"] == "server.1=localhost:2888:3888;2181"
    assert found["ZOO_STANDALONE_ENABLED"] == "true"


def test_heap_is_both_bounds() -> None:
    found = environment(zookeeper({f"{SOLR}.zookeeper": {"heap": "1Gi"}}))
    assert found["ZK_SERVER_HEAP"] == "1024"  # the image makes it -Xmx1024m
    assert found["SERVER_JVMFLAGS"] == "-Xms1024m"


def test_words_that_the_operator_asks_with_are_allowed() -> None:
    allowed = environment(zookeeper())["ZOO_4LW_COMMANDS_WHITELIST"].split(",")
    assert {"mntr", "srvr", "envi"} <= set(allowed)


def test_image_and_resources_are_zookeeper_s_own() -> None:
    wanted = {"limits": {"memory": "512Mi"}}
    image = {"repository": "zk", "tag": "3.9.3"}
    zoo = {"resources": wanted, "image": image}
    manifest = zookeeper({f"{SOLR}.zookeeper": zoo, f"{SOLR}.imagePullSecrets": [{"name": "key"}]})
    assert container(manifest)["resources"] == wanted
    assert container(manifest)["image"] == "zk:3.9.3"
    assert pod(manifest)["imagePullSecrets"] == [{"name": "key"}]


def test_service_opens_the_quorum_before_members_are_ready() -> None:
    service = pick(target(), "Service", "base-zookeeper")["spec"]
    assert service["publishNotReadyAddresses"] is True
    assert {each["port"] for each in service["ports"]} == {2181, 2888, 3888}


def test_logging_lies_in_the_config_map_that_is_mounted() -> None:
    config_map = pick(target(), "ConfigMap", "base-zookeeper")
    (volume,) = [each for each in pod(zookeeper())["volumes"] if "configMap" in each]
    assert volume["configMap"]["name"] == config_map["metadata"]["name"]
    assert 'level="WARN"' in config_map["data"]["logback.xml"]


SERVING = "zk_avg_latency\t0.5\nzk_ephemerals_count\t{}\nzk_approximate_data_size\t4109\n"
NOT_SERVING = "This ZooKeeper instance is not currently serving requests\n"


@contextmanager
def stopping_zookeeper(*answers: str) -> Iterator[tuple[int, list[str]]]:
    """Give the port of a server that answers `mntr` so, and the answers left."""
    left = list(answers)

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            assert self.rfile.readline() == b"mntr\n"
            self.wfile.write(left.pop(0).encode())

    with in_thread(socketserver.TCPServer(("127.0.0.1", 0), Answer)) as address:
        yield int(address.partition(":")[2]), left


def stop(port: int) -> int:
    hook = container(zookeeper())["lifecycle"]["preStop"]
    *bash, script = hook["exec"]["command"]
    script = script.replace("/2181", f"/{port}").replace("sleep 0.5", "sleep 0.01")
    return subprocess.run([*bash, script], timeout=10, check=False).returncode


def test_server_waits_until_no_session_has_ephemeral_nodes() -> None:
    with stopping_zookeeper(*(SERVING.format(count) for count in (20, 10, 0))) as (port, left):
        assert (stop(port), left) == (0, [])


@pytest.mark.parametrize("answer", [SERVING.format(0), NOT_SERVING, ""])
def test_server_without_clients_or_quorum_stops_at_once(answer: str) -> None:
    with stopping_zookeeper(answer, SERVING.format(0)) as (port, left):
        assert (stop(port), len(left)) == (0, 1)


def test_clients_that_stay_are_not_waited_for_without_end() -> None:
    with stopping_zookeeper(*[SERVING.format(1)] * 31) as (port, left):
        assert (stop(port), len(left)) == (0, 1)


def test_server_that_does_not_listen_stops_at_once() -> None:
    with stopping_zookeeper() as (port, _):
        pass
    assert stop(port) == 0
