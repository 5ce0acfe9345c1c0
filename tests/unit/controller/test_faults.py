"""Calls of the operator that fail, each in a run of its own: the outcome stays the same.

A part is drawn by the commit, or by the variable SEED; `make soak` breaks every call.
"""

import pytest

from support.faults.crossings import Call, Choose, Fault
from support.faults.defects import DEFECTS
from support.faults.scenarios import SCENARIOS
from support.faults.selection import check, explored, faults_of, is_found, one_of, seed_of_session

pytestmark = pytest.mark.timeout(120)  # hundreds of runs each, beside whatever else runs

PART = 20
SHORT = [scenario for scenario in SCENARIOS if scenario != "sweep in rounds"]
"""That one takes as long as all others."""
FOUND = (
    *("acknowledged before stored", "one Job is enough", "config sets first", "always its turn"),
    "written over what has all",
)


@pytest.mark.parametrize("scenario", SHORT)
def test_a_broken_call_changes_nothing(scenario: str) -> None:
    runs = explored(scenario, one_of(scenario, PART))
    assert check(scenario, runs) == [], f"SEED={seed_of_session}"


@pytest.mark.parametrize(
    ("scenario", "call"),
    [
        # What an operator that was killed had left of a document was never deleted.
        ("Solr restarts", "delete ConfigMap/one-report-r1-s0-step-1"),
        # The step that broke off was lost with any error while it was stored.
        ("load fails", "apply ConfigMap/one-report-unfinished"),
        ("load fails", "unfinished "),
        # The baseline was never read again.
        ("baseline", "get SolrBenchmark/one"),
    ],
)
def test_what_was_found_stays_mended(scenario: str, call: str) -> None:
    runs = explored(scenario, faults_of(call))
    assert len(runs) > 1
    assert check(scenario, runs) == []


def test_a_step_that_broke_off_is_stored_by_an_operator_that_has_just_started() -> None:
    def plan(number: int, call: Call) -> list[Choose]:
        errors = iter([Fault.ERROR_BEFORE])

        def choose(at: int, each: Call) -> Fault | None:
            if at == number:
                return Fault.KILLED_BEFORE
            is_stored = each.method == "apply" and each.about.startswith(f"{report}-r1-s1-")
            return next(errors, None) if is_stored else None

        return [choose] if (call.method, call.about) == ("get", f"{report}-environment") else []

    report = "ConfigMap/one-report"
    runs = explored("load fails", plan)
    assert max(len(run.injected) for run in runs) == 2
    assert check("load fails", runs) == []


@pytest.mark.parametrize(("scenario", "restores"), [("backup", 1), ("suspended with a backup", 2)])
@pytest.mark.parametrize("call", ["POST RESTORE", "GET REQUESTSTATUS"])
def test_backup_is_restored_once_for_each_collection(
    scenario: str, restores: int, call: str
) -> None:
    runs = explored(scenario, faults_of(call))
    assert len(runs) > restores
    assert check(scenario, runs) == []
    assert runs[0].outcome["restores"] == ["nightly"] * restores


@pytest.mark.parametrize("name", FOUND)
def test_a_planted_defect_is_found(name: str) -> None:
    assert is_found(DEFECTS[name])
