from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.results.comparison.variants import compare_variants
from solrbench.results.model.step_result import RequestResult, StepRunResult
from solrbench.results.stats.histograms import Histogram
from solrbench.results.summary.step_results import merge_steps, summarise
from solrbench.results.text import results_markdown
from unit.results.builders import make_document, make_result, make_spec, make_variants


def planned(service: list[int], response: list[int], late: int = 0) -> RequestResult:
    """Return the result of planned requests; what has a response time alone was dropped."""
    histogram = Histogram()
    for microseconds in response:
        histogram.record(microseconds)
    figures = {
        "response_time_histogram": histogram.encode(),
        "response_sum_microseconds": sum(response),
        "response_max_microseconds": max(response),
        "dropped_requests": len(response) - len(service),
        "late_requests": late,
    }
    return make_result(service).model_copy(update=figures)


STALLED = [1000] * 900 + [500_000] * 100


def test_response_times_are_merged_from_all_repeats() -> None:
    documents = [
        make_document("a", 1, planned([1000] * 900, STALLED, late=7)),
        make_document("a", 2, planned([1000] * 1000, [2000] * 1000)),
    ]
    (result,) = merge_steps(make_spec("a"), documents)
    assert (result.requests, result.late_requests, result.dropped_requests) == (1900, 7, 100)
    assert result.p95_milliseconds == 1.0
    assert (result.response_p50_milliseconds, result.response_p75_milliseconds) == (2.0, 2.0)
    assert result.response_p99_milliseconds == result.response_max_milliseconds == 500.0
    assert result.response_average_milliseconds == (900 + 100 * 500 + 2000) / 2000
    assert result.response_p95_deviation_percent is not None


def test_one_repeat_has_no_deviation() -> None:
    documents = [make_document("a", 1, planned([1000] * 900, STALLED))]
    (result,) = merge_steps(make_spec("a"), documents)
    assert result.response_p95_milliseconds == 500.0
    assert result.response_p95_deviation_percent is None


def test_closed_loop_has_no_open_loop_results() -> None:
    (result,) = merge_steps(make_spec("a"), [make_document("a", 1, make_result([1000] * 9))])
    found = result.model_dump()
    open_loop = [name for name in found if name.startswith("response_")]
    assert len(open_loop) == 8
    assert all(found[name] is None for name in [*open_loop, "late_requests", "dropped_requests"])


def test_headline_is_the_response_time() -> None:
    documents = [make_document("a", 1, planned([1000] * 900, STALLED))]
    assert summarise(make_spec("a"), documents).p95_milliseconds == 500
    closed = [make_document("a", 1, make_result([1000] * 900))]
    assert summarise(make_spec("a"), closed).p95_milliseconds == 1


def test_variants_are_compared_by_response_time() -> None:
    spec = make_variants(make_spec("a"), "raw", "proxy")
    documents = [
        make_document("a", 1, planned([1000] * 9, [1000] * 9), variant="raw"),
        make_document("a", 1, planned([1000] * 9, [2000] * 9), variant="proxy"),
    ]
    (comparison,) = compare_variants(spec, documents)
    assert comparison.average is not None
    assert comparison.p95 is not None
    assert (comparison.average.percent, comparison.p95.percent) == (100.0, 100.0)


def test_documents_stored_before_there_was_an_open_loop_are_read() -> None:
    old = make_document("a", 1, make_result([1000])).model_dump(mode="json", by_alias=True)
    for name in ("requestsPerSecond", "plannedRequests"):
        del old[name]
    for name in ("responseTimeHistogram", "droppedRequests", "rampDroppedRequests"):
        del old["requests"][0][name]
    read = StepRunResult.model_validate(old)
    assert (read.users, read.requests[0].response_time_histogram) == (2, None)


def _results(*planned_steps: bool) -> list[StepResult]:
    closed = make_document("a", 1, make_result([1000] * 9))
    stalled = make_document("a", 1, planned([1000] * 900, STALLED, late=7))
    spec = make_spec("a")
    return [merge_steps(spec, [stalled if each else closed])[0] for each in planned_steps]


def test_table_shows_response_times_and_the_service_time_beside_them() -> None:
    (row,) = results_markdown.rows(_results(True))
    cells = dict(zip(results_markdown.HEADERS, row, strict=True))
    assert (cells["P50"], cells["P95"], cells["Max"]) == ("1 ms", "500 ms", "500 ms")
    assert (cells["Service P95"], cells["Late"], cells["Dropped"]) == ("1 ms", "7", "100")
    assert cells["Min"] == ""


def test_columns_of_an_open_loop_are_there_only_with_one() -> None:
    closed, mixed = (
        results_markdown.to_markdown_table(results_markdown.rows(_results(*k)))
        for k in ([False], [False, True])
    )
    assert "Dropped" not in closed
    assert "| Service P95 | Late | Dropped |" in mixed
    assert len({line.count(" |") for line in mixed.splitlines()}) == 1


def test_note_says_which_times_are_shown() -> None:
    assert results_markdown.table_note(_results(False)).startswith(
        "Times are service times; percentiles"
    )
    assert results_markdown.table_note(_results(True)).startswith("Times are response times, from")
    mixed = results_markdown.table_note(_results(False, True))
    assert "in rows with Late and Dropped response times" in mixed
