import csv
import io
from datetime import UTC, datetime

from solrbench.api.v1alpha1 import Metadata, SolrBenchmark, Status
from solrbench.api.v1alpha1.status.conditions import Condition
from solrbench.api.v1alpha1.status.steps.step_result import StepResult
from solrbench.api.v1alpha1.status.summaries import Comparison, Overhead
from solrbench.api.v1alpha1.status.verdicts import InvalidReason, StepVerdict
from solrbench.report.results_csv import to_csv
from solrbench.results.text import results_markdown
from unit.results.builders import make_spec

NOW = datetime(2026, 1, 2, tzinfo=UTC)
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
COLUMNS = {
    column
    for name in StepResult.model_fields.keys() - {"variant", "percentiles"}
    for column in (
        [name.replace("interval", "lower"), name.replace("interval", "upper")]
        if name.endswith("_interval")
        else [name]
    )
} | {"verdict", "reasons"}


def _benchmark(*results: StepResult, phase: str = "Succeeded") -> SolrBenchmark:
    condition = Condition(
        type="Succeeded",
        status="True",
        reason="AllStepsStored",
        message="3 of 3 steps are stored",
        last_transition_time=NOW,
    )
    return SolrBenchmark(
        metadata=Metadata(name="b", namespace="team"),
        spec=make_spec("five", "one"),
        status=Status(phase=phase, results=list(results), conditions=[condition]),
    )


def test_cells_carry_units() -> None:
    (row,) = results_markdown.rows([FULL])
    cells = dict(zip(results_markdown.HEADERS, row, strict=True))
    assert cells["Requests/s"] == "123"
    assert cells["P95"] == "9.87 ms"
    assert cells["Max"] == "2.35 s"
    assert cells["Failures"] == "0.1 %"
    assert cells["± P95"] == "5 %"


def test_what_was_not_measured_is_empty_not_zero() -> None:
    (row,) = results_markdown.rows([BARE])
    cells = dict(zip(results_markdown.HEADERS, row, strict=True))
    assert cells["P95"] == cells["Average"] == cells["Failures"] == cells["± P95"] == ""
    assert cells["Requests"] == "0"


def test_csv_holds_every_field_raw() -> None:
    read = list(csv.DictReader(io.StringIO(to_csv([FULL, BARE]))))
    assert [line["step"] for line in read] == ["five", "one"]
    assert read[0]["requests_per_second"] == "123.456"
    assert read[1]["p95_milliseconds"] == ""
    assert set(read[0]) == COLUMNS


VERDICTS = [
    StepVerdict(
        step="five",
        verdict="Invalid",
        reasons=[
            InvalidReason(
                reason="WorkerSaturated", message="worker w used 99 % of a core (limit 90 %)"
            ),
            InvalidReason(reason="TooFewSamples", message="9 requests (limit 200)"),
        ],
    ),
    StepVerdict(
        step="one",
        verdict="Valid",
        unchecked=[InvalidReason(reason="PodThrottled", message="no cpu.stat of w")],
    ),
]


def test_verdicts_stand_in_every_form() -> None:
    invalid, valid = results_markdown.rows([FULL, BARE], VERDICTS)
    assert (results_markdown.HEADERS[-1], invalid[-1], valid[-1]) == ("Verdict", "Invalid", "Valid")
    first, second = csv.DictReader(io.StringIO(to_csv([FULL, BARE], VERDICTS)))
    assert (first["verdict"], first["reasons"]) == ("Invalid", "WorkerSaturated TooFewSamples")
    assert (second["verdict"], second["reasons"]) == ("Valid", "")
    bench = _benchmark(FULL, BARE)
    status = bench.status.model_copy(update={"verdicts": VERDICTS})
    text = results_markdown.to_markdown(bench.model_copy(update={"status": status}))
    assert "five is Invalid: WorkerSaturated: worker w used 99 % of a core (limit 90 %)" in text
    assert "five is Invalid: TooFewSamples: 9 requests (limit 200)" in text
    assert "not checked: PodThrottled of one: no cpu.stat of w" in text


def test_results_without_a_verdict_have_none() -> None:
    (row,) = results_markdown.rows([FULL])
    assert row[-1] == ""
    assert "## Verdict" not in results_markdown.to_markdown(_benchmark(FULL))


def test_variants_get_a_column_where_there_are_some() -> None:
    proxied = FULL.model_copy(update={"variant": "proxy"})
    read = list(csv.DictReader(io.StringIO(to_csv([proxied]))))
    assert (read[0]["variant"], set(read[0])) == ("proxy", COLUMNS | {"variant"})
    table = results_markdown.to_markdown_table(results_markdown.rows([proxied]))
    assert "| Step | Variant | Request |" in table
    assert "| five | proxy | query | 3 |" in table
    assert len({line.count(" |") for line in table.splitlines()}) == 1


def test_comparisons_stand_below_the_table() -> None:
    comparison = Comparison(
        step="five",
        variant="proxy",
        baseline="raw",
        request="query",
        repeats=3,
        failures=0,
        average=Overhead(percent=12.34, low_percent=9.8, high_percent=14.8),
    )
    bench = _benchmark(FULL)
    status = bench.status.model_copy(update={"comparisons": [comparison]})
    text = results_markdown.to_markdown(bench.model_copy(update={"status": status}))
    row = (
        "| five | query | Average | proxy | +12.3 % | +9.8 % … +14.8 % | no word from one repeat |"
    )
    assert row in text.splitlines()
    assert "## Comparison" not in results_markdown.to_markdown(bench)


def test_markdown_has_verdict_topology_and_results() -> None:
    text = results_markdown.to_markdown(_benchmark(FULL, BARE))
    assert text.startswith("# team/b\n")
    assert "- **Outcome**: AllStepsStored: 3 of 3 steps are stored" in text
    assert "- **Nodes**: 2, heap 1Gi each" in text
    assert "| five | query | 3 | 3000 |" in text
    assert "a\\|b" in text


def test_markdown_rows_have_the_columns_of_the_header() -> None:
    lines = results_markdown.to_markdown_table(results_markdown.rows([FULL])).splitlines()
    assert len({line.count(" |") for line in lines}) == 1


def test_markdown_without_results_has_no_table() -> None:
    assert "## Results" not in results_markdown.to_markdown(_benchmark(phase="Failed"))


def test_text_of_others_is_no_markup() -> None:
    given = {"type": "Succeeded", "status": "False", "reason": "SolrError"}
    text = "bad\n\n# Heading\n| a | <script>alert(1)</script>"
    condition = Condition(**given, message=text, last_transition_time=NOW)
    status = Status(conditions=[condition])
    benchmark = SolrBenchmark(metadata=Metadata(name="one"), spec=make_spec("five"), status=status)
    lines = results_markdown.to_markdown(benchmark).splitlines()
    assert (
        "- **Outcome**: SolrError: bad  # Heading \\| a \\| &lt;script>alert(1)&lt;/script>"
        in lines
    )
