"""When a benchmark ends, begins again, or is cleaned up."""

from datetime import UTC, datetime

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.benchmark import Cleanup
from solrbench.api.v1alpha1.conditions import Attempts
from solrbench.api.v1alpha1.status import Status
from solrbench.decide.conditions import (
    ACCEPTED,
    CLEANED_UP,
    COMPLETE,
    DATA_INDEXED,
    MEASURED,
    SUCCEEDED,
    TARGET_READY,
    Conditions,
)
from solrbench.decide.lifecycle import (
    STOPPING_SECONDS,
    check_deadline,
    check_load_attempts,
    check_target_attempts,
    is_expired,
    needs_cleanup,
    next_target_attempt,
)
from solrbench.decide.outcome import wait
from solrbench.errors import PermanentError
from solrbench.reasons.end import CleanupReason
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.load import LoadReason
from solrbench.reasons.target import TargetReason
from support.cluster.benchmarks import small
from support.resources.outcomes import assert_outcome

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LOST = TargetReason.TARGET_POD_LOST
LIMITS = {"provisioningSeconds": 60, "indexingSeconds": 70, "measuringSeconds": 80}
SPEC = SolrBenchmark.parse(small("one", deadlines=LIMITS)).spec
BLOCKER = wait(TargetReason.SOLR_NOT_READY, "0 of 1")


@pytest.mark.parametrize(
    ("condition", "limit"), [(ACCEPTED, 60), (TARGET_READY, 60), (DATA_INDEXED, 70), (MEASURED, 80)]
)
def test_stage_fails_once_its_deadline_is_exceeded(condition: str, limit: int) -> None:
    assert check_deadline(SPEC, condition, "Provisioning", limit, BLOCKER) is None
    outcome = check_deadline(SPEC, condition, "Provisioning", limit + 1, BLOCKER)
    words = f"Provisioning took {limit + 1} s, limit {limit} s", "last seen: SolrNotReady: 0 of 1"
    assert_outcome(outcome, "DeadlineExceeded", PermanentError, *words)


@pytest.mark.parametrize("condition", [ACCEPTED, TARGET_READY, DATA_INDEXED, MEASURED])
@pytest.mark.parametrize(("phase", "limit"), [("Indexing", 70), ("Measuring", 80)])
def test_stages_that_are_gone_through_again_have_the_deadline_of_the_phase(
    condition: str, phase: str, limit: int
) -> None:
    assert check_deadline(SPEC, condition, phase, limit, BLOCKER) is None
    outcome = check_deadline(SPEC, condition, phase, limit + 1, BLOCKER)
    assert_outcome(outcome, "DeadlineExceeded", PermanentError, f"{phase} took {limit + 1} s")


def test_what_waits_for_no_measurement_has_another_deadline_or_none() -> None:
    baseline = wait(LifecycleReason.BASELINE_UNFINISHED, "later")
    assert check_deadline(SPEC, MEASURED, "Measuring", 9e9, baseline) is None
    ending = wait(LoadReason.STOPPING_LOAD, "every step is stored")
    assert check_deadline(SPEC, MEASURED, "Measuring", 80 + STOPPING_SECONDS, ending) is None
    assert check_deadline(SPEC, MEASURED, "Measuring", 81 + STOPPING_SECONDS, ending) is not None


@pytest.mark.parametrize("condition", [SUCCEEDED, CLEANED_UP, COMPLETE])
def test_other_stages_have_no_deadline(condition: str) -> None:
    assert check_deadline(SPEC, condition, "CleaningUp", 9e9, BLOCKER) is None


@pytest.mark.parametrize("target", [1, 2])
def test_attempts_of_the_target_are_bounded(target: int) -> None:
    attempts = Attempts(target=target)
    assert check_target_attempts(attempts, target, LOST, "pod lost") is None
    outcome = check_target_attempts(attempts, target - 1, LOST, "pod lost")
    assert_outcome(outcome, LOST, PermanentError, f"pod lost; {target} attempts failed")


@pytest.mark.parametrize(
    ("target", "load", "retries", "over"),
    [(1, 1, 0, True), (1, 1, 1, False), (1, 2, 1, True), (2, 2, 1, False), (2, 3, 1, True)],
)
def test_attempts_of_the_load_are_bounded(target: int, load: int, retries: int, over: bool) -> None:
    attempts = Attempts(target=target, load=load)
    outcome = check_load_attempts(attempts, retries, LoadReason.WORKER_LOST, "worker lost")
    assert (outcome is not None) is over
    if over:
        words = f"worker lost; {load} attempts failed"
        assert_outcome(outcome, LoadReason.WORKER_LOST, PermanentError, words)


@pytest.mark.parametrize(("fresh", "first"), [(True, 4), (False, None)])
def test_new_target_needs_a_new_load(fresh: bool, first: int | None) -> None:
    after = next_target_attempt(Attempts(target=2, load=3), fresh_nodes=fresh)
    assert (after.target, after.load, after.first_load_on_target) == (3, 4, first)


@pytest.mark.parametrize(
    ("reason", "policy", "needed"),
    [
        (LifecycleReason.PENDING, Cleanup.NEVER, True),
        (CleanupReason.CLEANING_UP, Cleanup.ALWAYS, True),
        (CleanupReason.COLLECTION_NOT_REMOVED, Cleanup.ALWAYS, True),
        (CleanupReason.CLEANED_UP, Cleanup.ALWAYS, False),
        (CleanupReason.CLEANUP_SKIPPED, Cleanup.NEVER, False),
        (CleanupReason.CLEANUP_SKIPPED, Cleanup.ON_SUCCESS, False),
        (CleanupReason.CLEANUP_SKIPPED, Cleanup.ALWAYS, True),
    ],
)
def test_cleanup_is_needed_until_the_policy_is_met(
    reason: LifecycleReason, policy: Cleanup, needed: bool
) -> None:
    conditions = Conditions([], NOW, 1)
    conditions.set(CLEANED_UP, "False", reason, "")
    assert needs_cleanup(conditions, policy) is needed


def test_benchmark_that_has_not_ended_does_not_expire() -> None:
    assert not is_expired(Status(), 30, NOW)
