"""Verdicts from all repeats of a step together, and on steps that were not steady at their end."""

import math
import random

import pytest

from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import StepRunResult
from support.results.builders import make_timed_result, with_response_times
from support.results.validity_documents import (
    answers,
    changing,
    counted,
    healthy,
    level_times,
    messages_by_reason,
    repeat,
    rising,
    seconds_around,
    short_repeat,
    verdict_of,
)


def test_repeats_that_agree_are_valid() -> None:
    verdict = verdict_of(repeat(1, 10_000), repeat(2, 10_100), repeat(3, 9_950))
    assert (verdict.verdict, verdict.unchecked) == ("Valid", [])


def test_first_repeat_may_be_the_fast_one_and_each_faster_than_the_one_before() -> None:
    first = messages_by_reason(verdict_of(repeat(1, 7_000), repeat(2, 10_000)))
    assert "% faster than the others" in first["FirstRepeatDiffers"]
    back = [repeat(n, round(10_000 * 0.93**n)) for n in range(1, 6)]
    assert "% faster than the one before" in messages_by_reason(verdict_of(*back))["RepeatsDrift"]


def test_deviation_that_repeats_may_have_is_that_of_the_spec() -> None:
    documents = repeat(1, 13_000), repeat(2, 10_000)
    assert verdict_of(*documents).verdict == "Invalid"
    assert verdict_of(*documents, max_repeat_deviation_percent=30).verdict == "Valid"


def test_short_repeats_are_not_compared_and_one_is_not_missed() -> None:
    verdict = verdict_of(repeat(1, 10_000, seconds=28), repeat(2, 20_000))
    assert verdict.verdict == "Inconclusive"
    settling, gap = verdict.unchecked
    assert (settling.reason, gap.reason) == ("NotSteady", "RepeatsDisagree")
    assert "of 27 s with responses" in settling.message
    assert gap.message == (
        "27 s with responses in a repeat are too few: a difference of a few per cent shows from 28"
        " on. Raise durationSeconds or requests."
    )
    alone = verdict_of(repeat(1, 10_000, seconds=5))
    assert (alone.verdict, alone.unchecked[0].reason) == ("Inconclusive", "NotSteady")


def test_windows_of_long_steps_are_no_seconds() -> None:
    short, long = repeat(1, 10_000, seconds=28), repeat(2, 20_000)
    verdict = verdict_of(*(e.model_copy(update={"window_seconds": 10}) for e in (short, long)))
    assert verdict.unchecked[1].message.startswith("270 s with responses in a repeat are too few")
    assert " shows from 280 on." in verdict.unchecked[1].message


def test_repeats_that_differ_by_more_than_the_limit_perhaps_by_chance_are_inconclusive() -> None:
    verdict = verdict_of(repeat(1, 10_000), repeat(2, 10_800))
    (gap,) = verdict.unchecked
    assert (verdict.verdict, gap.reason) == ("Inconclusive", "RepeatsDisagree")
    assert gap.message.endswith("% (limit 3 %), which may be chance. Raise load.repeats.")


def test_repeats_whose_seconds_explain_a_difference_need_longer_steps() -> None:
    noisy = [
        answers(number, windows=seconds_around([level] * 61, seed=number, noise=0.5))
        for number, level in enumerate((10_000, 12_000), start=1)
    ]
    (gap,) = (each for each in verdict_of(*noisy).unchecked if each.reason == "RepeatsDisagree")
    assert gap.message.endswith("% (limit 3 %), which may be chance. Raise durationSeconds.")


def test_repeats_that_differ_by_what_they_may_are_valid() -> None:
    """Their deviation is 2 %: in every seventh case, that of two of them is above the limit."""
    draw, count = random.Random(1), 100
    levels = [
        [round(10_000 * draw.lognormvariate(0, 0.02)) for _ in range(2)] for _ in range(count)
    ]
    found = [verdict_of(repeat(1, first), repeat(2, other)).verdict for first, other in levels]
    assert found.count("Valid") >= 0.9 * count


@pytest.mark.parametrize("count", [1, 2])
def test_steps_of_nine_seconds_are_inconclusive_however_far_apart(count: int) -> None:
    documents = [repeat(n, level, seconds=9) for n, level in enumerate((10_000, 22_000), 1)]
    assert verdict_of(*documents[:count]).verdict == "Inconclusive"


