"""The studies: each one resource that is valid at every point, with data that anyone can make."""

import gzip
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from solrbench.api.v1alpha1 import KIND, SolrBenchmark
from solrbench.api.v1alpha1.collection import BUILT_IN_VALUES
from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.status import CleanedStatus
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep, SweepPoint
from solrbench.index.files import Partition, ReadCounts, mounted_files
from solrbench.index.sources import name_files, read_files
from solrbench.manifests.companion_bundle import ManifestText, parse_bundle
from solrbench.manifests.companion_objects import BundleScope
from solrbench.sweep.plan import check_sweep, make_plan
from solrbench.sweep.state import ChildView, SweepObservation
from support.repository import ROOT, load_module
from support.resources.small_sweep import DONE, NOW, run_to_end

FOLDER = ROOT / "examples/studies"
STUDIES = {"isamples": 8, "mcgill": 8, "edfi": 2, "folio": 8, "hathitrust": 5}
"""With the number of their experiments."""
PARTS = ("folio-longevity", "hathitrust-sizes", "hathitrust-capacity", "mcgill-indexing")
FILES = [
    *(f"{name}{size}" for name in (*STUDIES, *PARTS) for size in ("", "-small")),
    "mcgill-longevity",
    "hathitrust-replay",
]
LEAST_SECONDS = 30
"""Of a step: with 28 whole seconds or more, repeats can be compared."""
STANZAS = """Package: apt
Version: 2.6
Maintainer: A <a@example.org>
Section: admin
Description: commandline package manager
 that fetches, verifies, installs

Package: bash
Version: 5.2
Maintainer: B <b@example.org>
Description: shell which understands commands
"""


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / f"{name}.yaml").read_text()))


def body_of(name: str) -> dict[str, Any]:
    """Return the benchmark or the sweep of a file."""
    (body,) = [each for each in documents(name) if each["kind"] != "ConfigMap"]
    return body


def header_of(name: str) -> str:
    return (FOLDER / f"{name}.yaml").read_text().partition("apiVersion:")[0]


def spec_of(name: str) -> dict[str, Any]:
    """Return the spec of the benchmark, or of the template of the sweep."""
    body = body_of(name)
    found: dict[str, Any] = body["spec"]
    return found if body["kind"] == KIND else found["template"]["spec"]


@pytest.mark.parametrize(("study", "experiments"), STUDIES.items())
def test_each_page_lists_every_experiment_and_says_what_was_never_run(
    study: str, experiments: int
) -> None:
    text = (ROOT / f"docs/studies/{study}.md").read_text()
    table = text.partition("## Experiments")[2].partition("## Recorded runs")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line[:3].strip("| ").isdigit()]
    assert [int(row[0].strip("| ")) for row in rows] == list(range(1, experiments + 1))
    assert {len(row) for row in rows} == {4}
    assert "No full form was ever run" in text


def test_every_file_is_checked() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {*FILES, "corpora"}


@pytest.mark.parametrize("name", FILES)
def test_study_is_one_resource_that_is_valid_at_every_point(name: str) -> None:
    body = body_of(name)
    if body["kind"] == KIND:
        assert SolrBenchmark.parse(body).spec.load.steps
    else:
        assert SolrBenchmarkSweep.parse(body).spec.axes
        assert check_sweep(body).problems == ()


@pytest.mark.parametrize("name", FILES)
def test_header_says_what_it_asks_and_how_to_run_it(name: str) -> None:
    header = header_of(name)
    assert all(line.startswith("#") for line in header.splitlines())
    assert f"kubectl apply -f examples/studies/{name}.yaml" in header
    assert name in (ROOT / "docs/studies/README.md").read_text()


