"""How many repeats there are to be, and which starts anew."""

import pytest

from solrbench.api.rules import plain
from solrbench.api.v1alpha1.conditions import Attempts
from solrbench.api.v1alpha1.load import Load
from solrbench.api.v1alpha1.repeats import Repeats
from solrbench.api.v1alpha1.status import Status
from solrbench.contract.step_runs import Reuse, StepRunId
from solrbench.decide.repeats import count_repeats, format_repeats, reuse_target

STEPS = 2
UNTIL = Repeats.model_validate({"until": "Decided", "min": 3, "max": 5})


def stored(number: int) -> list[StepRunId]:
    """Return the first step runs."""
    return [
        StepRunId(1 + place // STEPS, 0, place % STEPS, f"step-{place % STEPS}")
        for place in range(number)
    ]


@pytest.mark.parametrize(
    ("number", "decided", "expected"),
    [
        *((number, True, 3) for number in range(7)),
        *((number, False, 3) for number in range(6)),
        (6, False, 4),
        (7, True, 4),  # begun before it was decided
        (8, True, 4),
        (8, False, 5),
        (10, False, 5),
        (10, True, 5),
    ],
)
def test_repeats_go_on_until_it_is_decided(number: int, decided: bool, expected: int) -> None:
    assert count_repeats(UNTIL, stored(number), STEPS, lambda: decided) == expected


def test_it_is_asked_only_after_whole_repeats() -> None:
    def fail() -> bool:
        raise AssertionError

    for number in (0, 5, 7, 9, 10):
        count_repeats(UNTIL, stored(number), STEPS, fail)
    assert count_repeats(Repeats(count=4), stored(6), STEPS, fail) == 4


def test_repeats_of_a_step_are_described_in_words_but_not_of_a_trial() -> None:
    steps = [{"name": "a", "users": 1, "durationSeconds": 9}]
    assert format_repeats(Load.model_validate({"steps": steps}), "a") == "1"
    load = Load.model_validate({"steps": steps, "repeats": {"until": "Decided"}})
    assert format_repeats(load, "a") == "5 to 20"
    assert not format_repeats(load, "capacity-trial-3")


def test_a_target_may_be_reused_as_often_as_a_sweep_has_points_and_rounds() -> None:
    before = Status(attempts=Attempts(target=1, load=1000, fresh_data=999))
    after = reuse_target(Status(), before, Reuse.CLUSTER)
    assert after.attempts.fresh_data == 1000
    assert Status.model_validate(plain(after)) == after
