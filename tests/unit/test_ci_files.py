"""Workflows, and what users copy into theirs."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from solrbench.api.identity import KIND, SWEEP_KIND
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.files import documents_of
from solrbench.cli.main import COMMANDS, main
from solrbench.cli.preflight import RIGHTS
from solrbench.cli.validation import check
from support.repository import ROOT, WORKFLOWS

KREW = ROOT / "hack/krew"


def read(path: Path) -> dict[str, Any]:
    # "on" is a truth in YAML 1.1.
    found: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    return found


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_digest_and_named_by_version(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text("utf-8"))
    assert used
    for each in used:
        if each.startswith("./"):
            assert (ROOT / each / "action.yaml").is_file()
            continue
        assert re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each), each


def test_one_action_has_one_digest() -> None:
    texts = [path.read_text("utf-8") for path in WORKFLOWS]
    used = {each for text in texts for each in re.findall(r"uses: (.*)", text)}
    names = [each.partition("@")[0] for each in used]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_have_a_time_and_no_right_that_they_do_not_name(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job, name
        assert job["permissions"], name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_expression_is_put_into_a_script(path: Path) -> None:
    scripts = [step["run"] for step in steps(path) if "run" in step]
    assert not any("${{" in script for script in scripts)


def test_workflow_that_publishes_a_score_has_what_its_server_accepts() -> None:
    """The restrictions of ossf/scorecard-action: no defaults, variables or scripts."""
    publish = [path for path in WORKFLOWS if "publish_results: true" in path.read_text("utf-8")]
    assert len(publish) == 1
    workflow = read(publish[0])
    assert not {"defaults", "env"} & workflow.keys()
    (job,) = workflow["jobs"].values()
    assert not {"defaults", "env", "container", "services"} & job.keys()
    names = [step.get("uses", "a script").partition("@")[0] for step in job["steps"]]
    upload = "github/codeql-action/upload-sarif"
    assert names == ["actions/checkout", "ossf/scorecard-action", upload]


CLUSTERS = ROOT / ".github/workflows/clusters.yaml"
PAGE = (ROOT / "docs/ci.md").read_text("utf-8")


@pytest.mark.parametrize("cluster", ["kind", "minikube"])
def test_page_has_the_commands_of_the_workflow(cluster: str) -> None:
    scripts = [step.get("run", "") for step in read(CLUSTERS)["jobs"][cluster]["steps"]]
    run = [each for each in scripts if each.startswith(("make ", "hack/"))]
    assert run.pop() == "hack/ci/describe", "for a run that failed"
    assert "hack/ci/stack" in run
    (block,) = re.findall(rf"```sh\nexport CLUSTER={cluster} .*\n([^`]*)```", PAGE)
    assert block.splitlines() == run
    assert all(
        f"| `{command.partition(' solr')[0]}` |" in PAGE for command in [*run, "hack/ci/describe"]
    )


def test_versions_of_clusters_are_those_of_the_page_and_the_charts() -> None:
    rows = re.findall(r"^\| (kind|minikube) \| (v\S+) \| (v\S+) \|$", PAGE, re.MULTILINE)
    jobs = read(CLUSTERS)["jobs"]
    matrix = [
        (name, each[name], each["kubernetes"].partition("@")[0])
        for name, job in jobs.items()
        for each in job["strategy"]["matrix"]["include"]
    ]
    assert rows == matrix
    for chart in ("operator", "stack"):
        promised = read(ROOT / f"charts/solr-benchmark-{chart}/Chart.yaml")["kubeVersion"]
        minor = promised.removeprefix(">=").removesuffix(".0-0")
        assert all(first[2].startswith(f"v{minor}.") for first in rows[::2])


def test_images_of_kind_are_pinned_by_digest() -> None:
    include = read(CLUSTERS)["jobs"]["kind"]["strategy"]["matrix"]["include"]
    for each in include:
        assert re.fullmatch(r"v1\.\d+\.\d+@sha256:[0-9a-f]{64}", each["kubernetes"])


def test_commands_in_files_of_ci_exist() -> None:
    texts = [path.read_text("utf-8") for path in [*WORKFLOWS, *(ROOT / "examples/ci").iterdir()]]
    command = re.compile(r"(?:run: |^ +|\()solrbench ([a-z]+) ", re.MULTILINE)
    called = {word for text in texts for word in command.findall(text)}
    assert {"run", "report", "export", "preflight", "list"} <= called
    assert called <= COMMANDS.keys()


def documents_in(name: str) -> dict[str, dict[str, Any]]:
    """Return the resources of an example, by their kinds."""
    found = yaml.safe_load_all((ROOT / "examples/ci" / name).read_text("utf-8"))
    return {each["kind"]: each for each in found}


def parse_job(config_map: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the command of a Job, whose benchmark must be valid."""
    (document,) = documents_of("benchmark", config_map["data"]["benchmark.yaml"])
    benchmark, faults = check(document)
    assert isinstance(benchmark, SolrBenchmark), faults
    (container,) = job["spec"]["template"]["spec"]["containers"]
    command, *options = container["args"]
    found = main.get_command(None, command)  # type: ignore[arg-type]
    assert found is not None
    options[options.index("/benchmark")] = str(ROOT / "examples")
    return found.make_context(command, options).params


