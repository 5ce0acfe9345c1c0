from typing import Any

from solrbench.decide.resume import plan_resumption
from solrbench.plan.load_plan import Resumption
from solrbench.plan.step_runs import StepRunId
from solrbench.results.model.step_result import StepRunResult
from unit.results.builders import make_document

SECOND = StepRunId(1, 0, 1, "second")
NEXT = StepRunId(2, 0, 0, "first")


def stored(*offsets: int, attempt: int = 1, **fields: Any) -> StepRunResult:
    """Return the document of the first step of the first repeat."""
    document = make_document("first", 1, attempt=attempt)
    return document.model_copy(update={"list_offsets": list(offsets)} | fields)


def test_the_first_attempt_begins_with_the_lists() -> None:
    assert plan_resumption(StepRunId(1, 0, 0, "first"), [], 1, 1) == Resumption()


def test_every_attempt_since_the_last_stored_step_run_may_have_begun_the_next_one() -> None:
    assert plan_resumption(SECOND, [stored(30, 4)], 2, 1) == Resumption(
        offsets=[30, 4], lost_steps=1
    )
    # The third one has warmed up before it, too.
    again = plan_resumption(SECOND, [stored(30, 4)], 3, 1)
    assert again == Resumption(offsets=[30, 4], lost_steps=2, lost_warm_ups=1)


def test_without_any_stored_step_run_every_attempt_has_warmed_up() -> None:
    lost = plan_resumption(StepRunId(1, 0, 0, "first"), [], 3, 1)
    assert lost == Resumption(lost_steps=2, lost_warm_ups=2)


def test_the_next_ladder_begins_with_its_own_lists() -> None:
    lost = plan_resumption(NEXT, [stored(30, attempt=2, queries_may_repeat=True)], 3, 1)
    assert lost == Resumption(lost_steps=1, lost_warm_ups=1)


def test_variants_have_lists_of_their_own() -> None:
    proxied = StepRunId(1, 1, 0, "first", "proxy")
    assert plan_resumption(proxied, [stored(30)], 1, 1) == Resumption()
    own = stored(12, variant="proxy")
    assert plan_resumption(proxied, [stored(30), own], 1, 1) == Resumption(offsets=[12])


def test_offsets_are_those_of_the_last_step_run() -> None:
    later = stored(55, 4, attempt=2)
    assert plan_resumption(SECOND, [later, stored(30)], 2, 1) == Resumption(offsets=[55, 4])


def test_what_was_sent_to_another_target_is_not_skipped() -> None:
    assert plan_resumption(SECOND, [stored(30)], 2, 2) == Resumption(offsets=[30])
    lost = plan_resumption(SECOND, [stored(30)], 3, 2)
    assert lost == Resumption(offsets=[30], lost_steps=1, lost_warm_ups=1)


def test_possible_repeats_stay_for_all_later_steps() -> None:
    for doubtful in (
        stored(30, queries_may_repeat=True),
        stored(30, lost_workers=["w-1"]),
        stored(),  # of a version that did not record it
    ):
        assert plan_resumption(SECOND, [doubtful], 1, 1).may_repeat
