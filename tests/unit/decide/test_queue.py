"""Who runs, who waits for whom."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from solrbench.decide.queue import (
    MAX_IN_A_ROW,
    QueueEntry,
    QueuePosition,
    find_position,
    order_waiting,
    view_entry,
)
from support.resources.small_resource import resource

TIME = datetime(2025, 3, 1, tzinfo=UTC)
ACCEPTED = {"type": "Accepted", "status": "True"}
FAILED = {"type": "Succeeded", "status": "False"}
TIDY = {"type": "CleanedUp", "status": "True", "reason": "CleanedUp"}
LEFT = {"type": "CleanedUp", "status": "False", "reason": "CollectionNotRemoved"}
BLOCKED = LEFT | {"reason": "FinalizersLeft"}
STRANDED = LEFT | {"reason": "NodeLost"}
SUSPENDED = {"type": "Succeeded", "status": "Unknown", "reason": "Suspended"}
KEPT = {"type": "CleanedUp", "status": "False", "reason": "CleanupSkipped"}


def benchmark(
    name: str,
    hour: int,
    *conditions: dict[str, str],
    started: bool = False,
    suspend: bool = False,
    deleted: bool = False,
    errors: int = 0,
    nodes: bool = False,
) -> QueueEntry:
    created = TIME.replace(hour=hour).isoformat()
    metadata: dict[str, Any] = {"name": name, "uid": name, "creationTimestamp": created}
    if deleted:
        metadata["deletionTimestamp"] = created
    times = {"reason": "Test", "lastTransitionTime": created}
    status: dict[str, Any] = {"conditions": [times | each for each in conditions]}
    status["internalErrors"] = errors
    if started:
        status["startTime"] = created
    if nodes:
        status["target"] = {"nodes": {"a:8983_solr": "1"}}
    body = resource({"spec.suspend": suspend})
    return view_entry(body | {"metadata": metadata, "status": status})


ME = benchmark("me", 5, ACCEPTED)


@pytest.mark.parametrize(
    ("other", "waits"),
    [
        (benchmark("running", 9, ACCEPTED, started=True), True),
        (benchmark("older", 4, ACCEPTED), True),
        (benchmark("a-twin", 5, ACCEPTED), True),
        (benchmark("twin", 5, ACCEPTED), False),
        (benchmark("younger", 6, ACCEPTED), False),
        (benchmark("not-accepted", 4), False),
        (benchmark("suspended", 4, ACCEPTED, suspend=True), False),
        (benchmark("failed-early", 4, ACCEPTED, FAILED), False),
        (benchmark("cleaning-up", 4, ACCEPTED, FAILED, started=True), True),
        (benchmark("finished", 4, ACCEPTED, FAILED, TIDY, started=True), False),
        (benchmark("left-something", 4, ACCEPTED, FAILED, LEFT, started=True), False),
        (benchmark("blocked", 4, ACCEPTED, FAILED, BLOCKED, started=True), False),
        (benchmark("stranded", 4, ACCEPTED, FAILED, STRANDED, started=True), False),
        (benchmark("deleted", 4, ACCEPTED, deleted=True), False),
        (benchmark("resumed", 4, ACCEPTED, SUSPENDED), True),
        (benchmark("removing", 4, ACCEPTED, SUSPENDED, nodes=True), False),
        (benchmark("deleted-running", 4, ACCEPTED, started=True, deleted=True), True),
    ],
    ids=lambda value: value.key if isinstance(value, QueueEntry) else None,
)
def test_one_at_a_time_oldest_first(other: QueueEntry, waits: bool) -> None:
    before = find_position(ME, [ME, other], max_concurrent=1).before
    assert before == ([other.key] if waits else [])


RUNNING, OLDER = benchmark("z", 9, ACCEPTED, started=True), benchmark("a", 1, ACCEPTED)


def test_benchmark_does_not_block_itself() -> None:
    assert find_position(ME, [ME], max_concurrent=1) == QueuePosition(1, [])


def test_running_ones_are_named_before_waiting_ones() -> None:
    assert find_position(ME, [OLDER, ME, RUNNING], 1).before == ["default/z", "default/a"]


def test_the_position_counts_those_that_wait() -> None:
    everyone = [RUNNING, OLDER, ME, benchmark("b", 6, ACCEPTED)]
    assert [find_position(each, everyone, 1).position for each in (ME, OLDER)] == [2, 1]


def test_an_entry_says_what_its_status_shows() -> None:
    body = resource({}) | {"status": {"observedGeneration": 3, "queue": {"position": 4}}}
    body["metadata"] = body["metadata"] | {"generation": 3}
    assert (view_entry(body).is_observed, view_entry(body).position) == (True, 4)
    body["metadata"] = body["metadata"] | {"generation": 4}
    assert not view_entry(body).is_observed


def test_two_places_let_two_benchmarks_run() -> None:
    assert find_position(ME, [ME, RUNNING], 2).before == []
    assert find_position(ME, [ME, OLDER], 2).before == []
    assert find_position(ME, [ME, RUNNING, OLDER], 2).before == ["default/z", "default/a"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (benchmark("a", 1, ACCEPTED), False),
        (benchmark("a", 1, ACCEPTED, started=True), True),
        (benchmark("a", 1, ACCEPTED, FAILED, started=True), True),
        (benchmark("a", 1, ACCEPTED, started=True, errors=MAX_IN_A_ROW - 1), True),
        (benchmark("a", 1, ACCEPTED, started=True, errors=MAX_IN_A_ROW), False),
        (benchmark("a", 1, ACCEPTED, FAILED, TIDY, started=True), False),
        (benchmark("a", 1, ACCEPTED, FAILED, KEPT, started=True), False),
    ],
)
def test_running_is_started_and_not_all_over(given: QueueEntry, wanted: bool) -> None:
    assert given.running is wanted


def test_a_benchmark_that_is_just_created_is_an_entry() -> None:
    entry = view_entry({"metadata": {"name": "new", "namespace": "team", "uid": "u"}})
    assert (entry.key, entry.running, entry.waiting) == ("team/new", False, False)
    assert entry.rank > ME.rank


def of(namespace: str, name: str, hour: int, **state: bool) -> QueueEntry:
    entry = benchmark(name, hour, ACCEPTED, **state)
    return replace(entry, namespace=namespace, key=f"{namespace}/{name}", uid=f"{namespace}/{name}")


MANY = [of("a", f"a{hour}", hour) for hour in range(1, 6)]


def test_namespaces_take_turns() -> None:
    theirs = [of("b", "b1", 7), of("b", "b2", 8)]
    served = {"a": TIME.replace(hour=9)}
    ordered = order_waiting([*MANY, *theirs], served)
    wanted = ["b/b1", "a/a1", "b/b2", "a/a2", "a/a3", "a/a4", "a/a5"]
    assert [entry.key for entry in ordered] == wanted
    assert find_position(theirs[0], [*MANY, *theirs], 1, served) == QueuePosition(1, [])
    assert find_position(MANY[0], [*MANY, *theirs], 1, served).position == 2
    ordered = order_waiting([*MANY, *theirs], served | {"b": TIME.replace(hour=10)})
    assert [entry.key for entry in ordered][:2] == ["a/a1", "b/b1"]


def test_a_namespace_at_its_limit_keeps_no_other_waiting() -> None:
    running, theirs = of("a", "a0", 0, started=True), of("b", "b1", 7)
    everyone = [running, *MANY, theirs]
    assert find_position(MANY[0], everyone, 2, {}).before == []
    assert find_position(theirs, everyone, 2, {}).before == ["a/a0", "a/a1"]
    assert find_position(MANY[0], everyone, 2, {}, 1).before == ["a/a0"]
    assert find_position(theirs, everyone, 2, {}, 1).before == []
    assert find_position(theirs, everyone, 1, {}, 1).before == ["a/a0", "a/a1"]
