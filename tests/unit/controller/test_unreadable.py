"""Stored resources that another version wrote: nothing is lost, nothing is silent."""

import typing
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.environment import Environment
from solrbench.contract.load_plan import LoadState
from solrbench.contract.pod_plans import IndexProgress
from solrbench.contract.step_document import StepRunResult
from solrbench.decide.failures import DERIVED
from solrbench.kube.results import BenchmarkResultStore
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster
from support.fakes.operator_driver import OperatorDriver, condition
from support.results.builders import make_document, make_result
from support.results.statuses import full_status

Body = dict[str, Any]
STRICTER = {"backoffLimit": -1}
"""A value that a stricter version refuses."""


@pytest.fixture
def operator(monkeypatch: pytest.MonkeyPatch) -> OperatorDriver:
    """Return an operator whose first benchmark runs, and whose second waits."""
    found = OperatorDriver(FakeCluster(small("one"), small("two")), monkeypatch)
    settle(found, ("one", "two"), rounds=2)
    return found


@pytest.mark.parametrize("others", [{}, {"load__surprise": "No"}])
def test_broken_rule_ends_the_benchmark(
    monkeypatch: pytest.MonkeyPatch, others: dict[str, str]
) -> None:
    cluster = FakeCluster(small("one", **STRICTER, **others))
    operator = OperatorDriver(cluster, monkeypatch)
    body = operator.reconcile("one")
    assert body["status"]["phase"] == "Failed"
    found = {each["type"]: each for each in body["status"]["conditions"]}
    assert found["Succeeded"]["reason"] == found["Accepted"]["reason"] == "InvalidSpec"
    assert "spec.backoffLimit" in found["Succeeded"]["message"]
    assert (found["Complete"]["status"], found["Complete"]["reason"]) == ("True", "InvalidSpec")
    assert {each["lastTransitionTime"] for each in found.values()} == {"2026-01-01T12:00:00Z"}
    version = operator.reconcile("one")["metadata"]["resourceVersion"]
    assert operator.reconcile("one")["metadata"]["resourceVersion"] == version


def settle(operator: OperatorDriver, names: Iterable[str], rounds: int) -> None:
    """Reconcile benchmarks some rounds."""
    for _ in range(rounds):
        for name in names:
            operator.reconcile(name, seconds=2)


def stored(operator: OperatorDriver, name: str = "one") -> Body:
    """Return a benchmark to be changed as another version would have left it."""
    return operator.cluster.objects["SolrBenchmark", "default", name]


def finished(operator: OperatorDriver, **spec: Any) -> Body:
    """Let the first benchmark be over, with results."""
    body = stored(operator)
    body["spec"] |= spec
    written = plain(full_status())
    kept = [each for each in written["conditions"] if each["type"] not in ("Succeeded", "Complete")]
    ended = {"status": "True", "reason": "Succeeded", "lastTransitionTime": "2026-01-01T12:00:00Z"}
    body["status"] = written | {"conditions": [*kept, {"type": "Succeeded"} | ended]}
    return body


def test_a_stricter_schema_leaves_a_running_benchmark_its_status_pods_and_place(
    operator: OperatorDriver,
) -> None:
    before = stored(operator)["status"]
    stored(operator)["spec"] |= STRICTER
    after = operator.reconcile("one", seconds=2)["status"]
    assert {**after, "conditions": ()} == {**before, "conditions": ()}
    truth, reason, message = condition({"status": after}, "Succeeded")
    assert (truth, reason) == ("Unknown", "Unreadable")
    assert "spec.backoffLimit" in message
    assert operator.cluster.names("StatefulSet") == {"one-zookeeper"}
    assert operator.reconcile("two")["status"]["phase"] == "Queued"


def test_it_is_written_once_and_goes_on_after_a_rollback(operator: OperatorDriver) -> None:
    stored(operator)["spec"] |= STRICTER
    version = operator.reconcile("one")["metadata"]["resourceVersion"]
    again = operator.reconcile("one", seconds=60)
    assert again["metadata"]["resourceVersion"] == version
    stored(operator)["spec"]["backoffLimit"] = 2
    after = operator.reconcile("one")
    assert condition(after, "Succeeded")[:2] == ("Unknown", "ZooKeeperNotReady")


