"""What a check says of a state."""

from solrbench.decide.outcome import Action, Outcome


def seen(outcome: Outcome | None) -> tuple[str, Action] | None:
    """Return reason and action; None where a check has no objection."""
    return None if outcome is None else (outcome.reason.value, outcome.action)


def assert_outcome(outcome: Outcome | None, reason: str, action: Action, *words: str) -> None:
    """Check reason and action, and that the message holds all words."""
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (reason, action)
    assert [each for each in words if each not in outcome.message] == []
