"""Chains of checks.

Whether results may be exported.
"""

from solrbench.decide.export import MAX_SOURCES, check_number_of_sources
from solrbench.decide.outcome import Action, Outcome, fail, first_outcome, wait
from solrbench.reasons.end import ExportReason
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


def test_results_that_a_pod_can_mount_are_exported() -> None:
    assert check_number_of_sources(MAX_SOURCES) is None


def test_results_in_more_config_maps_fail_with_count_limit_and_remedy() -> None:
    outcome = check_number_of_sources(MAX_SOURCES + 1)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (ExportReason.EXPORT_TOO_LARGE, Action.FAIL)
    assert all(each in outcome.message for each in ("2001", "2000", "solrbench report"))
