"""Verdicts from all repeats of a step together."""

from solrbench.results.model.step_result import Window
from support.results.validity.repeats import repeat
from unit.results.validity.documents import answers, messages_by_reason, verdict_of


def test_repeats_that_agree_are_valid() -> None:
    verdict = verdict_of(repeat(1, 10_000), repeat(2, 10_100), repeat(3, 9_950))
    assert (verdict.verdict, verdict.unchecked) == ("Valid", [])


def test_cold_first_repeat_is_invalid_with_number_limit_and_remedy() -> None:
    (reason,) = verdict_of(repeat(1, 13_000), repeat(2, 10_000), repeat(3, 10_000)).reasons
    assert reason.reason == "FirstRepeatDiffers"
    what, _, rest = reason.message.partition(" %")
    words, _, percent = what.rpartition(" ")
    assert words == "the mean service time of the first repeat is"
    assert 25 < float(percent) < 35
    assert rest == (
        " above that of the others, more than their seconds and a deviation of 3 % explain (limit"
        " 3 %); lengthen warmUp, or let it last until steady with warmUp.untilSteady"
    )


def test_first_repeat_may_be_the_fast_one() -> None:
    message = messages_by_reason(verdict_of(repeat(1, 7_000), repeat(2, 10_000)))
    assert "% below that of the others" in message["FirstRepeatDiffers"]


def test_repeats_that_drift_are_invalid() -> None:
    documents = [repeat(n, round(10_000 * 1.07**n)) for n in range(1, 6)]
    message = messages_by_reason(verdict_of(*documents))
    assert set(message) == {"RepeatsDrift"}
    assert "% higher in each repeat than in the one before" in message["RepeatsDrift"]
    back = [repeat(n, round(10_000 * 0.93**n)) for n in range(1, 6)]
    assert "% lower in each repeat" in messages_by_reason(verdict_of(*back))["RepeatsDrift"]


def test_repeats_that_differ_in_between_are_invalid() -> None:
    levels = (10_000, 10_000, 13_000, 10_000, 10_000)
    message = messages_by_reason(verdict_of(*(repeat(n, v) for n, v in enumerate(levels, 1))))
    assert set(message) == {"RepeatsDisagree"}
    assert "the mean service times of the repeats differ by" in message["RepeatsDisagree"]


def test_deviation_that_repeats_may_have_is_that_of_the_spec() -> None:
    documents = repeat(1, 13_000), repeat(2, 10_000)
    assert verdict_of(*documents).verdict == "Invalid"
    assert verdict_of(*documents, max_repeat_deviation_percent=30).verdict == "Valid"


def test_short_repeats_are_not_compared_and_one_is_not_missed() -> None:
    verdict = verdict_of(repeat(1, 10_000, seconds=28), repeat(2, 20_000))
    assert verdict.verdict == "Valid"
    assert [(each.reason, each.message) for each in verdict.unchecked] == [
        (
            "RepeatsDisagree",
            (
                "a repeat has responses in 27 whole seconds, and a difference of a few per cent is"
                " seen from 28 on; raise durationSeconds or requests"
            ),
        )
    ]
    assert verdict_of(repeat(1, 10_000, seconds=5)).unchecked == []


def test_step_too_short_for_its_swings_is_not_compared() -> None:
    windows = [
        Window(second=second, requests=9, failures=0, mean_microseconds=10_000 + second // 15)
        for second in range(31)
    ]
    swinging = answers(windows=windows)
    gaps = verdict_of(swinging, swinging.model_copy(update={"repeat": 2})).unchecked
    gap = next(each for each in gaps if each.reason == "RepeatsDisagree")
    assert gap.message == (
        "the step is too short for the swings of its own service times; raise durationSeconds or"
        " requests"
    )


def test_more_empty_results_than_in_the_first_repeat_are_invalid() -> None:
    first, later = repeat(1, 10_000, empty_results=2), repeat(2, 10_000, empty_results=30)
    assert messages_by_reason(verdict_of(first, later)) == {
        "EmptyResultsIncreased": (
            "15 % of the requests of query had empty results in repeat 2, 1 % in the first"
            " (limit 1 % of the requests more)"
        )
    }
    assert verdict_of(later, first).verdict == "Valid"
    assert verdict_of(first, later, max_empty_increase_percent=20).verdict == "Valid"


def test_chance_makes_no_increase_of_empty_results() -> None:
    first, later = repeat(1, 10_000, empty_results=60), repeat(2, 10_000, empty_results=75)
    assert verdict_of(first, later).verdict == "Valid"
