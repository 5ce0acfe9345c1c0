"""Commands of the pages: programs, verbs, options and files that there are, valid resources."""

import itertools
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from solrbench.api.identity import KIND, SWEEP_KIND
from solrbench.cli.main import main
from support.repository import ROOT
from support.shell_blocks import (
    PAGES,
    TUTORIALS,
    Block,
    blocks_of,
    commands_of,
    save_files,
    script_of,
)
from support.shell_checks import check
from support.shell_runs import find_runner

PROGRAMS = {"cd", "echo", "eval", "export", "fi", "git", "kubectl", "pip", "pipx", "test"}
"""That a page may call beside solrbench, make, helm, and programs of the repository."""
EXAMPLES = sorted(ROOT.glob("examples/**/*.yaml"))


@pytest.fixture(params=TUTORIALS, ids=lambda page: page.stem, name="page")
def _page(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


@pytest.fixture(name="folder")
def _folder(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter the folder of a reader who has saved the files of the tutorial."""
    save_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell_of(page: Path) -> list[Block]:
    return [block for block in blocks_of(page) if block.is_shell]


def commands_in(page: Path) -> list[list[str]]:
    return [words for block in shell_of(page) for words in commands_of(block)]


def validate(*arguments: str) -> None:
    done = CliRunner().invoke(main, ["validate", *arguments])
    assert done.exit_code == 0, done.output


def test_programs_of_a_tutorial_are_known(page: Path) -> None:
    for program, *_ in commands_in(page):
        known = program in PROGRAMS | {"make", "solrbench"} or (ROOT / program).is_file()
        assert known or "=" in program, program


def test_files_that_commands_of_a_tutorial_read_are_there(page: Path, folder: Path) -> None:
    """Each is of the clone, saved by the reader, or written before."""
    for words in commands_in(page):
        assert words[0] != "solrbench" or check(words) is None
        for option, value in itertools.pairwise(words):
            if option in {"--output-file", "--write", ">", ">>"}:
                (folder / value).touch()
            if value.startswith("--from-file="):
                assert (folder / value.removeprefix("--from-file=")).exists()


def test_files_of_a_tutorial_are_valid(page: Path, tmp_path: Path) -> None:
    for file in save_files(page, tmp_path):
        if file.suffix not in {".yaml", ".yml"}:
            continue
        bodies = list(yaml.safe_load_all(file.read_text("utf-8")))
        if {body.get("kind") for body in bodies} & {KIND, SWEEP_KIND}:
            validate("-f", str(file))


@pytest.mark.usefixtures("folder")
def test_output_of_a_tutorial_is_what_the_command_prints(page: Path) -> None:
    """A `text` block follows commands that need no cluster: a page has no other output."""
    for block, output in itertools.pairwise(blocks_of(page)):
        if output.language != "text":
            continue
        (words,) = commands_of(block)
        assert words[:1] == ["solrbench"]
        assert words[1] in ("validate", "plan")
        done = CliRunner().invoke(main, words[1:])
        assert done.output == output.text


@pytest.mark.usefixtures("folder")
def test_every_change_by_set_leads_to_a_valid_resource(page: Path) -> None:
    for words in commands_in(page):
        if words[:2] != ["solrbench", "run"]:
            continue
        values = [b for a, b in itertools.pairwise(words) if a in {"-f", "--set"}]
        file, *changes = [value.replace("$OLD", "9.9.0") for value in values]
        changes = [value.replace("$NEW", "9.10.1") for value in changes]
        validate("-f", file, *(word for each in changes for word in ("--set", each)))


def test_script_of_a_tutorial_is_one_that_bash_reads(page: Path) -> None:
    bash = shutil.which("bash")
    assert bash
    script = script_of(page)
    done = subprocess.run([bash, "-n"], check=False, input=script, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_only_the_block_that_makes_the_cluster_is_not_run() -> None:
    left_out = [
        (page.stem, block.script.splitlines()[1])
        for page in TUTORIALS
        for block in shell_of(page)
        if find_runner(page, block) is None
    ]
    assert left_out == [("README", "make cluster")]


STATUS_PATHS = re.compile(r"jsonpath='([^']*\.status\.[^']*)'")


@cache
def statuses() -> list[dict[str, Any]]:
    """Return the schema of the status of each kind; reading one takes a second."""
    bodies = [yaml.safe_load(file.read_text()) for file in (ROOT / "crds").glob("*.yaml")]
    schemas = [body["spec"]["versions"][0]["schema"]["openAPIV3Schema"] for body in bodies]
    return [schema["properties"]["status"] for schema in schemas]


def fields_below(path: str) -> set[str]:
    """Return the fields of the items of a list of the status, such as `objectives.results`."""
    found: set[str] = set()
    for status in statuses():
        node = status
        for name in path.split("."):
            node = node.get("properties", {}).get(name, {})
            node = node.get("items", node)
        found |= node.get("properties", {}).keys() or ({""} if node else set())
    return found


def test_jsonpaths_of_pages_and_examples_name_fields_of_the_status() -> None:
    texts = {
        match for page in [*PAGES, *EXAMPLES] for match in STATUS_PATHS.findall(page.read_text())
    }
    assert len(texts) > 10
    for text in texts:
        path, *of_items = re.findall(r"\{(?:range )?\.([\w.\[\]*]+)\}", text)
        known = fields_below(re.sub(r"\[\w*\*?\]", "", path.removeprefix("status.")))
        assert known, text
        assert known >= set(of_items), text


def test_commands_in_the_bare_root_are_those_of_the_first_tutorial(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    command = ["python3", "-m", "hack.fresh.commands"]
    text = subprocess.check_output(command, env=environment, cwd=tmp_path, text=True)
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)
    page = ROOT / "docs/tutorials/first-benchmark.md"
    expected = [line for block in shell_of(page) for line in block.text.splitlines()]
    lines = text.splitlines()
    assert [line for line in lines if line in expected] == expected
    assert lines.index("make install") < lines.index(expected[0])
    assert "CLUSTER=kind" not in text
