import subprocess
import sys

import pytest
from click.testing import CliRunner

from solrbench.cli.main import COMMANDS, main


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert f"main {name}" in result.output


def test_unknown_command_is_named() -> None:
    result = CliRunner().invoke(main, ["measure"])
    assert result.exit_code == 2
    assert "measure" in result.output


def test_group_imports_no_command() -> None:
    """gevent must patch the standard library before a load pod imports anything that uses it."""
    code = "import sys, solrbench.cli.main; print([m for m in sys.modules if 'kubernetes' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
