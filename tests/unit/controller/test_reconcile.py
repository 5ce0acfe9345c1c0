"""Benchmarks are reconciled in a cluster in memory: what is decided, made, reported, removed.

tests/integration/test_transitions.py makes many more changes against the real API server.
"""

import random
from typing import Any

import pytest
from pydantic import ValidationError

from solrbench.api.kinds import BENCHMARK
from solrbench.api.rules import plain, problems
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.names import INDEX, LABEL_COMPONENT
from solrbench.controller import reconcile as reconcile_module
from solrbench.controller.reconcile import STAGES
from solrbench.controller.stages import cleanup
from solrbench.controller.stages.start import acquire_slot
from solrbench.decide.queue import MAX_IN_A_ROW
from solrbench.errors import ConflictError
from support.cluster.admission import RejectedError
from support.cluster.benchmarks import config_map, small
from support.controller.world import NOW, World, condition_of, fail_with, message_of
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import OperatorDriver
from support.transitions.walk import Walk

MINE = {"name": "mine", "key": "any.file"}
OWN_QUERIES = {"queries": {"configMap": MINE}}
SOLR_10: dict[str, Any] = {"target__solrCloud__image": {"tag": "10.0.0"}}


def test_first_reconcile_acquires_the_slot_and_makes_the_ensemble() -> None:
    world = World(small("one"))
    after = world.reconcile("one")
    assert after.status.phase == "Provisioning"
    assert condition_of(after, "Accepted") == ("True", "Accepted")
    assert condition_of(after, "TargetReady") == ("False", "ZooKeeperNotReady")
    assert condition_of(after, "Succeeded") == ("Unknown", "ZooKeeperNotReady")
    assert world.cluster.names("StatefulSet") == {"one-zookeeper"}
    asked = set(world.cluster.asked)
    assert not {"Job", "StatefulSet", "Service", "ConfigMap"} & asked, "there is nothing to delete"


def test_tag_of_a_version_that_was_not_tested_is_accepted_with_a_warning() -> None:
    after = World(small("one", **SOLR_10)).reconcile("one")
    assert condition_of(after, "Accepted") == ("True", "VersionNotTested")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (SOLR_10 | {"target__solrCloud__solrOpts": "-Dsolr.modules=hdfs"}, "FieldNotInVersion"),
        ({"podOptions": [{"serviceAccountName": "admin"}]}, "PodOptionNotAllowed"),
    ],
)
def test_what_is_not_allowed_ends_it_before_anything_is_made(
    changes: dict[str, Any], reason: str
) -> None:
    world = World(small("one", **changes))
    after = world.reconcile("one")
    assert condition_of(after, "Accepted") == ("False", reason)
    assert condition_of(after, "Succeeded") == ("False", reason)
    assert after.status.phase == "Failed"
    assert world.cluster.applied == []


def test_repeated_reconcile_writes_nothing() -> None:
    world = World(small("one"))
    world.reconcile("one")
    version = world.body()["metadata"]["resourceVersion"]
    world.reconcile("one")
    assert world.body()["metadata"]["resourceVersion"] == version


@pytest.mark.parametrize(
    "changes",
    [
        {"workload": OWN_QUERIES},
        {"workload": {"locustfile": {"configMap": MINE}}},
        {"podOptions": [{"env": [{"name": "ZONE", "valueFrom": {"configMapKeyRef": MINE}}]}]},
    ],
    ids=["queries", "locustfile", "variable"],
)
def test_missing_config_map_is_waited_for(changes: dict[str, Any]) -> None:
    world = World(small("one", **changes))
    after = world.reconcile("one")
    assert after.status.phase == "Pending"
    assert condition_of(after, "Accepted") == ("False", "ConfigMapNotFound")
    world.cluster.put(config_map("mine", other=""))
    assert condition_of(world.reconcile("one"), "Accepted") == ("False", "ConfigMapKeyNotFound")
    world.cluster.put(config_map("mine", **{MINE["key"]: "any"}))
    assert condition_of(world.reconcile("one"), "Accepted") == ("True", "Accepted")


def test_missing_config_map_is_not_waited_for_after_the_deadline() -> None:
    deadlines = {"provisioningSeconds": 60}
    world = World(small("one", workload=OWN_QUERIES, deadlines=deadlines))
    assert world.reconcile("one").status.phase_start_time == NOW
    assert world.reconcile("one", 60).status.phase == "Pending"
    after = world.reconcile("one", 1)
    assert after.status.phase == "Failed"
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")


def test_second_waits_until_the_first_is_all_over() -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 60}), small("two"))
    world.reconcile("one")
    after = world.reconcile("two")
    assert after.status.phase == "Queued"
    assert condition_of(after, "Succeeded") == ("Unknown", "Queued")
    world.reconcile("one", 61)  # the deadline
    assert world.reconcile("two").status.phase == "Queued"  # pods of the first are still there
    world.reconcile("one")  # deletes
    world.reconcile("one")  # sees that nothing is left
    assert world.reconcile("two").status.phase == "Provisioning"


