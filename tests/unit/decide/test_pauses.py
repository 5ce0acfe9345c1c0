"""Pauses of benchmarks that need no reconcile every 2 s."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status import LiveLoad
from solrbench.decide.pauses import (
    FINISHED_PAUSE,
    LIVE_LOAD_PAUSE,
    MAX_POLL_PAUSE,
    MAX_RETRY_PAUSE,
    QUEUED_PAUSE,
    SUSPENDED_PAUSE,
    decide_pause,
    is_live_load_due,
)
from solrbench.decide.queue import MAX_IN_A_ROW
from support.resources.small_resource import resource

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def pause(
    *conditions: tuple[str, str, str],
    ttl: int | None = None,
    since: float = 0,
    started: bool = True,
    suspend: bool = False,
    watched: bool = False,
    **more: Any,
) -> float:
    """Return the pause in seconds after a state that began some seconds ago."""
    began = (NOW - timedelta(seconds=since)).isoformat()
    status: dict[str, Any] = {
        "completionTime": began,
        "conditions": [
            {"type": type_, "status": truth, "reason": reason, "lastTransitionTime": began}
            for type_, truth, reason in conditions
        ],
    }
    if started:
        status["startTime"] = began
    status |= more
    changes: dict[str, Any] = {"spec.suspend": suspend}
    changes |= {} if ttl is None else {"spec.ttlSecondsAfterFinished": ttl}
    benchmark = SolrBenchmark.parse(resource(changes) | {"status": status})
    found = decide_pause(benchmark.spec, benchmark.status, NOW, watched=watched)
    return found.total_seconds()


DONE = ("Succeeded", "True", "Succeeded")
TIDY = ("CleanedUp", "True", "CleanedUp")
LEFT = ("CleanedUp", "False", "CollectionNotRemoved")
BROKEN = ("CleanedUp", "False", "InternalError")
BLOCKED = [("CleanedUp", "False", reason) for reason in ("FinalizersLeft", "NodeLost")]


@pytest.mark.parametrize(
    "conditions",
    [
        [],
        [("Succeeded", "Unknown", "ZooKeeperNotReady")],
        [DONE],
        [DONE, ("CleanedUp", "False", "CleaningUp")],
    ],
)
def test_what_goes_on_is_reconciled_with_each_tick(conditions: list[tuple[str, str, str]]) -> None:
    assert pause(*conditions, since=1000) == 0


@pytest.mark.parametrize(("since", "wanted"), [(0, 100), (70, 30), (95, 5), (200, 0)])
def test_a_finished_benchmark_is_left_alone_and_deleted_in_time(
    since: float, wanted: float
) -> None:
    assert pause(DONE, TIDY, since=since) == FINISHED_PAUSE.total_seconds()
    assert pause(DONE, TIDY, ttl=100, since=since) == wanted


@pytest.mark.parametrize("condition", [LEFT, BROKEN, *BLOCKED])
@pytest.mark.parametrize(("since", "wanted"), [(0, 0), (2, 2), (64, 64), (9000, 600)])
def test_failing_clean_up_is_tried_ever_more_rarely(
    condition: tuple[str, str, str], since: float, wanted: float
) -> None:
    assert MAX_RETRY_PAUSE.total_seconds() == 600
    assert pause(DONE, condition, since=since, internalErrors=MAX_IN_A_ROW) == wanted
    assert pause(condition, since=since, started=False) == wanted  # suspended


def test_a_clean_up_that_holds_a_place_gives_it_up_soon() -> None:
    assert pause(DONE, BROKEN, since=64, internalErrors=MAX_IN_A_ROW - 1) == 0
    assert pause(DONE, LEFT, since=64) == 64  # it holds none


MISSING = ("Accepted", "False", "ConfigMapNotFound")


@pytest.mark.parametrize(("since", "wanted"), [(0, 0), (8, 8), (9000, 30)])
def test_what_is_missing_is_looked_for_ever_more_rarely(since: float, wanted: float) -> None:
    assert pause(MISSING, since=since, started=False, phase="Pending") == wanted


def test_one_that_waits_for_others_is_left_alone() -> None:
    queue = {"position": 2, "waitingSince": NOW.isoformat()}
    waits = pause(("Accepted", "True", "Accepted"), started=False, phase="Queued", queue=queue)
    assert waits == QUEUED_PAUSE.total_seconds()


@pytest.mark.parametrize(
    ("suspend", "wanted"), [(True, SUSPENDED_PAUSE.total_seconds()), (False, 0)]
)
def test_a_suspended_one_is_left_alone_until_it_goes_on(suspend: bool, wanted: float) -> None:
    assert pause(started=False, phase="Suspended", suspend=suspend) == wanted


def test_a_run_after_a_failed_removal_is_not_paused() -> None:
    assert pause(LEFT, since=64) == 0


LIVE = LiveLoad(stage="Measuring", repeat=1, variant="a", step="one", requests=5, update_time=NOW)


@pytest.mark.parametrize(
    ("changes", "due"),
    [
        ({"requests": 9}, False),
        ({"requests": 10}, True),
        ({"stage": "Storing"}, True),
        ({"repeat": 2}, True),
        ({"variant": "b"}, True),
        ({"step": "two"}, True),
    ],
)
def test_live_figures_are_written_when_a_step_begins_or_requests_double(
    changes: dict[str, Any], due: bool
) -> None:
    just_before_due = NOW + LIVE_LOAD_PAUSE - timedelta(seconds=1)
    assert is_live_load_due(LIVE, LIVE.model_copy(update=changes), just_before_due) is due


def test_live_figures_are_written_now_and_then() -> None:
    assert is_live_load_due(LIVE, LIVE, NOW + LIVE_LOAD_PAUSE)
    assert is_live_load_due(LIVE, LIVE, NOW - timedelta(hours=1))  # the clock was set back
    assert is_live_load_due(None, LIVE, NOW)
    assert is_live_load_due(LIVE.model_copy(update={"requests": 0}), LIVE, NOW)
    assert is_live_load_due(LIVE.model_copy(update={"update_time": None}), LIVE, NOW)


@pytest.mark.parametrize(
    ("phase", "since", "seconds"),
    [
        ("Provisioning", 20, 2),
        ("Indexing", 60, 6),
        ("Indexing", 3600, MAX_POLL_PAUSE.total_seconds()),
        ("Measuring", 3600, 0),
    ],
)
def test_polls_of_one_whose_pods_are_watched_delay_it_by_a_tenth(
    phase: str, since: float, seconds: float
) -> None:
    start = (NOW - timedelta(seconds=since)).isoformat()
    began: dict[str, Any] = {"phase": phase, "phaseStartTime": start}
    assert pause(watched=True, completionTime=None, **began) == seconds
    assert pause(completionTime=None, **began) == 0
