from typing import Any, cast

import pytest

from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.findings import (
    CapacityConclusion,
    CapacityResult,
    Scalability,
    TrialResult,
)
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.server_metrics import IndexingSeries
from solrbench.api.v1alpha1.status import DatasetStatus
from solrbench.contract.server_document import CPU_PERCENT, ServerSeries, Telemetry
from solrbench.present.figure import ReportFigure
from solrbench.present.indexing import indexing_figure
from solrbench.present.latency_figures import cold_start_curve, distribution
from solrbench.present.load_figures import capacity_curves, load_curves
from solrbench.present.report import Report
from solrbench.present.time_figures import MAX_REPEATS, over_time, time_slices
from solrbench.stats.histograms import Histogram
from solrbench.stats.times import Times
from support.narrowing import not_none
from support.results.reports import make_report, with_status
from support.results.statuses import CAPACITY_DOCUMENTS, CAPACITY_USERS


def series_of(figure: ReportFigure) -> Any:
    return figure.option["series"]


def points(figure: ReportFigure, series: int) -> list[list[float]]:
    data: list[list[float]] = series_of(figure)[series]["data"]
    return data


def marked(figure: ReportFigure) -> Any:
    """Return what the line across the first series marks."""
    return series_of(figure)[0]["markLine"]


def times(*microseconds: int) -> Times:
    histogram = Histogram()
    for value in microseconds:
        histogram.record(value)
    return Times(lambda: (histogram, []), sum(microseconds), max(microseconds, default=None))


def test_distribution_goes_to_the_percentile_of_its_largest_sample_if_there_is_one() -> None:
    samples = {"one": times(*range(1, 1001)), "none": times()}
    figure = not_none(distribution("d", "D", "Service time", samples))
    drawn = points(figure, 0)
    assert drawn[0] == [0, 0.001]
    assert drawn[-1] == [3.0, 1.0]
    assert [1.0, 0.9] in drawn
    assert [each[0] for each in drawn] == sorted(each[0] for each in drawn)
    assert [entry.name for entry in figure.legend] == ["one"]
    assert distribution("d", "D", "Service time", {"none": times()}) is None


def test_distribution_shows_the_exact_maximum() -> None:
    found = not_none(distribution("d", "D", "Service time", {"one": times(2000, 10_049_000)}))
    # Its bucket ends at 10.051 s.
    assert found.table.texts[0][-1] == "10 s"
    assert points(found, 0)[-1][1] == 10_050.0


def test_distribution_of_times_of_zero_has_an_axis() -> None:
    found = not_none(distribution("d", "D", "Service time", {"one": times(0, 0, 20)}))
    axis = cast(dict[str, float], found.option["yAxis"])
    assert (axis["min"], axis["max"]) == (0.001, 0.1)


def test_load_curve_has_intervals_and_needs_two_loads() -> None:
    report = make_report(steps=3)
    throughput, latency = load_curves(report.spec, report.status)
    assert [x for x, _ in points(throughput, 0)] == [2.0, 4.0, 6.0]
    lines = [each["name"] for each in series_of(latency) if each["type"] == "line"]
    assert lines == ["P50", "P95", "P99"]
    # By its name the legend hides a line with its bars.
    assert [e["name"] for e in series_of(latency) if e["type"] == "custom"] == lines
    first = report.status.totals[0].percentiles[0]
    row = latency.table.texts[0]
    assert row[:3] == ("P50", "2", f"{first.milliseconds:.3g} ms")
    single = make_report(steps=1)
    assert load_curves(single.spec, single.status) == []


def test_load_curve_says_nothing_of_intervals_that_are_not_there() -> None:
    report = make_report(steps=3)
    bare = [
        each.model_copy(
            update={
                "requests_per_second_interval": None,
                "percentiles": [
                    known.model_copy(update={"lower_milliseconds": None})
                    for known in each.percentiles
                ],
            }
        )
        for each in report.status.totals
    ]
    throughput, latency = load_curves(report.spec, with_status(report, totals=bare).status)
    assert throughput.description.startswith("Requests per second. throughput: ")
    assert latency.description.startswith("Service time. P50: ")


