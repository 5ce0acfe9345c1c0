"""All that the benchmarks of a point measured, over its rounds, on the page of the sweep."""

from typing import Any

import pytest

from solrbench.analysis.samples import ALL_REQUESTS
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import Summary
from solrbench.api.v1alpha1.findings import (
    CapacityConclusion,
    CapacityResult,
    InvalidReason,
    StepVerdict,
)
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import DatasetStatus, IndexPodStatus, Status
from solrbench.api.v1alpha1.step_details import StepResponseGaps
from solrbench.api.v1alpha1.step_result import Interval, PercentileResult, StepResult
from solrbench.api.v1alpha1.sweep_spec import AxisRole
from solrbench.present.html import render_sweep_html
from solrbench.present.markdown import sweep_to_markdown
from solrbench.present.page import build_sweep_page
from solrbench.present.sweeps.difference_figures import step_figures
from solrbench.present.sweeps.measurements import summarise_point
from solrbench.present.sweeps.point_tables import capacity_table, condition_tables, steps_table
from solrbench.present.sweeps.report import PointStep, RoundReport, SweepReport
from solrbench.present.sweeps.tables import MAX_ROWS, failures_table, rounds_table
from solrbench.sweep.plan import make_plan
from solrbench.sweep.validation import build_child
from support.resources.small_sweep import parse_sweep
from support.results.full_benchmark import COLD_START, TREND
from support.results.statuses import CAPACITY_DOCUMENTS, CAPACITY_USERS
from support.results.sweep_reports import full_report, large_report, with_points


def result(step: str, request: str, p95: float, **more: float) -> StepResult:
    figures = {"requests": 200, "failures": 0, "repeats": 1, "requests_per_second": 10.0} | more
    return StepResult.model_validate(
        {"step": step, "request": request, "p95_milliseconds": p95} | figures
    )


def benchmark(**status: Any) -> SolrBenchmark:
    sweep = parse_sweep()
    found = SolrBenchmark.parse(build_child(sweep, make_plan(sweep).points[0].point))
    return found.model_copy(update={"status": Status.model_construct(**status)})


def a_round(level: float, verdict: str = "Valid", of_index: str = "Valid") -> SolrBenchmark:
    return benchmark(
        summary=Summary(verdict=verdict),
        results=[result("one", "find", level), result("one", "add", 3 * level, failures=2)],
        totals=[result("one", ALL_REQUESTS, 2 * level, failures=2)],
        telemetry=[StepTelemetry(step="one", cpu_milliseconds_per_request=level / 10)],
        dataset=DatasetStatus(seconds=level, index_bytes=1_000_000, verdict=of_index),
    )


def test_each_step_and_name_has_its_mean_over_the_rounds() -> None:
    found = summarise_point([a_round(10.0), a_round(40.0)])
    steps = {step.request: step for step in found["steps"]}
    assert [*steps] == ["find", "add", ALL_REQUESTS]
    assert steps["find"].p95_milliseconds == pytest.approx(20)  # the geometric mean
    assert steps["add"].failed_percent == pytest.approx(1)
    assert steps["find"].cpu_milliseconds_per_request is None  # of all requests together
    # What servers used adds up, as in the status of the sweep.
    assert steps[ALL_REQUESTS].cpu_milliseconds_per_request == pytest.approx(2.5)
    assert steps[ALL_REQUESTS].repeats == 2
    assert (found["indexing_seconds"], found["index_bytes"]) == (20, 1_000_000)


def test_a_step_has_the_interval_of_its_rounds_or_its_own() -> None:
    (step, *_) = summarise_point([a_round(10.0), a_round(11.0), a_round(12.0)])["steps"]
    # Student's t of three logarithms.
    assert step.p95_lower_milliseconds == pytest.approx(8.74, abs=0.01)
    assert step.p95_upper_milliseconds == pytest.approx(13.77, abs=0.01)
    p95 = PercentileResult(percent=95, milliseconds=5, lower_milliseconds=4, upper_milliseconds=7)
    rate = Interval(lower=9, upper=12)
    update = {"percentiles": [p95], "requests_per_second_interval": rate}
    own = result("one", ALL_REQUESTS, 5.0).model_copy(update=update)
    (step,) = summarise_point([benchmark(totals=[own])])["steps"]
    assert (step.p95_lower_milliseconds, step.p95_upper_milliseconds) == (4, 7)
    assert (step.requests_per_second_lower, step.requests_per_second_upper) == (9, 12)


