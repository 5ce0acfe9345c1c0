"""`solrbench compare` on reports, benchmarks and sweeps."""

import csv
import gzip
import io
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from solrbench.analysis.baseline import compare_candidate, report_input
from solrbench.analysis.step_comparison import ComparisonSettings
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.sweep_objective import Metric, SweepObjective
from solrbench.cli import compare, result_tables
from solrbench.kube.results import BenchmarkResultStore
from solrbench.present.sweeps.comparison import compare_sweeps
from solrbench.present.sweeps.report import PointReport, SweepReport
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster
from support.results.builders import make_document, make_result, make_spec, report_body
from support.results.sweep_reports import full_report
from unit.cli.conftest import assert_one_line, call, seen, terminal


def report(*milliseconds: float, name: str = "query") -> bytes:
    """Return the report of a benchmark of one step with a repeat for each time."""
    steps = [
        make_document("a", repeat, make_result([int(each * 1000)] * 300, name))
        for repeat, each in enumerate(milliseconds, start=1)
    ]
    return orjson.dumps(report_body(make_spec("a"), steps))


BEFORE = report(100, 101, 99, 100, 100)
SLOWER = report(120, 121, 119, 120, 120)


def saved(folder: Path, **reports: bytes) -> list[str]:
    """Write reports into files of these names and return their paths."""
    for name, content in reports.items():
        (folder / f"{name}.json").write_bytes(content)
    return [str(folder / f"{name}.json") for name in reports]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Return a report in a folder and another one in a packed file."""
    folder, packed = tmp_path / "juniper", tmp_path / "oak.json.gz"
    folder.mkdir()
    (folder / "report.json").write_bytes(BEFORE)
    packed.write_bytes(gzip.compress(SLOWER))
    return str(folder), str(packed)


run = partial(call, "compare")


def test_reports_are_compared_with_sentence_and_table(files: tuple[str, str]) -> None:
    found = run(*files, code=0)
    lines = found.output.splitlines()
    assert lines[0] == "oak compared with juniper"
    assert "At 2 users, the p95 of query is 20 % higher than in juniper" in lines[1]
    assert lines[1].endswith(": worse, measured on one target only.")
    row = next(line for line in lines if "p95 *" in line)
    assert row.split()[:9] == ["a", "query", "p95", "*", "100", "ms", "120", "ms", "+20"]
    assert row.rstrip().endswith("worse (one target)")


def test_a_planned_rate_is_no_figure_to_decide_by(tmp_path: Path) -> None:
    planned = BEFORE.replace(b'"users":2,', b'"requestsPerSecond":30,')
    found = run(*saved(tmp_path, juniper=planned) * 2, "--primary=RequestsPerSecond", code=0).output
    assert "At 30 requests/s, throughput of query is the same as in juniper" in found
    assert "compare times instead" in " ".join(found.split())


def test_steps_that_index_are_named(tmp_path: Path) -> None:
    users, indexing = b'"users":2,', b'"users":2,"batchSize":50,'
    before, after = (each.replace(users, indexing) for each in (BEFORE, SLOWER))
    found = run(*saved(tmp_path, juniper=before, oak=after), code=0).output
    assert "  At a, the p95 of query is 20 % higher" in found


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [
        ((), 0),
        (("worse",), 5),
        (("inconclusive",), 0),
        (("inconclusive", "worse"), 5),
        (("invalid",), 0),
    ],
)
def test_exit_code_is_that_of_the_words_that_fail(
    files: tuple[str, str], fail_on: tuple[str, ...], code: int
) -> None:
    assert run(*files, *(f"--fail-on={each}" for each in fail_on)).exit_code == code


def test_one_repeat_and_other_steps_make_no_word(tmp_path: Path) -> None:
    renamed = BEFORE.replace(b'"step":"a"', b'"step":"b"')
    one, other = saved(tmp_path, one=report(100), other=renamed)
    assert "Not compared: one side has fewer than 3 repeats" in run(one, one).output
    for after in (one, other):
        run(one, after, code=0)
        run(one, after, "--fail-on=no-conclusion", code=5)


def test_json_and_csv_have_raw_numbers(files: tuple[str, str]) -> None:
    body = orjson.loads(run(*files, "-o", "json").output)
    assert (body["baseline"], body["after"]) == ("juniper", "oak")
    assert body["figures"][0]["conclusion"] == "Worse"
    rows = list(csv.DictReader(io.StringIO(run(*files, "-o", "csv").output)))
    assert len(rows) == len(body["figures"])
    assert (rows[0]["figure"], rows[0]["conclusion"]) == ("p95Milliseconds", "Worse")


def test_markdown_has_sentence_table_and_notes(files: tuple[str, str]) -> None:
    lines = run(*files, "-o", "markdown").output.splitlines()
    assert lines[0] == "# oak compared with juniper"
    assert any(line.startswith("| a | query | p95 * |") for line in lines)


def test_names_of_requests_are_texts_in_markdown(tmp_path: Path) -> None:
    before, after = (report(*each, name="<b>*") for each in ((100, 101, 99), (120, 121, 119)))
    output = run(*saved(tmp_path, juniper_=before, oak=after), "-o", "markdown").output
    assert output.startswith("# oak compared with juniper\\_\n\n- At 2 users, the p95 of &lt;b>\\*")
    assert "<b>" not in output


def test_smallest_effect_and_primary_figure_are_options(files: tuple[str, str]) -> None:
    found = run(*files, "--smallest-effect-percent=30", "--primary=average", "-o", "json")
    first = orjson.loads(found.output)["figures"][0]
    assert (first["figure"], first["conclusion"]) == ("averageMilliseconds", "Same")
    for value, problem in (("nan", "nan is not a number"), ("inf", "not in the range")):
        found = run(*files, f"--smallest-effect-percent={value}")
        assert (found.exit_code, problem in found.output) == (2, True), found.output


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"[]", "not a JSON object", id="list"),
        pytest.param(b"{}", "json: it is not a report of", id="file"),
        pytest.param(b"{}", "NAME -o json`: it has no spec and no steps", id="{}"),
        pytest.param(b'{"spec": {}, "steps": 1}', "its fields are of another type", id="other"),
        pytest.param(b'{"sweep": 1}', "not a report of a sweep of version 1", id="broken sweep"),
    ],
)
def test_what_is_no_report_is_an_error(tmp_path: Path, content: bytes, problem: str) -> None:
    (file,) = saved(tmp_path, x=content)
    assert_one_line(run(file, file), 1, problem)


@pytest.mark.parametrize(
    "part",
    [
        {"load": 5},
        {"load": {"percentiles": ["most"]}},
        {"load": {"repeats": {"until": 1, "min": "a"}}, "comparison": {"baseline": {}}},
        {"comparison": [1]},
        {"comparison": {"primary": "P96"}},
        {"comparison": {"smallestEffectPercent": "much"}},
    ],
)
def test_a_spec_of_another_version_that_asks_for_something_else_is_an_error(
    tmp_path: Path, part: dict[str, Any]
) -> None:
    body = orjson.loads(BEFORE)
    (file,) = saved(tmp_path, x=orjson.dumps(body | {"spec": body["spec"] | part}))
    assert_one_line(run(file, file), 1, "another version wrote its spec")


def test_folder_without_a_report_and_missing_file_are_errors(tmp_path: Path) -> None:
    assert_one_line(run(str(tmp_path), str(tmp_path)), 1, "there is no report.json")
    gone = str(tmp_path / "gone.json")
    assert_one_line(run(gone, gone), 1, gone, "No such file")


def test_benchmarks_in_the_cluster_are_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # A folder of a name is no report of it.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    cluster = FakeCluster(small("old"), small("new"))
    monkeypatch.setattr(compare, "open_cluster", lambda *_: (cluster, "default"))
    for name, times in (("old", (100, 101, 99)), ("new", (100, 99, 101))):
        benchmark = SolrBenchmark.parse(cluster.objects["SolrBenchmark", "default", name])
        for repeat, each in enumerate(times, start=1):
            document = make_document("two-users", repeat, make_result([each * 1000] * 300))
            BenchmarkResultStore(cluster).store(benchmark, document, 1)
    found = run("old", "new", code=0)
    assert "no relevant difference, measured on one target only." in found.output
    assert_one_line(run("old", "neither"), 1, "neither a report or its folder nor a SolrBenchmark")


SLOWER_SWEEP = "heap 1Gi, nodes 1/1"


def slower(point: PointReport, factor: float) -> PointReport:
    result = point.result
    p95 = round((result.p95_milliseconds or 0) * factor, 3)
    values = [each * factor for each in result.repeat_values or []] or None
    changed = result.model_copy(update={"p95_milliseconds": p95, "repeat_values": values})
    return point.model_copy(update={"result": changed})


@pytest.fixture(scope="module")
def before() -> SweepReport:
    return full_report()


@pytest.fixture
def sweep_files(before: SweepReport, tmp_path: Path) -> tuple[str, str]:
    """Return a sweep and another one, packed, with one slower point and one that is new."""
    points = [
        slower(each, 1.3) if each.values == {"heap": "1Gi", "nodes": "1/1"} else each
        for each in before.points
    ]
    renamed = points[0].model_copy(update={"values": {"heap": "8Gi", "nodes": "1/1"}})
    after = before.model_copy(update={"points": [renamed, *points[1:]]})
    one, other = tmp_path / "main.json", tmp_path / "branch.json.gz"
    one.write_bytes(before.to_json())
    other.write_bytes(gzip.compress(after.to_json()))
    return str(one), str(other)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_numbers_are_never_cut(width: int) -> None:
    names = "a-request-with-quite-a-long-name"
    before = report_input("before", report(10012.3, 10112.1, 9912.7, name=names))
    after = report_input("after", report(12345.6, 12445.6, 12245.6, name=names))
    found = compare_candidate(before, after, ComparisonSettings())
    console = terminal(width)
    result_tables.print_baseline_table(console, found)
    text = "\n".join(seen(console))
    for number in ("10 s", "12.3 s", "+23.3 %"):
        assert number in text


def test_points_in_common_have_words_and_the_others_are_named(sweep_files: tuple[str, str]) -> None:
    found = run(*sweep_files, code=0)
    lines = found.output.splitlines()
    assert lines[0] == "branch compared with main"
    assert lines[1].strip() == "4 points in common: 3 no relevant difference, 1 worse."
    assert f"At {SLOWER_SWEEP}, the p95 of all requests is 30 % higher than in main" in lines[2]
    assert "only branch has 1 point: heap 8Gi, nodes 1/1" in found.output
    assert "only main has 1 point: heap 512Mi, nodes 1/1" in found.output
    row = next(line for line in lines if line.startswith(SLOWER_SWEEP) and "p95 *" in line)
    assert row.rstrip().endswith("worse (one target)")


@pytest.mark.parametrize(("repeats", "is_unknown"), [(1, False), (3, True), (5, False)])
def test_few_repeats_of_points_do_not_show_whether_the_machine_changed(
    repeats: int, *, is_unknown: bool
) -> None:
    report = full_report(repeats)
    assert compare_sweeps(report, report).drift_unknown is is_unknown


def test_a_point_that_is_invalid_says_so(sweep_files: tuple[str, str]) -> None:
    body = orjson.loads(run(*sweep_files, "-o", "json").output)
    invalid = {each["point"] for each in body["figures"] if each["invalid"]}
    assert invalid == {"heap 2Gi, nodes 2/2"}
    assert run(*sweep_files, "--fail-on", "invalid").exit_code == 5


@pytest.mark.parametrize(
    ("conclusion", "code"), [("worse", 5), ("inconclusive", 0), ("no-conclusion", 0)]
)
def test_exit_code_is_that_of_the_points(
    sweep_files: tuple[str, str], conclusion: str, code: int
) -> None:
    found = run(*sweep_files, "--fail-on", conclusion, code=code)
    # A conclusion that fails a build says what it is about.
    assert ("--fail-on counts conclusions on one target, too" in found.output) is (code == 5)


def test_other_forms_name_points(sweep_files: tuple[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(*sweep_files, "-o", "csv").output)))
    worse = next(row for row in rows if row["point"] == SLOWER_SWEEP)
    found = worse["figure"], worse["conclusion"], worse["primary"]
    assert found == ("p95Milliseconds", "Worse", "True")
    assert {row["conclusion"] for row in rows if row["figure"] == "requestsPerSecond"} == {""}
    text = run(*sweep_files, "-o", "markdown").output
    assert "| Point | Request | Figure |" in text
    assert "* decides about its point" in text


def test_another_figure_than_the_objective_has_no_word(sweep_files: tuple[str, str]) -> None:
    found = run(*sweep_files, "--primary", "RequestsPerSecond")
    assert "4 points in common: 4 not compared" in found.output
    refused = run(*sweep_files, "--primary", "P99")
    assert_one_line(refused, 1, "points of sweeps have P95 or RequestsPerSecond only")


def test_smallest_effect_counts(sweep_files: tuple[str, str]) -> None:
    found = run(*sweep_files, "--smallest-effect-percent", "50")
    assert "4 points in common: 4 no relevant difference." in found.output


def test_sweeps_without_a_common_point_say_so(before: SweepReport, tmp_path: Path) -> None:
    moved = [each.model_copy(update={"values": {"shards": each.name}}) for each in before.points]
    after = before.model_copy(update={"points": moved})
    pair = saved(tmp_path, one=before.to_json(), other=after.to_json())
    found = run(*pair, "--fail-on", "no-conclusion", code=5)
    assert "No point was measured in both" in found.output
    # What both have as the figure of their objective are two figures.
    points = [
        each.model_copy(update={"result": each.result.model_copy(update={"value": 5.0})})
        for each in before.points
    ]
    for file, metric in zip(pair, (Metric.P99_MILLISECONDS, Metric.READS_PER_REQUEST), strict=True):
        spec = before.spec.model_copy(update={"objective": SweepObjective(metric=metric)})
        changed = before.model_copy(update={"points": points, "spec": spec})
        Path(file).write_bytes(changed.to_json())
    assert "and the objective, must be the same" in run(*pair).output


def test_answers_of_sweeps_are_not_compared(sweep_files: tuple[str, str]) -> None:
    found = run(*sweep_files, "--fail-on", "answers", code=5)
    assert "those of two sweeps are not compared; compare the benchmarks" in found.output


def test_sweep_and_benchmark_are_not_compared(before: SweepReport, tmp_path: Path) -> None:
    pair = saved(tmp_path, sweep=before.to_json(), benchmark=b'{"spec": {}, "steps": []}')
    for each in (pair, pair[::-1]):
        assert_one_line(run(*each), 1, "sweep is a sweep and benchmark a benchmark")
