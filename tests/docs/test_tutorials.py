"""Every tutorial as a reader follows it: all commands of its page, in their order, in one shell."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cluster import kube
from support.repository import ROOT
from support.shell_blocks import TUTORIALS, save_files, script_of

SECONDS = 2400
VERSIONS = ("OLD=9.9.0", "OLD=9.10.1")
"""The cluster of the suite has one image of Solr: both sides of the comparison take it."""
SHORT = {
    re.compile(r"durationSeconds: \d+"): "durationSeconds: 12",
    re.compile(r"untilSteady: \{maxSeconds: \d+\}"): "untilSteady: {maxSeconds: 12}",
}
"""In `make test` steps and warm-ups are this short, unless it is to take as long as a reader."""
LEFT_BEHIND = {
    "ci-gate": ["comment.md", "gate.xml", "gate.html", "gate.json"],
    "first-benchmark": ["quickstart.html", "quickstart.json", "quickstart.md", "mine.yaml"],
    "new-version": ["release.md", "release-new.html", "conclusion.txt"],
    "sizing": ["sizing.html"],
}
"""Files that the reader has in the end, by page."""

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(SECONDS + 60)]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a reader: a kubeconfig with the namespace, and the command on the path."""
    kubeconfig = os.environ.get("KUBECONFIG")
    if not kubeconfig:
        pytest.skip('no cluster: make cluster images install, then eval "$(hack/cluster/env)"')
    own = tmp_path / "kubeconfig"
    shutil.copy(kubeconfig, own)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "KUBECONFIG": str(own), "PATH": path, "NO_COLOR": "1"}
    command = ["kubectl", "config", "set-context", "--current", "--namespace", kube.NAMESPACE]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    yield environment
    kube.kubectl("delete", "solrbenchmarksweeps,solrbenchmarks", "--all")


@pytest.mark.parametrize(
    "page", [page for page in TUTORIALS if page.stem != "README"], ids=lambda page: page.stem
)
def test_every_command_succeeds(page: Path, shell: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "clone"
    folder.mkdir()
    shutil.copytree(ROOT / "examples", folder / "examples")
    save_files(page, folder)
    if not os.environ.get("FULL_LENGTH"):
        for file in folder.rglob("*.yaml"):
            text = file.read_text()
            for long, short in SHORT.items():
                text = long.sub(short, text)
            file.write_text(text)
    script = script_of(page).replace(*VERSIONS)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=shell,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    missing = [name for name in LEFT_BEHIND[page.stem] if not (folder / name).stat().st_size]
    assert not missing
