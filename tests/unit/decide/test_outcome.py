"""Chains of checks, and whether results may be exported."""

from solrbench.decide.export import MAX_SOURCES, check_number_of_sources
from solrbench.decide.outcome import Outcome, fail, first_outcome, wait
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.target import TargetReason
from support.resources.outcomes import assert_outcome

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
    assert FAILED.waiting() == Outcome(FAILED.reason, FAILED.message, TemporaryError)


def test_results_in_more_config_maps_than_a_pod_can_mount_fail_with_limit_and_remedy() -> None:
    assert check_number_of_sources(MAX_SOURCES) is None
    outcome = check_number_of_sources(MAX_SOURCES + 1)
    assert_outcome(outcome, "ExportTooLarge", PermanentError, "2001", "2000", "solrbench report")
