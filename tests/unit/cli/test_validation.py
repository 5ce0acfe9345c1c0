import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from solrbench.cli.files import apply_changes, documents_of
from support.cluster.benchmarks import config_map, small, small_solr
from support.resources.small_sweep import small_sweep
from unit.cli.conftest import assert_one_line, call, written

SECURITY_MANAGER = {"solrOpts": "-Djava.security.manager"}


def validate(folder: Path, given: str | dict[str, Any], code: int = 0) -> str:
    """Return the output for a text, or for an object, once it ends with the exit code."""
    file = folder / "b.yaml"
    file.write_text(given if isinstance(given, str) else yaml.safe_dump(given), "utf-8")
    return call("validate", "-f", str(file), code=code).output


def test_good_file_with_other_objects(tmp_path: Path) -> None:
    text = yaml.safe_dump_all([config_map("queries"), small("one"), small("two")])
    assert validate(tmp_path, text) == "one: valid\ntwo: valid\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not readable as YAML"),
        ("{apiVersion: v1, kind: K, metadata: &a {name: n, self: *a}}", "not readable as YAML"),
        ("- 1", "apiVersion, kind and metadata"),
        ("kind: SolrBenchmark", "apiVersion, kind and metadata"),
        ("{apiVersion: v1, kind: [K], metadata: {name: n}}", "apiVersion, kind and metadata"),
        ("{apiVersion: v1, kind: List, items: 5}", "apiVersion, kind and metadata"),
        ("", "no SolrBenchmark"),
        (yaml.safe_dump(config_map("queries")), "no SolrBenchmark"),
        (yaml.safe_dump(small("one")) + "metadata: {name: two}\n", "metadata: is there twice"),
        (
            # As the cluster prints one that has begun, with a change that it would refuse.
            small("one", collection__replicas={"nrt": 2})
            | {"status": {"startTime": "2026-11-20T09:00:00Z"}},
            "collection.replicas must not add up to more than target.solrCloud.nodes",
        ),
        (yaml.safe_dump(small_sweep()) + "spec: {}\n", "spec: is there twice"),
        (
            small("one") | {"kind": "SolrBenchmar"},
            "kind SolrBenchmar of solrbench.io is unknown; write SolrBenchmark",
        ),
        (
            small("one", target__solrCloud=small_solr("10.0.0") | SECURITY_MANAGER),
            "spec.target.solrCloud.solrOpts: must not have -Djava.security.manager",
        ),
    ],
)
def test_file_that_is_not_valid_is_refused(
    tmp_path: Path, text: str | dict[str, Any], words: str
) -> None:
    assert words in validate(tmp_path, text, 1)


def test_json_with_tabs_and_escapes_keeps_characters_and_lines() -> None:
    body = small("one")
    body["metadata"]["annotations"] = {"note": "\N{GRINNING FACE}"}
    (document,) = documents_of("b.json", json.dumps(body, indent="\t"))
    assert document.body == body
    assert document.line_of(("kind",)) == 3


def test_validate_reads_standard_input() -> None:
    assert call("validate", "-f", "-", input=yaml.safe_dump(small("one"))).output == "one: valid\n"


def test_every_fault_of_every_file_has_its_line(tmp_path: Path) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.json"
    text = yaml.safe_dump(small("one"), sort_keys=False).replace("nodes: 1", "node: 1")
    first.write_text(text.replace("users: 2", "users: many"), "utf-8")
    second.write_text(json.dumps(small("two", load__step=[])), "utf-8")
    good = tmp_path / "c.yml"
    good.write_text(yaml.safe_dump(small("three")).replace("nodes: 1", "nodes: 1.0"), "utf-8")
    result = call("validate", "-f", str(tmp_path), code=1)
    assert result.stdout == "three: valid\n"
    lines = result.stderr.splitlines()
    at = enumerate(first.read_text("utf-8").splitlines(), 1)
    numbers = {each.split(":")[0].strip(" -"): number for number, each in at}
    node, users = numbers["node"], numbers["users"]
    one, two = "SolrBenchmark one is not valid", "SolrBenchmark two is not valid"
    nodes = 'spec.target.solrCloud.node: unknown field; did you mean "nodes"?'
    assert lines == [
        f"{first}:{node}: {one}: {nodes}",
        f"{first}:{users}: {one}: spec.load.steps[0].users: must be a whole number",
        f'{second}:1: {two}: spec.load.step: unknown field; did you mean "steps"?',
    ]


