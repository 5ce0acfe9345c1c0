"""Workflows as actionlint reads them, with ShellCheck for their scripts."""

import subprocess
import sys
from pathlib import Path

import pytest

from chart.programs import find_program
from support.repository import ROOT, WORKFLOWS

SHELLCHECK = Path(sys.executable).parent / "shellcheck"


def actionlint(path: Path) -> str:
    """Return what actionlint finds in a workflow."""
    command = [find_program("actionlint"), "-no-color", "-shellcheck", str(SHELLCHECK), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actionlint_finds_nothing(path: Path) -> None:
    assert actionlint(path) == ""


@pytest.mark.parametrize(
    ("text", "fault", "found"),
    [
        ("needs: check", "needs: checks", "needs job"),
        ("steps.push.outputs", "steps.psh.outputs", "psh"),
        ('"$IMAGE@$DIGEST"', "$IMAGE@$DIGEST", "SC2086"),
    ],
    ids=["job", "step", "script"],
)
def test_actionlint_finds_a_fault(text: str, fault: str, found: str, tmp_path: Path) -> None:
    whole = (ROOT / ".github/workflows/release.yaml").read_text("utf-8")
    assert text in whole
    (tmp_path / "release.yaml").write_text(whole.replace(text, fault), "utf-8")
    assert found in actionlint(tmp_path / "release.yaml")
