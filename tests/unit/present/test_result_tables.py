import csv
from typing import Any

from solrbench.api.v1alpha1.comparisons import ReportStatus
from solrbench.api.v1alpha1.conditions import Condition
from solrbench.api.v1alpha1.findings import InvalidReason, StepVerdict
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import Interval, PercentileResult, StepResult
from solrbench.present.csv import to_csv
from solrbench.present.markdown import to_markdown
from solrbench.present.report import Report
from solrbench.present.result_tables import (
    INTERVAL_NOTE,
    intervals_table,
    results_table,
    summary_table,
)
from solrbench.present.table import Table, table_to_markdown
from support.results.full_benchmark import NOW, make_benchmark
from support.results.statuses import full_status


def result(request: str = "query", **fields: Any) -> StepResult:
    some = {"repeats": 1, "requests": 100, "failures": 0, "requests_per_second": 123.456}
    return StepResult(**{"step": "five", "request": request, **some, **fields})


def percentile(percent: float, *bounds: float) -> PercentileResult:
    value, lower, upper = (*bounds, None, None)[:3]
    return PercentileResult(
        percent=percent, milliseconds=value, lower_milliseconds=lower, upper_milliseconds=upper
    )


def cells(each: StepResult) -> dict[str, str]:
    some = each.percentiles or [percentile(50, 1)]
    return first_row(intervals_table([each.model_copy(update={"percentiles": some})]))


def first_row(table: Table) -> dict[str, str]:
    return dict(zip(table.head, table.texts[0], strict=True))


def test_interval_stands_in_brackets_with_one_unit() -> None:
    shown = cells(
        result(
            requests_per_second_interval=Interval(lower=120, upper=127),
            average_milliseconds=5.5,
            average_milliseconds_interval=Interval(lower=5.21, upper=5.8),
            percentiles=[percentile(99.9, 950, 802.1, 1234), percentile(50, 1.5)],
        )
    )
    assert list(shown) == ["Step", "Request", "Requests/s", "Mean", "P50", "P99.9"]
    assert shown["Requests/s"] == "123 (120 to 127)"
    assert shown["Mean"] == "5.5 (5.21 to 5.8) ms"
    assert shown["P99.9"] == "0.95 (0.802 to 1.23) s"
    assert shown["P50"] == "1.5 ms"


def test_summary_has_the_percentile_next_to_the_p95() -> None:
    status = Status(results=[result(percentiles=[percentile(50, 1.5), percentile(99, 8, 7, 9)])])
    shown = first_row(summary_table(status))
    assert shown["P99 (95 % CI)"] == "8 (7 to 9) ms"
    assert not [title for title in shown if title.startswith("P50")]


def test_open_loop_has_the_mean_of_the_response_times() -> None:
    shown = cells(
        result(
            dropped_requests=0,
            average_milliseconds=5.5,
            response_average_milliseconds=7.5,
            response_average_milliseconds_interval=Interval(lower=7, upper=8),
        )
    )
    assert shown["Mean"] == "7.5 (7 to 8) ms"


def test_what_was_not_measured_is_empty() -> None:
    table = intervals_table([result(), result("b", percentiles=[percentile(50, 2, 1, 3)])])
    assert table.texts == [
        ("five", "query", "123", "", ""),
        ("five", "b", "123", "", "2 (1 to 3) ms"),
    ]


def markdown(*results: StepResult, **status: object) -> str:
    """Return the report of a benchmark with these results, and more in its status."""
    benchmark = make_benchmark("b", **{"phase": "Succeeded", "results": results} | status)
    return to_markdown(Report(benchmark="team/b", spec=benchmark.spec, status=benchmark.status))


SUCCEEDED = Condition(
    type="Succeeded",
    status="True",
    reason="AllStepsStored",
    message="3 of 3 steps are stored",
    last_transition_time=NOW,
)


def test_report_has_a_section_on_intervals() -> None:
    text = markdown(result(percentiles=[percentile(95, 2, 1, 3)]))
    assert "## Intervals\n\n| Step | Request | Requests/s | Mean | P95 |\n" in text
    assert "| five | query | 123 |  | 2 (1 to 3) ms |" in text
    assert INTERVAL_NOTE in text
    assert "## Intervals" not in markdown(result())  # without percentiles


def test_totals_stand_below_their_step_if_it_has_several_names() -> None:
    one, other = result("a"), result("b")
    both = result("all requests")
    lines = [line for line in markdown(one, other, totals=[both]).splitlines() if "| five" in line]
    assert [line.split(" | ")[1] for line in lines] == ["a", "b", "all requests"]
    transaction = result("t", is_transaction=True)
    assert "all requests" not in markdown(one, transaction, totals=[both])


def test_two_repeats_that_differ_much_have_no_interval_wider_than_the_number() -> None:
    wide = Interval(lower=0, upper=124)
    shown = cells(
        result(
            repeats=2,
            requests_per_second_interval=wide,
            percentiles=[percentile(50, 477, 0, 1062)],
            average_milliseconds=5.5,
            average_milliseconds_interval=Interval(lower=1, upper=7),
        )
    )
    assert shown["Requests/s"] == "123 (2 repeats)"
    assert shown["P50"] == "477 (2 repeats) ms"
    assert shown["Mean"] == "5.5 (2 repeats) ms"
    three = cells(result(repeats=3, requests_per_second_interval=wide))
    assert three["Requests/s"] == "123 (0 to 124)"
    narrow = cells(result(repeats=2, requests_per_second_interval=Interval(lower=70, upper=180)))
    assert narrow["Requests/s"] == "123 (70 to 180)"