@pytest.mark.parametrize(
    ("change", "place", "value"),
    [
        ("spec.target.solrCloud.heap=1Gi", ("target", "solrCloud", "heap"), "1Gi"),
        ("load.steps[0].users=7", ("load", "steps", 0, "users"), 7),
        ("load.steps[0].users=1e1", ("load", "steps", 0, "users"), 10),
        ("target.solrCloud.heap=12e4567", ("target", "solrCloud", "heap"), "12e4567"),
        ("spec.collection.caches.filter.size=9", ("collection", "caches", "filter", "size"), 9),
        ("target.solrCloud.heap=2026-01-31", ("target", "solrCloud", "heap"), "2026-01-31"),
    ],
)
def test_values_can_be_set(change: str, place: tuple[str | int, ...], value: object) -> None:
    (document,) = documents_of("a file", yaml.safe_dump(small("one")))
    apply_changes([document], (change,))
    found = document.body["spec"]
    for part in place:
        found = found[part]
    assert found == value


@pytest.mark.parametrize(
    "change", ["heap", "spec..a=1", "spec.load.steps[4].users=1", "spec.load.steps.users=1", "a=["]
)
def test_values_that_lead_nowhere_are_wrong_use(tmp_path: Path, change: str) -> None:
    result = call("validate", written(tmp_path, small("one")), "--set", change, code=2)
    assert "--set" in result.stderr


def test_own_key_in_place_of_a_merged_one_is_no_fault(tmp_path: Path) -> None:
    steps = "[&a {name: a, users: 2, durationSeconds: 1}, {<<: *a, name: b}]"
    text = yaml.safe_dump(small("one", load__steps="STEPS")).replace("STEPS", steps)
    assert validate(tmp_path, text) == "one: valid\n"
    output = validate(tmp_path, text.replace("name: b}", "name: b, name: c}"), 1)
    assert output.count("is there twice") == 1


def test_a_change_reaches_one_place_of_an_anchor() -> None:
    spec = "spec: {one: &a {b: {c: 1}}, two: *a}"
    text = f"{{apiVersion: v1, kind: SolrBenchmark, metadata: {{name: a}}, {spec}}}"
    (document,) = documents_of("a file", text)
    apply_changes([document], ("spec.one.b.c=2",))
    assert document.body["spec"] == {"one": {"b": {"c": 2}}, "two": {"b": {"c": 1}}}


def test_folder_without_files_is_named(tmp_path: Path) -> None:
    assert_one_line(call("validate", "-f", str(tmp_path)), 1, "no file in it ends in .yaml")


def test_a_sweep_shows_its_points(tmp_path: Path) -> None:
    first, *points = validate(tmp_path, small_sweep()).splitlines()
    assert first.startswith(
        "trial: valid, 4 points, 80 s to 8.67 min of load; the largest requests "
    )
    assert points[0].startswith("  trial-baseline-")
    assert ": heap 512Mi, nodes 1/1 (baseline); 20 s to 2.17 min, " in points[0]
    assert len(points) == 4


def test_a_sweep_whose_name_the_server_completes_is_valid(tmp_path: Path) -> None:
    output = validate(tmp_path, small_sweep() | {"metadata": {"generateName": "nightly-"}})
    assert output.partition(",")[0] == "nightly-: valid"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"spec.axes.0.values": ["512Mi", "lots"]}, "point heap lots, nodes 1/1"),
        ({"spec.order": "Sorted"}, "spec.order: "),
        ({"spec.template.spec.load": [1]}, "every point: spec.load: must be a mapping"),
    ],
)
def test_a_bad_sweep_is_refused_by_point_and_field(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    output = validate(tmp_path, small_sweep(changes), 1)
    assert "SolrBenchmarkSweep trial is not valid" in output
    assert words in output


@pytest.mark.parametrize(
    ("body", "change", "words"),
    [
        (small("one"), "kind=[a]", "kind ['a'] of solrbench.io is unknown"),
        (small_sweep(), "spec.nodes=3", "spec.nodes: unknown field"),
        (small("one"), "metadata=3", "every document needs apiVersion, kind and metadata.name"),
        (small("one"), "metadata.name=", "every document needs apiVersion, kind and metadata.name"),
    ],
)
def test_change_to_what_is_not_known_or_has_no_name_is_refused(
    tmp_path: Path, body: dict[str, Any], change: str, words: str
) -> None:
    assert words in call("validate", written(tmp_path, body), "--set", change, code=1).stderr


def test_file_of_powershell_is_read(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(yaml.safe_dump(small("one")), "utf-16")
    assert call("validate", "-f", str(file)).stdout == "one: valid\n"


def test_files_may_be_named_with_and_without_the_option(tmp_path: Path) -> None:
    examples = Path(__file__).parents[3] / "examples"
    one, two = str(examples / "quickstart.yaml"), str(examples / "heap.yaml")
    for arguments in ([one, two], ["-f", one, "-f", two], ["-f", one, two]):
        done = call("validate", *arguments, code=0)
        assert done.output.splitlines() == ["quickstart: valid", "heap-4gi: valid"]


@pytest.mark.parametrize("command", ["validate", "plan", "run"])
def test_a_command_without_a_file_says_what_to_name(command: str) -> None:
    done = call(command, code=2)
    assert "No file is given" in done.output
