"""Shell blocks of the pages that read results or logs, run with recorded ones."""

import gzip
import itertools
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli import compare, report
from solrbench.cli.main import main
from solrbench.kube.results import BenchmarkResultStore
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster
from support.repository import ROOT
from support.results.builders import make_document, make_result
from support.results.reports import make_report
from support.shell_blocks import Block, commands_of, reads_recorded_results, shell_blocks
from support.solr.log_lines import SOLR

RECORDED = [(page, block) for page, block in shell_blocks() if reads_recorded_results(block)]


def named(words: list[str]) -> list[str]:
    """Return the files and benchmarks that a command reads."""
    found = main.get_command(None, words[1])  # type: ignore[arg-type]
    assert found is not None
    params = {each.name for each in found.params if isinstance(each, click.Argument)}
    values = found.make_context(words[1], words[2:]).params
    given = [values[name] for name in params if name is not None]
    return [str(part) for each in given for part in (each if isinstance(each, tuple) else (each,))]


def measured(*names: str) -> FakeCluster:
    """Return a cluster with benchmarks of these names, each with three repeats of a step."""
    cluster = FakeCluster(*map(small, names))
    for name in names:
        benchmark = SolrBenchmark.parse(cluster.objects["SolrBenchmark", "default", name])
        for repeat, each in enumerate((100, 101, 99), start=1):
            document = make_document("two-users", repeat, make_result([each * 1000] * 300))
            stored = document.model_copy(update={"id": f"r{repeat}-s0-two-users"})
            BenchmarkResultStore(cluster).store(benchmark, stored, 1)
    return cluster


def record(words: list[str]) -> None:
    """Write the files that a command reads, unless one before has."""
    lines = (f"{SOLR}\n" * 10).encode()
    contents = {".json": make_report().to_json(), ".gz": gzip.compress(lines), ".log": lines}
    for option, word in itertools.pairwise(words):
        file = Path(word)
        if file.suffix in contents and option[:1] != "-" and not file.exists():
            file.write_bytes(contents[file.suffix])


@pytest.mark.parametrize(
    ("page", "block"), RECORDED, ids=lambda each: getattr(each, "line", None) or each.stem
)
def test_block_succeeds(
    page: Path, block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page.is_relative_to(ROOT)
    monkeypatch.chdir(tmp_path)
    for words in commands_of(block):
        record(words)
        cluster = measured(*(each for each in named(words) if not Path(each).exists()))
        for module in (compare, report):
            monkeypatch.setattr(module, "open_cluster", lambda *_, it=cluster: (it, "default"))
        done = CliRunner().invoke(main, words[1:])
        assert done.exit_code == 0, done.output


def test_there_are_such_blocks() -> None:
    assert len(RECORDED) >= 4
