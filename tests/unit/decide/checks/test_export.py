"""Whether results may be exported."""

from solrbench.decide.checks.export import MOST_SOURCES, check_number_of_sources
from solrbench.decide.checks.outcome import Action
from solrbench.reasons.export import ExportReason


def test_results_that_a_pod_can_mount_are_exported() -> None:
    assert check_number_of_sources(MOST_SOURCES) is None


def test_results_in_more_config_maps_fail_with_count_limit_and_remedy() -> None:
    outcome = check_number_of_sources(MOST_SOURCES + 1)
    assert outcome is not None
    assert (outcome.reason, outcome.action) == (ExportReason.EXPORT_TOO_LARGE, Action.FAIL)
    assert all(each in outcome.message for each in ("2001", "2000", "solrbench report"))
