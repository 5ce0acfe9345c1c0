"""Every tutorial in a cluster."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cluster import kube
from support.cluster.tutorial import SECONDS, follow
from support.shell_blocks import TUTORIALS

ONE_IMAGE = (re.compile("OLD=9.9.0"), "OLD=9.10.1")
"""The cluster of the suite has one image of Solr: both sides of the comparison take it."""
SHORT = [
    (re.compile(r"durationSeconds: \d+"), "durationSeconds: 8"),
    (re.compile(r"untilSteady: \{maxSeconds: \d+\}"), "untilSteady: {maxSeconds: 12}"),
]
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
def cluster() -> Iterator[None]:
    if not os.environ.get("KUBECONFIG"):
        pytest.skip('no cluster: make cluster images install, then eval "$(hack/cluster/env)"')
    yield
    kube.kubectl("delete", "solrbenchmarksweeps,solrbenchmarks", "--all")


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    "page", [page for page in TUTORIALS if page.stem != "README"], ids=lambda page: page.stem
)
def test_every_command_succeeds(page: Path, tmp_path: Path) -> None:
    follow(page, tmp_path, _changed)
    missing = [name for name in LEFT_BEHIND[page.stem] if not _size(tmp_path / "clone" / name)]
    assert not missing


def _changed(text: str) -> str:
    for long, short in [ONE_IMAGE, *([] if os.environ.get("FULL_LENGTH") else SHORT)]:
        text = long.sub(short, text)
    return text


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