@pytest.mark.parametrize("name", FILES)
def test_config_maps_come_along_or_the_header_makes_them(name: str) -> None:
    given = {each["metadata"]["name"] for each in documents(name) if each["kind"] == "ConfigMap"}
    main = name.partition("-")[0]
    header = header_of(name)
    used = set(_config_maps(spec_of(name)))
    assert given <= used
    beside = {each["metadata"]["name"] for each in documents(main)} if main != name else set()
    for each in used - given:
        comes_along = each in beside and f"{main}.yaml" in header
        assert comes_along or f"create configmap {each} " in header


@pytest.mark.parametrize("name", FILES)
def test_steps_are_long_enough_to_be_valid_and_pods_are_read(name: str) -> None:
    load = spec_of(name)["load"]
    assert load["telemetry"] == {"collect": "ServersAndPods"}
    for step in load.get("steps", ()):
        assert step.get("durationSeconds", LEAST_SECONDS) >= LEAST_SECONDS, step


@pytest.mark.parametrize("study", STUDIES)
def test_axes_that_the_pages_say_are_compared_are_settings(study: str) -> None:
    page = (ROOT / f"docs/studies/{study}.md").read_text()
    index = (ROOT / "docs/studies/README.md").read_text().partition("## What to look at")[2]
    (row,) = (each for each in index.splitlines() if f"]({study}.md) |" in each)
    conclusions = re.search("conclusions on ([^;]*)", row)
    assert conclusions is not None
    named = {*re.findall("axis `([^`]+)`", page), *re.findall("`([^`]+)`", conclusions[1])}
    roles: dict[str, set[bool]] = {}
    bodies = [documents(name)[-1] for name in FILES if name.startswith(study)]
    for sweep in (SolrBenchmarkSweep.parse(each) for each in bodies if each["kind"] != KIND):
        for axis in sweep.spec.axes:
            roles.setdefault(axis.name, set()).add(axis.is_condition)
    assert {name: roles.get(name) for name in named} == {name: {False} for name in named}


def ended(sweep: Any, point: SweepPoint) -> ChildView:
    """Return a benchmark of a point whose figures are all larger by half than those of the one
    before, in every step and request name of the sweep, and hardly differ from round to round."""
    place = sum(point.values)
    figure = 100 * 1.5**place * (1 + 0.004 * ((point.rounds or 0) % 3))
    template = sweep.template.spec
    steps = [each["name"] for each in template["load"].get("steps", ())]
    names = [each["name"] for each in template["workload"].get("mix", ())]
    rates = {"requestsPerSecond": figure, "documentsPerSecond": figure}
    result = rates | {"averageMilliseconds": figure, "p95Milliseconds": figure}
    telemetry = {"readBytesPerRequest": place, "indexBytes": 2**30 * (place + 1)}
    status = {
        "summary": {"step": steps[-1]} if steps else {},
        "totals": [{"step": step, **result} for step in steps],
        "results": [{"step": step, "request": name, **result} for step in steps for name in names],
        "capacity": [result | {"users": figure}] if "capacity" in template["load"] else [],
    }
    summary = result | {"verdict": "Valid", "repeats": [{"target": 1, **result}]}
    return replace(DONE, summary=summary, telemetry=telemetry, status=status)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("-small")])
def test_small_sweep_concludes_what_its_axes_change(name: str) -> None:
    body = body_of(name)
    if body["kind"] == KIND:
        return
    body["spec"]["startOn"] = "FreshTarget"  # no targets are handed over here
    sweep = SolrBenchmarkSweep.parse(body)
    seen = SweepObservation(sweep, make_plan(sweep), {}, NOW, concurrency=1)
    status = run_to_end(seen, lambda point: ended(sweep.spec, point))
    settings = [place for place, axis in enumerate(sweep.spec.axes) if not axis.is_condition]
    found = [
        point.conclusion
        for point in status.points
        if any(point.values[place] for place in settings)
    ]
    assert set(found) <= {"Better", "Worse"}
    named = {each.partition(" ")[0] for each in status.answers}
    assert named >= {sweep.spec.axes[place].name for place in settings}
    if not settings:
        assert any("disk reads per query" in each for each in status.answers)