FULL = StepResult(
    step="five",
    request="query",
    repeats=3,
    requests=3000,
    failures=3,
    requests_per_second=123.456,
    average_milliseconds=4.5678,
    min_milliseconds=0.9,
    max_milliseconds=2345.6,
    p50_milliseconds=4.0,
    p75_milliseconds=5.0,
    p95_milliseconds=9.87,
    p99_milliseconds=20.0,
    requests_per_second_deviation_percent=1.234,
    p95_deviation_percent=5.0,
)
BARE = StepResult(
    step="one", request="a|b", repeats=1, requests=0, failures=0, requests_per_second=0
)


def test_cells_carry_units() -> None:
    cells = first_row(results_table([FULL]))
    assert cells["Requests/s"] == "123"
    assert cells["P95"] == "9.87 ms"
    assert cells["Max"] == "2.35 s"
    assert cells["Failures"] == "0.1 %"
    assert cells["SD P95"] == "5 %"


def test_what_was_not_measured_is_empty_not_zero() -> None:
    cells = first_row(results_table([BARE]))
    assert cells["P95"] == cells["Mean"] == cells["Failures"] == cells["SD P95"] == ""
    assert cells["Requests"] == "0"


SATURATED = InvalidReason(reason="WorkerSaturated", message="w used 99 % of a core (limit 90 %)")
FEW = InvalidReason(reason="TooFewSamples", message="9 requests (limit 200)")
THROTTLED = InvalidReason(reason="PodThrottled", message="no cpu.stat of w")
VERDICTS = [
    StepVerdict(step="five", verdict="Invalid", reasons=[SATURATED, FEW]),
    StepVerdict(step="one", verdict="Valid", unchecked=[THROTTLED]),
]


def test_verdicts_stand_in_every_form() -> None:
    table = results_table([FULL, BARE], VERDICTS)
    invalid, valid = table.texts
    assert (table.head[-1], invalid[-1], valid[-1]) == ("Verdict", "Invalid", "Valid")
    status = Status(results=[FULL, BARE], verdicts=VERDICTS)
    first, second = csv.DictReader(to_csv(status).splitlines())
    assert (first["verdict"], first["reasons"]) == ("Invalid", "WorkerSaturated TooFewSamples")
    assert (second["verdict"], second["reasons"]) == ("Valid", "")
    text = markdown(FULL, BARE, verdicts=VERDICTS)
    assert "five: Invalid (WorkerSaturated). w used 99 % of a core (limit 90 %)" in text
    assert "five: Invalid (TooFewSamples). 9 requests (limit 200)" in text
    assert "Not decided for one (PodThrottled): no cpu.stat of w" in text


def test_results_without_a_verdict_have_none() -> None:
    assert results_table([FULL]).texts[0][-1] == ""
    assert "## Verdict" not in markdown(FULL)


def test_variants_get_a_column_where_there_are_some() -> None:
    proxied = FULL.model_copy(update={"variant": "proxy"})
    with_variant, without = (to_csv(Status(results=[each])) for each in (proxied, FULL))
    assert with_variant.startswith("step,variant,request,")
    assert without == with_variant.replace(",variant,", ",").replace(",proxy,", ",")
    table = table_to_markdown(results_table([proxied]))
    assert "| Step | Variant | Request |" in table
    assert "| five | proxy | query | 3 |" in table
    assert len({line.count(" |") for line in table.splitlines()}) == 1


def test_comparisons_stand_below_the_table() -> None:
    row = (
        "| two-users | query | Average | proxy | +12.3 % | +9.8 to +14.8 %"
        " | not compared: needs 3 or more repeats | 1 |"
    )
    assert row in markdown(FULL, comparisons=full_status().comparisons).splitlines()
    assert "## Comparison" not in markdown(FULL)


def test_markdown_has_verdict_topology_and_results() -> None:
    text = markdown(FULL, BARE, conditions=[SUCCEEDED])
    assert text.startswith("# team/b\n")
    assert "- **Outcome**: AllStepsStored: 3 of 3 steps are stored" in text
    assert "- **Nodes**: 2, heap 1Gi each" in text
    assert "| five | query | 3 | 3000 |" in text
    assert "a\\|b" in text


def test_version_that_was_not_tested_stands_with_the_target() -> None:
    given = {"type": "Accepted", "reason": "VersionNotTested", "message": "not tested on Solr 10.0"}
    text = markdown(conditions=[SUCCEEDED.model_copy(update=given)])
    assert "- **VersionNotTested**: not tested on Solr 10.0" in text


def test_markdown_without_results_has_no_table() -> None:
    assert "## Results" not in markdown(phase="Failed")


def test_a_status_without_room_for_single_names_shows_its_totals() -> None:
    whole = FULL.model_copy(update={"request": "all requests"})
    report = ReportStatus(left_out=["results of single request names"])
    text = markdown(totals=[whole], verdicts=VERDICTS, report=report)
    assert "| five | all requests | 3 | 3000 |" in text
    assert "five: Invalid (WorkerSaturated)" in text
    assert "- **Left out of the status**: results of single request names" in text
    (row,) = csv.DictReader(to_csv(Status(totals=[whole])).splitlines())
    assert (row["request"], row["requests"]) == ("all requests", "3000")


def test_text_of_others_is_no_markup() -> None:
    text = "bad\n\n# Heading\n| a | <script>alert(1)</script>"
    given = {"status": "False", "reason": "SolrError", "message": text}
    lines = markdown(conditions=[SUCCEEDED.model_copy(update=given)]).splitlines()
    shown = "bad  # Heading \\| a \\| &lt;script>alert(1)&lt;/script>"
    assert f"- **Outcome**: SolrError: {shown}" in lines
