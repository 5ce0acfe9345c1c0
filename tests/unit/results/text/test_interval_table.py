from typing import Any

from solrbench.api.v1alpha1 import Metadata, SolrBenchmark
from solrbench.api.v1alpha1.status.status import Status
from solrbench.api.v1alpha1.status.steps.intervals import Interval, PercentileResult
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.results.text.interval_table import INTERVAL_NOTE, interval_headers, interval_rows
from solrbench.results.text.results_markdown import to_markdown
from unit.results.builders import make_spec


def result(request: str = "query", **fields: Any) -> StepResult:
    return StepResult(
        **{
            "step": "five",
            "request": request,
            "repeats": 1,
            "requests": 100,
            "failures": 0,
            "requests_per_second": 123.456,
            **fields,
        }
    )


def percentile(percent: float, *bounds: float) -> PercentileResult:
    value, lower, upper = (*bounds, None, None)[:3]
    return PercentileResult(
        percent=percent, milliseconds=value, lower_milliseconds=lower, upper_milliseconds=upper
    )


def cells(each: StepResult) -> dict[str, str]:
    (row,) = interval_rows([each])
    return dict(zip(interval_headers([each]), row, strict=True))


def test_interval_stands_in_brackets_with_one_unit() -> None:
    shown = cells(
        result(
            requests_per_second_interval=Interval(lower=120, upper=127),
            average_milliseconds=5.5,
            average_milliseconds_interval=Interval(lower=5.21, upper=5.8),
            percentiles=[percentile(99.9, 950, 802.1, 1234), percentile(50, 1.5)],
        )
    )
    assert list(shown) == ["Step", "Variant", "Request", "Requests/s", "Average", "P50", "P99.9"]
    assert shown["Requests/s"] == "123 (120-127)"
    assert shown["Average"] == "5.5 (5.21-5.8) ms"
    assert shown["P99.9"] == "0.95 (0.802-1.23) s"
    assert shown["P50"] == "1.5 (-) ms"


def test_open_loop_has_the_mean_of_the_response_times() -> None:
    shown = cells(
        result(
            dropped_requests=0,
            average_milliseconds=5.5,
            response_average_milliseconds=7.5,
            response_average_milliseconds_interval=Interval(lower=7, upper=8),
        )
    )
    assert shown["Average"] == "7.5 (7-8) ms"


def test_what_was_not_measured_is_empty() -> None:
    rows = interval_rows([result(), result("b", percentiles=[percentile(50, 2, 1, 3)])])
    assert rows[0] == ("five", "", "query", "123 (-)", "", "")
    assert rows[1] == ("five", "", "b", "123 (-)", "", "2 (1-3) ms")


def report(*results: StepResult, totals: tuple[StepResult, ...] = ()) -> str:
    status = Status(phase="Succeeded", results=list(results), totals=list(totals))
    return to_markdown(
        SolrBenchmark(metadata=Metadata(name="b"), spec=make_spec("five", "one"), status=status)
    )


def test_report_has_a_section_on_intervals() -> None:
    text = report(result(percentiles=[percentile(95, 2, 1, 3)]))
    assert "## Intervals\n\n| Step | Request | Requests/s | Average | P95 |\n" in text
    assert "| five | query | 123 (-) |  | 2 (1-3) ms |" in text
    assert INTERVAL_NOTE in text
    assert "## Intervals" not in report(result())  # of an older version


def test_totals_stand_below_their_step_if_it_has_several_names() -> None:
    one, other = result("a"), result("b")
    both = result("all requests")
    lines = [line for line in report(one, other, totals=(both,)).splitlines() if "| five" in line]
    assert [line.split(" | ")[1] for line in lines] == ["a", "b", "all requests"]
    transaction = result("t", is_transaction=True)
    assert "all requests" not in report(one, transaction, totals=(both,))


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
    assert shown["Average"] == "5.5 (2 repeats) ms"
    three = cells(result(repeats=3, requests_per_second_interval=wide))
    assert three["Requests/s"] == "123 (0-124)"
    narrow = Interval(lower=70, upper=180)
    assert (
        cells(result(repeats=2, requests_per_second_interval=narrow))["Requests/s"]
        == "123 (70-180)"
    )