@pytest.mark.parametrize("name", FILES)
def test_sweeps_that_can_are_measured_in_rounds_on_fresh_targets(name: str) -> None:
    body = body_of(name)
    if body["kind"] != KIND and body["spec"].get("order") != "Listed":
        assert body["spec"]["repeats"]["until"] == "Decided"


def _config_maps(part: Any) -> list[str]:
    if isinstance(part, list):
        return [name for each in part for name in _config_maps(each)]
    if not isinstance(part, dict):
        return []
    own = [part["configMap"]["name"]] if "configMap" in part else []
    return own + [name for each in part.values() for name in _config_maps(each)]


@pytest.mark.parametrize("name", FILES)
def test_companions_may_be_made_and_variants_lead_to_them(name: str) -> None:
    spec = spec_of(name)
    given = {each["metadata"]["name"]: each.get("data", {}) for each in documents(name)}
    texts = [
        ManifestText(key, text, each.get("values", {}))
        for each in spec.get("companions", ())
        for key, text in given[each["configMap"]["name"]].items()
    ]
    values = dict.fromkeys(BUILT_IN_VALUES, "value")
    bundle = parse_bundle(texts, BundleScope("a" * 40, "search", values))
    urls = list(_variant_urls(documents(name)))
    services = {each.metadata.name for each in bundle.services}
    assert {urlsplit(url).hostname for url in urls} == services


def _variant_urls(part: Any) -> Iterator[str]:
    """Yield the URLs of variants, wherever they are: in the template or in an axis."""
    match part:
        case {"name": str(), "urls": list(urls)}:
            yield from urls
        case dict():
            yield from _variant_urls(list(part.values()))
        case list():
            for each in part:
                yield from _variant_urls(each)
        case _:  # a plain value
            pass


def test_open_data_are_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_data = load_module(FOLDER / "open_data.py")
    monkeypatch.setattr(open_data, "QUERIES", 3)
    monkeypatch.setattr(open_data, "INPUTS", 2)
    town = {
        "name": "Papeete",
        "alternatenames": ["Pape'ete"],
        "countrycode": "PF",
        "admin1code": "00",
        "timezone": "Pacific/Tahiti",
        "population": 26_357,
        "latitude": -17.53,
        "longitude": -149.57,
    }
    wheel = tmp_path / "cities.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr(open_data.CITIES, json.dumps({"1": town}))
    for folder in ("one", "two"):
        open_data.main(wheel, tmp_path / folder, STANZAS.splitlines(keepends=True))
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / folder).iterdir()}
        for folder in ("one", "two")
    )
    assert one == two
    circulation = [
        json.loads(line) for line in gzip.decompress(one["circulation.jsonl.gz"]).splitlines()
    ]
    assert [each["kind_s"] for each in circulation] == ["item", "event"] * 2
    assert json.loads(gzip.decompress(one["cities.jsonl.gz"]))["place_ll"] == "-17.53,-149.57"
    packages = gzip.decompress(one["packages.jsonl.gz"]).decode()
    (small,) = documents("mcgill-indexing-small")
    dataset = Dataset.model_validate(small["spec"]["dataset"])
    counts = ReadCounts()
    names = [each.rpartition("/")[2] for each in small["spec"]["dataset"]["http"]["urls"]]
    mounted = name_files(dataset, mounted_files(tmp_path / "one", names))
    read = read_files(dataset, mounted, Partition(0, 1, 500), counts)
    lines = [json.loads(line) for line in packages.splitlines()]
    assert [each["id"] for each, _ in read] == [each["id"] for each in lines]
    assert counts.cleaned == CleanedStatus(documents=1, control_characters=1, invalid_bytes=1)
    for query in one["and-queries.txt"].decode().splitlines():
        words = query.split(" AND ")
        assert len(words) in (2, 3)
        assert all(word in packages for word in words)
    (check_out, _) = map(json.loads, one["check-outs.jsonl"].splitlines())
    assert check_out["barcode"] in ("apt", "bash")