def test_it_ends_at_its_deadline_and_is_cleaned_up(operator: OperatorDriver) -> None:
    stored(operator)["spec"] |= STRICTER | {"deadlines": {"provisioningSeconds": 60}}
    assert condition(operator.reconcile("one"), "Succeeded")[0] == "Unknown"
    after = operator.reconcile("one", seconds=70)
    assert after["status"]["phase"] == "Failed"
    assert condition(after, "Succeeded")[:2] == ("False", "DeadlineExceeded")
    assert operator.reconcile("two")["status"]["phase"] == "Queued"  # pods are still there
    settle(operator, ("one",), rounds=2)
    assert condition(operator.read("one"), "CleanedUp")[:2] == ("True", "CleanedUp")
    assert operator.cluster.names("StatefulSet") == set()
    assert operator.reconcile("two", seconds=2)["status"]["phase"] == "Provisioning"


@pytest.mark.parametrize("cleanup", ["Never", "OfALaterVersion"])
def test_what_cleanup_keeps_is_kept(operator: OperatorDriver, cleanup: str) -> None:
    limits = {"provisioningSeconds": 60}
    stored(operator)["spec"] |= STRICTER | {"deadlines": limits, "cleanup": cleanup}
    operator.reconcile("one", seconds=70)
    settle(operator, ("one",), rounds=2)
    assert condition(operator.read("one"), "CleanedUp")[:2] == ("False", "CleanupSkipped")
    assert operator.cluster.names("StatefulSet") == {"one-zookeeper"}


def test_a_rule_of_a_later_version_does_not_end_what_runs(operator: OperatorDriver) -> None:
    broken = {"replicas": {"nrt": 3}, "shards": 1}
    stored(operator)["spec"]["collection"] = broken
    assert condition(operator.reconcile("one"), "Succeeded")[1] == "ZooKeeperNotReady"
    stored(operator, "two")["spec"]["collection"] = broken  # has not started
    assert condition(operator.reconcile("two"), "Succeeded")[:2] == ("False", "InvalidSpec")


@pytest.mark.parametrize("changes", [STRICTER, {"ofALaterVersion": 1}])
def test_a_finished_benchmark_keeps_its_results(operator: OperatorDriver, changes: Body) -> None:
    before = finished(operator, cleanup="Never", **changes)["status"]
    kept = {"status": "False", "reason": "CleanupSkipped"}
    before["conditions"].append(before["conditions"][-1] | {"type": "CleanedUp"} | kept)
    assert operator.reconcile("one")["status"] == before


def test_an_export_that_cannot_be_read_waits_without_a_place(operator: OperatorDriver) -> None:
    body = finished(operator, **STRICTER)
    exporting = {"type": "Exported", "status": "Unknown", "reason": "Exporting"}
    body["status"]["conditions"].append(body["status"]["conditions"][-1] | exporting)
    settle(operator, ("one",), rounds=3)
    after = operator.reconcile("one")
    assert condition(after, "CleanedUp")[:2] == ("True", "CleanedUp")
    assert condition(after, "Exported")[:2] == ("Unknown", "Unreadable")
    assert "spec.backoffLimit" in condition(after, "Exported")[2]
    assert operator.reconcile("two", seconds=2)["status"]["phase"] == "Provisioning"


def test_a_suspended_benchmark_keeps_its_results(operator: OperatorDriver) -> None:
    body = stored(operator)
    body["spec"]["suspend"] = True
    settle(operator, ("one",), rounds=3)
    body = stored(operator)
    body["status"]["report"] = {"storedSteps": 3}
    body["spec"] |= STRICTER
    after = operator.reconcile("one")["status"]
    assert after["report"] == {"storedSteps": 3}
    assert condition({"status": after}, "Succeeded")[:2] == ("False", "InvalidSpec")


def test_results_in_the_status_of_a_later_version_are_computed_anew(
    operator: OperatorDriver,
) -> None:
    body = stored(operator)
    body["status"] |= {"results": [{"fieldsOfALaterVersion": 1}]}
    document = make_document("two-users", 1, make_result([1000] * 200))
    running = {key: value for key, value in body["status"].items() if key != "results"}
    benchmark = SolrBenchmark.parse(body | {"status": running})
    BenchmarkResultStore(operator.cluster).store(benchmark, document, 1)
    after = operator.reconcile("one", seconds=2)["status"]
    assert after["phase"] == "Provisioning"
    assert after["report"]["storedSteps"] == 0  # merged when the load stage is reached
    assert condition({"status": after}, "Succeeded")[1] == "ZooKeeperNotReady"


