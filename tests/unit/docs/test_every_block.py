"""Shell blocks of all pages: run by the suite of the tutorials, run here, or checked by words."""

import itertools
from pathlib import Path

import pytest
from click.testing import CliRunner

from solrbench.cli.main import main
from support.repository import ROOT
from support.shell_blocks import (
    PAGES,
    TUTORIALS,
    Block,
    arguments_of,
    blocks_of,
    commands_of,
    reads_recorded_results,
    save_files,
    shell_blocks,
)
from support.shell_checks import UNCHECKED, check

OFFLINE = {"validate", "plan"}
"""Verbs that are run here, where no option asks a cluster."""
LEAST_SHARE, LEAST_RUN = 0.9, 0.46
"""Of all shell blocks: run or checked as a whole; run by a test."""


def is_run(page: Path, block: Block) -> bool:
    """Return whether the suite of the tutorials runs the block, in a cluster."""
    return page in TUTORIALS and not block.not_run


def ours(words: list[str]) -> list[str]:
    """Return a command of solrbench as `solrbench VERB ...`, whatever it is called by."""
    words = words[words[:1] == ["kubectl"] :]
    name = words[0].rpartition("/")[2] if words else ""
    return ["solrbench", *words[1:]] if name == "solrbench" else []


def prepare(page: Path, folder: Path) -> None:
    """Make the folder of a clone, with the files that readers have by then."""
    save_files(page, folder)
    for name in ("charts", "hack"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    for block in blocks_of(page):
        if not block.is_shell:
            continue
        for words in commands_of(block):
            called = ours(words)
            writes = {b for a, b in itertools.pairwise(words) if a in {"--write", "-w"}}
            for word in arguments_of(called)[1:] if called else ():
                # A file that another command, or the reader, has written.
                is_file = Path(word).suffix in {".json", ".gz", ".log", ".yaml"} or word[-1:] == "/"
                if is_file and word not in writes and not (folder / word).exists():
                    if word.endswith("/"):
                        (folder / word).mkdir()
                    else:
                        (folder / word).touch()


def problems(page: Path, block: Block) -> list[str]:
    """Return what is wrong with the commands of a block, and those without a checker."""
    found = []
    for words in commands_of(block):
        problem = check(ours(words) or words)
        if problem is not None:
            found.append(f"{page.name}:{block.line} {' '.join(words[:4])}: {problem}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_command_of_a_page_is_wrong(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    for block in (block for each, block in shell_blocks() if each == page):
        wrong = [each for each in problems(page, block) if not each.endswith(UNCHECKED)]
        assert wrong == []


def test_share_of_blocks_that_are_run_or_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    every = shell_blocks()
    whole = []
    for number, (page, block) in enumerate(every):
        folder = tmp_path / str(number)
        folder.mkdir()
        prepare(page, folder)
        monkeypatch.chdir(folder)
        if is_run(page, block) or not problems(page, block):
            whole.append((page, block))
    run = [
        block
        for page, block in every
        if is_run(page, block) or runs_offline(block) or reads_recorded_results(block)
    ]
    assert len(every) >= 60
    assert len(whole) / len(every) >= LEAST_SHARE, f"{len(whole)} of {len(every)}"
    assert len(run) / len(every) >= LEAST_RUN, f"{len(run)} of {len(every)}"


def offline(block: Block) -> list[list[str]]:
    """Return the commands of a block that need neither a cluster nor a file of the reader."""
    found = [ours(words)[1:] for words in commands_of(block) if ours(words)]
    return [
        words
        for words in found
        if words[:1] and words[0] in OFFLINE and (words[0] == "validate" or "--offline" in words)
    ]


def runs_offline(block: Block) -> bool:
    return len(offline(block)) == len(commands_of(block))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_that_need_no_cluster_succeed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    for words in (
        words for each, block in shell_blocks() if each == page for words in offline(block)
    ):
        if not any(
            (tmp_path / word).is_file() and not (tmp_path / word).stat().st_size for word in words
        ):
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("solrbench report one -o pdf", "'pdf' is not one of"),
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
