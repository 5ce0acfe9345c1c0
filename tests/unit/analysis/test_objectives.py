"""Words of objectives, by the interval of the number."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from solrbench.analysis.objectives import answer_objectives, conclusion_of, evaluate_objectives
from solrbench.analysis.sentences import completion_text
from solrbench.analysis.step_results import with_metrics
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import (
    InvalidReason,
    ObjectiveConclusion,
    ObjectiveResult,
    ObjectivesStatus,
    overall_conclusion,
)
from solrbench.api.v1alpha1.status import DatasetStatus, Status
from solrbench.contract.environment import MeasuredTarget
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import RequestResult, StepRunResult
from solrbench.stats.distributions import ConfidenceBounds
from support.narrowing import not_none
from support.results.builders import (
    make_document,
    make_result,
    make_spec,
    make_timed_result,
    swinging,
    with_response_times,
)
from support.results.samples import benchmark_samples

MET, MISSED = ObjectiveConclusion.MET, ObjectiveConclusion.MISSED
INCONCLUSIVE = ObjectiveConclusion.INCONCLUSIVE
DATASET = DatasetStatus(seconds=120.0, index_bytes=1000)


def spec_with(*objectives: dict[str, Any], steps: tuple[str, ...] = ("a",)) -> Spec:
    named = [{"name": f"o{n}"} | each for n, each in enumerate(objectives)]
    return make_spec(*steps, objectives=named)


def autocorrelated(step: str = "a", repeat: int = 1, seconds: int = 60) -> StepRunResult:
    """Return a step run with times from 1.0 to 1.3 ms."""
    return make_document(step, repeat, make_timed_result(swinging(seconds)), seconds=seconds)


def evaluated(
    objective: dict[str, Any], *documents: StepRunResult, dataset: DatasetStatus = DATASET
) -> ObjectiveResult:
    samples = benchmark_samples(spec_with(objective), documents or [autocorrelated()])
    found = not_none(evaluate_objectives(samples, dataset))
    (result,) = found.results
    assert found.conclusion is result.conclusion
    return result


@pytest.mark.parametrize(
    ("bounds", "limit", "least", "conclusion"),
    [
        ((1.0, 2.0), 2.0, False, MET),
        ((1.0, 2.0), 1.5, False, INCONCLUSIVE),
        ((1.0, 2.0), 1.0, False, INCONCLUSIVE),
        ((1.0, 2.0), 0.9, False, MISSED),
        ((1.0, 2.0), 1.0, True, MET),
        ((1.0, 2.0), 1.5, True, INCONCLUSIVE),
        ((1.0, 2.0), 2.1, True, MISSED),
        (None, 1.0, False, INCONCLUSIVE),
    ],
)
def test_conclusion_follows_from_interval_and_limit(
    bounds: tuple[float, float] | None, limit: float, least: bool, conclusion: ObjectiveConclusion
) -> None:
    interval = bounds and ConfidenceBounds(*bounds)
    assert conclusion_of(interval, limit, least=least) is conclusion


@pytest.mark.parametrize(
    ("words", "conclusion"),
    [
        ([MET, MET], MET),
        ([MET, INCONCLUSIVE], INCONCLUSIVE),
        ([INCONCLUSIVE, MISSED], MISSED),
        ([], INCONCLUSIVE),
    ],
)
def test_one_missed_objective_is_enough(
    words: list[ObjectiveConclusion], conclusion: ObjectiveConclusion
) -> None:
    assert overall_conclusion(words) is conclusion


@pytest.mark.parametrize(
    ("objective", "conclusion"),
    [
        ({"responseTime": {"maxMilliseconds": 2}}, MET),
        ({"responseTime": {"percentile": 50, "maxMilliseconds": 1}}, MISSED),
        ({"meanResponseTime": {"maxMilliseconds": 2}}, MET),
        ({"meanResponseTime": {"maxMilliseconds": 1}}, MISSED),
        ({"failures": {"maxPercent": 1}}, MET),
        ({"failures": {"maxPercent": 0.1}}, INCONCLUSIVE),  # 0 of 1200 may be 0.3 %
        ({"throughput": {"minRequestsPerSecond": 15}}, MET),
        ({"throughput": {"minRequestsPerSecond": 25}}, MISSED),
        ({"goodput": {"minRequestsPerSecond": 15, "withinMilliseconds": 2}}, MET),
        ({"goodput": {"minRequestsPerSecond": 15, "withinMilliseconds": 1}}, MISSED),
        ({"indexingTime": {"maxSeconds": 132}}, MET),
        ({"indexingTime": {"maxSeconds": 120}}, INCONCLUSIVE),  # of one index, give or take 10 %
        ({"indexingTime": {"maxSeconds": 108}}, MISSED),
        ({"indexSize": {"maxBytes": 1000}}, MET),
        ({"indexSize": {"maxBytes": 999}}, MISSED),
    ],
)
def test_every_kind_of_objective_has_its_conclusion(
    objective: dict[str, Any], conclusion: ObjectiveConclusion
) -> None:
    assert evaluated(objective).conclusion is conclusion


def filled_in(seconds: float, *, is_valid: bool = True) -> StepRunResult:
    """Return a step run on an index of its own."""
    found = autocorrelated()
    number = int(seconds)
    indexed = found.start_time + timedelta(seconds=number)
    target = MeasuredTarget(
        attempt=1, indexed=indexed, indexing_seconds=seconds, indexing_is_valid=is_valid
    )
    changes = {"target": target, "repeat": number, "id": f"r{number}-s0-a"}
    return found.model_copy(update=changes)


def test_indexing_time_is_that_of_all_indexes_but_invalid_ones() -> None:
    limit = {"indexingTime": {"maxSeconds": 110}}
    runs = [*map(filled_in, (90.0, 100.0, 110.0)), filled_in(1000.0, is_valid=False)]
    present = DatasetStatus(seconds=110.0, verdict="Valid")
    found = evaluated(limit, *runs, dataset=present)
    assert found.value == 100
    # 100 -+ 4.303 * 10 / sqrt(3)
    assert found.lower == pytest.approx(75.16, abs=0.1)
    assert found.upper == pytest.approx(124.84, abs=0.1)
    assert found.conclusion is INCONCLUSIVE
    # The present index, of which no step run is stored yet, is one more.
    present = DatasetStatus(seconds=104.0, verdict="Valid")
    assert evaluated(limit, *runs, dataset=present).value == 101
    present = DatasetStatus(seconds=104.0, verdict="Invalid")
    assert evaluated(limit, *runs, dataset=present).value == 100


def test_indexing_held_back_by_the_index_pods_is_neither_met_nor_missed() -> None:
    reason = InvalidReason(reason="IndexClientLimits", message="raise dataset.indexing.pods")
    dataset = DatasetStatus(seconds=120.0, verdict="Invalid", reasons=[reason])
    for limit in (1, 1000):
        found = evaluated({"indexingTime": {"maxSeconds": limit}}, dataset=dataset)
        assert (found.conclusion, found.value) == (INCONCLUSIVE, None)
        assert found.message == "No indexing time is Solr's: raise dataset.indexing.pods."


ASSUMED = "With fewer than 3 repeats, the interval assumes that they differ by 5 %."


def test_few_repeats_decide_nothing_close_to_the_limit() -> None:
    """Their mean is 1.15 ms; one run is known by 10 % if runs differ by 5 %, three are compared."""
    runs = [autocorrelated(repeat=repeat, seconds=600) for repeat in (1, 2, 3)]
    near: dict[str, Any] = {"responseTime": {"percentile": 50, "maxMilliseconds": 1}}
    own = [evaluated(near, *runs[:count]) for count in (1, 2, 3)]
    widths = [(each.upper or 0) - (each.lower or 0) for each in own]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 0.19 * (own[0].value or 0)
    closed_loop: dict[str, Any] = {"throughput": {"minRequestsPerSecond": 19}}
    found = [evaluated(closed_loop, *runs[:count]).conclusion for count in (1, 2, 3)]
    assert found == [INCONCLUSIVE, INCONCLUSIVE, MET]


@pytest.mark.parametrize(
    "limit",
    [
        {"meanResponseTime": {"maxMilliseconds": 2}},
        {"responseTime": {"percentile": 90, "maxMilliseconds": 2}},
        {"throughput": {"minRequestsPerSecond": 12}},
        {"goodput": {"minRequestsPerSecond": 12, "withinMilliseconds": 2}},
    ],
)
@pytest.mark.parametrize("slower", [1.05, 1.2])
def test_two_repeats_that_differ_decide_what_each_decides_alone(
    limit: dict[str, Any], slower: float
) -> None:
    """Student's t of two repeats is 12.7, so that their own interval reaches beyond any limit."""
    runs = [
        make_document(
            "a",
            number,
            make_timed_result(
                [[round(level * each) for each in own] for own in swinging(60, round(24 / level))]
            ),
            seconds=60,
        )
        for number, level in enumerate((1.0, slower), start=1)
    ]
    assert [evaluated(limit, *own).conclusion for own in (runs[:1], runs[1:], runs)] == [MET] * 3


