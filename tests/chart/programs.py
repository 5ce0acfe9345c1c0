"""Programs other than Python that check the chart and the metrics."""

import os
import shutil
import subprocess

import pytest


def find_program(name: str) -> str:
    """Return where a program is; without it the test is skipped, in CI it fails."""
    found = shutil.which(name)
    if found is not None:
        return found
    reason = f"{name} is not on the PATH; `make chart` brings it"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def promtool(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run promtool, with a text as its input."""
    command = [find_program("promtool"), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)
