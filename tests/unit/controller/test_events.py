from datetime import UTC, datetime

import pytest

from solrbench.api.v1alpha1.conditions import Condition
from solrbench.controller.events import Event, events_between

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def condition(type_: str, status: str, reason: str) -> Condition:
    body = {"type": type_, "status": status, "reason": reason, "message": "why"}
    return Condition.model_validate(body | {"last_transition_time": NOW})


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (("TargetReady", "True", "Ready"), [Event("Normal", "Ready", "why")]),
        (("TargetReady", "False", "ImagePullError"), [Event("Warning", "ImagePullError", "why")]),
        (("TargetReady", "False", "SolrNotReady"), []),
        (("TargetReady", "False", "CreatingCollection"), []),
        (("TargetReady", "False", "CoresNotReady"), []),
        (("CleanedUp", "False", "CleanupSkipped"), []),
        (
            ("CleanedUp", "False", "CollectionNotRemoved"),
            [Event("Warning", "CollectionNotRemoved", "why")],
        ),
        (("TargetReady", "False", "OfALaterVersion"), [Event("Warning", "OfALaterVersion", "why")]),
        (("Succeeded", "Unknown", "Queued"), [Event("Normal", "Queued", "why")]),
        (("Succeeded", "Unknown", "ImagePullError"), []),
        (("Succeeded", "False", "DeadlineExceeded"), [Event("Warning", "DeadlineExceeded", "why")]),
        (("DataIndexed", "Unknown", "Pending"), []),
        (("Complete", "True", "DeadlineExceeded"), []),
        (("Complete", "False", "Queued"), []),
    ],
)
def test_what_users_should_notice(after: tuple[str, str, str], expected: list[Event]) -> None:
    assert events_between([], [condition(*after)]) == expected


def test_no_event_is_emitted_twice() -> None:
    same = [condition("TargetReady", "False", "ImagePullError")]
    assert events_between(same, same) == []
