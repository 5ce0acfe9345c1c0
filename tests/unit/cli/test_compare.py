"""`solrbench compare` on reports and benchmarks."""

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.comparison import command, side_reader
from solrbench.cli.terminal import tables
from solrbench.cluster.reports import Reports
from solrbench.results.comparison.baseline import whole_comparison
from solrbench.results.comparison.comparison_settings import ComparisonSettings
from solrbench.results.comparison.side import report_side
from solrbench.results.comparison.side_comparison import compare_sides
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster
from unit.results.builders import make_document, make_result, make_spec


def report(*milliseconds: float, name: str = "query") -> bytes:
    """Return the report of a benchmark of one step with a repeat for each time."""
    as_json: dict[str, Any] = {"mode": "json", "by_alias": True, "exclude_none": True}
    steps = [
        make_document("a", repeat, make_result([int(each * 1000)] * 300, name))
        for repeat, each in enumerate(milliseconds, start=1)
    ]
    return orjson.dumps(
        {
            "spec": make_spec("a").model_dump(**as_json),
            "steps": [each.model_dump(**as_json) for each in steps],
        }
    )


BEFORE = report(100, 101, 99, 100, 100)
SLOWER = report(120, 121, 119, 120, 120)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Return a report in a folder and another one in a packed file."""
    folder, packed = tmp_path / "juniper", tmp_path / "oak.json.gz"
    folder.mkdir()
    (folder / "report.json").write_bytes(BEFORE)
    packed.write_bytes(gzip.compress(SLOWER))
    return str(folder), str(packed)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command.compare, arguments)


def test_reports_are_compared_with_sentence_and_table(files: tuple[str, str]) -> None:
    found = run(*files)
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert lines[0] == "oak beside juniper"
    assert "p95 of query at 2 users: Worse on this target by 20" in lines[1]
    row = next(line for line in lines if "p95 *" in line)
    assert row.split()[:9] == ["a", "query", "p95", "*", "100", "ms", "120", "ms", "+20"]
    assert row.split()[-1] == "Worse"


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [((), 0), (("worse",), 5), (("unclear",), 0), (("unclear", "worse"), 5), (("invalid",), 0)],
)
def test_exit_code_is_that_of_the_words_that_fail(
    files: tuple[str, str], fail_on: tuple[str, ...], code: int
) -> None:
    assert run(*files, *(f"--fail-on={each}" for each in fail_on)).exit_code == code


def test_one_repeat_and_other_steps_make_no_word(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_bytes(report(100))
    other.write_bytes(BEFORE.replace(b'"step":"a"', b'"step":"b"'))
    for before, after in ((one, one), (one, other)):
        assert run(str(before), str(after)).exit_code == 0
        assert run(str(before), str(after), "--fail-on=no-word").exit_code == 5


def test_json_and_csv_have_raw_numbers(files: tuple[str, str]) -> None:
    body = orjson.loads(run(*files, "-o", "json").output)
    assert (body["baseline"], body["after"]) == ("juniper", "oak")
    assert body["figures"][0]["word"] == "Worse"
    rows = list(csv.DictReader(io.StringIO(run(*files, "-o", "csv").output)))
    assert len(rows) == len(body["figures"])
    assert (rows[0]["figure"], rows[0]["word"]) == ("p95Milliseconds", "Worse")


def test_markdown_has_sentence_table_and_notes(files: tuple[str, str]) -> None:
    lines = run(*files, "-o", "markdown").output.splitlines()
    assert lines[0] == "# oak beside juniper"
    assert any(line.startswith("| a | query | p95 * |") for line in lines)


def test_smallest_effect_and_primary_figure_are_options(files: tuple[str, str]) -> None:
    found = run(*files, "--smallest-effect-percent=30", "--primary=average", "-o", "json")
    first = orjson.loads(found.output)["figures"][0]
    assert (first["figure"], first["word"]) == ("averageMilliseconds", "Same")


@pytest.mark.parametrize(
    ("content", "problem"), [(b"[]", "not a JSON object"), (b"{}", "not a report")]
)
def test_what_is_no_report_is_an_error(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    found = run(str(file), str(file))
    assert found.exit_code == 1
    assert problem in found.output


def test_folder_without_a_report_is_an_error(tmp_path: Path) -> None:
    found = run(str(tmp_path), str(tmp_path))
    assert found.exit_code == 1
    assert "there is no report.json" in found.output


def test_benchmarks_in_the_cluster_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeCluster(small("old"), small("new"))
    monkeypatch.setattr(side_reader, "open_cluster", lambda *_: (fake, "default"))
    cluster = fake
    for name, times in (("old", (100, 101, 99)), ("new", (100, 99, 101))):
        benchmark = SolrBenchmark.parse(fake.objects["SolrBenchmark", "default", name])
        for repeat, each in enumerate(times, start=1):
            document = make_document("two-users", repeat, make_result([each * 1000] * 300))
            stored = document.model_copy(update={"id": f"r{repeat}-s0-two-users"})
            Reports(cluster).store(benchmark, stored, 1)
    found = run("old", "new")
    assert found.exit_code == 0, found.output
    assert "Same on this target as old" in found.output
    missing = run("old", "neither")
    assert missing.exit_code == 1
    assert "neither a file or folder nor a SolrBenchmark" in missing.output


@pytest.mark.parametrize("width", [60, 80, 120])
def test_numbers_are_never_cut(width: int) -> None:
    names = "a-request-with-quite-a-long-name"
    before = report_side("before", report(10012.3, 10112.1, 9912.7, name=names))
    after = report_side("after", report(12345.6, 12445.6, 12245.6, name=names))
    found = whole_comparison(compare_sides(before, after, ComparisonSettings()))
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None)
    tables.print_baseline_table(console, found)
    text = out.getvalue()
    assert all(len(line) <= width for line in text.splitlines() if line.strip())
    for number in ("10 s", "12.3 s", "+23.3 %"):
        assert number in text


def test_a_table_without_words_says_why(tmp_path: Path) -> None:
    one = tmp_path / "one.json"
    one.write_bytes(report(100))
    assert "Without a word: a side has one repeat only" in run(str(one), str(one)).output
