"""Which differences between two runs are meant."""

import pytest

from support.faults.crossings import Run
from support.faults.outcome import unexplained


def differences(text: str) -> list[str]:
    return unexplained({"one": {"unchecked": []}}, Run(1, [], {"one": {"unchecked": [text]}}))


@pytest.mark.parametrize("letters", [0, 3000])
def test_a_difference_is_meant_by_its_whole_text(letters: int) -> None:
    assert differences(f"{'x' * letters} was not recorded") == []


def test_a_difference_without_a_reason_is_cut_for_display() -> None:
    (line,) = differences("x" * 3000)
    assert line.startswith(".one.unchecked: [] -> ['xxx")
    assert len(line) < 2100
