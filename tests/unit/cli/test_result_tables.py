import io
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from solrbench.analysis.conclusions import collect_answers
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.findings import InvalidReason, StepVerdict
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_result import ColumnGroup, ResultColumn, StepResult
from solrbench.cli.result_tables import (
    SUMMARY_LINES,
    SUMMARY_WIDTH,
    print_details,
    print_result,
    print_results,
    print_tables,
    time_table,
)
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.step_document import FailureKind, SlowRequest
from solrbench.present.result_tables import results_table
from solrbench.present.server_tables import slow_table
from support.cluster.benchmarks import small
from support.results.builders import make_document, make_result
from support.results.statuses import full_status
from unit.cli.conftest import seen, terminal

WIDTHS = [40, 60, 72, 80, 100, 120, 200]
CURSOR = "a\x1b[2Ab"
QUANTITY = re.compile(r"(?<!\S)\d[\d.]*(?: (?:ms|s|%))?(?!\S)")


def with_status(status: Status) -> SolrBenchmark:
    return SolrBenchmark.parse(small("one")).model_copy(update={"status": status})


def succeeded(**changes: object) -> Status:
    """Return a status with every figure, as it is at the end."""
    return full_status().model_copy(update={"phase": "Succeeded", **changes})


def printed(status: Status) -> str:
    out = io.StringIO()
    print_result(Console(file=out, width=80), with_status(status), in_full=True)
    return out.getvalue()


def test_table_is_not_cut_where_there_is_no_terminal() -> None:
    status = succeeded()
    text = printed(status)
    for word in (status.results[0].step, "P95", "Requests/s", "report -n default one"):
        assert word in text
    assert "…" not in text
    head, *_ = [line for line in text.splitlines() if line.startswith("Step")]
    # Those of a closed loop, without updates.
    missing = [title for title in ResultColumn if title not in head]
    assert missing == ["Documents/s", "Per 1000", "Min"]
    quantities = QUANTITY.findall(" ".join(results_table(status.results).texts[0][3:]))
    row, *_ = [line for line in text.splitlines() if line.startswith("two-users ")]
    assert QUANTITY.findall(row) == quantities


def test_a_comparison_is_printed_without_results_of_steps() -> None:
    text = printed(Status(comparison=full_status().comparison))
    assert "Compared with juniper:" in text
    assert "Compared with" not in printed(Status())


@pytest.mark.parametrize("name", ["q" * 300, "[bold]"])
def test_names_are_neither_cut_nor_taken_for_markup_without_a_terminal(name: str) -> None:
    results = [full_status().results[0].model_copy(update={"request": name})]
    assert name in printed(succeeded(results=results))


def test_every_column_is_a_name_or_in_one_part() -> None:
    groups = {str(column): column.group for column in ResultColumn}
    for column in results_table(full_status().results).columns:
        group = groups[column.title]
        assert column.is_name is (group is ColumnGroup.NAMES)
        assert column.part == list(ColumnGroup).index(group)


TIMES = st.none() | st.floats(0.001, 10**7)
SHARES = st.none() | st.just(0.0) | st.floats(0.001, 1000)
LETTERS = st.text("abcdefgh-", min_size=1, max_size=63)


@st.composite
def results(draw: st.DrawFn) -> StepResult:
    """Results with any plausible numbers, of a closed or an open loop; names without digits."""
    requests = draw(st.integers(0, 10**9))
    values = {
        name: draw(SHARES if name.endswith("percent") else TIMES)
        for name in StepResult.model_fields
        if name.endswith(("milliseconds", "percent"))
    }
    counts = {
        name: draw(st.none() | st.integers(0, 10**9))
        for name in ("late_requests", "dropped_requests")
    }
    return StepResult(
        step=draw(LETTERS),
        variant=draw(st.none() | LETTERS),
        request=draw(LETTERS),
        repeats=draw(st.integers(1, 100)),
        requests=requests,
        failures=draw(st.integers(0, requests)),
        requests_per_second=draw(st.floats(0, 10**6).filter(lambda rate: rate == 0 or rate > 0.01)),
        **values,
        **counts,
    )


