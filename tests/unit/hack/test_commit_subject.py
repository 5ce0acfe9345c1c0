"""Subjects of commits, as the hook and `make lint` check them."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "hack/commit-subject"
GOOD = "Add a limit"
BAD = "Let idle companions be"


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs git, or a program, in a repository and returns its output."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }

    def run(*arguments: str, program: str = "git", exit_code: int = 0, **settings: str) -> str:
        done = subprocess.run(
            [program, *arguments],
            cwd=tmp_path,
            env={"GIT_AUTHOR_NAME": "a"} | environment | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == exit_code, done.stdout
        return done.stdout

    run("init", "-q", "-b", "main")
    commit(run, "begin")
    return run


def commit(repository: Callable[..., str], subject: str, author: str = "a") -> None:
    repository("commit", "-q", "--allow-empty", "-m", subject, GIT_AUTHOR_NAME=author)


def check_message(text: str, folder: Path) -> tuple[int, str]:
    file = folder / "message"
    file.write_text(text, "utf-8")
    command = [str(SCRIPT), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "Fix " + 56 * "x",
        "Fix " + 56 * "ü",
        f"# a comment\n\n{GOOD}\n\nIt says why, with a full stop.\n",
        f"fixup! {BAD}",
    ],
    ids=["verb", "60", "60 letters of two bytes", "body", "fixup"],
)
def test_good_message_passes_in_silence(text: str, tmp_path: Path) -> None:
    assert check_message(text, tmp_path) == (0, "")


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        (BAD, ['begins with "Let". Begin with one of: Add, Fix']),
        ("add a limit", ['begins with "add"']),
        ("Adds a limit", ['begins with "Adds"']),
        ("feat: Add a limit", ['begins with "feat:"']),
        ("Fix " + 57 * "x", ["has 61 characters (limit 60)"]),
        ("Fix " + 30 * "x" + "\n" + 30 * "x", ["has 65 characters (limit 60)"]),
        ("Fix it.", ["ends in a full stop. Remove it"]),
        ("# only a comment\n", ["has no text"]),
        ("Merge " + 60 * "x", ["has 66 characters"]),
        ("It " + 60 * "x" + ".", ["begins with", "has 64 characters", "full stop"]),
    ],
)
def test_bad_message_is_refused_with_each_fault(
    text: str, errors: list[str], tmp_path: Path
) -> None:
    code, found = check_message(text, tmp_path)
    assert code == 1
    assert [line for line in found.splitlines() if line.startswith("  It ")] != []
    for error in errors:
        assert error in found
    assert "git commit --edit --file=" in found


def test_branch_without_base_passes(repository: Callable[..., str]) -> None:
    found = repository("--branch", program=str(SCRIPT))
    assert "not checked, as origin/main does not exist here" in found


def test_branch_without_commit_beyond_its_base_passes(repository: Callable[..., str]) -> None:
    found = repository("--branch", program=str(SCRIPT), BASE="HEAD")
    assert found == "commit subjects: none to check beyond HEAD\n"


def test_branch_that_shares_no_commit_with_its_base_passes(repository: Callable[..., str]) -> None:
    repository("checkout", "-q", "--orphan", "shallow")
    commit(repository, BAD)
    found = repository("--branch", program=str(SCRIPT), BASE="main")
    assert "share no commit here" in found


def test_commits_beyond_the_base_are_checked(repository: Callable[..., str]) -> None:
    commit(repository, "Older than the base, so not checked")
    repository("update-ref", "refs/remotes/origin/main", "HEAD")
    commit(repository, GOOD)
    commit(repository, "Bump a library from 1 to 2", author="dependabot[bot]")
    repository("checkout", "-q", "-b", "side", "HEAD~1")
    commit(repository, "Document a limit")
    repository("merge", "-q", "--no-ff", "-m", "Take the other side", "main")
    checked = repository("--branch", program=str(SCRIPT))
    assert checked == "commit subjects: 2 checked, all that origin/main lacks\n"

    commit(repository, BAD)
    found = repository("--branch", program=str(SCRIPT), exit_code=1)
    bad = repository("rev-parse", "--short", "HEAD").strip()
    assert found.count("error: ") == 1
    assert f'error: subject of commit {bad}: "{BAD}"\n  It begins with "Let"' in found
    assert "git rebase --interactive origin/main" in found
    # Rewording makes a new commit, which the check of the old one must not prevent.
    repository("--branch", program=str(SCRIPT), PRE_COMMIT="1")


def test_message_of_a_merge_in_progress_passes(
    repository: Callable[..., str], tmp_path: Path
) -> None:
    repository("checkout", "-q", "-b", "side")
    commit(repository, GOOD)
    repository("checkout", "-q", "main")
    commit(repository, "Fix a limit")
    repository("merge", "-q", "--no-ff", "--no-commit", "side")
    assert check_message(f"Merge branch '{60 * 'x'}'", tmp_path) == (0, "")
