"""Scripts below hack: they show what they take, and do nothing when called with anything else."""

import subprocess
from pathlib import Path

import pytest

from support.repository import ROOT

OWN_HELP = {"tool"}
"""Scripts whose help says more than their head."""

SCRIPTS = [
    path
    for path in sorted((ROOT / "hack").rglob("*"))
    if path.is_file()
    and path.suffix == ""
    and "image-sources" not in path.parts
    and path.name not in OWN_HELP
    and path.read_text("utf-8").startswith("#!/usr/bin/env bash")
]


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    lines = script.read_text("utf-8").splitlines()
    first = next(line for line in lines if line.startswith(". "))
    # Else it would begin its work here, and start a cluster.
    assert first.endswith('lib/arguments.sh"'), script
    command = [str(script.relative_to(ROOT)), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_scripts_are_found() -> None:
    assert ROOT / "hack/cluster/up" in SCRIPTS
    assert len(SCRIPTS) > 30


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_help_is_the_head_comment(script: Path) -> None:
    head = []
    for line in script.read_text("utf-8").splitlines()[1:]:
        if not line.startswith("#"):
            break
        head.append(line.removeprefix("# "))
    for option in ("-h", "--help"):
        done = run(script, option)
        assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, head, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_unknown_option_is_refused(script: Path) -> None:
    done = run(script, "--frobnicate")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'takes no "--frobnicate"; --help shows what it takes' in done.stderr


@pytest.mark.parametrize("name", ["cluster/up", "cluster/down", "ci/stack", "fresh/run", "lock"])
def test_word_that_a_script_does_not_take_is_refused(name: str) -> None:
    assert run(ROOT / "hack" / name, "mov").returncode == 2
