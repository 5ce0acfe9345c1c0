import pytest

from solrbench.analysis.conclusions import collect_answers
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.comparisons import Comparison, Conclusion, Overhead
from solrbench.api.v1alpha1.findings import Bottleneck
from support.results.builders import make_spec
from support.results.full_benchmark import TREND


def compared(overhead: Overhead | None, **changes: object) -> Status:
    """Return a status with the comparison of one step."""
    fields = {"step": "a", "variant": "proxy", "baseline": "raw", "request": "search"}
    counts = {"repeats": 5, "failures": 0, "p95": overhead}
    return Status(comparisons=[Comparison.model_validate(fields | counts | changes)])


def known(
    word: Conclusion, percent: float, low: float, high: float, more: int | None = None
) -> Overhead:
    return Overhead(
        percent=percent, low_percent=low, high_percent=high, conclusion=word, more_repeats=more
    )


@pytest.mark.parametrize(
    ("overhead", "sentence"),
    [
        (
            known(Conclusion.WORSE, 27.04, 19.1, 35.3),
            "is 27 % higher than {} ({} 19.1 to 35.3 %): worse.",
        ),
        (
            known(Conclusion.WORSE, 1_667_386, 55_357, 50_138_336),
            "is 16700 times higher than {} ({} 555 to 501000 times): worse.",
        ),
        (known(Conclusion.BETTER, -13, -17, -9), "is 13 % lower than {} ({} 9 to 17 %): better."),
        (
            known(Conclusion.SAME, 2, -1, 4),
            "is the same as {} (+2 %, {} -1 to +4 %): no relevant difference.",
        ),
        (
            known(Conclusion.SAME, 3, 1.9, 4.1),
            "is slightly higher than {} (+3 %, {} +1.9 to +4.1 %): no relevant difference.",
        ),
        (
            known(Conclusion.SAME, -3, -4.1, -1.9),
            "is slightly lower than {} (-3 %, {} -4.1 to -1.9 %): no relevant difference.",
        ),
        (
            known(Conclusion.INCONCLUSIVE, -3.4, -12, 6, 20),
            (
                "may be higher or lower than {} (-3.4 %, {} -12 to +6 %): inconclusive. About 20"
                " more repeats would decide."
            ),
        ),
    ],
)
def test_sentence_has_word_number_and_interval(overhead: Overhead, sentence: str) -> None:
    found = collect_answers(make_spec("a"), compared(overhead))
    said = sentence.format("through raw", "95 % confidence interval")
    assert found == [f"At 2 users through proxy, the p95 of search {said}"]


def test_a_changing_rate_is_named_by_its_mean() -> None:
    changes = [{"atSeconds": 0, "requestsPerSecond": 30}]
    step = {"name": "a", "requestsPerSecond": 10, "durationSeconds": 9, "rateChanges": changes}
    spec = make_spec("a", load={"steps": [step]})
    (found,) = collect_answers(spec, compared(known(Conclusion.WORSE, 27, 19, 35)))
    assert found.startswith("At 30 requests/s through proxy")


def test_one_target_and_invalid_steps_are_named() -> None:
    status = compared(known(Conclusion.WORSE, 27, 19, 35), onTarget=True, invalid=["raw"])
    (found,) = collect_answers(make_spec("a"), status)
    assert found.endswith(
        ": worse, measured on one target only. raw: Invalid, so do not rely on this comparison."
    )


def test_the_primary_metric_makes_the_sentence() -> None:
    same, worse = known(Conclusion.SAME, 3.76, 1, 4), known(Conclusion.WORSE, 37, 30, 44)
    status = compared(same, percentile=worse, figure="p99Milliseconds")
    (found,) = collect_answers(make_spec("a"), status)
    assert found == (
        "At 2 users through proxy, the p99 of search is 37 % higher than through raw (95 %"
        " confidence interval 30 to 44 %): worse."
    )
    rate = compared(same, requestsPerSecond=worse, figure="requestsPerSecond")
    (found,) = collect_answers(make_spec("a"), rate)
    assert found.startswith("At 2 users through proxy, throughput of search is 37 % higher")


def test_a_planned_rate_that_is_met_on_both_sides_says_nothing() -> None:
    same = known(Conclusion.SAME, 0.1, -1, 1)
    status = compared(same, requestsPerSecond=same, figure="requestsPerSecond")
    step = {"name": "a", "requestsPerSecond": 10, "durationSeconds": 9}
    (found,) = collect_answers(make_spec("a", load={"steps": [step]}), status)
    assert found.endswith(" compare times instead: set spec.comparison.primary to P95.")
    (found,) = collect_answers(make_spec("a"), status)
    assert found.endswith(": no relevant difference.")


def test_without_a_word_there_is_no_answer() -> None:
    assert collect_answers(make_spec("a"), compared(Overhead(percent=3))) == []
    assert collect_answers(make_spec("a"), compared(None)) == []


def test_only_the_primary_figure_of_a_point_makes_an_answer() -> None:
    whole = compared(known(Conclusion.SAME, 1, -1, 3), request="all requests").comparisons
    part = compared(known(Conclusion.WORSE, 9, 7, 11), request="search").comparisons
    found = collect_answers(make_spec("a"), Status(comparisons=[*whole, *part]))
    assert len(found) == 1
    assert "all requests" in found[0]


def test_equal_loads_are_distinguished_by_their_steps() -> None:
    (found,) = collect_answers(make_spec("a", "b"), compared(known(Conclusion.SAME, 1, -1, 3)))
    assert "At 2 users (a) through proxy" in found


def test_no_more_answers_than_a_status_holds() -> None:
    status = compared(known(Conclusion.SAME, 1, -1, 3))
    (one,) = status.comparisons
    many = [one.model_copy(update={"variant": f"v{n}" * 50}) for n in range(100)]
    found = collect_answers(make_spec("a"), Status(comparisons=many))
    assert len(found) == 32
    assert Status(answers=found).answers == found


def test_what_grows_comes_before_what_holds_the_step_back() -> None:
    held_back = Bottleneck(step="five", resource="Cpu", message="99 % used", field="load")
    found = collect_answers(make_spec("five"), Status(trends=[TREND], bottlenecks=[held_back]))
    assert [each.split(",")[0] for each in found] == [
        "In step five",
        "five: the bottleneck is Solr's CPU. 99 % used. Change next: load",
    ]
