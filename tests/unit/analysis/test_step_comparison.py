import math
from statistics import stdev

import pytest

from solrbench.analysis.differences import DEFAULT_RULE
from solrbench.analysis.metrics import AVERAGE, FAILED, P95, RATE
from solrbench.analysis.step_comparison import (
    ComparedStep,
    compare_steps,
    compare_variants,
    mark_invalid,
)
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import Conclusion
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.contract.step_document import StepRunResult
from solrbench.present.comparison_tables import comparison_table
from support.results.builders import (
    make_document,
    make_result,
    make_spec,
    make_timed_result,
    make_variants,
    swinging,
)
from support.results.samples import benchmark_samples, step_samples


def spec(*variants: str) -> Spec:
    return make_variants(make_spec("a"), *(variants or ("raw", "proxy")))


def step_runs(variant: str, *milliseconds: int, failures: int = 0) -> list[StepRunResult]:
    """Return one step run of ten requests for each repeat; every request takes so long."""
    return [
        make_document(
            "a", repeat, make_result([ms * 1000] * 10, failures=failures), variant=variant
        )
        for repeat, ms in enumerate(milliseconds, start=1)
    ]


def test_overhead_is_that_of_each_repeat_with_its_own_baseline() -> None:
    # The machine is twice as slow in the second repeat; the proxy costs 10, 20 and 30 %.
    documents = step_runs("raw", 100, 200, 100) + step_runs("proxy", 110, 240, 130)
    (found,) = compare_variants(benchmark_samples(spec(), documents))
    assert (found.step, found.variant, found.baseline) == ("a", "proxy", "raw")
    assert (found.request, found.repeats, found.failures) == ("query", 3, 0)
    assert found.average is not None
    # (1.1 * 1.2 * 1.3) ** (1 / 3); the 4.303 is the table's t for two degrees of freedom.
    assert found.average.percent == 19.72
    spread = math.exp(4.303 * stdev(map(math.log, (1.1, 1.2, 1.3))) / math.sqrt(3))
    assert found.average.low_percent == pytest.approx(119.72 / spread - 100, abs=0.02)
    assert found.average.high_percent == pytest.approx(119.72 * spread - 100, abs=0.02)
    assert found.p95 is not None
    assert found.p95.percent == pytest.approx(19.72, abs=0.3)


def test_noise_favours_neither_side() -> None:
    (found,) = compare_variants(
        benchmark_samples(
            spec(), step_runs("raw", 100, 200, 150) + step_runs("proxy", 200, 100, 150)
        )
    )
    assert found.average is not None
    assert found.average.percent == 0
    assert found.average.low_percent is not None
    assert found.average.high_percent is not None
    assert -100 <= found.average.low_percent < 0 < found.average.high_percent


def test_baseline_and_variant_may_change_places() -> None:
    raw, proxy = step_runs("raw", 100, 200, 150), step_runs("proxy", 130, 210, 190)
    (there,) = compare_variants(benchmark_samples(spec("raw", "proxy"), raw + proxy))
    (back,) = compare_variants(benchmark_samples(spec("proxy", "raw"), raw + proxy))
    assert there.average is not None
    assert back.average is not None
    assert (1 + there.average.percent / 100) * (1 + back.average.percent / 100) == pytest.approx(
        1, abs=1e-3
    )


def test_contradicting_pairs_stay_within_what_a_status_holds() -> None:
    documents = step_runs("raw", 1, 3_000_000, 1) + step_runs("proxy", 3_000_000, 1, 1)
    (found,) = compare_variants(benchmark_samples(spec(), documents))
    assert found.average is not None
    assert found.average.high_percent is not None
    assert found.average.high_percent <= 10**15


