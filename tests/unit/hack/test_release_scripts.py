"""The steps of a release: scripts that a dry run executes as well, and what they refuse."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from hack.release.sbom import document
from support.repository import ROOT, copy_parts

SCRIPTS = {"assets", "charts", "check", "notes"}
WORKFLOW = ROOT / ".github/workflows/release.yaml"
TAG = "v0.1.0"
PUSHES = ("docker ", "cosign ", "gh ", "helm push", "pipx run twine", "make check", "hack/krew/")
"""Beginnings of what the dry run leaves out, or does by another name."""
GLUE = (
    *("mv ", "echo ", "for ", "done", "helm registry", "--", "{", "}", "# "),
    *("SOURCE_DATE_EPOCH=", "export SOURCE_DATE_EPOCH"),
)


def script(name: str, *arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [str(root / "hack/release" / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(name="copy")
def _copy(tmp_path: Path) -> Path:
    copy_parts(tmp_path, "hack/lib", "hack/release", "charts", "pyproject.toml", "CHANGELOG.md")
    return tmp_path


def lines_of_workflow() -> list[str]:
    jobs = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"].values()
    scripts = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    return [line.strip() for text in scripts for line in text.splitlines()]


def test_workflow_does_nothing_that_the_dry_run_leaves_out() -> None:
    calls = (re.match(r"hack/release/([a-z-]+)", line) for line in lines_of_workflow())
    assert {call[1] for call in calls if call} == SCRIPTS
    dry_run = (ROOT / "hack/release/dry-run").read_text("utf-8")
    assert all(f"hack/release/{name} " in dry_run for name in SCRIPTS)
    others = [each for each in lines_of_workflow() if not each.startswith("hack/release/")]
    assert [each for each in others if not each.startswith(PUSHES + GLUE)] == []


def test_version_of_the_tree_may_be_released_once_the_changelog_has_it(copy: Path) -> None:
    done = script("check", TAG, "--unreleased", root=copy)
    assert done.returncode == 0, done.stderr
    changelog = copy / "CHANGELOG.md"
    text = changelog.read_text("utf-8")
    changelog.write_text(text.replace("[Unreleased]", "[0.1.0] - 2026-12-01"), "utf-8")
    done = script("check", TAG, root=copy)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("tag", "fault"),
    [("v9.9.9", "pyproject.toml has another version"), ("0.1.0", "0.1.0 is no tag of a release")],
)
def test_another_tag_is_refused(tag: str, fault: str) -> None:
    done = script("check", tag, "--unreleased")
    assert done.returncode == 1
    assert fault in done.stderr


def test_changelog_without_the_section_is_refused(copy: Path) -> None:
    (copy / "CHANGELOG.md").write_text("# Changelog\n", "utf-8")
    done = script("check", TAG, "--unreleased", root=copy)
    assert 'no section "## [0.1.0]"' in done.stderr


def test_notes_are_the_section_and_the_way_to_verify(copy: Path) -> None:
    sections = "# Changelog\n\n## [0.2.0] - x\n\nnew\n\n## [0.1.0] - y\n\nfirst\n"
    (copy / "CHANGELOG.md").write_text(sections, "utf-8")
    text = script("notes", TAG, "ghcr.io/a/b", "sha256:1", root=copy).stdout
    assert text.startswith("## [0.1.0] - y\n\nfirst\n")
    assert "new" not in text
    assert "cosign verify ghcr.io/a/b@sha256:1" in text


def test_list_of_libraries_has_every_pin_and_is_the_same_each_time() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    made = document("0.1.0", lock)
    names = [each["name"] for each in made["components"]]
    assert len(names) == len(set(names)) == len(re.findall(r"^[a-z].*==", lock, re.MULTILINE))
    assert {"pydantic", "locust", "kopf"} <= set(names)
    assert json.dumps(made) == json.dumps(document("0.1.0", lock))


def test_artifact_hub_has_images_and_pictures_that_there_are() -> None:
    chart = yaml.safe_load((ROOT / "charts/solr-benchmark-operator/Chart.yaml").read_text("utf-8"))
    notes = {
        name.removeprefix("artifacthub.io/"): yaml.safe_load(text)
        for name, text in chart["annotations"].items()
    }
    (image,) = notes["images"]
    assert image["image"].endswith(f":{chart['version']}")
    pictures = [chart["icon"], *(each["url"] for each in notes["screenshots"])]
    for url in pictures:
        assert (ROOT / url.partition("/main/")[2]).is_file(), url
    pages = [each["url"].partition("/main/")[2] for each in notes["links"]]
    assert all((ROOT / page).is_file() for page in pages)
    for chart_name in ("operator", "stack"):
        text = (ROOT / f"charts/solr-benchmark-{chart_name}/Chart.yaml").read_text("utf-8")
        assert {"home", "icon", "sources"} <= yaml.safe_load(text).keys()


def test_the_plugin_has_what_reports_and_comparisons_need() -> None:
    text = (ROOT / "hack/krew/build").read_text("utf-8")
    assert 'install -q --disable-pip-version-check ".[report]" ' in text
    assert "--collect-data solrbench.present" in text
