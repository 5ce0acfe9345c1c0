"""What is kept of a failure has limits, and reads well in YAML."""

from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from solrbench.decide.evidence.text import (
    MAX_EVENTS,
    add_entry,
    describe_collection,
    describe_events,
    describe_log,
    describe_pod,
    has_log,
    has_problem,
    join_sections,
)
from solrbench.decide.solr_views import Replica
from solrbench.decide.views import ContainerView, view_pod


def pod(phase: str = "Running", *, ready: bool = True, **container: Any) -> Any:
    conditions = [{"type": "Ready", "status": str(ready)}]
    statuses = [{"name": "solr"} | container]
    return view_pod(
        {
            "metadata": {
                "name": "one-solr-0",
                "uid": "u",
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": {"app.kubernetes.io/component": "solr", "solrbench.io/attempt": "2"},
            },
            "spec": {"nodeName": "n1"},
            "status": {"phase": phase, "conditions": conditions, "containerStatuses": statuses},
        }
    )


def test_pod_is_described_with_the_end_of_its_containers() -> None:
    ended = {"reason": "OOMKilled", "exitCode": 137, "message": "no\nmemory"}
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off"}
    found = describe_pod(
        pod(
            ready=False, restartCount=3, lastState={"terminated": ended}, state={"waiting": waiting}
        )
    )
    assert found == (
        "pod one-solr-0 (solr): Running, not ready, attempt 2, node n1\n"
        "  container solr: 3 restarts, waits: CrashLoopBackOff back-off, ended: OOMKilled,"
        " exit code 137, last words: no memory"
    )


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (pod(), False),
        (pod("Succeeded", ready=False), False),
        (pod(restartCount=1), True),
        (pod("Failed", ready=False), True),
        (pod("Pending", ready=False), True),
    ],
)
def test_pods_with_a_problem_come_first(found: Any, problem: bool) -> None:
    assert has_problem(found) is problem


@pytest.mark.parametrize(
    ("container", "has"),
    [
        (ContainerView("a"), True),
        (ContainerView("a", waiting_reason="ImagePullBackOff"), False),
        (ContainerView("a", 1, waiting_reason="CrashLoopBackOff", ended_reason="Error"), True),
        (ContainerView("init", ended_reason="Completed", exit_code=0), False),
        (ContainerView("a", 1, ended_reason="Completed", exit_code=0), True),
        (ContainerView("a", ended_reason="Error", exit_code=1), True),
    ],
)
def test_logs_of_what_never_ran_or_ended_well_are_not_read(
    container: ContainerView, has: bool
) -> None:
    assert has_log(container) is has


def test_latest_events_are_kept_in_their_order() -> None:
    events = [
        {
            "metadata": {},
            "lastTimestamp": f"2026-01-01T00:00:{second:02}Z",
            "type": "Warning",
            "reason": "BackOff",
            "message": f"m{second}",
        }
        for second in reversed(range(30))
    ]
    lines = describe_events("Pod x", events).splitlines()
    assert lines[0] == "events of Pod x:"
    assert [line.rpartition(" ")[2] for line in lines[1:]] == [
        f"m{second}" for second in range(30 - MAX_EVENTS, 30)
    ]
    assert describe_events("Pod x", []) == ""


def test_end_of_a_log_is_kept_in_whole_lines() -> None:
    found = describe_log("x", "first\nsecond\nthird é", max_bytes=16)
    assert found == "log of x, last 2 lines:\nsecond\nthird é"


def test_state_of_the_collection_has_every_replica() -> None:
    replicas = [Replica("shard1", "c1", "n:8983_solr", "http://n", "NRT", "down", leader=True)]
    assert describe_collection("one", ["n:8983_solr"], replicas) == (
        "collection one: 1 live nodes, 1 replicas\n"
        "  live: n:8983_solr\n"
        "  shard1 c1 NRT leader on n:8983_solr: down"
    )


def test_sections_that_do_not_fit_are_counted() -> None:
    found = join_sections(["a" * 50, "b" * 5000, "", "c" * 50], max_bytes=300)
    assert found.split("\n\n") == [
        "a" * 50,
        "c" * 50,
        "1 sections left out, limit 300 bytes\n",
    ]
    assert len(found) <= 300


def test_yaml_shows_each_line_on_its_own() -> None:
    text = join_sections(["a\tb  \n\x1b[31mred\x1b[0m\r\n\x00c", "d "])
    assert text == "a    b\nred\nc\n\nd\n"
    shown = yaml.safe_dump({"entry": text}, default_style="|").splitlines()
    assert [line.strip() for line in shown[1:]] == text.splitlines()


def entry(minute: int, size: int = 10) -> str:
    return f"{datetime(2026, 1, 1, 0, minute, tzinfo=UTC).isoformat()} " + "x" * size


def test_oldest_entries_go_where_there_is_no_room() -> None:
    entries: dict[str, str] = {}
    for number in (9, 10, 11):  # the order of the keys as text is another one
        entries = add_entry(entries, f"load-{number}", entry(number, 100), max_bytes=300)
    assert list(entries) == ["load-10", "load-11"]
    entries = add_entry(entries, "load-11", entry(12, 1000), max_bytes=300)
    assert list(entries) == ["load-11"]
    assert len(entries["load-11"]) > 1000
