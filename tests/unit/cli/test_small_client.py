"""What users install: without the libraries of the pods, on every system, quick to start."""

import subprocess
import sys

import pytest

from solrbench.cli.main import COMMANDS

pytestmark = pytest.mark.slow

OF_PODS = (
    "aiohttp", "gevent", "hdrh", "httptools", "ijson", "jmespath", "kopf", "kubernetes", "locust",
    "mmh3", "numpy", "prometheus_client", "stamina", "uvloop",
)  # fmt: skip
OF_REPORT = ("compare",)
"""Commands of the extra "report"."""
OF_POSIX = ("fcntl", "grp", "pwd", "resource", "termios", "tty")
"""Standard modules that Windows does not have."""

IMPORT_ALL = """
import importlib, sys
for name in {blocked}:
    sys.modules[name] = None
from solrbench.cli.main import COMMANDS, main
for name, entry in COMMANDS.items():
    if not entry.is_hidden and name not in {extra}:
        main.get_command(None, name)
"""

COMPARE = """
import sys
sys.modules["numpy"] = None
from solrbench.cli.main import main
main(["compare", "a", "b"])
"""

HELP = """
import sys
from solrbench.cli.main import main
main(["--help"], standalone_mode=False)
print(sorted({"httpx", "pydantic", "rich", "yaml"} & sys.modules.keys()), file=sys.stderr)
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_no_command_of_users_imports_a_library_of_pods() -> None:
    run(IMPORT_ALL.format(blocked=OF_PODS, extra=OF_REPORT))


@pytest.mark.skipif(sys.platform == "win32", reason="there, they are missing anyway")
def test_no_command_of_users_needs_a_module_of_posix() -> None:
    # Libraries try some of them, and do without.
    run(
        "import click, httpx, pydantic, rich.console, yaml, subprocess, tempfile, tarfile, shutil\n"
        + IMPORT_ALL.format(blocked=OF_POSIX, extra=())
    )


def test_command_of_an_extra_says_how_to_install_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMPARE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    text = "compare needs numpy, which is not installed; install solrbench[report]"
    assert done.stderr.strip() == f"Error: {text}"


def test_help_imports_no_library_but_click() -> None:
    done = run(HELP)
    assert done.stderr.strip() == "[]"
    for name, entry in COMMANDS.items():
        assert (f"  {name} " in done.stdout) is not entry.is_hidden