def test_step_too_short_for_its_swings_is_not_compared() -> None:
    windows = SecondSeries(
        SecondSums(second, 9, 0, 9 * (10_000 + second // 15), 0) for second in range(31)
    )
    swinging = answers(windows=windows)
    gaps = verdict_of(swinging, swinging.model_copy(update={"repeat": 2})).unchecked
    gap = next(each for each in gaps if each.reason == "RepeatsDisagree")
    assert gap.message == (
        "The step is too short for the slow variation of its service times. Raise durationSeconds"
        " or requests."
    )


@pytest.mark.parametrize(("first", "later", "limit"), [(30, 2, 1), (2, 30, 20), (60, 75, 1)])
def test_fewer_empty_results_and_more_by_chance_or_within_the_limit_are_valid(
    first: int, later: int, limit: int
) -> None:
    runs = repeat(1, 10_000, empty_results=first), repeat(2, 10_000, empty_results=later)
    assert verdict_of(*runs, max_empty_increase_percent=limit).verdict == "Valid"


def stalled(number: int) -> StepRunResult:
    """Return a repeat with one stall that most requests of a second wait for."""
    times = level_times(number, 10_000, 15)
    times[4] = [each + 900_000 for each in times[4]]
    return healthy(number, requests=[counted(make_timed_result(times))])


def responses(number: int, level: int) -> StepRunResult:
    """Return a repeat of an open loop whose response times alone are around `level` µs."""
    document = short_repeat(number, 10_000)
    waited = make_timed_result(level_times(number, level, 15))
    planned = with_response_times(document.requests[0], waited)
    return document.model_copy(update={"requests": [planned]})


def gaps(*documents: StepRunResult) -> dict[str, str]:
    return {each.reason: each.message for each in verdict_of(*documents).unchecked}


def test_short_repeats_that_agree_are_valid() -> None:
    verdict = verdict_of(short_repeat(1, 10_000), short_repeat(2, 10_400))
    assert verdict.reasons == []
    assert "RepeatTimesDiffer" not in [each.reason for each in verdict.unchecked]


def test_difference_that_one_stall_explains_is_unchecked_with_a_remedy() -> None:
    documents = short_repeat(1, 10_000), stalled(2)
    assert verdict_of(*documents).verdict == "Inconclusive"
    message = gaps(*documents)["RepeatTimesDiffer"]
    assert "of repeat 2 (" in message
    assert message.endswith(
        "(limit 25 %), and the repeats are too short to rule out chance. Raise durationSeconds or"
        " requests."
    )


def test_limit_is_that_of_the_spec() -> None:
    documents = short_repeat(1, 10_000), short_repeat(2, 15_000)
    assert verdict_of(*documents).verdict == "Invalid"
    assert verdict_of(*documents, max_repeat_difference_percent=100).reasons == []


def test_response_times_of_an_open_loop_are_compared() -> None:
    found = verdict_of(responses(1, 10_000), responses(2, 40_000)).reasons
    message = next(each.message for each in found if each.reason == "RepeatTimesDiffer")
    assert "response time" in message


def test_one_repeat_and_older_documents_are_not_compared() -> None:
    older = short_repeat(2, 26_000, service_time_blocks="")
    for documents in ((short_repeat(1, 10_000),), (short_repeat(1, 10_000), older)):
        assert "RepeatTimesDiffer" not in messages_by_reason(verdict_of(*documents))
        assert "RepeatTimesDiffer" not in gaps(*documents)


def test_a_step_that_never_becomes_steady_is_invalid_with_number_limit_and_remedy() -> None:
    document = changing(rising(60), warm_up_steady=False)
    (reason,) = verdict_of(document).reasons
    message = reason.message
    assert message.startswith(
        "Steady state was not reached after a warm-up that was not steady either: the mean service"
        " time rose by "
    )
    assert " s (limit 10 %). Look for caches" in message
    assert verdict_of(document, max_drift_percent=100).verdict == "Valid"


def test_a_step_of_hours_says_how_long_it_drifted_in_seconds() -> None:
    last = {}
    for width in (1, 10):
        message = messages_by_reason(verdict_of(changing(rising(60), window_seconds=width)))
        last[width] = int(message["NotSteady"].partition("in the last ")[2].split()[0])
    assert last[10] == 10 * last[1]


def test_service_times_that_fall_are_not_steady_either() -> None:
    falling = [10_000 * (1 + 2 * 0.5 ** (second / 20)) for second in range(61)]
    assert "time fell by" in messages_by_reason(verdict_of(changing(falling)))["NotSteady"]


@pytest.mark.parametrize(
    "levels",
    [
        [10_000.0] * 61,
        [30_000.0] * 8 + [10_000.0] * 60,  # a cold beginning, steady then
        [10_000.0] * 30 + [200_000.0] + [10_000.0] * 40,  # a stall
        rising(5),
    ],
)
def test_other_steps_are_valid(levels: list[float]) -> None:
    for warm_up_steady in (None, True, False):
        assert verdict_of(changing(levels, warm_up_steady=warm_up_steady)).verdict == "Valid"


def test_too_short_steps_are_inconclusive() -> None:
    verdict = verdict_of(changing(rising(60, 20)))
    assert verdict.verdict == "Inconclusive"
    assert "NotSteady" in [each.reason for each in verdict.unchecked]


def test_slow_swings_are_no_drift_and_need_longer_steps() -> None:
    swings = [10_000.0 + 3000 * (second // 8 % 2) for second in range(64)]
    assert verdict_of(changing(swings, noise=0.01)).verdict == "Valid"
    slower = [10_000.0 + 3000 * math.sin(3 + second * math.pi / 8) for second in range(96)]
    verdict = verdict_of(changing(slower, noise=0.01))
    (gap,) = verdict.unchecked
    assert (verdict.verdict, gap.reason) == ("Inconclusive", "NotSteady")
    assert "(limit 10 %), which may be chance. Raise durationSeconds" in gap.message
