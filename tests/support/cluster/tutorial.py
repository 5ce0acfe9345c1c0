"""A tutorial as a reader follows it: all commands of its page, in their order, in one shell."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from support.cluster import kube
from support.repository import ROOT
from support.shell_blocks import save_files, script_of

SECONDS = 2400


def follow(page: Path, folder: Path, change: Callable[[str], str], *, before: str = "") -> str:
    """Return what the commands of a page print, up to the heading `before`; all must succeed.

    They run in a folder with the examples and the page's files, and find the namespace in the
    kubeconfig and the command on the path. All texts are changed by `change`.
    """
    clone = folder / "clone"
    clone.mkdir()
    shutil.copytree(ROOT / "examples", clone / "examples")
    save_files(page, clone)
    for file in clone.rglob("*.yaml"):
        file.write_text(change(file.read_text("utf-8")), "utf-8")
    kubeconfig = folder / "kubeconfig"
    shutil.copy(os.environ["KUBECONFIG"], kubeconfig)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "PATH": path, "NO_COLOR": "1"}
    command = ["kubectl", "config", "set-context", "--current", "--namespace", kube.NAMESPACE]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    lines = page.read_text("utf-8").splitlines()
    done = subprocess.run(
        ["bash", "-c", change(script_of(page, lines.index(before) if before else len(lines)))],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
