"""Verdicts on short repeats whose times are far apart."""

from solrbench.results.model.step_result import StepRunResult
from support.results.validity.repeat_times import counted, level_times, repeat
from unit.results.builders import make_timed_result
from unit.results.validity.documents import healthy, messages_by_reason, verdict_of


def stalled(number: int, seconds: int = 15) -> StepRunResult:
    """Return a repeat with one stall that most requests of a second wait for."""
    times = level_times(number, 10_000, seconds)
    times[4] = [each + 900_000 for each in times[4]]
    return healthy(number).model_copy(update={"requests": [counted(make_timed_result(times))]})


def responses(number: int, level: int) -> StepRunResult:
    """Return a repeat of an open loop whose response times alone are around `level` µs."""
    document = repeat(number, 10_000)
    waited = make_timed_result(level_times(number, level, 15))
    changed = document.requests[0].model_copy(
        update={
            "response_time_histogram": waited.service_time_histogram,
            "response_time_blocks": waited.service_time_blocks,
            "response_sum_microseconds": waited.sum_microseconds,
            "response_max_microseconds": waited.max_microseconds,
        }
    )
    return document.model_copy(update={"requests": [changed]})


def gaps(*documents: StepRunResult) -> dict[str, str]:
    return {each.reason: each.message for each in verdict_of(*documents).unchecked}


def test_slow_short_repeat_is_invalid_with_numbers_limit_and_remedy() -> None:
    verdict = verdict_of(repeat(1, 10_000), repeat(2, 26_000), repeat(3, 10_500))
    (reason,) = verdict.reasons
    assert reason.reason == "RepeatTimesDiffer"
    message = reason.message
    assert message.startswith(("p95 of the service times of repeat 2, ", "the mean service time"))
    assert " % above that of repeat " in message
    assert "more than their blocks of time explain (limit 25 %); lengthen warmUp" in message


def test_short_repeats_that_agree_are_valid() -> None:
    verdict = verdict_of(repeat(1, 10_000), repeat(2, 10_400))
    assert verdict.verdict == "Valid"
    assert "RepeatTimesDiffer" not in [each.reason for each in verdict.unchecked]


def test_difference_that_one_stall_explains_is_unchecked_with_a_remedy() -> None:
    documents = repeat(1, 10_000), stalled(2)
    assert verdict_of(*documents).verdict == "Valid"
    message = gaps(*documents)["RepeatTimesDiffer"]
    assert "of repeat 2, " in message
    assert message.endswith(
        "(limit 25 %), and the repeats are too short to rule out chance; raise durationSeconds or"
        " requests"
    )


def test_limit_is_that_of_the_spec() -> None:
    documents = repeat(1, 10_000), repeat(2, 15_000)
    assert verdict_of(*documents).verdict == "Invalid"
    assert verdict_of(*documents, max_repeat_difference_percent=100).verdict == "Valid"


def test_response_times_of_an_open_loop_are_compared() -> None:
    found = verdict_of(responses(1, 10_000), responses(2, 40_000)).reasons
    message = next(each.message for each in found if each.reason == "RepeatTimesDiffer")
    assert "response time" in message


def test_one_repeat_and_older_documents_are_not_compared() -> None:
    older = repeat(2, 26_000, service_time_blocks="")
    for documents in ((repeat(1, 10_000),), (repeat(1, 10_000), older)):
        assert "RepeatTimesDiffer" not in messages_by_reason(verdict_of(*documents))
        assert "RepeatTimesDiffer" not in gaps(*documents)
