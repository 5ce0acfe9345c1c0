"""The snapshot of the benchmarks that run or wait."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from solrbench.controller.queue import CHECK_AFTER, VERIFY_AFTER, BenchmarkQueue
from solrbench.decide.queue import QueuePosition
from solrbench.kube.connection import ForbiddenError
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster, Request

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ACCEPTED = {"type": "Accepted", "status": "True"}


def waiting(name: str, hour: int, position: int | None = None) -> dict[str, Any]:
    body = small(name)
    created = NOW.replace(hour=hour).isoformat()
    body["metadata"] |= {"uid": name, "generation": 1, "creationTimestamp": created}
    body["metadata"] |= {"namespace": "default", "resourceVersion": "1"}
    queue = {} if position is None else {"queue": {"position": position}}
    body["status"] = {"observedGeneration": 1, "conditions": [ACCEPTED], **queue}
    return body


def running(name: str) -> dict[str, Any]:
    body = waiting(name, 0)
    return body | {"status": body["status"] | {"startTime": NOW.isoformat()}}


def changed(body: dict[str, Any], version: int, **status: Any) -> dict[str, Any]:
    metadata = body["metadata"] | {"resourceVersion": str(version)}
    return body | {"metadata": metadata, "status": body["status"] | status}


def filled(*bodies: dict[str, Any]) -> BenchmarkQueue:
    queue = BenchmarkQueue()
    for body in bodies:
        queue.observe(body, NOW)
    queue.take_moved()
    return queue


FIRST, SECOND = waiting("first", 1, 1), waiting("second", 2, 2)


def test_places_come_from_what_was_observed() -> None:
    queue = filled(running("now"), FIRST, SECOND)
    assert queue.turn(SECOND) == QueuePosition(2, ["default/now", "default/first"])
    queue.forget("now")
    assert queue.turn(FIRST) == QueuePosition(1, [])


def test_an_older_version_is_ignored() -> None:
    queue = filled(changed(FIRST, 9, startTime=NOW.isoformat()))
    queue.observe(FIRST, NOW)
    assert queue.turn(SECOND).before == ["default/first"]
    assert queue.turn(SECOND).position == 1


def test_a_watched_version_does_not_replace_what_was_written() -> None:
    queue = filled(running("now"), FIRST, changed(SECOND, 5, queue={"position": 2}))
    queue.observe(changed(SECOND, 5, queue=None), NOW)
    assert queue.is_settled("second", NOW)


def test_those_that_wait_are_named_once_after_the_queue_moved() -> None:
    queue = filled(running("now"), SECOND, FIRST)
    queue.observe(changed(FIRST, 2, phase="Queued"), NOW)
    assert queue.take_moved() == []
    queue.forget("now")
    assert queue.take_moved() == ["first", "second"]
    assert queue.take_moved() == []


@pytest.mark.parametrize(
    ("stored", "others", "settled"),
    [
        (SECOND, [running("now"), FIRST], True),
        (waiting("second", 2), [running("now"), FIRST], False),
        (SECOND, [running("now")], False),  # it is the first now
        (SECOND, [FIRST], True),
        (waiting("second", 2, 1), [], False),  # its turn
        (changed(SECOND, 2, observedGeneration=0), [running("now"), FIRST], False),
        (changed(SECOND, 2, conditions=[]), [running("now"), FIRST], False),
    ],
)
def test_one_whose_status_says_all_is_settled(
    stored: dict[str, Any], others: list[dict[str, Any]], settled: bool
) -> None:
    queue = filled(stored, *others)
    assert queue.is_settled("second", NOW) is settled


def test_references_are_checked_again_after_a_while() -> None:
    queue = filled(running("now"), FIRST, SECOND)
    assert not queue.is_settled("second", NOW + CHECK_AFTER)
    queue.note_check("second", NOW + CHECK_AFTER)
    assert queue.is_settled("second", NOW + CHECK_AFTER)


def test_one_that_was_never_checked_is_not_settled() -> None:
    new = waiting("new", 3) | {"status": {}}
    queue = filled(running("now"), new)
    queue.observe(changed(waiting("new", 3, 1), 2), NOW)
    assert queue.is_settled("new", NOW) is False  # the first of the queue verifies it
    assert queue.keeps_waiting(waiting("new", 3, 1), NOW)


def test_verification_finds_what_the_watch_missed() -> None:
    fake = FakeCluster(running("now"), FIRST)
    queue = filled(running("gone"), FIRST)
    queue.verify(fake, (), NOW)
    assert queue.turn(FIRST).before == ["default/now"]
    assert queue.is_settled("first", NOW)
    asked = list(fake.asked)
    queue.verify(fake, (), NOW)
    assert fake.asked == asked
    del fake.objects["SolrBenchmark", "default", "now"]
    assert not queue.is_settled("first", NOW + VERIFY_AFTER)
    assert not queue.is_settled("first", NOW - VERIFY_AFTER)  # the clock was set back
    queue.verify(fake, (), NOW + VERIFY_AFTER)
    assert queue.turn(FIRST).before == []


def test_a_place_is_kept_while_pods_of_what_is_gone_end() -> None:
    queue = filled(running("gone"), FIRST)
    queue.note_leaving("gone")
    queue.verify(FakeCluster(FIRST), (), NOW)
    assert queue.turn(FIRST).before == ["default/gone"]
    queue.forget("gone")
    assert queue.turn(FIRST).before == []


def test_verification_gives_up_a_place_of_one_that_was_forgotten() -> None:
    queue = filled(FIRST)
    queue.forget("gone")
    queue.hold_place(running("gone"))  # by a reconcile that was under way
    queue.verify(FakeCluster(FIRST), (), NOW)
    assert queue.turn(FIRST).before == []


def refuse_team_a(request: Request, serve: Callable[[], Any]) -> Any:
    """Refuse a namespace."""
    if request.arguments["namespace"] == "team-a":
        raise ForbiddenError(ApiServerReason.API_REFUSED, "no role")
    return serve()


def test_a_refused_namespace_does_not_stop_the_others() -> None:
    fake = FakeCluster(FIRST, fault=refuse_team_a)
    queue = filled(FIRST)
    queue.verify(fake, ("team-a", "default"), NOW)
    assert queue.turn(FIRST).before == []
    with pytest.raises(ForbiddenError):
        BenchmarkQueue().verify(fake, ("team-a",), NOW)


def in_namespace(body: dict[str, Any], namespace: str) -> dict[str, Any]:
    return body | {"metadata": body["metadata"] | {"namespace": namespace}}


def test_a_namespace_that_was_served_last_waits_for_the_others() -> None:
    theirs = in_namespace(waiting("theirs", 5), "team")
    queue = filled(running("now"), FIRST, theirs)
    queue.forget("now")
    assert queue.turn(FIRST).before == ["team/theirs"]
    assert queue.turn(theirs) == QueuePosition(1, [])
