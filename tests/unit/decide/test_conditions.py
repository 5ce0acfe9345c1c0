"""Conditions of one reconcile, and the progress that is shown."""

from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from solrbench.api.v1alpha1.comparisons import ReportStatus
from solrbench.api.v1alpha1.conditions import Attempts, Condition
from solrbench.api.v1alpha1.status import DatasetStatus, Status
from solrbench.decide.conditions import (
    ACCEPTED,
    ALL_TYPES,
    COMPLETE,
    MAX_MESSAGE,
    MAX_REASON,
    MEASURED,
    SUCCEEDED,
    Conditions,
    Truth,
    progress_percent,
)
from solrbench.reasons.kinds import Reason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason

NOW = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


def stored(type_: str, status: Truth) -> Condition:
    return Condition(type=type_, status=status, reason="Old", last_transition_time=NOW)


def test_all_conditions_are_there_from_the_start_in_a_fixed_order() -> None:
    found = Conditions([stored(MEASURED, "True")], NOW, 1).as_list()
    assert tuple(each.type for each in found) == ALL_TYPES
    assert {each.status for each in found if each.type not in (MEASURED, COMPLETE)} == {"Unknown"}
    assert found[-1].status == "False"
    assert Conditions([stored(MEASURED, "True")], NOW, 1).is_true(MEASURED)


@pytest.mark.parametrize(
    ("before", "after", "moment"),
    [
        ("True", "True", NOW),
        ("False", "False", NOW),
        ("Unknown", "True", LATER),
        ("True", "False", LATER),
        ("False", "Unknown", LATER),
    ],
)
def test_transition_time_moves_only_when_the_status_flips(
    before: Truth, after: Truth, moment: datetime
) -> None:
    conditions = Conditions([stored(ACCEPTED, before)], LATER, 2)
    conditions.set(ACCEPTED, after, LifecycleReason.ACCEPTED, "words")
    found = conditions.get(ACCEPTED)
    assert found.last_transition_time == moment
    assert (found.reason, found.message, found.observed_generation) == ("Accepted", "words", 2)


def test_a_long_reason_and_a_long_message_are_cut() -> None:
    conditions = Conditions([], NOW, 1)
    conditions.set(ACCEPTED, "False", cast(Reason, "R" * 5000), "x" * (MAX_MESSAGE + 1))
    found = conditions.get(ACCEPTED)
    assert (found.reason, len(found.message)) == ("R" * MAX_REASON, MAX_MESSAGE)


@pytest.mark.parametrize(
    ("succeeded", "complete"), [("Unknown", "False"), ("True", "True"), ("False", "True")]
)
def test_complete_is_true_at_the_end_either_way(succeeded: Truth, complete: Truth) -> None:
    conditions = Conditions([], NOW, 1)
    conditions.set(SUCCEEDED, succeeded, LifecycleReason.DEADLINE_EXCEEDED, "why")
    found = conditions.get(COMPLETE)
    assert (found.status, found.reason, found.message) == (complete, "DeadlineExceeded", "why")


def test_complete_follows_a_status_of_an_operator_that_did_not_know_it() -> None:
    found = Conditions([stored(SUCCEEDED, "True")], LATER, 1).get(COMPLETE)
    assert (found.status, found.reason) == ("True", "Old")


def test_complete_changes_its_reason_but_not_its_time_while_the_benchmark_runs() -> None:
    conditions = Conditions([stored(COMPLETE, "False")], LATER, 1)
    conditions.set(SUCCEEDED, "Unknown", LifecycleReason.RUNNING, "")
    found = conditions.get(COMPLETE)
    assert (found.reason, found.last_transition_time) == ("Running", NOW)


def status(documents: int | None, total: int | None, steps: tuple[int, int] = (0, 4)) -> Status:
    return Status(
        dataset=DatasetStatus(documents=documents, documents_total=total),
        report=ReportStatus(stored_steps=steps[0], total_steps=steps[1]),
    )


@pytest.mark.parametrize(
    ("given", "target", "indexed", "finished", "percent"),
    [
        (Status(), False, False, False, 0),
        (status(None, 100), True, False, False, 10),
        (status(50, 100), True, False, False, 25),
        (status(100, 100), True, True, False, 40),
        (status(120, 100), True, False, False, 40),
        (status(50, None), True, False, False, 10),
        (status(100, 100, (1, 4)), True, True, False, 55),
        (status(100, 100, (4, 4)), True, True, False, 99),
        (status(100, 100, (2, 4)), False, False, False, 60),
        (status(100, 100, (4, 4)), True, True, True, 100),
    ],
)
def test_progress(given: Status, target: bool, indexed: bool, finished: bool, percent: int) -> None:
    found = progress_percent(
        given, target=target, indexed=indexed, finished=finished, total_steps=4
    )
    assert found == percent


@pytest.mark.parametrize(
    ("repeat", "stored_steps", "indexed", "percent"),
    [(None, 0, False, 5), (None, 2, True, 50), (2, 2, False, 55), (2, 2, True, 70)],
)
def test_progress_of_targets_that_are_made_for_each_repeat(
    repeat: int | None, stored_steps: int, indexed: bool, percent: int
) -> None:
    given = status(None, None, (stored_steps, 4))
    given = given.model_copy(update={"attempts": Attempts(repeat=repeat)})
    found = progress_percent(
        given, target=True, indexed=indexed, finished=False, total_steps=4, starts=2
    )
    assert found == percent


def test_control_characters_of_others_are_left_out() -> None:
    conditions = Conditions([], datetime(2026, 1, 1, tzinfo=UTC), 1)
    conditions.set(SUCCEEDED, "False", TargetReason.SOLR_ERROR, "a\x1b[31mred\r\nINFO \x00b")
    assert conditions.get(SUCCEEDED).message == "a [31mred \nINFO  b"
