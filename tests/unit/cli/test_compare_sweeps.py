"""`solrbench compare` on sweeps."""

import csv
import gzip
import io
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from solrbench.cli.comparison.command import compare
from solrbench.report.sweep.model import PointReport, SweepReport
from support.results.sweep_reports import full_report

SLOWER = "heap 1Gi, nodes 1/1"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(compare, arguments)


def slower(point: PointReport, factor: float) -> PointReport:
    result = point.result
    p95 = round((result.p95_milliseconds or 0) * factor, 3)
    changed = result.model_copy(update={"p95_milliseconds": p95})
    return point.model_copy(update={"result": changed})


@pytest.fixture(scope="module")
def before() -> SweepReport:
    return full_report()


@pytest.fixture
def files(before: SweepReport, tmp_path: Path) -> tuple[str, str]:
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


def test_points_in_common_have_words_and_the_others_are_named(files: tuple[str, str]) -> None:
    found = run(*files)
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert lines[0] == "branch beside main"
    assert lines[1].strip() == "4 points in common: 3 Same, 1 Worse"
    assert f"p95 of all requests at {SLOWER}: Worse on this target by 30 %" in lines[2]
    assert "only branch has 1 point: heap 8Gi, nodes 1/1" in found.output
    assert "only main has 1 point: heap 512Mi, nodes 1/1" in found.output
    row = next(line for line in lines if line.startswith(SLOWER) and "p95 *" in line)
    assert row.split()[-1] == "Worse"


def test_a_point_that_is_invalid_says_so(files: tuple[str, str]) -> None:
    body = orjson.loads(run(*files, "-o", "json").output)
    invalid = {each["point"] for each in body["figures"] if each["invalid"]}
    assert invalid == {"heap 2Gi, nodes 2/2"}
    assert run(*files, "--fail-on", "invalid").exit_code == 5


@pytest.mark.parametrize(("word", "code"), [("worse", 5), ("unclear", 0), ("no-word", 0)])
def test_exit_code_is_that_of_the_points(files: tuple[str, str], word: str, code: int) -> None:
    assert run(*files, "--fail-on", word).exit_code == code


def test_other_forms_name_points(files: tuple[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(*files, "-o", "csv").output)))
    worse = next(row for row in rows if row["point"] == SLOWER)
    assert (worse["figure"], worse["word"], worse["primary"]) == (
        "p95Milliseconds",
        "Worse",
        "True",
    )
    assert {row["word"] for row in rows if row["figure"] == "requestsPerSecond"} == {""}
    text = run(*files, "-o", "markdown").output
    assert "| Point | Request | Figure |" in text
    assert "decide about their point" in text


def test_another_figure_than_the_objective_has_no_word(files: tuple[str, str]) -> None:
    found = run(*files, "--primary", "RequestsPerSecond")
    assert "4 points in common: 4 without a word" in found.output
    refused = run(*files, "--primary", "P99")
    assert refused.exit_code == 1
    assert "points of sweeps have P95 or RequestsPerSecond only" in refused.output


def test_smallest_effect_counts(files: tuple[str, str]) -> None:
    found = run(*files, "--smallest-effect-percent", "50")
    assert "4 points in common: 4 Same" in found.output


def test_sweeps_without_a_common_point_say_so(before: SweepReport, tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_bytes(before.to_json())
    moved = [each.model_copy(update={"values": {"shards": each.name}}) for each in before.points]
    other.write_bytes(before.model_copy(update={"points": moved}).to_json())
    found = run(str(one), str(other), "--fail-on", "no-word")
    assert found.exit_code == 5
    assert "no point was measured in both" in found.output


def test_sweep_and_benchmark_are_not_compared(before: SweepReport, tmp_path: Path) -> None:
    sweep, benchmark = tmp_path / "sweep.json", tmp_path / "benchmark.json"
    sweep.write_bytes(before.to_json())
    benchmark.write_bytes(b'{"spec": {}, "steps": []}')
    for pair in ((sweep, benchmark), (benchmark, sweep)):
        found = run(*map(str, pair))
        assert found.exit_code == 1
        assert "sweep is a sweep and benchmark a benchmark" in found.output


def test_a_broken_report_of_a_sweep_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b'{"sweep": 1}')
    found = run(str(file), str(file))
    assert found.exit_code == 1
    assert "not a report of a sweep of version 1" in found.output
