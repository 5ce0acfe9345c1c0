"""The command line, called as a user does."""

import subprocess
import sys

from support.cluster import kube


def solrbench(*arguments: str) -> str:
    """Return what a command prints; it must succeed."""
    command = [sys.executable, "-m", "solrbench.cli", *arguments, "-n", kube.NAMESPACE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
