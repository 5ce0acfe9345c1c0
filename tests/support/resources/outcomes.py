"""What a check says of a state."""

from solrbench.decide.outcome import Outcome
from solrbench.errors import SolrbenchError


def seen(outcome: Outcome | None) -> tuple[str, type[SolrbenchError]] | None:
    """Return reason and error; None where a check has no objection."""
    return None if outcome is None else (outcome.reason.value, outcome.error)


def assert_outcome(
    outcome: Outcome | None, reason: str, error: type[SolrbenchError], *words: str
) -> None:
    """Check reason and error, and that the message holds all words."""
    assert outcome is not None
    assert (outcome.reason, outcome.error) == (reason, error)
    assert [each for each in words if each not in outcome.message] == []
