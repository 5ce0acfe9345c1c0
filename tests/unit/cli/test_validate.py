from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from solrbench.cli.main import main
from support.cluster.benchmarks import config_map, small
from support.resources.small_sweep import small_sweep


def validate(file: Path, text: str) -> tuple[int, str]:
    file.write_text(text, "utf-8")
    result = CliRunner().invoke(main, ["validate", "-f", str(file)])
    return result.exit_code, result.output


def test_good_file_with_other_objects(tmp_path: Path) -> None:
    text = yaml.safe_dump_all([config_map("queries"), small("one"), small("two")])
    assert validate(tmp_path / "b.yaml", text) == (0, "one: valid\ntwo: valid\n")


def test_bad_field_is_named_with_its_path(tmp_path: Path) -> None:
    code, output = validate(
        tmp_path / "b.yaml", yaml.safe_dump(small("bad", target__solrCloud__heap="2GB"))
    )
    assert code == 1
    assert "SolrBenchmark bad is not valid" in output
    assert "spec.target.solrCloud.heap" in output
    assert "512Mi" in output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not readable as YAML"),
        ("- 1", "apiVersion, kind and metadata"),
        ("kind: SolrBenchmark", "apiVersion, kind and metadata"),
        ("", "no SolrBenchmark"),
        (yaml.safe_dump(config_map("queries")), "no SolrBenchmark"),
    ],
)
def test_file_without_a_benchmark_is_refused(tmp_path: Path, text: str, words: str) -> None:
    code, output = validate(tmp_path / "b.yaml", text)
    assert code == 1
    assert words in output


def test_validate_reads_standard_input() -> None:
    text = yaml.safe_dump(small("one"))
    result = CliRunner().invoke(main, ["validate", "-f", "-"], input=text)
    assert result.output == "one: valid\n"


def test_a_sweep_shows_its_points(tmp_path: Path) -> None:
    code, output = validate(tmp_path / "s.yaml", yaml.safe_dump(small_sweep()))
    assert code == 0
    first, *points = output.splitlines()
    assert first.startswith("trial: valid, 4 points, 0.667 min of steps; the largest requests ")
    assert points[0].startswith("  trial-baseline-")
    assert points[0].endswith(": heap 512Mi, nodes 1/1 (baseline)")
    assert len(points) == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"spec.axes.0.values": ["512Mi", "lots"]}, "point heap lots, nodes 1/1"),
        ({"spec.order": "Sorted"}, "spec.order: "),
    ],
)
def test_a_bad_sweep_is_refused_by_point_and_field(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    code, output = validate(tmp_path / "s.yaml", yaml.safe_dump(small_sweep(changes)))
    assert code == 1
    assert "SolrBenchmarkSweep trial is not valid" in output
    assert words in output
