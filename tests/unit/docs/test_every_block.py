"""Shell blocks of all pages: run by a test, or checked by words."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from solrbench.cli.main import main
from support.repository import ROOT
from support.shell_blocks import PAGES, Block, blocks_of, commands_of, shell_blocks
from support.shell_checks import UNCHECKED, check
from support.shell_files import make_folder
from support.shell_runs import Runner, as_solrbench, find_runner

LEAST_SHARE, LEAST_RUN = 0.9, 0.82
"""Of all shell blocks: run or checked as a whole; run by a test."""


def problems(page: Path, block: Block) -> list[str]:
    """Return what is wrong with the commands of a block, and those without a checker."""
    found = []
    for words in commands_of(block):
        problem = check(as_solrbench(words) or words)
        if problem is not None:
            found.append(f"{page.name}:{block.line} {' '.join(words[:4])}: {problem}")
    return found


@pytest.fixture(params=PAGES, ids=lambda page: str(page.relative_to(ROOT)), name="page")
def _page(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each page in turn, in the folder of its reader."""
    found: Path = request.param
    make_folder(found, tmp_path)
    monkeypatch.chdir(tmp_path)
    return found


def test_no_command_of_a_page_is_wrong(page: Path) -> None:
    for block in (block for each, block in shell_blocks() if each == page):
        wrong = [each for each in problems(page, block) if not each.endswith(UNCHECKED)]
        assert wrong == []


def test_share_of_blocks_that_are_run_or_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = shell_blocks()
    run = [block for page, block in every if find_runner(page, block)]
    read = []
    for number, page in enumerate({page for page, _ in every}):
        folder = tmp_path / str(number)
        folder.mkdir()
        make_folder(page, folder)
        monkeypatch.chdir(folder)
        left = [block for each, block in every if each == page and not find_runner(page, block)]
        read += [block for block in left if not problems(page, block)]
    assert len(every) >= 60
    assert (len(run) + len(read)) / len(every) >= LEAST_SHARE
    assert len(run) / len(every) >= LEAST_RUN, f"{len(run)} of {len(every)}"


@pytest.mark.parametrize("runner", Runner)
def test_each_module_that_runs_blocks_is_there(runner: Runner) -> None:
    assert (ROOT / runner).is_file()


def test_commands_that_need_no_cluster_succeed(page: Path) -> None:
    blocks = [block for block in blocks_of(page) if block.is_shell]
    for words in (as_solrbench(words) for block in blocks for words in commands_of(block)):
        if words[1:2] == ["validate"] or (words[1:2] == ["plan"] and "--offline" in words):
            done = CliRunner().invoke(main, words[1:])
            assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("solrbench report one -o pdf", "'pdf' is not one of"),
        ("solrbench report one --nothing", "No such option"),
        ("solrbench validate nothing.yaml", "does not exist"),
        ("solrbench raport", "no command raport"),
        ("make everything", "no everything in the Makefile"),
        ("kubectl get sbanch", "unknown kind sbanch"),
        ("kubectl apply -f examples/nothing.yaml", "no file examples/nothing.yaml"),
        ("helm install a charts/solr-benchmark-operator --set image.tog=1", "no value image.tog"),
        ("pip install .[raport]", "no extra raport"),
        ("python -m hack.nothing", "no hack/nothing.py"),
        ("curl https://example.com", UNCHECKED),
    ],
)
def test_mistake_is_found(words: str, wrong: str) -> None:
    assert wrong in str(check(words.split()))
