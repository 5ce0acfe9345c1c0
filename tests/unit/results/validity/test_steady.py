"""Steps whose service times still changed at their end."""

import pytest

from support.results.validity.steady import rising, step_run
from unit.results.validity.documents import messages_by_reason, verdict_of


def test_a_step_that_never_becomes_steady_is_invalid_with_number_limit_and_remedy() -> None:
    document = step_run(rising(60), warm_up_steady=False)
    (reason,) = verdict_of(document).reasons
    message = reason.message
    assert message.startswith("the mean service time still rose by ")
    assert (
        " s of the step, after a warm-up that was not steady either (limit 10 %); look for caches"
        in message
    )
    assert verdict_of(document, max_drift_percent=100).verdict == "Valid"


def test_service_times_that_fall_are_not_steady_either() -> None:
    falling = [10_000 * (1 + 2 * 0.5 ** (second / 20)) for second in range(61)]
    assert "still fell by" in messages_by_reason(verdict_of(step_run(falling)))["NotSteady"]


@pytest.mark.parametrize(
    "levels",
    [
        [10_000.0] * 61,
        [30_000.0] * 8 + [10_000.0] * 60,  # a cold beginning, steady then
        [10_000.0] * 30 + [200_000.0] + [10_000.0] * 40,  # a stall
        rising(5),
        rising(60, 20),  # too short
    ],
)
def test_other_steps_are_valid(levels: list[float]) -> None:
    for warm_up_steady in (None, True, False):
        assert verdict_of(step_run(levels, warm_up_steady=warm_up_steady)).verdict == "Valid"


def test_slow_swings_are_no_drift_and_need_longer_steps() -> None:
    swings = [10_000.0 + 3000 * (second // 8 % 2) for second in range(64)]
    verdict = verdict_of(step_run(swings, noise=0.01))
    assert verdict.verdict == "Valid"
    (gap,) = verdict.unchecked
    assert gap.reason == "NotSteady"
    assert "64 seconds" in gap.message or "63 whole seconds" in gap.message
