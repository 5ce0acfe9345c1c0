"""A pause ends with its time, or with a new spec."""

from datetime import UTC, datetime, timedelta

from solrbench.controller.scheduling.pauses import Pauses

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_benchmark_is_due_after_its_pause_or_a_change() -> None:
    pauses = Pauses()
    assert pauses.is_due("a", 1, NOW)
    pauses.note("a", 1, NOW, timedelta(seconds=60))
    assert not pauses.is_due("a", 1, NOW + timedelta(seconds=59))
    assert pauses.is_due("a", 1, NOW + timedelta(seconds=60))
    assert pauses.is_due("a", 2, NOW)
    assert pauses.is_due("b", 1, NOW)
    pauses.forget("a")
    assert pauses.is_due("a", 1, NOW)
