"""Files of the repository agree with each other and with the tree."""

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.repository import ROOT
from support.shell_blocks import PAGES

STACK = ROOT / "charts/solr-benchmark-stack"
PACKAGE = ROOT / "operator/src/solrbench"


def read_yaml(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / name).read_text("utf-8"))
    return content


def chart_of(part: str) -> dict[str, Any]:
    return read_yaml(f"charts/solr-benchmark-{part}/Chart.yaml")


def test_dependencies_are_ours_of_this_tree_and_an_optional_one() -> None:
    ours, solr_operator = chart_of("stack")["dependencies"]
    chart = chart_of("operator")
    assert (ours["name"], ours["version"]) == (chart["name"], chart["version"])
    assert (STACK / ours["repository"].removeprefix("file://")).resolve().is_dir()
    assert solr_operator["condition"] == "solr-operator.enabled"


def test_every_value_belongs_to_a_dependency() -> None:
    dependencies = chart_of("stack")["dependencies"]
    switches = {each["condition"].partition(".")[0] for each in dependencies}
    names = {each["name"] for each in dependencies}
    assert read_yaml("charts/solr-benchmark-stack/values.yaml").keys() == names | switches


def test_readme_documents_every_switch() -> None:
    text = (STACK / "README.md").read_text("utf-8")
    for value in ("enabled", "zookeeper-operator.install", "zookeeper-operator.use"):
        assert f"`solr-operator.{value}`" in text


def version_strings() -> dict[str, str]:
    """Return every version string of a release by its location, as RELEASE.md lists them."""
    operator, stack = chart_of("operator"), chart_of("stack")
    dependency, _ = stack["dependencies"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "pyproject.toml": project["version"],
        "operator chart, version": operator["version"],
        "operator chart, appVersion": operator["appVersion"],
        "stack chart, version": stack["version"],
        "stack chart, appVersion": stack["appVersion"],
        "stack chart, dependency": dependency["version"],
        "CITATION.cff": read_yaml("CITATION.cff")["version"],
    }


def contributing_map() -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return text.split("## To add X, touch Y", 1)[1].split("\n## ", 1)[0]


def links(page: Path) -> list[str]:
    """Return the relative link targets of a Markdown page, code blocks left out."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [each for each in targets if not each.startswith(("http:", "https:", "mailto:"))]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, formed as GitHub does."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", each.lower()) for each in headings]
    return {each.replace(" ", "-") for each in plain}


def imported_tests(module: Path) -> list[str]:
    """Return what a module imports by the name of a test module or of a test."""
    names: list[str] = []
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module or ''}.{each.name}" for each in node.names]
    return [name for name in names if re.search(r"(^|\.)test_", name)]


def test_version_strings_agree() -> None:
    assert len(set(version_strings().values())) == 1, version_strings()


def test_release_page_lists_every_file_with_a_version() -> None:
    text = (ROOT / "RELEASE.md").read_text("utf-8")
    for name in ("pyproject.toml", "solr-benchmark-operator/Chart.yaml", "CITATION.cff"):
        assert name in text
    assert "solr-benchmark-stack/Chart.yaml" in text


def test_paths_of_the_contributing_map_exist() -> None:
    paths = re.findall(r"`([\w./-]+/[\w./-]*)`", contributing_map())
    assert len(paths) > 20
    missing = [
        each for each in paths if not (ROOT / each).exists() and not (PACKAGE / each).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_to_a_file_and_heading(page: Path) -> None:
    broken = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_docs_index_lists_every_page() -> None:
    index = ROOT / "docs/README.md"
    listed = {(index.parent / each.partition("#")[0]).resolve() for each in links(index)}
    pages = {*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/method").glob("*.md")} - {index}
    assert {each.name for each in pages if each.resolve() not in listed} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_can_be_read_in_one_sitting(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "<!-- Generated by" in text or len(text.encode()) <= 25_000


@pytest.mark.parametrize("root", ["operator/src/solrbench", "bench", "tests"])
def test_folder_has_at_most_thirty_modules(root: str) -> None:
    modules = (each for each in (ROOT / root).rglob("*.py") if each.name != "__init__.py")
    sizes = Counter(str(each.parent.relative_to(ROOT)) for each in modules)
    assert {folder: size for folder, size in sizes.items() if size > 30} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import unit.test_one",
        "import unit.test_one as one",
        "from unit.test_one import helper",
        "from unit import helpers, test_one",
        "from . import test_one",
        "def late():\n    from .test_one import helper",
    ],
)
def test_an_import_of_a_test_is_found(tmp_path: Path, line: str) -> None:
    module = tmp_path / "module.py"
    module.write_text(f"import re\nfrom unit.contest_ import attest_\n{line}\n", "utf-8")
    (found,) = imported_tests(module)
    assert "test_one" in found


def test_no_test_imports_a_test() -> None:
    found = {
        str(module.relative_to(ROOT)): names
        for module in sorted((ROOT / "tests").rglob("*.py"))
        if (names := imported_tests(module))
    }
    assert not found, f"move what they share to tests/support: {found}"


def test_class_name_stands_once_in_the_package() -> None:
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_tests_that_the_threat_model_names_exist() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    heads = [line for line in rows if line.endswith("| Test |")]
    assert len(named) == len(rows) - len(heads) > 30, "each line has one"
    for path, name in named:
        assert f"\ndef {name}(" in (ROOT / path).read_text("utf-8"), f"{path}::{name}"
