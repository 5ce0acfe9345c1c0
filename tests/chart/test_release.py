"""The dry run of a release: every step but push, signature and the client for krew."""

import os
import subprocess
import sys
import tomllib

import pytest

from chart.programs import find_program
from support.repository import ROOT

pytestmark = pytest.mark.timeout(180)


def test_dry_run_leaves_what_a_release_consists_of() -> None:
    find_program("helm")
    environment = {**os.environ, "CLIENT": "skip", "PYTHON": sys.executable}
    command = [str(ROOT / "hack/release/dry-run")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    made = {path.name for path in (ROOT / "build/release").rglob("*") if path.stat().st_size}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"]
    assert made >= {
        f"solr-benchmark-operator-{version}.tgz",
        f"solr-benchmark-stack-{version}.tgz",
        f"solrbench-{version}-py3-none-any.whl",
        f"solrbench-{version}.cdx.json",
        "solrbench.yaml",
        "solrbench.io_solrbenchmarks.yaml",
        "solrbench.io_solrbenchmarksweeps.yaml",
        "SHA256SUMS",
        "notes.md",
    }
