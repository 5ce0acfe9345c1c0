"""The chart that adds the Solr Operator."""

from pathlib import Path
from typing import Any

import yaml

CHARTS = Path(__file__).parents[3] / "charts"
STACK = CHARTS / "solr-benchmark-stack"


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return found


def test_dependencies_are_ours_of_this_tree_and_an_optional_one() -> None:
    ours, solr_operator = read(STACK / "Chart.yaml")["dependencies"]
    chart = read(CHARTS / "solr-benchmark-operator" / "Chart.yaml")
    assert (ours["name"], ours["version"]) == (chart["name"], chart["version"])
    assert (STACK / ours["repository"].removeprefix("file://")).resolve().is_dir()
    assert solr_operator["condition"] == "solr-operator.enabled"


def test_every_value_belongs_to_a_dependency() -> None:
    names = {each["name"] for each in read(STACK / "Chart.yaml")["dependencies"]}
    assert read(STACK / "values.yaml").keys() == names


def test_readme_documents_every_switch() -> None:
    text = (STACK / "README.md").read_text("utf-8")
    for value in ("enabled", "zookeeper-operator.install", "zookeeper-operator.use"):
        assert f"`solr-operator.{value}`" in text