@pytest.mark.slow
@settings(deadline=None)  # each example renders all tables
@given(st.lists(results(), min_size=1, max_size=4), st.sampled_from(WIDTHS) | st.integers(20, 300))
def test_no_width_cuts_a_number_or_a_unit(found: list[StepResult], width: int) -> None:
    table = results_table(found).without_empty_columns()
    console = terminal(width)
    print_results(console, with_status(Status(results=found)))
    lines = seen(console)
    names = sum(column.is_name for column in table.columns)
    wanted = Counter(cell for row in table.texts for cell in row[names:] if cell)
    assert Counter(cell for line in lines for cell in QUANTITY.findall(line)) == wanted
    for title in table.head[names:]:
        assert any(re.search(rf"(?<!\S){title}(?!\S)", line) for line in lines), title


@pytest.mark.parametrize("width", WIDTHS)
def test_no_width_cuts_intervals_and_what_is_around_the_table(width: int) -> None:
    console = terminal(width)
    print_result(console, with_status(full_status()), in_full=True)
    lines = seen(console)
    for quantity in (
        *("1600 documents/s", "123 of 126 requests/s", "512 MiB", "1,000 requests"),
        *("+12.3 %", "-2.5 to", "+2.7 %", "1 of 2 workers", "10.1 ms", "12.3 ms", "+21.8 %"),
        *("123 (120 to 127)", "6.5 (6.1 to 6.9) ms", "13.3 (12.8 to 14.1) ms", "190 ms"),
        *("P95", "P99.9"),
    ):
        assert any(quantity in line for line in lines), quantity


def test_80_columns_show_rates_then_times_then_repeats() -> None:
    console = terminal(80)
    closed = dict.fromkeys(
        ("late_requests", "dropped_requests", "variant", "goodput_requests_per_second")
    )
    found = [result.model_copy(update=closed) for result in full_status().results]
    print_results(console, with_status(Status(results=found)))
    heads = [line.split() for line in seen(console) if line.startswith("Step")]
    assert heads == [
        ["Step", "Request", "Requests", "Failures", "Requests/s", "Per", "1000"],
        ["Step", "Request", "Mean", "Min", "P50", "P75", "P95", "P99", "Max"],
        ["Step", "Request", "Repeats", "SD", "requests/s", "SD", "P95"],
        ["Step", "Request", "Requests/s", "Mean"],
        ["Step", "Request", "P95", "P99.9"],
    ]


def test_a_step_of_several_requests_has_a_row_of_all() -> None:
    one = full_status().results[0]
    other, both = (one.model_copy(update={"request": name}) for name in ("export", "all requests"))
    alone, together = (
        printed(Status(results=results, totals=[both])) for results in ([one], [one, other])
    )
    assert "all requests" not in alone
    assert together.count("all requests") == 2  # in the table of results and in that of intervals


def test_no_time_is_lowest_where_all_requests_end_in_the_last_part_of_a_second() -> None:
    windows = SecondSeries([SecondSums(10, 1, 0, 10_400_000, 10_400_000)])
    slow = make_document("a", 1, make_result([10_400_000], windows=windows), seconds=10.4)
    table = time_table([slow], 5)
    assert table.texts == [("a", "1", "0")]
    assert table.head == ("Step", "Repeat", "Requests/s")


@pytest.mark.parametrize("width", [40, 200])
def test_what_a_target_sends_is_no_command_to_the_terminal(width: int) -> None:
    kinds = [FailureKind(kind="HTTP500", count=1, sample=CURSOR)]
    slow = [SlowRequest(query=CURSOR, service_time_microseconds=1, second=0)]
    run = make_document("a", 1, make_result([1] * 9, failure_kinds=kinds, slow_requests=slow))
    console = terminal(width)
    print_details(console, [run])
    print_tables(console, slow_table([run]))
    text = "\n".join(seen(console))
    assert text.count("[2Ab") == 3
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("found", "typed"),
    [("/usr/bin/solrbench", "solrbench report"), (None, ".venv/bin/solrbench report")],
)
def test_next_command_can_be_typed_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, found: str | None, typed: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: found)
    monkeypatch.setattr("sys.argv", [".venv/bin/solrbench", "run"])
    assert f"  {typed}" in printed(full_status())