def throughput_of(report: Report, steps: list[Step]) -> list[list[float]]:
    """Return the points of the throughput of other steps of the same names."""
    load = report.spec.load.model_copy(update={"steps": steps})
    throughput, _ = load_curves(report.spec.model_copy(update={"load": load}), report.status)
    return points(throughput, 0)


def test_load_curve_has_a_changing_rate_at_its_mean() -> None:
    changes = [{"atSeconds": 30, "requestsPerSecond": 40}]
    steps = [
        {"name": "step-1", "requestsPerSecond": 10, "durationSeconds": 60, "rateChanges": changes},
        {"name": "step-2", "requestsPerSecond": 10, "durationSeconds": 60},
    ]
    drawn = throughput_of(make_report(), [*map(Step.model_validate, steps)])
    assert [x for x, _ in drawn] == [10.0, 32.5]


def test_load_curve_leaves_out_a_replay() -> None:
    report = make_report(steps=3)
    steps = [*report.spec.load.steps]
    steps[1] = Step.model_validate({"name": steps[1].name, "replay": {}, "durationSeconds": 60})
    assert [x for x, _ in throughput_of(report, steps)] == [2.0, 6.0]


def test_load_curve_has_a_line_for_each_variant() -> None:
    report = make_report(variants=2)
    throughput, latency = load_curves(report.spec, report.status)
    assert [each.name for each in throughput.legend] == ["v0", "v1"]
    assert [each.name for each in latency.legend] == ["v0 P50", "v0 P95", "v1 P50", "v1 P95"]


def test_throughput_marks_the_knee() -> None:
    knee = Scalability(levels=2, knee_users=3.2, message="the knee is at 3.2 users")
    report = with_status(make_report(), scalability=[knee])
    throughput, _ = load_curves(report.spec, report.status)
    mark = marked(throughput)
    assert (mark["label"]["formatter"], mark["data"]) == ("knee 3.2", [{"xAxis": 3.2}])
    assert "the knee is at 3.2 users" in throughput.description


def test_capacity_curve_has_the_trials_that_count_by_rate() -> None:
    def trial(rate: float, p95: float, *, disturbed: bool = False) -> TrialResult:
        good: dict[str, Any] = {"excess": 0, "failed_percent": 0, "disturbed": disturbed}
        return TrialResult(requests_per_second=rate, p95_milliseconds=p95, **good)

    trials = [trial(200, 30), trial(100, 10), trial(150, 99, disturbed=True)]
    word, text = CapacityConclusion.FOUND, "180 requests/s"
    result = CapacityResult(conclusion=word, message=text, requests_per_second=180, trials=trials)
    (figure,) = capacity_curves(Status(capacity=[result]))
    assert points(figure, 0) == [[100, 10], [200, 30]]
    assert marked(figure)["data"] == [{"xAxis": 180}]
    assert capacity_curves(Status()) == []


def test_capacity_curve_of_users_is_by_users() -> None:
    (figure,) = capacity_curves(Status(capacity=[CAPACITY_USERS]))
    assert figure.title == "Latency against users in the search for the capacity"
    axis: Any = figure.option["yAxis"]
    assert axis["name"] == "P95 of the service time"
    assert points(figure, 0) == [[9, 80], [25, 222]]
    assert marked(figure)["data"] == [{"xAxis": 23}]


def test_capacity_curve_of_indexing_is_by_documents() -> None:
    (figure,) = capacity_curves(Status(capacity=[CAPACITY_DOCUMENTS]))
    assert figure.title == "Latency against rate in the search for the capacity"
    assert figure.table.head[1] == "Planned documents/s"
    assert points(figure, 0) == [[5250, 455], [5400, 556]]
    assert marked(figure)["data"] == [{"xAxis": 5200}]