def test_results_of_a_finished_benchmark_of_a_later_version_stay(operator: OperatorDriver) -> None:
    before = finished(operator)["status"]
    before["results"][0] = {"fieldsOfALaterVersion": 1}
    for _ in range(3):
        after = operator.reconcile("one", seconds=2)["status"]
    assert {**after, "conditions": ()} == {**before, "conditions": (), "observedGeneration": 1}
    assert condition({"status": after}, "CleanedUp")[:2] == ("True", "CleanedUp")
    assert operator.cluster.names("StatefulSet") == set()


def test_a_damaged_condition_is_made_anew(operator: OperatorDriver) -> None:
    stored(operator)["status"]["conditions"][0]["status"] = "Perhaps"
    after = operator.reconcile("one")
    assert condition(after, "Succeeded")[:2] == ("Unknown", "Unreadable")
    assert "status.conditions[0].status" in condition(after, "Succeeded")[2]
    assert operator.reconcile("one", seconds=2)["status"]["phase"] == "Provisioning"


def test_a_newer_definition_is_shown_and_ends_nothing(operator: OperatorDriver) -> None:
    stored(operator)["spec"]["load"]["ofALaterVersion"] = 1
    after = operator.reconcile("one")
    assert condition(after, "Succeeded")[:2] == ("Unknown", "Unreadable")
    assert "spec.load.ofALaterVersion" in condition(after, "Succeeded")[2]
    stored(operator, "two")["spec"]["load"]["ofALaterVersion"] = 1
    waiting = operator.reconcile("two")
    assert condition(waiting, "Succeeded")[:2] == ("Unknown", "DefinitionNewer")
    assert condition(waiting, "Accepted")[:2] == ("False", "DefinitionNewer")
    assert (waiting["status"]["phase"], condition(waiting, "Complete")[0]) == ("Queued", "False")
    message = condition(waiting, "Succeeded")[2]
    assert "upgrade the operator" in message
    assert "spec.load.ofALaterVersion" in message


def test_deletion_says_where_a_collection_may_be_left(operator: OperatorDriver) -> None:
    body = stored(operator)
    body["spec"] |= STRICTER | {"target": {"existing": {"urls": ["http://search:8983/solr"]}}}
    body["status"]["target"] = {"nodes": {"a:8983_solr": "1"}}
    assert operator.finalize("one")
    (event,) = operator.events[-1:]
    assert event[:2] == ("Warning", "CollectionLeftBehind")
    assert "spec.backoffLimit" in event[2]


def test_deletion_of_others_is_silent(operator: OperatorDriver) -> None:
    stored(operator)["spec"] |= STRICTER
    operator.events.clear()
    operator.watch()
    del operator.cluster.objects["SolrBenchmark", "default", "one"]
    operator.watch()
    assert operator.events == []
    assert operator.cluster.names("StatefulSet") == set()


def nested(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Return a model and those of its fields."""
    yield model
    types: list[Any] = [field.annotation for field in model.model_fields.values()]
    while types:
        each = types.pop()
        types += typing.get_args(each)
        if isinstance(each, type) and issubclass(each, BaseModel):
            yield from nested(each)


@pytest.mark.parametrize("document", [StepRunResult, Environment, LoadState, IndexProgress])
def test_documents_of_a_later_version_can_be_read(document: type[BaseModel]) -> None:
    strict = [each.__name__ for each in nested(document) if each.model_config["extra"] != "ignore"]
    assert strict == [], "must derive from LenientModel"


KEPT = frozenset(
    {
        *("observedGeneration", "fencingNumber", "phase", "progressPercent", "startTime"),
        *("completionTime", "phaseStartTime", "queue", "attempts", "internalErrors", "target"),
        *("companions", "dataset", "report", "export", "conditions"),
    }
)
"""Parts of the status that nothing stored could give again."""


def test_each_part_of_the_status_is_kept_or_computed_anew() -> None:
    known = {field.alias or name for name, field in Status.model_fields.items()}
    assert {to_camel(name) for name in known} == KEPT | DERIVED
    assert not KEPT & DERIVED
