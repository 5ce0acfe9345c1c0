"""Every call of the operator fails in every way, each in a run of its own; then pairs of faults.

Then defects are planted, each of which the same runs must find.
"""

import pytest

from support.faults.defects import DEFECTS
from support.faults.scenarios import SCENARIOS, SHARED
from support.faults.selection import (
    check,
    every_fault_of,
    explored,
    is_found,
    pairs,
    preempted,
    seed_of_session,
)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

PAIRS = 5000
PARTS = 4
"""Of the calls of a scenario: all faults of the longest one take half an hour of CPU time."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_broken_call_changes_nothing(scenario: str, part: int, row: list[object]) -> None:
    runs = explored(scenario, every_fault_of(part, PARTS))
    found = check(scenario, runs)
    row += [scenario, runs[0].number, len(runs), len(found)]
    assert found == []


@pytest.mark.parametrize("scenario", SHARED)
def test_a_preemption_changes_nothing(scenario: str, row: list[object]) -> None:
    runs = explored(scenario, preempted)
    found = check(scenario, runs)
    row += [f"{scenario}, preempted", runs[0].number, len(runs), len(found)]
    assert found == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_two_broken_calls_change_nothing(scenario: str, row: list[object]) -> None:
    (calls,) = [run.number for run in explored(scenario, lambda *_: [])]
    runs = explored(scenario, pairs(scenario, calls, PAIRS // len(SCENARIOS) + 1))
    found = check(scenario, runs)
    row += [f"{scenario}, pairs", calls, len(runs), len(found)]
    assert found == [], f"SEED={seed_of_session}"


@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_defect_is_found(name: str) -> None:
    assert is_found(DEFECTS[name])
