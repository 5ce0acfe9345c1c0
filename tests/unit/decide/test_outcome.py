"""Chains of checks."""

from solrbench.decide.checks.outcome import Action, Outcome, fail, first_outcome, wait
from solrbench.reasons.target import TargetReason

FAILED = fail(TargetReason.WRONG_REPLICAS, "1 shards instead of 2")


def test_the_first_objection_counts_and_later_checks_are_not_made() -> None:
    made: list[str] = []

    def check(name: str, outcome: Outcome | None, _: int) -> Outcome | None:
        made.append(name)
        return outcome

    later = wait(TargetReason.REPLICAS_NOT_ACTIVE, "later")
    chain = [
        lambda seen: check("first", None, seen),
        lambda seen: check("second", FAILED, seen),
        lambda seen: check("third", later, seen),
    ]
    assert first_outcome(chain, 1) is FAILED
    assert made == ["first", "second"]
    assert first_outcome(chain[:1], 1) is None
    assert first_outcome([], 1) is None


def test_an_outcome_may_still_change() -> None:
    assert FAILED.waiting() == Outcome(FAILED.reason, FAILED.message, Action.WAIT)