def test_legend_of_indexing_has_the_lines_that_are_drawn() -> None:
    series = [
        IndexingSeries(server="solr-0:8983", figure=name, seconds=[1, 3], values=[40, 60])
        for name in ("cpu_percent", "updates_per_second")
    ]
    figure = not_none(indexing_figure(DatasetStatus(series=series)))
    assert [(each.name, each.color) for each in figure.legend] == [("Documents/s", 0), ("CPU", 1)]
    assert indexing_figure(DatasetStatus()) is None


def test_over_time_has_both_figures_of_each_repeat() -> None:
    report = make_report(steps=1, repeats=3)
    figure = not_none(over_time("t", "T", report.steps))
    found = [(each["name"], each["xAxisIndex"]) for each in series_of(figure)]
    assert found == [(f"repeat {n}", axis) for axis in (0, 1) for n in (1, 2, 3)]
    assert points(figure, 3)[0] == [0, 40.0]  # 20 of each of two names


def test_over_time_has_the_cpu_of_the_busiest_node_where_it_was_read() -> None:
    def series(server: str, *values: float) -> ServerSeries:
        seconds = [2.0 + 4 * place for place in range(len(values))]
        return ServerSeries(
            server=server, kind="solr", figure=CPU_PERCENT, seconds=seconds, values=list(values)
        )

    first, second = make_report(steps=1, repeats=2).steps
    read = Telemetry(series=[series("solr-0", 10, 20, 90), series("solr-1", 70, 60, 80)])
    figure = not_none(over_time("t", "T", [first, second.model_copy(update={"telemetry": read})]))
    found = series_of(figure)
    assert [(each["name"], each["xAxisIndex"]) for each in found][4:] == [("repeat 2", 2)]
    assert points(figure, 4) == [[2.0, 70.0], [6.0, 60.0], [10.0, 80.0]]
    assert found[4]["itemStyle"] == found[1]["itemStyle"]
    assert "CPU of the busiest Solr node: 60 % to 80 %." in figure.description
    assert len(cast(list[Any], figure.option["grid"])) == 3
    assert figure.height > 500


@pytest.mark.slow
def test_over_time_of_many_repeats_and_seconds_is_bounded() -> None:
    report = make_report(steps=1, repeats=MAX_REPEATS + 2, seconds=2000)
    figure = not_none(over_time("t", "T", report.steps))
    assert len(figure.legend) == MAX_REPEATS
    assert "2 further repeats are not drawn" in figure.description
    assert len(points(figure, 0)) <= 240


@pytest.mark.parametrize(("most", "count"), [(1, 1), (5, 4), (12, 12), (100, 12)])
def test_slices_have_all_requests(most: int, count: int) -> None:
    (document,) = make_report(steps=1, repeats=1).steps
    found = time_slices(document, most)
    assert len(found) == count
    assert sum(each.seconds for each in found) == 12
    assert sum(each.requests for each in found) == sum(r.requests for r in document.requests)


def test_a_last_window_that_is_cut_short_is_in_no_slice() -> None:
    (document,) = make_report(steps=1, repeats=1).steps
    # Of twelve windows, eleven are whole: slices of two, and a last one of one.
    cut = document.model_copy(update={"seconds": 11.7, "duration_seconds": None})
    found = time_slices(cut, 6)
    assert [each.seconds for each in found] == [2] * 5 + [1]
    whole = time_slices(document, 12)
    assert found[-1].requests == whole[10].requests


def test_slices_without_windows_are_none() -> None:
    (document,) = make_report(steps=1, repeats=1).steps
    bare = [each.model_copy(update={"windows": []}) for each in document.requests]
    assert time_slices(document.model_copy(update={"requests": bare}), 10) == []


def test_cold_start_has_latency_and_hit_ratios() -> None:
    figure = not_none(cold_start_curve(make_report().steps))
    assert [each.name for each in figure.legend] == ["mean service time", "filterCache"]
    assert points(figure, 0)[0] == [1, 9.0]
    assert points(figure, 1)[-1] == [6, 60.0]
    assert "share of lookups" in figure.description
    bare = [each.model_copy(update={"caches": []}) for each in make_report().steps]
    assert "lookups" not in not_none(cold_start_curve(bare)).description
    assert cold_start_curve([]) is None
