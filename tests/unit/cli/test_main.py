"""What users install: without the libraries of the pods, on every system, quick to start."""

import io
import subprocess
import sys
from pathlib import Path

import click
import pytest

from solrbench.cli.__main__ import prepare_output
from solrbench.cli.main import COMMANDS, main
from solrbench.cli.program import program_name
from support.results.reports import make_report
from unit.cli.conftest import call


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    result = call(name, "--help", code=0)
    assert f"solrbench {name}" in result.output
    if not COMMANDS[name].is_hidden:
        assert "Examples:" in result.output or name == "report"
        assert "FLOAT RANGE" not in result.output or name == "compare"


@pytest.mark.parametrize("name", [name for name, each in COMMANDS.items() if not each.is_hidden])
def test_summary_in_the_list_is_that_of_the_command(name: str) -> None:
    command = main.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    first = (command.help or "").split("\n\n")[0].split(":")[0].rstrip(".")
    assert first.split()[0] == COMMANDS[name].summary.split()[0]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param("measure", "measure", id="an unknown one is named"),
        pytest.param("rprot", "Did you mean 'report'?", id="a near one is suggested"),
    ],
)
def test_command_that_there_is_not(command: str, words: str) -> None:
    result = call(command, code=2)
    assert words in result.output


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
    assert run(code).stdout.strip() == "[]"


@pytest.mark.parametrize("error", [KeyboardInterrupt, click.Abort])
def test_interrupt_has_its_exit_code_also_while_a_command_is_imported(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        shown = error()  # click raises Abort while it handles an interrupt
        shown.__context__ = KeyboardInterrupt()
        raise shown

    monkeypatch.setattr(main, "get_command", interrupted)
    assert call("list").exit_code == 130


def test_question_that_is_denied_is_no_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise click.Abort

    monkeypatch.setattr(main, "get_command", denied)
    assert call("list").exit_code == 1


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


OF_PODS = (
    "aiohttp", "gevent", "hdrh", "httptools", "ijson", "jmespath", "kopf", "kubernetes", "locust",
    "mmh3", "msgspec", "numpy", "prometheus_client", "stamina", "uvloop",
)  # fmt: skip
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

WITHOUT = """
import sys
sys.modules["{module}"] = None
from solrbench.cli.main import main
main({arguments})
"""

IMPORTED = """
import sys
from solrbench.cli.main import main
main{call}
print(sorted({modules} & sys.modules.keys()), file=sys.stderr)
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_no_command_of_users_imports_a_library_of_pods() -> None:
    run(IMPORT_ALL.format(blocked=OF_PODS, extra=("compare",)))  # of the extra "report"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there, they are missing anyway")
def test_no_command_of_users_needs_a_module_of_posix() -> None:
    # Libraries try some of them, and do without.
    run(
        "import click, httpx2, pydantic, rich.console, yaml\n"
        "import shutil, subprocess, tarfile, tempfile\n"
        + IMPORT_ALL.format(blocked=OF_POSIX, extra=())
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "arguments", "what"),
    [
        ("numpy", ["compare", "a", "b"], "compare"),
        ("jinja2", ["report", "one.json", "-o", "html"], "this"),
    ],
)
def test_what_an_extra_brings_says_how_to_install_it(
    module: str, arguments: list[str], what: str, tmp_path: Path
) -> None:
    (tmp_path / "one.json").write_bytes(make_report().to_json())
    code = WITHOUT.format(module=module, arguments=arguments)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1
    text = f"{what} needs {module}, which is not installed; install solrbench[report]"
    assert done.stderr.strip() == f"Error: {text}"


@pytest.mark.slow
def test_help_imports_no_library_but_click() -> None:
    modules = {"httpx2", "pydantic", "rich", "yaml"}
    done = run(IMPORTED.format(call='(["--help"], standalone_mode=False)', modules=modules))
    assert done.stderr.strip() == "[]"
    for name, entry in COMMANDS.items():
        assert (f"  {name} " in done.stdout) is not entry.is_hidden


@pytest.mark.slow
def test_list_starts_without_the_models() -> None:
    modules = {"pydantic", "solrbench.api.v1alpha1"}
    code = IMPORTED.format(call='.get_command(None, "list")', modules=modules)
    assert run(code).stderr.strip() == "[]"