def test_rounds_that_are_invalid_are_left_out_unless_all_are() -> None:
    invalid = a_round(1000.0, "Invalid")
    assert summarise_point([a_round(10.0), invalid])["indexing_seconds"] == 10
    assert summarise_point([invalid])["indexing_seconds"] == 1000
    limited = a_round(1000.0, of_index="Invalid")
    assert summarise_point([a_round(10.0), limited])["indexing_seconds"] == 10
    assert summarise_point([])["steps"] == []


def test_a_step_without_room_for_names_has_its_totals() -> None:
    found = summarise_point([benchmark(totals=[result("one", ALL_REQUESTS, 5.0)])])
    assert [step.request for step in found["steps"]] == [ALL_REQUESTS]


def search(rate: float | None, interval: Interval | None = None) -> SolrBenchmark:
    capacity = CapacityResult(
        conclusion=CapacityConclusion.FOUND if rate else CapacityConclusion.INCONCLUSIVE,
        message="said",
        requests_per_second=rate,
        requests_per_second_interval=interval,
        highest_met_requests_per_second=90,
        lowest_missed_requests_per_second=110,
    )
    return benchmark(capacity=[capacity])


def test_a_capacity_has_the_interval_of_its_search_or_of_several() -> None:
    (one,) = summarise_point([search(100.0, Interval(lower=95, upper=104))])["capacities"]
    assert (one.value, one.lower, one.upper, one.searches) == (100, 95, 104, 1)
    rounds = [search(each) for each in (99.0, 100.0, 101.0, None)]
    (several,) = summarise_point(rounds)["capacities"]
    assert several.searches == 3
    assert several.value == pytest.approx(100, rel=1e-3)
    assert 97 < several.lower < 98
    assert 102 < several.upper < 103
    (none,) = summarise_point([search(None)])["capacities"]
    assert (none.value, none.lower, none.message) == (None, None, "said")
    assert (none.highest_met, none.lowest_missed, none.unit) == (90, 110, "requests/s")


def test_a_search_for_users_that_found_none_is_in_users() -> None:
    given = {"conclusion": "Inconclusive", "users": None, "users_interval": None}
    capacity = CAPACITY_USERS.model_copy(update=given)
    (none,) = summarise_point([benchmark(capacity=[capacity])])["capacities"]
    assert (none.value, none.unit, none.highest_met) == (None, "users", 24)


def test_a_capacity_of_indexing_is_in_documents() -> None:
    (found,) = summarise_point([benchmark(capacity=[CAPACITY_DOCUMENTS])])["capacities"]
    assert (found.unit, found.value) == ("documents/s", 5200)
    assert (found.lower, found.upper) == (5100, 5300)


@pytest.mark.parametrize("conclusion", ["Steady", "RoseOnce"])
def test_what_grew_is_kept_of_the_last_round_in_which_anything_did(conclusion: str) -> None:
    later = TREND.model_copy(update={"conclusion": conclusion})
    rounds = [benchmark(trends=[TREND]), benchmark(trends=[later])]
    assert summarise_point(rounds)["trends"] == [TREND]


def with_conditions() -> SweepReport:
    report = full_report()
    heap, nodes = report.spec.axes
    axes = [heap, nodes.model_copy(update={"role": AxisRole.CONDITION})]
    spec = report.spec.model_copy(update={"axes": axes})
    (grown, *others) = report.points
    capacity = summarise_point([search(100.0, Interval(lower=95, upper=104))])["capacities"]
    first = grown.model_copy(update={"capacities": capacity})
    return report.model_copy(update={"spec": spec, "points": [first, *others]})