def test_deadline_ends_it_with_the_last_reason_and_cleans_up() -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 60}, cleanup="Always"))
    world.reconcile("one")
    assert world.reconcile("one", 60).status.phase == "Provisioning"
    after = world.reconcile("one", 1)
    assert after.status.phase == "Failed"
    assert condition_of(after, "Succeeded") == ("False", "DeadlineExceeded")
    assert "ZooKeeperNotReady" in message_of(after)
    world.reconcile("one")
    assert condition_of(world.reconcile("one"), "CleanedUp") == ("True", "CleanedUp")
    assert world.cluster.names("StatefulSet") | world.cluster.names("Service") == set()


@pytest.mark.parametrize(
    ("cleanup", "left"),
    [({}, 1), ({"cleanup": "Never"}, 1), ({"cleanup": "OnSuccess"}, 1), ({"cleanup": "Always"}, 0)],
)
def test_clean_up_after_a_failure_as_the_spec_says(cleanup: dict[str, str], left: int) -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 1}, **cleanup))
    world.reconcile("one")
    assert world.cluster.names("PodDisruptionBudget") == {"one-zookeeper"}
    for _ in range(3):
        world.reconcile("one", 2)
    assert len(world.cluster.names("StatefulSet")) == left
    assert world.cluster.names("PodDisruptionBudget") == set(), "no pod is protected after the end"


@pytest.mark.parametrize("indexed", [False, True])
def test_index_pods_of_a_failure_go_on_with_nothing(indexed: bool) -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 1}, cleanup="OnSuccess"))
    world.reconcile("one")
    made = world.cluster.objects["StatefulSet", "default", "one-zookeeper"]["metadata"]
    labels = made["labels"] | {LABEL_COMPONENT: INDEX}
    metadata = {"name": "one-index", "namespace": "default", "labels": labels}
    owners = {"ownerReferences": made["ownerReferences"]}
    world.cluster.put({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata | owners})
    for each in world.body()["status"]["conditions"]:
        if each["type"] == "DataIndexed" and indexed:
            each["status"] = "True"
    for _ in range(3):
        world.reconcile("one", 2)
    # Pods that came to their end stay for their logs.
    assert world.cluster.names("Job") == ({"one-index"} if indexed else set())
    assert world.cluster.names("StatefulSet") == {"one-zookeeper"}


def test_time_to_live_deletes_the_benchmark() -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 1}, ttlSecondsAfterFinished=30))
    world.reconcile("one")
    world.reconcile("one", 2)
    world.reconcile("one", 29)
    assert world.cluster.names("SolrBenchmark") == {"one"}
    world.reconcile("one", 1)
    assert world.cluster.names("SolrBenchmark") == set()


def test_suspension_removes_everything_and_gives_up_the_turn() -> None:
    world = World(small("one"), small("two"))
    world.reconcile("one")
    world.body()["spec"]["suspend"] = True
    after = world.reconcile("one")
    assert after.status.phase == "Suspended"
    assert world.reconcile("two").status.phase == "Queued"  # not before it is all gone
    after = world.reconcile("one")
    assert after.status.start_time is None
    assert world.cluster.names("StatefulSet") == set()
    attempts = world.reconcile("one").status.attempts
    assert (attempts.target, attempts.load) == (2, 2)  # of what is made when it goes on
    assert (attempts.starts_of_target, attempts.starts_of_load) == (1, 1)  # no pod was lost
    assert world.reconcile("two").status.phase == "Provisioning"


def test_removal_ends_before_a_lifted_suspension_goes_on() -> None:
    world = World(small("one"))
    world.reconcile("one")
    spec = world.body()["spec"]
    spec["suspend"] = True
    assert world.reconcile("one").status.start_time is not None  # not observed yet
    spec["suspend"] = False
    after = world.reconcile("one")
    assert (after.status.phase, after.status.start_time) == ("Suspended", None)
    assert world.reconcile("one").status.phase == "Provisioning"


def test_old_version_of_the_resource_is_never_written_over() -> None:
    world = World(small("one"))
    old = world.cluster.get("", "SolrBenchmark", "default", "one")
    world.reconcile("one")
    assert old is not None
    with pytest.raises(ConflictError):
        world.reconcile_body(old)


def test_objects_of_others_are_neither_changed_nor_deleted() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "one-zookeeper"}}
    deadlines = {"provisioningSeconds": 60}
    world = World(small("one", deadlines=deadlines, cleanup="Always"), service)
    assert condition_of(world.reconcile("one"), "TargetReady") == ("False", "NameTaken")
    world.reconcile("one", 61)
    world.reconcile("one")
    assert condition_of(world.reconcile("one"), "CleanedUp") == ("True", "CleanedUp")
    assert world.cluster.names("Service") == {"one-zookeeper"}
    assert "labels" not in service["metadata"]


