"""A status that the API server does not store."""

from typing import Any

import orjson
import pytest

from solrbench.decide.status.size import MAX_STATUS_BYTES
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.api_server import ApiServerReason
from support.cluster.benchmarks import small
from support.controller.world import World, condition_of
from support.fakes.fake_cluster import FakeCluster
from support.results.largest_status import largest_status


class SmallCluster(FakeCluster):
    """Stores no status with more than some of the parts that are not conditions."""

    forbidden: tuple[str, ...] = ()
    attempts = 0

    def replace_status(self, body: dict[str, Any]) -> dict[str, Any]:
        self.attempts += 1
        if any(body["status"].get(each) for each in self.forbidden):
            text = "etcdserver: request is too large"
            raise PermanentError(ApiServerReason.MANIFEST_REJECTED, text)
        return super().replace_status(body)


class SmallWorld(World):
    """A world with such a cluster."""

    cluster: SmallCluster

    def __init__(self) -> None:
        super().__init__()
        self.cluster = SmallCluster(small("one", cleanup="Always"))


@pytest.fixture
def world() -> SmallWorld:
    """Return a world with a benchmark whose results are too large."""
    world = SmallWorld()
    world.reconcile("one")
    status = world.cluster.objects["SolrBenchmark", "default", "one"]["status"]
    status["verdicts"] = [{"step": "two-users", "verdict": "Valid"}]
    world.cluster.forbidden = ("verdicts",)
    return world


def test_a_status_that_is_too_large_ends_the_benchmark(world: SmallWorld) -> None:
    world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["suspend"] = True
    after = world.reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "StatusRejected")
    stored = world.cluster.objects["SolrBenchmark", "default", "one"]["status"]
    assert (stored["phase"], stored["verdicts"]) == ("Failed", [])
    assert {"startTime", "completionTime"} <= stored.keys()
    (message,) = [each["message"] for each in stored["conditions"] if each["type"] == "Succeeded"]
    assert "request is too large" in message


def test_it_is_cleaned_up_then(world: SmallWorld) -> None:
    world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["suspend"] = True
    for _ in range(3):
        after = world.reconcile("one")
    assert condition_of(after, "CleanedUp") == ("True", "CleanedUp")
    assert world.cluster.names("StatefulSet") == set()


def test_a_success_stays_one(world: SmallWorld) -> None:
    status = world.cluster.objects["SolrBenchmark", "default", "one"]["status"]
    for condition in status["conditions"]:
        if condition["type"] == "Succeeded":
            condition |= {"status": "True", "reason": "Succeeded", "message": "done"}
    after = world.reconcile("one")
    assert condition_of(after, "Succeeded") == ("True", "StatusRejected")
    (message,) = [each.message for each in after.status.conditions if each.type == "Succeeded"]
    assert message.startswith("done; the API server rejected the status")


def test_a_status_that_cannot_be_reduced_is_an_error(world: SmallWorld) -> None:
    world.cluster.forbidden = ("conditions",)
    world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["suspend"] = True
    with pytest.raises(PermanentError):
        world.reconcile("one")


def test_api_trouble_is_no_reason_to_reduce_it(
    world: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def away(body: dict[str, Any]) -> dict[str, Any]:
        calls.append(body)
        raise TemporaryError(ApiServerReason.API_UNREACHABLE, "x")

    monkeypatch.setattr(world.cluster, "replace_status", away)
    world.cluster.objects["SolrBenchmark", "default", "one"]["spec"]["suspend"] = True
    with pytest.raises(TemporaryError):
        world.reconcile("one")
    assert len(calls) == 1


def test_a_status_that_grew_large_leaves_details_to_the_report(world: SmallWorld) -> None:
    world.cluster.forbidden = ()
    stored = world.cluster.objects["SolrBenchmark", "default", "one"]
    large = largest_status().model_dump(mode="json", by_alias=True, exclude_none=True)
    stored["status"] = large | {"conditions": stored["status"]["conditions"]}
    stored["spec"]["suspend"] = True
    after = world.reconcile("one")
    body = world.cluster.objects["SolrBenchmark", "default", "one"]["status"]
    assert len(orjson.dumps(body)) <= MAX_STATUS_BYTES
    assert after.status.report.left_out == body["report"]["leftOut"] != []
    assert condition_of(after, "Succeeded")[1] != "StatusRejected"