def test_rates_are_compared_too() -> None:
    raw = [make_document("a", n, make_result([1] * 100), variant="raw") for n in (1, 2, 3)]
    slow = [
        make_document("a", n, make_result([1] * 100), variant="proxy", seconds=2) for n in (1, 2, 3)
    ]
    (found,) = compare_variants(benchmark_samples(spec(), raw + slow))
    assert found.requests_per_second is not None
    assert found.requests_per_second.percent == -50
    assert found.requests_per_second.low_percent == pytest.approx(-50, abs=0.2)
    assert found.requests_per_second.high_percent == pytest.approx(-50, abs=0.2)


@pytest.mark.parametrize("percent", [50, 90, 99])
def test_a_primary_percentile_is_shown_beside_the_p95(percent: int) -> None:
    """Of one variant, some requests beyond the p95 are four times as slow."""
    times = [100_000] * 97 + [400_000] * 3
    documents = [
        make_document("a", repeat, make_result(own), variant=variant)
        for variant, own in (("raw", [100_000] * 100), ("proxy", times))
        for repeat in range(1, 6)
    ]
    comparison = {"primary": f"P{percent}"}
    asked = make_variants(make_spec("a", comparison=comparison), "raw", "proxy")
    (found,) = compare_variants(benchmark_samples(asked, documents))
    assert found.figure == f"p{percent}Milliseconds"
    assert found.percentile is not None
    assert found.p95 is not None
    slower, word = (300, Conclusion.WORSE) if percent == 99 else (0, Conclusion.SAME)
    assert found.percentile.percent == pytest.approx(slower, abs=8)
    assert found.percentile.conclusion is word
    assert found.p95.percent == pytest.approx(0, abs=0.1)
    table = comparison_table(Status(comparisons=[found]))
    assert f"P{percent}" in str(table.rows)


def test_one_repeat_gives_no_confidence() -> None:
    (found,) = compare_variants(
        benchmark_samples(spec(), step_runs("raw", 100) + step_runs("proxy", 125))
    )
    assert found.average is not None
    assert found.average.percent == 25
    assert found.average.low_percent is None
    assert found.average.high_percent is None


def test_only_repeats_of_both_count() -> None:
    (found,) = compare_variants(
        benchmark_samples(spec(), step_runs("raw", 100, 100, 100) + step_runs("proxy", 150, 150))
    )
    assert found.repeats == 2
    assert compare_variants(benchmark_samples(spec(), step_runs("raw", 100))) == []
    assert compare_variants(benchmark_samples(spec(), step_runs("proxy", 100))) == []


def test_every_other_variant_is_compared_with_the_first() -> None:
    documents = step_runs("raw", 100) + step_runs("proxy", 110) + step_runs("balancer", 90)
    found = compare_variants(benchmark_samples(spec("raw", "proxy", "balancer"), documents))
    assert [(each.variant, each.baseline) for each in found] == [
        ("proxy", "raw"),
        ("balancer", "raw"),
    ]
    assert [each.average.percent for each in found if each.average] == [10, -10]


def test_failures_of_both_sides_are_counted() -> None:
    documents = step_runs("raw", 100, 100, failures=1) + step_runs("proxy", 100, 100, failures=3)
    (found,) = compare_variants(benchmark_samples(spec(), documents))
    assert found.failures == 2 * (1 + 3)


def test_names_of_requests_are_compared_apart() -> None:
    documents = [
        make_document("a", 1, make_result([1000]), make_result([4000], "rare"), variant="raw"),
        make_document("a", 1, make_result([2000]), make_result([1000], "rare"), variant="proxy"),
    ]
    found = {
        each.request: each.average
        for each in compare_variants(benchmark_samples(spec(), documents))
    }
    assert {name: each.percent for name, each in found.items() if each} == {
        "all requests": -40,
        "query": 100,
        "rare": -75,
    }


def test_a_name_that_only_one_side_sent_is_not_compared() -> None:
    documents = [
        make_document("a", 1, make_result([1000]), make_result([1000], "rare"), variant="raw"),
        make_document("a", 1, make_result([1000]), variant="proxy"),
    ]
    assert [each.request for each in compare_variants(benchmark_samples(spec(), documents))] == [
        "query"
    ]


