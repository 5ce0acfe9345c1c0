import io
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from solrbench.cli.__main__ import prepare_output
from solrbench.cli.main import COMMANDS, main
from solrbench.cli.program import program_name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert f"main {name}" in result.output
    if not COMMANDS[name].is_hidden:
        assert "Examples:" in result.output or name == "report"
        assert "FLOAT RANGE" not in result.output or name == "compare"


@pytest.mark.parametrize("name", [name for name, each in COMMANDS.items() if not each.is_hidden])
def test_summary_in_the_list_is_that_of_the_command(name: str) -> None:
    command = main.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    first = (command.help or "").split("\n\n")[0].split(":")[0].rstrip(".")
    assert first.split()[0] == COMMANDS[name].summary.split()[0]


def test_unknown_command_is_named() -> None:
    result = CliRunner().invoke(main, ["measure"])
    assert result.exit_code == 2
    assert "measure" in result.output


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("/usr/bin/solrbench", "solrbench"),
        ("/opt/krew/bin/kubectl-solrbench", "kubectl solrbench"),
        ("C:\\bin\\kubectl-solrbench.exe", "kubectl solrbench"),
    ],
)
def test_program_has_the_name_that_it_is_called_by(
    called: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [called.replace("\\", "/")])
    assert program_name() == name


def test_group_imports_no_command() -> None:
    """gevent must patch the standard library before a load pod imports anything that uses it."""
    code = "import sys, solrbench.cli.main; print([m for m in sys.modules if 'httpx' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_near_command_is_suggested() -> None:
    result = CliRunner().invoke(main, ["rprot"])
    assert result.exit_code == 2
    assert "Did you mean 'report'?" in result.output


@pytest.mark.parametrize("error", [KeyboardInterrupt, click.Abort])
def test_interrupt_has_its_exit_code_also_while_a_command_is_imported(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        shown = error()  # click raises Abort while it handles an interrupt
        shown.__context__ = KeyboardInterrupt()
        raise shown

    monkeypatch.setattr(main, "get_command", interrupted)
    assert CliRunner().invoke(main, ["list"]).exit_code == 130


def test_question_that_is_denied_is_no_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise click.Abort

    monkeypatch.setattr(main, "get_command", denied)
    assert CliRunner().invoke(main, ["list"]).exit_code == 1


@pytest.mark.parametrize(("chosen", "written"), [("", "Δ → ▁"), ("cp1252", "? ? ?")])
def test_any_text_can_be_written_to_a_file_of_windows(
    chosen: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", chosen)
    if not chosen:
        monkeypatch.delenv("PYTHONIOENCODING")
    content = io.BytesIO()
    stream = io.TextIOWrapper(content, encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    prepare_output()
    print("Δ → ▁", end="", flush=True)
    assert content.getvalue().decode("cp1252" if chosen else "utf-8") == written
