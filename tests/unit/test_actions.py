"""The composite actions, with programs that only record how they are called."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.repository import ROOT, write_programs

ACTIONS = ROOT / ".github/actions"
NAMES = ("setup", "run")
RECORDER = """#!/bin/bash
echo "${0##*/} $*" >> "$CALLS"
case "${0##*/} $*" in
"solrbench run "*) echo "$RESOURCES"; exit "$RUN" ;;
"solrbench compare "*) echo "# compared"; exit "$COMPARE" ;;
"solrbench report "*markdown) echo "# report" ;;
"solrbench report "*--output-file*) touch "${@: -1}" ;;
"gh api --paginate "*) echo "$FOUND" ;;
"gh api --method "*) [[ -z ${READ_ONLY:-} ]] || exit 1; last=${!#}; cp "${last#body=@}" "$POSTED" ;;
esac
"""


def action(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ACTIONS / name / "action.yaml").read_text("utf-8"))
    return found


def listed(*names: str, kind: str = "SolrBenchmark") -> str:
    """Return what `run -o json` prints of these."""
    items = [{"kind": kind, "metadata": {"name": name, "namespace": "perf"}} for name in names]
    return json.dumps(items[0] if len(items) == 1 else {"kind": "List", "items": items})


@pytest.fixture(name="runner")
def _runner(tmp_path: Path) -> dict[str, str]:
    """The environment of a runner on which nothing has run."""
    programs = tmp_path / "programs"
    names = ("gh", "helm", "kind", "kubectl", "pipx", "solrbench")
    write_programs(programs, dict.fromkeys(names, RECORDER))
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "CALLS": str(tmp_path / "calls"),
        "POSTED": str(tmp_path / "posted"),
        "FOUND": "",
        "RESOURCES": listed("gate"),
        "RUN": "0",
        "COMPARE": "0",
        "FILE": "gate.yaml",
        "TIMEOUT": "30m",
        "REQUIRE_VALID": "true",
        "BASELINE": "",
        "RESULTS": str(tmp_path / "results"),
        "NUMBER": "7",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "a/b",
        "GITHUB_RUN_ID": "12",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }


def output_of(script: str, runner: dict[str, str]) -> str:
    command = [str(ACTIONS / script)]
    done = subprocess.run(command, env=runner, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def execute(script: str, runner: dict[str, str]) -> list[str]:
    output_of(script, runner)
    return Path(runner["CALLS"]).read_text("utf-8").splitlines()


def summarize(runner: dict[str, str], rows: list[str]) -> None:
    """Write the summary that a run leaves."""
    results = Path(runner["RESULTS"])
    results.mkdir()
    (results / "summary.md").write_text("\n".join(["### solrbench: passed", *rows]), "utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_inputs_are_described_and_reach_scripts_by_variables(name: str) -> None:
    found = action(name)
    assert all(each["description"] for each in found["inputs"].values())
    text = (ACTIONS / name / "action.yaml").read_text("utf-8")
    used = set(re.findall(r"inputs\.([a-z-]+)", text))
    assert used == found["inputs"].keys()
    steps = found["runs"]["steps"]
    assert not any("${{" in step.get("run", "") for step in steps)
    for step in steps:
        if "uses" in step:
            assert re.search(r"@[0-9a-f]{40}$", step["uses"])
        script = re.search(r"ACTION_PATH/([a-z]+)", step.get("run", ""))
        assert script is None or os.access(ACTIONS / name / script[1], os.X_OK)


def test_actions_use_the_digests_of_the_workflows() -> None:
    uses = re.compile(r"uses: (\S+@[0-9a-f]{40} # \S+)")
    workflows = "".join(
        each.read_text("utf-8") for each in (ROOT / ".github/workflows").glob("*.yaml")
    )
    for name in NAMES:
        text = (ACTIONS / name / "action.yaml").read_text("utf-8")
        assert set(uses.findall(text)) <= set(uses.findall(workflows))


def test_version_is_that_of_the_project() -> None:
    version = action("setup")["inputs"]["version"]["default"]
    assert f'version = "{version}"\n' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_setup_installs_operator_and_command(runner: dict[str, str]) -> None:
    inputs = {name.upper(): each["default"] for name, each in action("setup")["inputs"].items()}
    calls = execute("setup/setup", runner | inputs)
    assert calls == [
        "kind create cluster --wait 120s",
        (
            "helm upgrade --install solrbench oci://ghcr.io/solrbench/charts/solr-benchmark-operator"
            " --version 0.1.0 --namespace solrbench --create-namespace --wait --timeout 5m"
        ),
        "pipx install solrbench[report]==0.1.0",
        "kubectl config set-context --current --namespace solrbench",
        "solrbench version",
    ]
    Path(runner["CALLS"]).unlink()
    own = {"KIND": "false", "CHART": "charts/x", "VALUES": "--set a=b", "CLIENT": "."}
    calls = execute("setup/setup", runner | inputs | own)
    assert calls[0].startswith("helm upgrade --install solrbench charts/x --set a=b --namespace")
    assert calls[1] == "pipx install .[report]"


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        ("0", "no objective is missed"),
        ("1", "The benchmark failed."),
        ("3", "was stopped after 30m"),
        ("4", "A step is not Valid: see its verdict"),
        ("5", "An objective is missed."),
        ("6", "could not be reached"),
    ],
)
def test_summary_begins_with_the_conclusion(
    runner: dict[str, str], code: str, conclusion: str
) -> None:
    calls = execute("run/run", runner | {"RUN": code})
    assert calls[0] == (
        "solrbench run -f gate.yaml --replace --timeout 30m --cancel-on-timeout"
        " --require-valid -o json"
    )
    first, *rest = Path(runner["GITHUB_STEP_SUMMARY"]).read_text("utf-8").splitlines()
    assert first.startswith("### solrbench: ")
    assert conclusion in first
    assert "# report" in rest
    assert "(https://github.com/a/b/actions/runs/12)" in rest[-1]
    assert Path(runner["GITHUB_OUTPUT"]).read_text("utf-8") == f"exit-code={code}\n"
    forms = {path.name for path in Path(runner["RESULTS"]).iterdir()}
    assert {"gate.md", "gate.html", "gate.json", "gate.xml", "summary.md"} <= forms


@pytest.mark.parametrize(
    ("run", "compare", "code", "conclusion"),
    [
        ("0", "0", "0", "no objective is missed"),
        ("0", "5", "5", "worse than in the baseline"),
        ("0", "1", "1", "could not be compared"),
        ("4", "5", "4", "worse than in the baseline"),
    ],
)
def test_a_baseline_is_compared_once(
    runner: dict[str, str], run: str, compare: str, code: str, conclusion: str
) -> None:
    changes = {"RUN": run, "COMPARE": compare, "BASELINE": "main.json"}
    changes["RESOURCES"] = listed("gate", "other")
    calls = execute("run/run", runner | changes)
    assert len([each for each in calls if each.startswith("solrbench compare main.json")]) == 1
    lines = Path(runner["GITHUB_STEP_SUMMARY"]).read_text("utf-8").splitlines()
    assert conclusion in lines[0]
    assert lines.index("# compared") < lines.index("# report")
    assert lines.count("# report") == 2
    assert Path(runner["GITHUB_OUTPUT"]).read_text("utf-8") == f"exit-code={code}\n"


@pytest.mark.parametrize(("run", "code"), [("0", "1"), ("5", "5")])
def test_a_baseline_that_is_compared_with_nothing_is_no_open_gate(
    runner: dict[str, str], run: str, code: str
) -> None:
    execute("run/run", runner | {"RUN": run, "BASELINE": "main.json", "RESOURCES": ""})
    assert Path(runner["GITHUB_OUTPUT"]).read_text("utf-8") == f"exit-code={code}\n"
    summary = Path(runner["GITHUB_STEP_SUMMARY"]).read_text("utf-8")
    assert ("could not be compared" in summary) == (run == "0")


def test_a_sweep_is_named_as_one(runner: dict[str, str]) -> None:
    sweep = listed("heaps", kind="SolrBenchmarkSweep")
    calls = execute("run/run", runner | {"RESOURCES": sweep})
    assert "solrbench report ssweep/heaps -n perf -o markdown" in calls
    assert [each for each in calls if "ssweep/" in each and "junit" in each]


@pytest.mark.parametrize(
    ("found", "call"),
    [
        ("", "gh api --method POST repos/a/b/issues/7/comments --field body=@"),
        ("99", "gh api --method PATCH repos/a/b/issues/comments/99 --field body=@"),
    ],
)
def test_a_comment_is_written_once_and_changed_later(
    runner: dict[str, str], found: str, call: str
) -> None:
    rows = [f"| {number} | é |" for number in range(6_000)]
    summarize(runner, rows)
    calls = execute("run/comment", runner | {"FOUND": found})
    assert calls[-1].startswith(call)
    text = Path(runner["POSTED"]).read_text("utf-8")
    assert len(text.encode()) < 65_536
    mark, first, *shown, _, last = text.splitlines()
    assert (mark, first) == ("<!-- solrbench: gate.yaml -->", "### solrbench: passed")
    assert last == "The rest is in the summary of the run."
    assert shown == rows[: len(shown)]
    assert len(shown) > 3_000


def test_a_comment_without_the_right_to_write_is_a_warning(runner: dict[str, str]) -> None:
    """As on a pull request of a fork, whose token may only read."""
    summarize(runner, [])
    printed = output_of("run/comment", runner | {"READ_ONLY": "1"})
    assert "::warning::No comment was written" in printed


def test_only_the_gate_decides_how_the_action_ends() -> None:
    last = action("run")["runs"]["steps"][-1]
    assert last["if"] == "${{ !cancelled() }}"
    for code, ends in (("0", 0), ("5", 5), ("", 1)):
        done = subprocess.run(["bash", "-c", last["run"]], env={"CODE": code}, check=False)
        assert done.returncode == ends
