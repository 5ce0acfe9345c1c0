import math
from itertools import chain
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
from solrbench.analysis.step_results import merge_steps, merge_totals
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.comparisons import Comparison, Conclusion
from solrbench.api.v1alpha1.findings import StepVerdict
from solrbench.contract.step_document import StepRunResult
from solrbench.present.comparison_tables import comparison_table
from support.narrowing import not_none
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


def compare(*sides: list[StepRunResult], compared: Spec | None = None) -> list[Comparison]:
    """Return the comparisons of step runs, through raw and proxy unless there is a spec."""
    return compare_variants(benchmark_samples(compared or spec(), chain(*sides)))


def test_overhead_is_that_of_each_repeat_with_its_own_baseline() -> None:
    # The machine is twice as slow in the second repeat; the proxy costs 10, 20 and 30 %.
    (found,) = compare(step_runs("raw", 100, 200, 100), step_runs("proxy", 110, 240, 130))
    assert (found.step, found.variant, found.baseline) == ("a", "proxy", "raw")
    assert (found.request, found.repeats, found.failures) == ("query", 3, 0)
    average = not_none(found.average)
    # (1.1 * 1.2 * 1.3) ** (1 / 3); the 4.303 is the table's t for two degrees of freedom.
    assert average.percent == pytest.approx(19.7216)
    spread = math.exp(4.303 * stdev(map(math.log, (1.1, 1.2, 1.3))) / math.sqrt(3))
    assert average.low_percent == pytest.approx(119.72 / spread - 100, abs=0.02)
    assert average.high_percent == pytest.approx(119.72 * spread - 100, abs=0.02)
    assert not_none(found.p95).percent == pytest.approx(19.72, abs=0.3)


def test_noise_favours_neither_side() -> None:
    (found,) = compare(step_runs("raw", 100, 200, 150), step_runs("proxy", 200, 100, 150))
    average = not_none(found.average)
    assert average.percent == 0
    assert -100 <= not_none(average.low_percent) < 0 < not_none(average.high_percent)


def test_baseline_and_variant_may_change_places() -> None:
    raw, proxy = step_runs("raw", 100, 200, 150), step_runs("proxy", 130, 210, 190)
    (there,), (back,) = (
        compare(raw, proxy, compared=spec(*names)) for names in (("raw", "proxy"), ("proxy", "raw"))
    )
    factors = [1 + not_none(each.average).percent / 100 for each in (there, back)]
    assert math.prod(factors) == pytest.approx(1, abs=1e-3)


def test_contradicting_pairs_stay_within_what_a_status_holds() -> None:
    (found,) = compare(step_runs("raw", 1, 3_000_000, 1), step_runs("proxy", 3_000_000, 1, 1))
    assert not_none(not_none(found.average).high_percent) <= 10**15


def test_rates_are_compared_too() -> None:
    raw = [make_document("a", n, make_result([1] * 100), variant="raw") for n in (1, 2, 3)]
    slow = [
        make_document("a", n, make_result([1] * 100), variant="proxy", seconds=2) for n in (1, 2, 3)
    ]
    (found,) = compare(raw, slow)
    rate = not_none(found.requests_per_second)
    assert rate.percent == -50
    assert (rate.low_percent, rate.high_percent) == pytest.approx((-50, -50), abs=0.2)


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
    (found,) = compare(documents, compared=asked)
    assert found.figure == f"p{percent}Milliseconds"
    slower, word = (300, Conclusion.WORSE) if percent == 99 else (0, Conclusion.SAME)
    primary = not_none(found.percentile)
    assert primary.percent == pytest.approx(slower, abs=8)
    assert primary.conclusion is word
    assert not_none(found.p95).percent == pytest.approx(0, abs=0.1)
    table = comparison_table(Status(comparisons=[found]))
    assert f"P{percent}" in str(table.rows)


def test_one_repeat_gives_no_confidence() -> None:
    (found,) = compare(step_runs("raw", 100), step_runs("proxy", 125))
    average = not_none(found.average)
    assert (average.percent, average.low_percent, average.high_percent) == (25, None, None)


def test_only_repeats_of_both_count() -> None:
    (found,) = compare(step_runs("raw", 100, 100, 100), step_runs("proxy", 150, 150))
    assert found.repeats == 2
    assert compare(step_runs("raw", 100)) == []
    assert compare(step_runs("proxy", 100)) == []


def test_every_other_variant_is_compared_with_the_first() -> None:
    times = {"raw": 100, "proxy": 110, "balancer": 90}
    sides = [step_runs(name, milliseconds) for name, milliseconds in times.items()]
    found = compare(*sides, compared=spec(*times))
    shown = [(each.variant, each.baseline, not_none(each.average).percent) for each in found]
    assert shown == [("proxy", "raw", 10), ("balancer", "raw", -10)]


def test_failures_of_both_sides_are_counted() -> None:
    sides = step_runs("raw", 100, 100, failures=1), step_runs("proxy", 100, 100, failures=3)
    (found,) = compare(*sides)
    assert found.failures == 2 * (1 + 3)


def test_names_of_requests_are_compared_apart() -> None:
    documents = [
        make_document("a", 1, make_result([1000]), make_result([4000], "rare"), variant="raw"),
        make_document("a", 1, make_result([2000]), make_result([1000], "rare"), variant="proxy"),
    ]
    found = {each.request: not_none(each.average).percent for each in compare(documents)}
    assert found == {"all requests": -40, "query": 100, "rare": -75}
    samples = benchmark_samples(spec(), documents)
    measured = {"results": merge_steps(samples), "totals": merge_totals(samples)}
    table = comparison_table(Status(comparisons=compare(documents)).model_copy(update=measured))
    rows = [dict(zip(table.head, row, strict=True)) for row in table.texts]
    assert all(row["Baseline"] and row["This variant"] for row in rows)


def test_a_name_that_only_one_side_sent_is_not_compared() -> None:
    documents = [
        make_document("a", 1, make_result([1000]), make_result([1000], "rare"), variant="raw"),
        make_document("a", 1, make_result([1000]), variant="proxy"),
    ]
    assert [each.request for each in compare(documents)] == ["query"]


def test_nothing_to_compare_without_variants() -> None:
    assert compare([make_document("a", 1, make_result([1]))], compared=make_spec("a")) == []


def test_a_straggler_is_no_difference_between_rates() -> None:
    raw, proxy = (
        [each.model_copy(update={"duration_seconds": 1}) for each in step_runs(variant, 100, 100)]
        for variant in ("raw", "proxy")
    )
    slow = [each.model_copy(update={"seconds": 31.0}) for each in proxy]
    (found,) = compare(raw, slow)
    assert not_none(found.requests_per_second).percent == 0


def test_each_figure_has_a_word() -> None:
    raw, proxy = (100, 101, 99, 100, 100), (120, 121, 120, 120, 119)
    (found,) = compare(step_runs("raw", *raw), step_runs("proxy", *proxy))
    assert {not_none(each).conclusion for each in (found.average, found.p95)} == {Conclusion.WORSE}
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

    sides = run("raw", (100, 150, 80), 1000), run("proxy", (140, 90, 160), 1500)
    words = {each.request: not_none(each.p95).conclusion for each in compare(*sides)}
    assert {words["all requests"], words["query"]} == {Conclusion.INCONCLUSIVE}


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
    verdicts = [
        StepVerdict(step="a", variant="raw", verdict="Valid"),
        StepVerdict(step="a", variant="proxy", verdict="Invalid"),
    ]
    sides = step_runs("raw", 100, 100), step_runs("proxy", 100, 100)
    (found,) = mark_invalid(compare(*sides), verdicts)
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