def test_nightly_benchmark_is_valid_and_its_command_parses() -> None:
    found = documents_in("nightly-cronjob.yaml")
    options = parse_job(found["ConfigMap"], found["CronJob"]["spec"]["jobTemplate"])
    assert options["timeout_seconds"] == 3 * 3600


def test_benchmark_of_argo_rollouts_is_valid_and_its_command_parses() -> None:
    found = documents_in("argo-rollouts.yaml")
    (metric,) = found["AnalysisTemplate"]["spec"]["metrics"]
    assert parse_job(found["ConfigMap"], metric["provider"]["job"])["require_valid"]


@pytest.mark.parametrize("name", ["gitlab-ci.yaml", "testkube.yaml", "argo-rollouts.yaml"])
def test_images_and_commands_in_examples_are_those_of_the_project(name: str) -> None:
    text = (ROOT / "examples/ci" / name).read_text("utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    text = text.replace("{{ config.version }}", version)
    assert set(re.findall(r"solrbench/solrbench:(\S+)", text)) == {version}
    called = re.findall(r"^ *(?:- )?solrbench ([a-z]+) ", text, re.MULTILINE)
    assert set(called) <= COMMANDS.keys()


def test_gitlab_names_a_benchmark_by_the_job_since_each_try_is_one() -> None:
    job = read(ROOT / "examples/ci/gitlab-ci.yaml")["benchmark"]
    assert job["retry"]
    assert "metadata.name=gate-$CI_JOB_ID" in job["script"][-1]
    assert job["after_script"][0] == 'export NAME="gate-$CI_JOB_ID"'


def test_role_has_what_preflight_asks_for() -> None:
    rules = documents_in("nightly-cronjob.yaml")["Role"]["rules"]
    granted = {
        (group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert {(group, part, verb) for group, part, verbs in RIGHTS for verb in verbs} <= granted


def test_argo_cd_knows_the_health_of_both_kinds() -> None:
    keys = {each.rpartition("_")[2] for each in documents_in("argo-cd.yaml")["ConfigMap"]["data"]}
    assert keys == {KIND, SWEEP_KIND}
    # Of an application it is not read, and without it a changed spec cannot replace the other.
    assert "syncOptions" not in documents_in("argo-cd.yaml")["Application"]["spec"]["syncPolicy"]


def test_settings_of_tools_are_json() -> None:
    for name in (".github/renovate.json", ".devcontainer/devcontainer.json"):
        assert json.loads((ROOT / name).read_text("utf-8"))


def test_krew_manifest_has_a_digest_for_each_platform(tmp_path: Path) -> None:
    platforms = ("linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64")
    for each in platforms:
        (tmp_path / f"kubectl-solrbench-{each}.tar.gz").write_text(each, "utf-8")
    command = [str(KREW / "manifest"), "v1.2.3", str(tmp_path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "@" not in text
    plugin = yaml.safe_load(text)
    assert plugin["spec"]["version"] == "v1.2.3"
    found = {
        f"{each['selector']['matchLabels']['os']}-{each['selector']['matchLabels']['arch']}": each
        for each in plugin["spec"]["platforms"]
    }
    assert set(found) == set(platforms)
    assert len({each["sha256"] for each in found.values()}) == len(platforms)
    assert all("/v1.2.3/" in each["uri"] and name in each["uri"] for name, each in found.items())