def test_waiting_benchmark_writes_nothing() -> None:
    world = World(small("one"), small("two"))
    world.reconcile("one")
    first = world.reconcile("two")
    version = world.body("two")["metadata"]["resourceVersion"]
    after = world.reconcile("two", 30)
    assert world.body("two")["metadata"]["resourceVersion"] == version
    assert after.status.phase_start_time == first.status.phase_start_time


def broken(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Let the stage of the target raise."""
    failing = fail_with(error)
    stages = tuple((type_, failing if type_ == "TargetReady" else work) for type_, work in STAGES)
    monkeypatch.setattr(reconcile_module, "STAGES", stages)


def test_exception_becomes_a_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, ValueError("Port could not be cast\nsecond line"))
    world = World(small("one"))
    after = world.reconcile("one")
    assert message_of(after, "TargetReady") == "ValueError: Port could not be cast"
    assert condition_of(world.reconcile("one"), "Succeeded") == ("Unknown", "InternalError")
    assert world.body()["status"]["internalErrors"] == 2


def test_exceptions_count_against_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, KeyError("index"))
    world = World(small("one", deadlines={"provisioningSeconds": 60}))
    world.reconcile("one")
    assert condition_of(world.reconcile("one", 61), "Succeeded") == ("False", "DeadlineExceeded")


def test_too_many_exceptions_in_a_row_end_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, KeyError("index"))
    world = World(small("one"), small("two"))
    for _ in range(MAX_IN_A_ROW - 1):
        assert condition_of(world.reconcile("one"), "Succeeded") == ("Unknown", "InternalError")
    after = world.reconcile("one")
    assert after.status.phase == "Failed"
    assert condition_of(after, "Succeeded") == ("False", "InternalError")
    assert world.reconcile("two").status.phase == "Queued"  # until the first is cleaned up


def test_one_success_in_between_starts_the_count_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(small("one"))
    with monkeypatch.context() as patch:
        broken(patch, KeyError("index"))
        assert world.reconcile("one").status.internal_errors == 1
    assert world.reconcile("one").status.internal_errors == 0


@pytest.mark.parametrize("end", ["clean_up", "suspend"])
def test_exceptions_at_the_end_give_up_the_place(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    world = World(small("one", deadlines={"provisioningSeconds": 1}), small("two"))
    world.reconcile("one")
    if end == "suspend":
        world.body()["spec"]["suspend"] = True
    else:
        world.reconcile("one", 2)
    monkeypatch.setattr(cleanup, end, fail_with(AttributeError("items")))
    for _ in range(MAX_IN_A_ROW):
        assert world.reconcile("two").status.phase == "Queued"
        after = world.reconcile("one")
        assert condition_of(after, "CleanedUp") == ("False", "InternalError")
    assert world.reconcile("two").status.phase == "Provisioning"


def test_exception_while_the_end_is_noted_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = cleanup.succeed, acquire_slot
    done = tuple((type_, work if work in kept else lambda _: None) for type_, work in STAGES)
    monkeypatch.setattr(reconcile_module, "STAGES", done)
    monkeypatch.setattr(cleanup, "preparation_note", fail_with(KeyError("differences")))
    world = World(small("one"))
    assert condition_of(world.reconcile("one"), "Succeeded") == ("Unknown", "InternalError")


Body = dict[str, Any]


class Admission:
    """Does in memory what the API server does with a benchmark."""

    def __init__(self, cluster: FakeCluster) -> None:
        self._cluster = cluster

    def store(self, body: Body) -> Body:
        return self._cluster.put(self._admit(body))

    def replace(self, body: Body) -> Body:
        key = "SolrBenchmark", body["metadata"]["namespace"], body["metadata"]["name"]
        stored, given = self._cluster.objects[key], self._admit(body)
        changed = {
            each
            for each in stored["spec"].keys() | given["spec"].keys()
            if stored["spec"].get(each) != given["spec"].get(each)
        }
        if changed - BENCHMARK.mutable:
            raise RejectedError([f"spec.{each} must not change" for each in changed])
        generation = stored["metadata"].get("generation", 1) + bool(changed)
        metadata = stored["metadata"] | {"generation": generation}
        return self._cluster.put(stored | {"metadata": metadata, "spec": given["spec"]})

    def _admit(self, body: Body) -> Body:
        try:
            spec = SolrBenchmark.parse(body | {"status": {}}).spec
        except ValidationError as error:
            raise RejectedError(problems(error)) from error
        return body | {"spec": plain(spec)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_every_change_is_refused_or_effective(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster()
    operator = OperatorDriver(cluster, monkeypatch)
    admission = Admission(cluster)
    walk = Walk(operator, "default", admission.store, admission.replace, random.Random(seed))
    walk.go(100)
    walk.finish()
    assert {state for state, _ in walk.seen} >= {"queued", "running"}
