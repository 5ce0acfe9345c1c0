"""What users should notice: events, and the message of the end."""

from datetime import UTC, datetime

import pytest

from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.findings import InvalidReason, StepVerdict
from solrbench.controller.events import Event, events_between, verdict_events
from solrbench.controller.stages import cleanup
from solrbench.decide.conditions import SUCCEEDED
from support.controller.runs import reconcile_context
from support.solr.cloud import Cloud

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


BUSY = "worker w used 99 % of a core (limit 90 %)"
SATURATED = InvalidReason(reason="WorkerSaturated", message=BUSY)
INVALID = StepVerdict(step="two-users", verdict="Invalid", reasons=[SATURATED])
VALID = StepVerdict(step="one-user", verdict="Valid")
THROTTLED = InvalidReason(reason="PodThrottled", message="no cpu.stat")
SHORT = InvalidReason(reason="StepTooShort", message="the step is too short")
INCONCLUSIVE = StepVerdict(step="one", verdict="Inconclusive", unchecked=[THROTTLED, SHORT])


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ([VALID], ""),
        ([VALID, INVALID], f"; 1 of 2 steps is Invalid: two-users. WorkerSaturated: {BUSY}"),
        ([INCONCLUSIVE], f"; 1 of 1 steps is Inconclusive: one. StepTooShort: {SHORT.message}"),
    ],
)
def test_final_message_names_steps_that_are_not_valid(
    verdicts: list[StepVerdict], words: str
) -> None:
    run = reconcile_context(Cloud())
    run.update(verdicts=verdicts)
    cleanup.succeed(run)
    found = run.conditions.get(SUCCEEDED)
    assert (found.status, found.reason) == ("True", "Succeeded")
    assert found.message == f"every step is measured and stored{words}"


def test_a_step_that_turns_invalid_is_an_event_once() -> None:
    found = Event("Warning", "WorkerSaturated", f"step two-users is Invalid: {BUSY}")
    assert verdict_events([VALID], [VALID, INVALID]) == [found]
    assert verdict_events([VALID, INVALID], [VALID, INVALID]) == []
    assert verdict_events([], [VALID]) == []