def test_one_failure_does_not_show_that_repeats_differ() -> None:
    runs = [
        make_document("a", number, make_result([1000] * 5000, failures=failures), seconds=60)
        for number, failures in enumerate((0, 1, 0), start=1)
    ]
    found = evaluated({"failures": {"maxPercent": 0.1}}, *runs)
    assert found.conclusion is MET
    assert found.upper == pytest.approx(0.038, abs=0.001)


def test_message_has_number_interval_and_limit() -> None:
    found = evaluated({"meanResponseTime": {"maxMilliseconds": 1}})
    assert found.message.startswith("The mean is 1.15 ms (95 % confidence interval ")
    assert found.message.endswith("; the limit is 1 ms. " + ASSUMED)
    assert (found.unit, found.limit) == ("ms", 1)
    assert found.value == pytest.approx(1.1475, abs=0.001)


@pytest.mark.parametrize(
    ("steps", "not_run", "conclusion"),
    [
        ([], (), MET),
        ([], ("b",), INCONCLUSIVE),
        (["a"], ("b",), MET),
        (["b"], ("b",), INCONCLUSIVE),
    ],
)
def test_a_step_that_was_not_run_may_have_missed(
    steps: list[str], not_run: tuple[str, ...], conclusion: ObjectiveConclusion
) -> None:
    limit: dict[str, Any] = {"meanResponseTime": {"maxMilliseconds": 100}}
    spec = spec_with(limit | {"steps": steps}, limit | {"steps": ["a"]}, steps=("a", "b"))
    samples = benchmark_samples(spec, [autocorrelated()])
    found = not_none(evaluate_objectives(samples, DATASET, not_run))
    assert found.conclusion is conclusion
    assert ("were not run" in completion_text(found)) is (conclusion is INCONCLUSIVE)