def test_nothing_to_compare_without_variants() -> None:
    assert (
        compare_variants(
            benchmark_samples(make_spec("a"), [make_document("a", 1, make_result([1]))])
        )
        == []
    )


def test_a_straggler_is_no_difference_between_rates() -> None:
    raw, proxy = (
        [each.model_copy(update={"duration_seconds": 1}) for each in step_runs(variant, 100, 100)]
        for variant in ("raw", "proxy")
    )
    slow = [each.model_copy(update={"seconds": 31.0}) for each in proxy]
    (found,) = compare_variants(benchmark_samples(spec(), raw + slow))
    assert found.requests_per_second is not None
    assert found.requests_per_second.percent == 0


def test_each_figure_has_a_word() -> None:
    documents = step_runs("raw", 100, 101, 99, 100, 100) + step_runs(
        "proxy", 120, 121, 120, 120, 119
    )
    (found,) = compare_variants(benchmark_samples(spec(), documents))
    assert found.average is not None
    assert found.p95 is not None
    assert (found.average.conclusion, found.p95.conclusion) == (Conclusion.WORSE, Conclusion.WORSE)
    assert found.on_target


def test_details_have_no_word_below_an_inconclusive_figure() -> None:
    # The p95 of all requests is that of the few slow ones, which vary; the others do not.
    def run(variant: str, rare: tuple[int, ...], often: int) -> list[StepRunResult]:
        return [
            make_document(
                "a",
                repeat,
                make_result([often] * 900),
                make_result([slow * 1000] * 100, "rare"),
                variant=variant,
            )
            for repeat, slow in enumerate(rare, start=1)
        ]

    documents = run("raw", (100, 150, 80), 1000) + run("proxy", (140, 90, 160), 1500)
    words = {each.request: each for each in compare_variants(benchmark_samples(spec(), documents))}
    for request in ("all requests", "query"):
        overhead = words[request].p95
        assert overhead is not None
        assert overhead.conclusion is Conclusion.INCONCLUSIVE


def test_no_failures_beside_none_are_the_same_below_an_inconclusive_figure() -> None:
    values = [
        [make_document("a", n, make_result([ms * 1000] * 100)) for n, ms in enumerate(side)]
        for side in ((100, 150, 80), (140, 90, 160))
    ]
    baseline, candidate = map(step_samples, values)
    step = ComparedStep("a", "", baseline, candidate)
    found = {each.difference.metric: each for each in compare_steps([step], [95], DEFAULT_RULE)}
    assert found[P95].difference.conclusion is Conclusion.INCONCLUSIVE
    assert found[FAILED].difference.conclusion is Conclusion.SAME


def test_invalid_sides_are_named() -> None:
    documents = step_runs("raw", 100, 100) + step_runs("proxy", 100, 100)
    verdicts = [
        StepVerdict(step="a", variant="raw", verdict="Valid"),
        StepVerdict(step="a", variant="proxy", verdict="Invalid"),
    ]
    (found,) = mark_invalid(compare_variants(benchmark_samples(spec(), documents)), verdicts)
    assert found.invalid == ["proxy"]


def test_repeats_know_their_error_by_time_blocks() -> None:
    document = make_document("a", 1, make_timed_result(swinging(60)), seconds=60)
    values = step_samples([document]).values("query", [95])
    errors = {metric: each.error for metric, (each,) in values.items()}
    assert 0 < errors[AVERAGE] < 0.1
    assert 0 < errors[P95] < 0.1
    assert errors[FAILED] == 0
    assert 0 <= errors[RATE] < 0.01
    # Without blocks, as in documents of older versions, nothing is known.
    (older,) = step_runs("raw", 100)
    values = step_samples([older]).values("query", [95])
    assert {each.error for (each,) in values.values()} == {0.0}
