"""A status that the API server does not store, and the end of requests to Solr."""

import time
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from solrbench.api.rules import plain
from solrbench.controller.context import TargetAccess
from solrbench.controller.endpoint import TargetEndpoint
from solrbench.controller.schedule import HANG_SECONDS
from solrbench.decide.conditions import TARGET_READY
from solrbench.decide.status_size import MAX_STATUS_BYTES
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.end import ApiServerReason
from solrbench.reasons.target import TargetReason
from solrbench.solr.cluster import COMMIT_TIMEOUT_SECONDS
from support.cluster.benchmarks import small
from support.controller.runs import ENDPOINT, reconcile_context
from support.controller.world import World, condition_of, message_of
from support.fakes.fake_cluster import Request, refusal
from support.results.largest_status import largest_status
from support.solr.cloud import Cloud


class SmallWorld(World):
    """A world whose cluster stores no status with some of the parts of it."""

    forbidden: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__(small("one", cleanup="Always"))
        self.cluster.fault = self._refuse

    def _refuse(self, request: Request, serve: Callable[[], Any]) -> Any:
        status = request.arguments["body"]["status"] if request.method == "replace_status" else {}
        if any(status.get(each) for each in self.forbidden):
            text = "etcdserver: request is too large"
            raise PermanentError(ApiServerReason.MANIFEST_REJECTED, text)
        return serve()


@pytest.fixture
def world() -> SmallWorld:
    """Return a world with a benchmark whose results are too large."""
    world = SmallWorld()
    world.reconcile("one")
    status = world.body()["status"]
    status["verdicts"] = [{"step": "two-users", "verdict": "Valid"}]
    world.forbidden = ("verdicts",)
    return world


def test_a_too_large_status_ends_the_benchmark_and_it_is_cleaned_up(world: SmallWorld) -> None:
    world.body()["spec"]["suspend"] = True
    after = world.reconcile("one")
    assert condition_of(after, "Succeeded") == ("False", "StatusRejected")
    stored = world.body()["status"]
    assert (stored["phase"], stored["verdicts"]) == ("Failed", [])
    assert {"startTime", "completionTime"} <= stored.keys()
    assert "request is too large" in message_of(after)
    for _ in range(2):
        after = world.reconcile("one")
    assert condition_of(after, "CleanedUp") == ("True", "CleanedUp")
    assert world.cluster.names("StatefulSet") == set()


def test_a_success_stays_one(world: SmallWorld) -> None:
    status = world.body()["status"]
    for condition in status["conditions"]:
        if condition["type"] == "Succeeded":
            condition |= {"status": "True", "reason": "Succeeded", "message": "done"}
    after = world.reconcile("one")
    assert condition_of(after, "Succeeded") == ("True", "StatusRejected")
    assert message_of(after).startswith("done; the API server rejected the status")


def test_a_status_that_cannot_be_reduced_is_an_error(world: SmallWorld) -> None:
    world.forbidden = ("conditions",)
    world.body()["spec"]["suspend"] = True
    with pytest.raises(PermanentError):
        world.reconcile("one")


def test_api_trouble_is_no_reason_to_reduce_it(world: SmallWorld) -> None:
    away = TemporaryError(ApiServerReason.API_UNREACHABLE, "x")
    world.cluster.fault = refusal(away, ["replace_status"])
    world.cluster.requests.clear()
    world.body()["spec"]["suspend"] = True
    with pytest.raises(TemporaryError):
        world.reconcile("one")
    assert [each.method for each in world.cluster.requests].count("replace_status") == 1


def test_a_status_that_grew_large_leaves_details_to_the_report(world: SmallWorld) -> None:
    world.forbidden = ()
    stored = world.body()
    large = plain(largest_status())
    stored["status"] = large | {"conditions": stored["status"]["conditions"]}
    stored["spec"]["suspend"] = True
    after = world.reconcile("one")
    body = world.body()["status"]
    assert len(orjson.dumps(body)) <= MAX_STATUS_BYTES
    assert after.status.report.left_out == body["report"]["leftOut"] != []
    assert condition_of(after, "Succeeded")[1] != "StatusRejected"


def test_requests_to_solr_end_before_the_reconcile_counts_as_hanging() -> None:
    with reconcile_context(Cloud()).solr() as solr:
        assert COMMIT_TIMEOUT_SECONDS < solr.end - time.monotonic() < HANG_SECONDS


@pytest.mark.parametrize("is_ready", [True, False])
def test_the_way_into_a_target_depends_on_whether_it_was_ready(is_ready: bool) -> None:
    run, given = reconcile_context(Cloud()), list[object]()

    def resolve(*arguments: object) -> TargetEndpoint:
        given.append(arguments[-1])
        return ENDPOINT

    run.access = TargetAccess(resolve=resolve)
    run.conditions.set(TARGET_READY, "True" if is_ready else "False", TargetReason.READY, "")
    assert run.endpoint.urls == ENDPOINT.urls
    assert given == [is_ready]
