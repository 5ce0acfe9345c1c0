"""Trends of step runs, what they become in the status, and those of a baseline beside them."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from solrbench.analysis.step_trends import (
    answer_trends,
    compare_trends,
    find_trends,
    run_trends,
    trend_difference_sentences,
)
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.comparisons import MAX_TREND_DIFFERENCES, Conclusion
from solrbench.api.v1alpha1.findings import Trend, TrendConclusion, TrendFigure
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.server_document import ServerSeries, Telemetry
from solrbench.contract.step_document import StepRunResult
from solrbench.present.comparison_tables import trend_table
from solrbench.stats.growth import SeriesShape
from support.results.builders import make_document, make_result, make_spec

MIB = 2**20


def trend(growth: float, half: float, conclusion: TrendConclusion, **fields: Any) -> Trend:
    """Return a trend in MiB an hour with its interval."""
    known = {"step": "soak", "figure": "HeapAfterGc", "unit": "bytes", "message": ""}
    return Trend(
        **known | fields,
        conclusion=conclusion,
        growth_per_hour=growth * MIB,
        lower_per_hour=(growth - half) * MIB,
        upper_per_hour=(growth + half) * MIB,
    )


STEADY, GROWS = TrendConclusion.STEADY, TrendConclusion.HEAP_GROWS
OPEN, INDEX_GROWS = TrendConclusion.INCONCLUSIVE, TrendConclusion.INDEX_GROWS
LEAK, CLEAN = trend(41, 4, GROWS), trend(1, 3, STEADY)


def test_leak_beside_a_clean_run_has_a_difference_with_its_interval() -> None:
    (found,) = compare_trends([CLEAN], [LEAK], 5.0)
    assert found.conclusion is Conclusion.WORSE
    assert found.difference_per_hour == 40 * MIB
    # Distances of the bounds add by squares: 4 and 3 make 5.
    assert (found.low_per_hour, found.high_per_hour) == pytest.approx((35 * MIB, 45 * MIB))
    (sentence,) = trend_difference_sentences([found], "juniper")
    assert sentence == (
        "In step soak, the growth of the heap in use after garbage collection is 40 MiB/h higher"
        " than in juniper (95 % confidence interval 35 to 45 MiB/h): worse."
    )


def test_leak_that_was_mended() -> None:
    (found,) = compare_trends([LEAK], [CLEAN], 5.0)
    assert found.conclusion is Conclusion.BETTER
    (sentence,) = trend_difference_sentences([found], "juniper")
    assert (
        "is 40 MiB/h lower than in juniper (95 % confidence interval 35 to 45 MiB/h): better."
        in sentence
    )


@pytest.mark.parametrize(
    ("before", "after", "conclusion"),
    [
        (CLEAN, trend(9, 1, STEADY), Conclusion.SAME),
        (LEAK, trend(43, 4, GROWS), Conclusion.INCONCLUSIVE),
        # A cache that fills in both: only more than that is a leak.
        (trend(30, 3, OPEN), trend(31, 3, OPEN), Conclusion.INCONCLUSIVE),
        (trend(30, 3, OPEN), trend(60, 3, OPEN), Conclusion.WORSE),
        # Well known, and too small to matter.
        (trend(100, 0.2, GROWS), trend(101, 0.2, GROWS), Conclusion.SAME),
        # A faster side writes more.
        (
            trend(100, 1, INDEX_GROWS, figure="IndexSize"),
            trend(120, 1, INDEX_GROWS, figure="IndexSize"),
            Conclusion.INCONCLUSIVE,
        ),
    ],
)
def test_difference_of_trends_has_its_conclusion(
    before: Trend, after: Trend, conclusion: Conclusion
) -> None:
    (found,) = compare_trends([before], [after], 5.0)
    assert found.conclusion is conclusion
    assert bool(list(trend_difference_sentences([found], "x"))) == (conclusion is Conclusion.WORSE)


def test_only_what_both_have_and_what_differs_first() -> None:
    alone = trend(41, 4, GROWS, step="other")
    steady = [trend(1, 3, STEADY, variant=f"v{n}") for n in range(MAX_TREND_DIFFERENCES + 4)]
    found = compare_trends([*steady, CLEAN], [*steady, LEAK, alone], 5.0)
    assert len(found) == MAX_TREND_DIFFERENCES
    assert found[0].conclusion is Conclusion.WORSE
    assert all(each.step == "soak" for each in found)


HOUR = 3600
SECONDS = [75.0 * each for each in range(48)]


def heap(server: str = "solr-0", mib_per_hour: float = 0.0, **fields: Any) -> ServerSeries:
    values = [MIB * (500 + each % 3 + mib_per_hour * s / HOUR) for each, s in enumerate(SECONDS)]
    known: dict[str, Any] = {"server": server, "kind": "solr", "figure": "heap_after_gc_bytes"}
    known |= {"seconds": SECONDS, "values": values, "limit": 2048 * MIB}
    return ServerSeries(**known | fields)


def entries(values: list[float]) -> ServerSeries:
    return heap(figure="cache_entries", values=values, limit=None)


def document(
    *series: ServerSeries, mean: int = 5000, grows: int = 0, repeat: int = 1
) -> StepRunResult:
    windows = SecondSeries(
        SecondSums(each * 10, 1000, 0, 1000 * (mean + each % 7 + grows * each), 90_000)
        for each in range(HOUR // 10)
    )
    return make_document(
        "soak",
        repeat,
        make_result([1000], windows=windows),
        seconds=float(HOUR),
        window_seconds=10,
        telemetry=Telemetry(series=list(series)),
    )


def status_of(*documents: StepRunResult) -> dict[str, Trend]:
    trends = find_trends(make_spec("soak"), [(each, run_trends(each)) for each in documents])
    return {each.figure: each for each in trends}


def test_leak_is_named_with_its_server_and_the_time_left() -> None:
    found = status_of(document(heap(), heap("solr-1", mib_per_hour=300)))["HeapAfterGc"]
    assert (found.conclusion, found.server) == ("HeapGrows", "solr-1")
    assert found.growth_per_hour == pytest.approx(300 * MIB, rel=0.05)
    assert found.lower_per_hour < 300 * MIB < found.upper_per_hour
    assert found.full_in_hours == pytest.approx((2048 - 800) / 300, rel=0.05)
    assert found.message.startswith("The heap in use after garbage collection grew by 3")
    assert "MiB/h (95 % confidence interval " in found.message
    assert " At this rate it is full in 4" in found.message
    assert found.message.endswith(
        " In less than 24 h, a daily cycle of the load may look the same."
    )


def test_growth_that_slows_down_has_no_time_left() -> None:
    slowing = [(800 + 400 * (second / HOUR) ** 0.5) * MIB for second in SECONDS]
    found = status_of(document(heap().model_copy(update={"values": slowing})))["HeapAfterGc"]
    assert (found.conclusion, found.full_in_hours) == ("SlowsDown", None)
    assert found.message.startswith("The heap in use after garbage collection grew by ")
    assert found.message.endswith(", but less and less. Measure a longer step.")


def test_steady_step_is_steady_in_all_figures() -> None:
    found = status_of(document(heap()))
    steady = dict.fromkeys(("HeapAfterGc", "Latency", "FailedRequests"), "Steady")
    assert {figure: each.conclusion for figure, each in found.items()} == steady
    assert found["HeapAfterGc"].full_in_hours is None


def test_latency_that_creeps_is_named() -> None:
    found = status_of(document(mean=5000, grows=5))["Latency"]
    assert (found.conclusion, found.unit) == ("LatencyGrows", "milliseconds")
    assert found.growth_per_hour == pytest.approx(1.8, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_latency_that_creeps_slows_a_closed_loop_which_does_not_explain_it(seed: int) -> None:
    draw = Random(seed)
    windows = []
    for second in range(0, HOUR, 10):
        mean = 5000 * (1 + 0.5 * second / HOUR) * draw.gauss(1, 0.02)
        requests = round(5 * 10e6 / mean)
        windows.append(SecondSums(second, requests, 0, round(requests * mean), 90_000))
    slower = make_result([1000], windows=SecondSeries(windows))
    step = document().model_copy(update={"requests": [slower], "users": 5})
    found = status_of(step)["Latency"]
    assert found.conclusion == "LatencyGrows"
    assert found.growth_per_hour == pytest.approx(2.5, rel=0.15)
    assert found.lower_per_hour < 2.5 < found.upper_per_hour


def test_leak_beside_caches_that_fill_to_the_end_is_inconclusive() -> None:
    filling = entries([float(each) for each in range(48)])
    found = status_of(document(heap(mib_per_hour=300), filling))["HeapAfterGc"]
    assert found.conclusion == "Inconclusive"
    assert "Solr's caches were filling, which looks like a leak" in found.message


def test_leak_after_caches_are_full_is_named() -> None:
    filling = entries([float(min(each, 12)) for each in range(48)])
    found = status_of(document(heap(mib_per_hour=300), filling))["HeapAfterGc"]
    assert found.conclusion == "HeapGrows"


def test_repeats_that_do_not_agree_are_inconclusive() -> None:
    found = status_of(document(heap(mib_per_hour=300)), document(heap(), repeat=2))
    assert found["HeapAfterGc"].conclusion == "Inconclusive"


def test_short_step_has_no_trends() -> None:
    short = document(heap(mib_per_hour=300)).model_copy(update={"seconds": 200.0})
    assert run_trends(short) == ()


def test_single_rise_is_said_so() -> None:
    trend = next(each for each in run_trends(document(heap())) if each.figure is TrendFigure.HEAP)
    risen = replace(trend, growth=replace(trend.growth, shape=SeriesShape.STEP))
    (found,) = find_trends(make_spec("soak"), [(document(), [risen])])
    assert found.conclusion == "RoseOnce"


def test_of_too_many_trends_those_that_grow_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solrbench.analysis.step_trends.MAX_TRENDS", 1)
    assert list(status_of(document(heap(), grows=5))) == ["Latency"]


def test_answers_and_tables_name_what_grows() -> None:
    found = status_of(document(heap("solr-1", mib_per_hour=300)))
    status = Status(trends=list(found.values()))
    (answer,) = answer_trends(status)
    begin = "In step soak on solr-1, the heap in use after garbage collection grew"
    assert answer.startswith(begin)
    assert len(trend_table(status.trends).rows) == 3
