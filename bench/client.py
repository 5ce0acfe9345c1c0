"""The command as a user installs it: how large it is, and how soon it answers."""

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.harness.table import Row, at_most

ROOT = Path(__file__).parents[1]
MAX_MEGABYTES, MAX_SECONDS = 50, 0.15


def client(folder: Path, calls: int) -> list[Row]:
    """Install the command alone, and call its help; the quickest of the calls counts."""
    environment = folder / "client"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    programs = environment / "bin"
    pip = [str(programs / "pip"), "install", "-q", "--disable-pip-version-check"]
    before = _megabytes(environment)
    subprocess.run([*pip, "--no-compile", str(ROOT)], check=True)
    size = _megabytes(environment) - before
    help_ = [str(programs / "solrbench"), "--help"]
    seconds, busy = min(_seconds(help_) for _ in range(calls))
    return [
        at_most("client, installed", size, MAX_MEGABYTES, "{:.1f} MB"),
        at_most("client, --help", seconds, MAX_SECONDS, "{:.3f} s", f"{busy:.3f} s of CPU"),
    ]


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def _seconds(command: list[str]) -> tuple[float, float]:
    """Return what a call takes: time, and time of processors."""
    began, before = time.monotonic(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    busy = after.children_user + after.children_system
    return time.monotonic() - began, busy - before.children_user - before.children_system
