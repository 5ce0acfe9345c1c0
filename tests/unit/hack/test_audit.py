"""The look for known vulnerabilities, with programs that only record how they are called."""

import os
import subprocess
from pathlib import Path

import pytest

from support.repository import copy_parts, write_programs

PYTHON = """#!/bin/sh
case $1 in
-c) exit "$REACHED" ;;
-m) mkdir -p "$3/bin"; cp "$PROGRAMS"/* "$3/bin" ;;
esac
"""
PIP_AUDIT = '#!/bin/sh\necho "$*" >>"$CALLS"; exit "$FOUND"\n'


@pytest.fixture(name="clone")
def _clone(tmp_path: Path) -> Path:
    copy_parts(tmp_path, "hack/audit", "hack/lib/arguments.sh")
    (tmp_path / "requirements.lock").touch()
    os.utime(tmp_path / "requirements.lock", (1, 1))
    programs = {"python": PYTHON, "programs/pip": "#!/bin/sh\n", "programs/pip-audit": PIP_AUDIT}
    write_programs(tmp_path, programs)
    return tmp_path


def audit(
    clone: Path, *options: str, reached: int = 0, found: int = 0
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHON": str(clone / "python"),
        "PROGRAMS": str(clone / "programs"),
        "CALLS": str(clone / "calls"),
        "REACHED": str(reached),
        "FOUND": str(found),
    }
    command = [str(clone / "hack/audit"), *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_library_that_cannot_be_looked_up_is_a_failure(clone: Path) -> None:
    assert audit(clone).returncode == 0
    assert "--strict" in (clone / "calls").read_text("utf-8").split()
    assert audit(clone, found=1).returncode == 1


def test_soft_audit_without_a_database_says_so_and_passes(clone: Path) -> None:
    done = audit(clone, "--soft", reached=1, found=1)
    assert (done.returncode, done.stderr) == (0, "")
    assert "were not audited: pypi.org does not answer" in done.stdout
    assert not (clone / "calls").exists()


def test_soft_audit_warns_of_what_it_finds(clone: Path) -> None:
    done = audit(clone, "--soft", found=1)
    assert done.returncode == 0
    assert "warning" in done.stderr


def test_soft_audit_is_done_once_a_day_for_the_same_libraries(clone: Path) -> None:
    for _ in range(2):
        assert audit(clone, "--soft").returncode == 0
    calls = clone / "calls"
    assert len(calls.read_text("utf-8").splitlines()) == 1
    os.utime(clone / "requirements.lock")
    audit(clone, "--soft")
    os.utime(clone / "requirements.lock", (1, 1))
    os.utime(clone / "build/audit/passed", (86_400, 86_400))
    audit(clone, "--soft")
    assert len(calls.read_text("utf-8").splitlines()) == 3