def test_a_search_without_steps_says_where_its_result_is() -> None:
    said = completion_text(ObjectivesStatus(conclusion=INCONCLUSIVE))
    assert said == (
        "No step that has objectives was run; status.capacity has what a search has found."
    )


def test_a_planned_rate_does_not_differ_between_repeats() -> None:
    timed = make_timed_result(swinging(60))
    planned = make_document("a", 1, with_response_times(timed, timed), seconds=60)
    found = evaluated({"throughput": {"minRequestsPerSecond": 19}}, planned)
    assert found.upper is not None
    assert ASSUMED not in found.message


def test_interval_of_three_repeats_holds_how_far_they_differ() -> None:
    runs = [autocorrelated(repeat=repeat) for repeat in (1, 2, 3)]
    limit = {"meanResponseTime": {"maxMilliseconds": 1}}
    two, three = evaluated(limit, *runs[:2]), evaluated(limit, *runs)
    assert two.message.endswith(ASSUMED)
    assert three.message.endswith("; the limit is 1 ms.")


def test_a_single_failure_of_millions_of_requests_is_not_stored_as_none() -> None:
    result = make_result([1000] * 1000, failures=1).model_copy(update={"requests": 4_000_000})
    found = evaluated({"failures": {"maxPercent": 0}}, make_document("a", 1, result))
    assert (found.conclusion, found.value) == (MISSED, 2.5e-05)
    assert 0 < not_none(found.lower) < 2.5e-05 < not_none(found.upper)


def test_failures_that_are_met_say_which_outages_they_do_not_show() -> None:
    found = evaluated({"failures": {"maxPercent": 10}})
    assert found.conclusion is MET
    assert found.message.endswith(" An outage less often than once in 20 s may not show in 60 s.")
    assert "outage" not in evaluated({"failures": {"maxPercent": 0}}).message


def test_a_step_too_short_for_an_interval_is_inconclusive_and_says_why() -> None:
    short = make_document("a", 1, make_result([900] * 9))
    found = evaluated({"responseTime": {"maxMilliseconds": 2}}, short)
    assert (found.conclusion, found.lower, found.value) == (INCONCLUSIVE, None, 0.9)
    assert "no 95 % confidence interval, as the step is too short" in found.message


def test_a_request_name_that_was_never_sent_is_inconclusive() -> None:
    found = evaluated({"request": "other", "failures": {"maxPercent": 1}})
    assert (found.conclusion, found.value) == (INCONCLUSIVE, None)
    assert found.message == "No requests named other were measured. Check the name."


def test_objectives_are_for_the_steps_and_requests_they_name() -> None:
    spec = spec_with(
        {"steps": ["b"], "meanResponseTime": {"maxMilliseconds": 2}},
        {"request": "query", "meanResponseTime": {"maxMilliseconds": 2}},
        steps=("a", "b"),
    )
    samples = benchmark_samples(spec, [autocorrelated("a"), autocorrelated("b")])
    found = not_none(evaluate_objectives(samples, DATASET))
    places = [(each.name, each.step) for each in found.results]
    assert places == [("o0", "b"), ("o1", "a"), ("o1", "b")]


