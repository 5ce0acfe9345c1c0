"""Shell blocks of the pages that read results or logs, run with recorded ones."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from solrbench.cli import compare, report
from solrbench.cli.main import main
from support.cluster.benchmarks import small
from support.cluster.finished_objects import finish_objects
from support.fakes.fake_cluster import FakeCluster
from support.shell_blocks import Block, commands_of
from support.shell_files import make_folder
from support.shell_runs import Runner, blocks_run_by

RECORDED = blocks_run_by(Runner.RECORDED)


def named(words: list[str]) -> list[str]:
    """Return the files and benchmarks that a command reads."""
    found = main.get_command(None, words[1])  # type: ignore[arg-type]
    assert found is not None
    params = {each.name for each in found.params if isinstance(each, click.Argument)}
    values = found.make_context(words[1], words[2:]).params
    given = [values[name] for name in params if name is not None]
    return [str(part) for each in given for part in (each if isinstance(each, tuple) else (each,))]


@pytest.mark.parametrize(
    ("page", "block"), RECORDED, ids=lambda each: getattr(each, "line", None) or each.stem
)
def test_block_succeeds(
    page: Path, block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_folder(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    for words in commands_of(block):
        names = [each for each in named(words) if not Path(each).exists()]
        cluster = FakeCluster(*map(small, names))
        finish_objects(cluster)
        for module in (compare, report):
            monkeypatch.setattr(module, "open_cluster", lambda *_, it=cluster: (it, "default"))
        done = CliRunner().invoke(main, words[1:])
        assert done.exit_code == 0, done.output


def test_there_are_such_blocks() -> None:
    assert len(RECORDED) >= 4
