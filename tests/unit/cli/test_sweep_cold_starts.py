"""Cold starts of a sweep's points, read from their stored step runs and drawn on its page."""

from typing import Any

import pytest

from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli import report
from solrbench.cli.report import FORMS
from solrbench.cli.sweep_report import read_sweep_report
from solrbench.contract.names import LABEL_STEP_RUN
from solrbench.contract.windows import RequestWindow
from solrbench.kube.results import BenchmarkResultStore
from solrbench.present.page import build_sweep_page
from solrbench.present.sweeps.figures import MAX_LINES, cold_start_points
from solrbench.present.sweeps.report import SweepReport
from solrbench.sweep.plan import make_plan
from solrbench.sweep.validation import build_child
from support.fakes.fake_cluster import FakeCluster
from support.results.builders import make_document, make_result
from support.results.full_benchmark import COLD_START
from support.results.sweep_reports import full_report, full_sweep, large_report
from unit.cli.conftest import call

COLD = plain(COLD_START) | {"step": "one"}
MEANS = (9000, 4000, 2000, 1000)


def cold_sweep(**status: Any) -> tuple[FakeCluster, dict[str, Any]]:
    """Return a cluster with a sweep of three heaps and two sizes, and the sweep.

    The benchmark of each point has a first step run that is slower than that of the one before.
    """
    cluster, sweep = FakeCluster(), full_sweep()
    for place, planned in enumerate(make_plan(sweep).points, start=1):
        body = build_child(sweep, planned.point) | {"status": {"coldStart": COLD | status}}
        cluster.put(body)
        windows = [
            RequestWindow(requests=1000, failures=0, end_seconds=each, seconds=1, **times)
            for each, mean in enumerate(MEANS, start=1)
            for times in [dict.fromkeys(("mean_microseconds", "max_microseconds"), place * mean)]
        ]
        result, begin = make_result([1000] * 4000), windows[:1]
        document = make_document("one", 1, result, warm_up_thousands=begin, thousands=windows[1:])
        BenchmarkResultStore(cluster).store(SolrBenchmark.parse(body), document, 1)
    return cluster, plain(sweep)


def test_points_along_each_axis_have_the_means_of_their_begin() -> None:
    report = read_sweep_report(*cold_sweep())
    means = {
        tuple(each.values.values()): each.cold_start_average_milliseconds for each in report.points
    }
    assert means["512Mi", "1/1"] == [9.0, 4.0, 1.5]
    # The others differ from the baseline in both axes, so that no line has them.
    drawn = [" ".join(values) for values, each in means.items() if each]
    assert drawn == ["512Mi 1/1", "512Mi 2/2", "1Gi 1/1", "2Gi 1/1"]


def test_the_page_has_a_line_for_each_value() -> None:
    report = read_sweep_report(*cold_sweep())
    figures = {each.title: each for each in build_sweep_page(report)["figures"]}
    heaps = figures["Cold start by heap"]
    assert [each.name for each in heaps.legend] == ["heap 512Mi", "heap 1Gi", "heap 2Gi"]
    assert heaps.option["series"][0]["data"] == [[0, 9.0], [1, 4.0], [2, 1.5]]
    assert heaps.option["xAxis"]["data"] == ["1", "2", "4"]
    assert heaps.table.texts[:3] == [
        ("heap 512Mi", "1", "9 ms"),
        ("heap 512Mi", "2", "4 ms"),
        ("heap 512Mi", "4", "1.5 ms"),
    ]
    assert "Cold start by nodes" in figures
    assert SweepReport.parse(report.to_json()) == report


@pytest.mark.parametrize("status", [{"step": "trial"}, {"variant": "proxy"}])
def test_nothing_is_drawn_where_the_cold_step_run_is_not_one_of_the_spec(
    status: dict[str, Any],
) -> None:
    report = read_sweep_report(*cold_sweep(**status))
    titles = [each.title for each in build_sweep_page(report)["figures"]]
    assert not any("Cold start" in each for each in titles)


def test_a_damaged_step_run_leaves_out_its_line() -> None:
    cluster, body = cold_sweep()
    name = read_sweep_report(cluster, body).points[0].benchmark
    for (kind, _, _), stored in cluster.objects.items():
        if kind == "ConfigMap" and name in stored["metadata"]["name"]:
            stored["binaryData"] = {}
    found = read_sweep_report(cluster, body).points
    assert found[0].cold_start_average_milliseconds == []
    assert any(each.cold_start_average_milliseconds for each in found)


@pytest.mark.parametrize("form", FORMS)
def test_step_runs_are_read_for_the_page_and_its_json_alone(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, body = cold_sweep()
    body["metadata"]["resourceVersion"] = "1"
    cluster.put(body)
    monkeypatch.setattr(report, "open_cluster", lambda *_: (cluster, body["metadata"]["namespace"]))
    cluster.requests.clear()
    call("report", "ssweep/trial", "-o", form)
    read = any(LABEL_STEP_RUN in each.arguments.get("selector", {}) for each in cluster.requests)
    assert read is (form in ("html", "json"))


@pytest.mark.slow
def test_of_many_points_some_at_even_distances_are_read() -> None:
    assert [*cold_start_points(full_report())] == []
    (_, users), (_, heaps) = cold_start_points(large_report())
    assert len(users) == len(heaps) == MAX_LINES
    assert [each.values["users"] for each in users] == ["1", "4", "7", "11", "14", "18", "21", "25"]
