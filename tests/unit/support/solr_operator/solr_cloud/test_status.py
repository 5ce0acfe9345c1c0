from support.solr_operator.names import NOT_STOPPED
from support.solr_operator.solr_cloud.gates import open_gates
from support.solr_operator.solr_cloud.status import agrees, build_status
from unit.support.solr_operator.clouds import CONNECTION, cloud, counts, pod

NOW = "2026-11-21T00:00:00Z"


def test_counts_come_from_the_pods() -> None:
    pods = [pod("bench-solrcloud-1", ready=False), pod("bench-solrcloud-0")]
    status = build_status(cloud(), {"status": counts(2, 1)}, pods, CONNECTION)
    assert (status["replicas"], status["readyReplicas"], status["upToDateNodes"]) == (2, 1, 2)
    assert [node["name"] for node in status["solrNodes"]] == [
        "bench-solrcloud-0",
        "bench-solrcloud-1",
    ]
    address = "http://bench-solrcloud-0.bench-solrcloud-headless.search:8983"
    assert status["solrNodes"][0]["internalAddress"] == address
    assert status["internalCommonAddress"] == "http://bench-solrcloud-common.search"
    assert status["podSelector"] == "solr-cloud=bench,technology=solr-cloud"
    assert "targetVersion" not in status


def test_pod_of_an_older_template_is_not_up_to_date() -> None:
    status = build_status(
        cloud(), {"status": counts(1, 1)}, [pod("p-0", revision="r0")], CONNECTION
    )
    assert status["upToDateNodes"] == 0
    assert status["solrNodes"][0]["specUpToDate"] is False


def test_other_version_is_reported_until_all_pods_have_the_wanted_one() -> None:
    other = cloud(solrImage={"tag": "9.9.0"})
    status = build_status(other, {"status": counts(1, 1)}, [pod("p-0")], CONNECTION)
    assert (status["version"], status["targetVersion"]) == ("9.10.0", "9.9.0")


def test_common_address_names_any_port_but_80() -> None:
    other = cloud(solrAddressability={"commonServicePort": 81})
    status = build_status(other, {}, [], CONNECTION)
    assert status["internalCommonAddress"] == "http://bench-solrcloud-common.search:81"
    assert status["replicas"] == 0


def test_status_is_held_back_while_pods_and_stateful_set_differ() -> None:
    status = build_status(cloud(), {"status": counts(1, 1)}, [pod("p-0")], CONNECTION)
    assert agrees(status, {"status": counts(1, 1)})
    assert not agrees(status, {"status": counts(1, 0)})
    assert not agrees(status, {"status": counts(2, 1)})
    assert not agrees(status, {})


def test_gates_are_opened_once() -> None:
    body = pod("p-0")
    (condition,) = open_gates(body, NOW)
    assert condition["type"] == NOT_STOPPED
    assert (condition["status"], condition["reason"]) == ("True", "PodStarted")
    body["status"]["conditions"].append(condition | {"status": "False", "reason": "ScaleDown"})
    assert open_gates(body, NOW) == []


def test_stopped_pod_is_scheduled_for_deletion() -> None:
    body = pod("p-0")
    body["status"]["conditions"].append({"type": NOT_STOPPED, "status": "False"})
    status = build_status(cloud(), {"status": counts(1, 1)}, [body], CONNECTION)
    assert status["solrNodes"][0]["scheduledForDeletion"] is True