def test_invalid_steps_are_shown_above_and_below_the_table() -> None:
    text = printed(succeeded())
    lines = [line.strip() for line in text.splitlines()]
    assert "verdict: 1 of 1 results is Invalid: two-users (proxy)" in lines
    reason = "two-users (proxy): Invalid (WorkersLost). 1 of 2 workers were lost (limit 0)"
    assert reason in lines
    assert "Not decided for two-users (proxy) (PodThrottled): no cpu.stat" in lines
    (row,) = [line for line in lines if "two-users" in line and "query" in line and "2000" in line]
    assert "Invalid" in row


def test_a_summary_says_why_steps_are_inconclusive() -> None:
    gaps = [
        InvalidReason(reason="LoadSharesNodes", message="All pods ran on one node."),
        InvalidReason(reason="StepTooShort", message="Raise durationSeconds."),
    ]
    verdicts = [
        StepVerdict(step=step, verdict="Inconclusive", unchecked=gaps) for step in ("one", "two")
    ]
    console = terminal(SUMMARY_WIDTH)
    print_result(console, with_status(succeeded(verdicts=verdicts)))
    text = "\n".join(seen(console))
    assert "one, two: Inconclusive (StepTooShort). Raise durationSeconds." in text
    assert "All pods ran on one node." not in text


def test_comparisons_are_printed_below_the_table() -> None:
    table = printed(succeeded()).partition("Variants compared with raw:")[2]
    head, *_ = [line for line in table.splitlines() if "Figure" in line]
    assert head.split()[:4] == ["Step", "Request", "Figure", "Variant"]
    row, *_ = [line for line in table.splitlines() if "+12.3 %" in line]
    assert row.split()[:4] == ["two-users", "query", "Average", "proxy"]
    assert "+9.8 to +14.8 %" in row
    assert "another variant" not in printed(succeeded(comparisons=[]))


def test_a_summary_has_at_most_25_lines_of_100_columns() -> None:
    sentence = "the bottleneck is inconclusive. Solr used 85.5 % of its CPUs (limit 85 %). " * 2
    answers = [f"{step}: {sentence}" for step in ("two-users", "eight-users", "ten-users")]
    console = terminal(SUMMARY_WIDTH)
    print_result(console, with_status(succeeded(answers=answers * 3)))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert len(lines) <= SUMMARY_LINES
    # The name of the program is that of the tests here.
    wide = [line for line in lines if len(line) > SUMMARY_WIDTH and " report -n " not in line]
    assert wide == []
    text = "\n".join(lines)
    for part in ("Verdict", "P95 (95 % CI)", "Conclusions:", "more, see --details", "Next:"):
        assert part in text
    for part in ("Not decided", "P99.9", "Variants compared"):
        assert part not in text


def test_a_summary_of_two_steps_with_all_that_is_concluded_has_25_lines() -> None:
    full, steps = full_status(), ("two-users", "eight-users")
    every = {
        field: [part.model_copy(update={"step": step}) for step in steps for part in parts[:1]]
        for field in ("results", "verdicts", "bottlenecks")
        if (parts := getattr(full, field))
    }
    fast = {"name": "fast", "responseTime": {"maxMilliseconds": 10}}
    benchmark = SolrBenchmark.parse(small("one", objectives=[fast]))
    status = succeeded(**every)
    answers = collect_answers(benchmark.spec, status)
    for kind in ("objective", "bottleneck"):
        assert any(kind in answer.lower() for answer in answers)
    console, status = terminal(SUMMARY_WIDTH), status.model_copy(update={"answers": answers})
    print_result(console, benchmark.model_copy(update={"status": status}))
    lines = seen(console)
    assert len(lines) <= SUMMARY_LINES
    head = next(line for line in lines if line.startswith("Step"))
    assert head.split()[-8:] == ["Req/s", "SD", "Mean", "Verdict", "P95", "(95", "%", "CI)"]


def test_failure_shows_reason_and_message() -> None:
    end = next(each for each in full_status().conditions if each.type == "Succeeded")
    failed = end.model_copy(update={"status": "False"})
    text = printed(succeeded(phase="Failed", conditions=[failed]))
    assert f"{end.reason}: {end.message}" in text


def test_nothing_measured_means_no_table() -> None:
    assert "P95" not in printed(succeeded(results=[], comparisons=[]))