def test_each_condition_has_lines_over_its_steps() -> None:
    steps = [
        PointStep(
            step=name,
            request=request,
            variant=variant,
            repeats=1,
            p95_milliseconds=value * (2 if request == "find" else 1),
            p95_lower_milliseconds=value - 1,
            p95_upper_milliseconds=value + 1,
        )
        for value, name in ((10.0, "one"), (20.0, "eight"))
        for variant in ("nodes", "proxy")
        for request in ("find", ALL_REQUESTS)
    ]
    p95, *others = step_figures(with_points(with_conditions(), steps=steps))
    assert [each.title for each in (p95, *others)] == [
        f"{figure} by step with nodes {nodes}"
        for nodes in ("1/1", "2/2")
        for figure in ("P95", "Requests/s")
    ]
    names = [each.name for each in p95.legend]
    assert names[:3] == ["heap 512Mi (nodes)", "heap 512Mi (proxy)", "heap 1Gi (nodes)"]
    series: Any = p95.option["series"]
    assert series[0]["data"] == [[0, 10.0], [1, 20.0]]  # of all requests together
    assert series[1]["data"] == [[0, 9.0, 11.0], [1, 19.0, 21.0]]
    assert p95.table.texts[0] == ("heap 512Mi (nodes)", "one", "10 ms", "9 ms to 11 ms")
    assert step_figures(full_report()) == []


def test_cold_starts_waits_and_index_pods_stand_behind_their_benchmark() -> None:
    gap = StepResponseGaps(step="one", longest_milliseconds=540, longest_user=3, longest_repeat=1)
    pods = [IndexPodStatus(pod=n, documents=10, seconds=12.0 + n) for n in range(2)]
    report = full_report()
    update = {"cold_start": COLD_START, "response_gaps": [gap], "index_pods": pods}
    point = report.points[0].model_copy(update=update)
    shares_index = report.points[1].model_copy(update={"index_pods": pods})
    report = report.model_copy(update={"points": [point, shares_index]})
    found = {each.caption: each.texts for each in build_sweep_page(report)["benchmarks"]}
    (began,) = found["Cold start of each point"]
    assert began[1:] == ("five", "the warm-up", "2.5", "8 ms", "250 ms", "2 ms")
    (waited,) = found["Longest waits of each point"]
    assert waited[1:] == ("one", "540 ms", "1", "user 3")
    assert [row[-1] for row in found["Indexing of each point by pod and file"]] == ["12", "13"]
    assert "## Cold start" in sweep_to_markdown(report)
    assert not build_sweep_page(full_report())["benchmarks"]


def test_each_condition_has_a_table_of_its_settings() -> None:
    tables = condition_tables(with_conditions())
    assert [each.caption for each in tables] == ["With nodes 1/1", "With nodes 2/2"]
    assert tables[0].head[:3] == ("heap", "P95 of the last step", "Conclusion")
    assert [row[0] for row in tables[0].texts] == ["512Mi", "1Gi", "2Gi"]
    assert condition_tables(full_report()) == []
    last = condition_tables(large_report())[-1]
    assert last.note == "13 more conditions are in the table of points."


def test_every_output_has_steps_conditions_and_capacities() -> None:
    report = with_conditions()
    for text in (render_sweep_html(report), sweep_to_markdown(report)):
        assert "With nodes 2/2" in text
        assert "95 to 104" in text
        assert "two-users" in text
    figures = [each.name for each in build_sweep_page(report)["figures"]]
    assert figures.index("axis-1") < figures.index("axis-0")  # lines over a condition come first
    table = capacity_table(report)
    row = dict(zip(table.head, table.texts[0], strict=True))
    assert (row["Capacity"], row["95 % interval"], row["Found by"]) == ("100", "95 to 104", "1")
    assert (row["Highest met"], row["Lowest missed"], row["Unit"]) == ("90", "110", "requests/s")


def test_a_page_of_many_steps_is_cut_and_says_so() -> None:
    steps = [PointStep(step=f"s{n}", request=ALL_REQUESTS, repeats=1) for n in range(200)]
    reasons = [InvalidReason(reason="CpuPressure", message="waits")]
    invalid = [StepVerdict(step=f"s{n}", verdict="Invalid", reasons=reasons) for n in range(200)]
    rounds = [RoundReport(round=n, benchmark="b") for n in range(200)]
    for table in (
        steps_table(with_points(full_report(), steps=steps)),
        failures_table(with_points(full_report(), verdicts=invalid)),
        rounds_table(with_points(full_report(), rounds=rounds)),
    ):
        assert len(table.rows) == MAX_ROWS
        assert table.note.startswith(f"The first {MAX_ROWS} of 1,2")