@pytest.mark.parametrize(
    ("result", "conclusion", "percent"),
    [
        (make_result([1000] * 900, dropped_requests=100), MISSED, 10),
        (make_result([1000] * 1000, failures=80), MISSED, 8),
        # An outage makes the share less certain.
        (make_result([1000] * 1000, failures=80, failure_effect=80.0), INCONCLUSIVE, 8),
    ],
)
def test_dropped_requests_have_failed_and_failures_together_say_less(
    result: RequestResult, conclusion: ObjectiveConclusion, percent: float
) -> None:
    found = evaluated({"failures": {"maxPercent": 5}}, make_document("a", 1, result))
    assert (found.conclusion, found.value) == (conclusion, percent)


def test_shares_of_repeats_that_differ_say_less() -> None:
    def conclude(objective: dict[str, Any], *results: RequestResult) -> ObjectiveConclusion:
        documents = [make_document("a", n, each, seconds=60) for n, each in enumerate(results, 1)]
        return evaluated(objective, *documents).conclusion

    def results(counts: Sequence[int]) -> list[RequestResult]:
        return [make_result([1000] * 6000, failures=failures) for failures in counts]

    limit = {"failures": {"maxPercent": 1.5}}
    assert conclude(limit, *results((60, 61, 59))) is MET
    assert conclude(limit, *results((0, 0, 180))) is INCONCLUSIVE
    goodput = {"goodput": {"minRequestsPerSecond": 80, "withinMilliseconds": 2}}
    for shares, conclusion in (((83, 85, 84), MET), ((95, 70, 87), INCONCLUSIVE)):
        planned = [
            with_response_times(made, made)
            for share in shares
            for made in [make_timed_result([[1000] * share + [9000] * (100 - share)] * 60)]
        ]
        assert conclude(goodput, *planned) is conclusion


def test_names_that_fail_in_the_same_seconds_say_less_together() -> None:
    outages = [50 if second % 10 == 0 else 0 for second in range(60)]  # of 50 requests each second
    windows = [SecondSums(n, 50, failed, 50_000, 1000) for n, failed in enumerate(outages)]
    fields: dict[str, Any] = {"failures": sum(outages), "windows": SecondSeries(windows)}
    names = [make_result([1000] * 3000, name, **fields) for name in ("a", "b", "c", "d")]
    documents = [
        with_metrics(make_document("a", 1, *results, seconds=60), [95])
        for results in (names[:1], names)
    ]
    one, four = (not_none(each.failure_effect) for each in documents)
    assert one == documents[1].requests[0].failure_effect
    assert four == pytest.approx(4 * one)
    # However many names, it is the same number of outages.
    found = [evaluated({"failures": {"maxPercent": 7}}, each) for each in documents]
    bounds = [(not_none(each.lower), not_none(each.upper)) for each in found]
    assert bounds[1] == pytest.approx(bounds[0], rel=0.02)


def test_without_objectives_there_is_no_status() -> None:
    samples = benchmark_samples(make_spec("a"), [autocorrelated()])
    assert evaluate_objectives(samples, DATASET) is None


def test_answers_and_condition_begin_with_what_is_missed() -> None:
    limit = {"meanResponseTime": {"maxMilliseconds": 1}}
    spec = spec_with({"failures": {"maxPercent": 1}}, limit, steps=("a", "b"))
    fast = make_document("b", 1, make_timed_result([[900] * 20] * 60), seconds=60)
    samples = benchmark_samples(spec, [autocorrelated(), fast])
    found = not_none(evaluate_objectives(samples, DATASET))
    status = Status(objectives=found)
    met, missed = answer_objectives(spec, status)
    assert met.startswith(
        "Objective o0 is met in 2 of 2 steps. At a: The share of failed requests is 0 %"
    )
    assert missed.startswith("Objective o1 is missed in 1 of 2 steps. At a: The mean is 1.15 ms")
    assert completion_text(found).startswith("o1 (a): Missed. The mean is 1.15 ms")


@pytest.mark.parametrize(
    ("steps", "said"), [(("a",), "1 of 2 variants."), (("a", "b"), "1 of 4 steps and variants.")]
)
def test_variants_of_a_step_are_not_counted_as_steps(steps: tuple[str, ...], said: str) -> None:
    met = ObjectiveResult(name="o0", conclusion=MET, limit=1, unit="%", message="")
    results = [
        met.model_copy(update={"step": step, "variant": variant})
        for step in steps
        for variant in ("raw", "proxy")
    ]
    results[-1] = results[-1].model_copy(update={"conclusion": MISSED})
    status = Status(objectives=ObjectivesStatus(conclusion=MISSED, results=results))
    (answer,) = answer_objectives(spec_with({"failures": {"maxPercent": 1}}), status)
    assert said in answer


def test_a_request_may_be_named_as_what_is_limited() -> None:
    limit = {"request": "failures-by-day", "meanResponseTime": {"maxMilliseconds": 9}}
    found = evaluated(limit, make_document("a", 1, make_result([1000], "failures-by-day")))
    assert found.message.startswith("The mean of failures-by-day is 1 ms")
