"""A stand-in for an API server, and commands called with it."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from rich.console import Console

from solrbench.cli.main import main
from support.servers.api_stub import ApiStub, serving


def written(folder: Path, *bodies: dict[str, Any], name: str = "b.yaml") -> str:
    """Write objects into one file and return its path."""
    file = folder / name
    file.write_text(yaml.safe_dump_all(bodies), "utf-8")
    return str(file)


def assert_one_line(result: Result, code: int, *words: str) -> str:
    """Return the error that is all that a call wrote, once it has the exit code and these words."""
    assert result.exit_code == code, result.output
    (line,) = result.output.strip().splitlines()
    assert line.startswith("Error: ")
    for word in words:
        assert word in line
    return line


def terminal(width: int) -> Console:
    """Return a terminal without colours."""
    return Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)


def seen(console: Console) -> list[str]:
    """Return what a terminal shows of each line, if it cuts what is too long."""
    assert isinstance(console.file, io.StringIO)
    return [line[: console.width] for line in console.file.getvalue().splitlines()]


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiStub]:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    with serving(tmp_path) as stub:
        yield stub


def call(*arguments: str, code: int | None = None, **options: Any) -> Result:
    """Call a command as a terminal would; it ends with the exit code if one is given."""
    result = CliRunner().invoke(main, arguments, prog_name="solrbench", **options)
    assert code in {None, result.exit_code}, result.output
    return result


def exported(name: str, folder: Path) -> dict[str, str]:
    """Return the files of the archive of a benchmark or a sweep."""
    file = folder / "run.tar.gz"
    call("export", name, "--to", str(file), code=0)
    with tarfile.open(file) as archive:
        members = {each.name: archive.extractfile(each) for each in archive.getmembers()}
        return {name: member.read().decode() for name, member in members.items() if member}


def ready(api: ApiStub, **changes: Any) -> None:
    """Put the namespace, and an operator as the chart labels it with a nameOverride."""
    variables = [{"name": "SOLRBENCH_NAMESPACES", "value": changes.get("namespaces", "default")}]
    labels = {"app.kubernetes.io/name": "bench", "app.kubernetes.io/part-of": "solrbench"}
    labels["app.kubernetes.io/component"] = "operator"
    labels["app.kubernetes.io/version"] = changes.get("version", "0.1.0")
    operator = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "operator", "namespace": "solrbench", "labels": labels},
        "spec": {"template": {"spec": {"containers": [{"env": variables}]}}},
        "status": {"readyReplicas": changes.get("ready", 1)},
    }
    api.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})
    api.put(operator)
