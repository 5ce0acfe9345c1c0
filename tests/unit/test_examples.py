"""Every example is one good benchmark with all it needs, and says what it shows."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from solrbench.api.kinds import SWEEP
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import KIND, SolrBenchmark
from solrbench.api.v1alpha1.collection import BUILT_IN_VALUES
from solrbench.api.v1alpha1.request_mix import Queries
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.api.v1alpha1.target import Provisioner
from solrbench.contract.endpoints import solr_service_url
from solrbench.contract.workload_files import sources
from solrbench.load.workload.loader import load_workload
from solrbench.manifests.companion_bundle import ManifestText, parse_bundle
from solrbench.manifests.companion_objects import BundleScope
from solrbench.sweep.plan import check_sweep, make_plan
from support.load.builders import parse_lines, plan_of
from support.narrowing import not_none
from support.repository import ROOT
from support.results.validity_documents import seconds_around, short_repeat, verdict_of

FOLDER = ROOT / "examples"
UPGRADE = FOLDER / "upgrade.yaml"
SWEEPS = sorted([*FOLDER.glob("sweep*.yaml"), FOLDER / "sizing.yaml", UPGRADE])
EXAMPLES = sorted({*FOLDER.glob("*.yaml")} - {*SWEEPS})


@cache
def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.load_all(path.read_text("utf-8"), yaml.CSafeLoader))


QUERIES = 100
"""As many generated queries are made; an example has a hundred times as many."""


@cache
def benchmark(path: Path) -> SolrBenchmark:
    (body,) = [each for each in documents(path) if each["kind"] == KIND]
    return SolrBenchmark.parse(body)


def config_maps(path: Path) -> dict[str, dict[str, str]]:
    return {
        each["metadata"]["name"]: each["data"] | each.get("binaryData", {})
        for each in documents(path)
        if each["kind"] == "ConfigMap"
    }


def with_few_queries(value: Any) -> Any:
    """Return the JSON of a workload with fewer generated queries."""
    if isinstance(value, list):
        return [with_few_queries(each) for each in value]
    if not isinstance(value, dict):
        return value
    fewer = {"count": QUERIES} if "maxTerms" in value else {}
    return {key: with_few_queries(each) for key, each in value.items()} | fewer


def deployments(path: Path) -> list[dict[str, Any]]:
    return [each for each in documents(path) if each["kind"] == "Deployment"]


def test_examples_folder_is_not_empty() -> None:
    names = {path.stem for path in EXAMPLES}
    assert "quickstart" in names
    assert len(names) >= 13


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_one_good_benchmark(path: Path) -> None:
    load = benchmark(path).spec.load
    assert load.steps or load.capacity


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_example_is_one_good_sweep(path: Path) -> None:
    (body,) = [each for each in documents(path) if each["kind"] == SWEEP.name]
    checked = check_sweep(body)
    assert checked.problems == ()
    assert checked.lines


def test_upgrade_has_all_that_its_points_read() -> None:
    (body,) = [each for each in documents(UPGRADE) if each["kind"] == SWEEP.name]
    sweep = SolrBenchmarkSweep.parse(body)
    plan = make_plan(sweep)
    assert {each.point.values[0].label for each in plan.points} == {"9.8.1", "9.10.1"}
    # Each version has a target of its own, and each round another one.
    assert [each.fingerprints.cluster for each in plan.points] == [None, None]
    data = config_maps(UPGRADE)
    made = {"metadata": {"name": "upgrade"}, "spec": sweep.spec.template.spec}
    template = SolrBenchmark.model_validate(made).spec
    source = not_none(template.collection.config_set.config_map)
    assert {"solrconfig.xml", "schema.xml"} <= data[source.name].keys()
    queries = not_none(not_none(template.workload.queries).config_map)
    text = data[queries.name][queries.key]
    names = {json.loads(line)["name"] for line in text.splitlines()}
    assert names == {"category", "cheap", "facets", "newest"}


@pytest.mark.parametrize("path", [*EXAMPLES, *SWEEPS], ids=lambda path: path.stem)
def test_header_says_what_it_shows_and_how_to_run_it(path: Path) -> None:
    header, _, _ = path.read_text("utf-8").partition("apiVersion:")
    assert all(line.startswith("#") for line in header.splitlines())
    assert f"kubectl apply -f examples/{path.name}" in header


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_header_says_that_the_solr_operator_must_be_there(path: Path) -> None:
    solr = benchmark(path).spec.target.solr_cloud
    header, _, _ = path.read_text("utf-8").partition("apiVersion:")
    if solr is not None and solr.provisioner is Provisioner.SOLR_OPERATOR:
        assert "Solr Operator" in header
        assert "must be" in " ".join(header.replace("#", "").split())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_config_maps_that_are_referred_to_come_along(path: Path) -> None:
    spec, given = benchmark(path).spec, config_maps(path)
    used = set()
    if spec.dataset is not None and spec.dataset.config_map is not None:
        used.add(spec.dataset.config_map.name)
        assert set(spec.dataset.config_map.keys) <= given[spec.dataset.config_map.name].keys()
    for _, _, content in sources(spec.workload):
        if content.config_map is not None:
            used.add(content.config_map.name)
            assert content.config_map.key in given[content.config_map.name]
    if spec.workload.locustfile is not None:
        own = spec.workload.locustfile.config_map
        used.add(own.name)
        assert own.key in given[own.name]
    if spec.collection.config_set.config_map is not None:
        used.add(spec.collection.config_set.config_map.name)
        assert "solrconfig.xml" in given[spec.collection.config_set.config_map.name]
    for companion in spec.companions:
        used.add(companion.config_map.name)
        assert companion.config_map.key in {None, *given[companion.config_map.name]}
    pods = [each["spec"]["template"]["spec"] for each in deployments(path)]
    volumes = [volume for pod in pods for volume in pod["volumes"]]
    used |= {each["configMap"]["name"] for each in volumes if "configMap" in each}
    assert used == given.keys()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_companions_that_come_along_may_be_made(path: Path) -> None:
    body, given = benchmark(path), config_maps(path)
    texts = [
        ManifestText(name, text, companion.values)
        for companion in body.spec.companions
        for name, text in given[companion.config_map.name].items()
        if companion.config_map.key in (None, name)
    ]
    values = dict.fromkeys(BUILT_IN_VALUES, "value")
    bundle = parse_bundle(texts, BundleScope(body.metadata.name, "search", values))
    services = {each.metadata.name for each in bundle.services}
    urls = [url for each in body.spec.target.variants for url in each.urls or ()]
    assert not texts or services & {urlsplit(url).hostname for url in urls}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_queries_that_come_along_can_be_read(path: Path) -> None:
    given = config_maps(path)
    for _, _, content in sources(benchmark(path).spec.workload):
        if isinstance(content, Queries) and content.config_map is not None:
            file = content.config_map
            lines = given[file.name][file.key].encode().splitlines()
            assert list(parse_lines(lines, file.key))


@pytest.mark.parametrize(
    "path",
    [path for path in EXAMPLES if benchmark(path).spec.workload.locustfile is None],
    ids=lambda path: path.stem,
)
def test_workers_can_prepare_what_is_asked(path: Path, tmp_path: Path) -> None:
    body = benchmark(path)
    for _, folder, content in sources(body.spec.workload):
        if content.config_map is not None:
            file = content.config_map
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / file.key).write_text(config_maps(path)[file.name][file.key])
        elif content.persistent_volume_claim is not None:
            where = tmp_path / folder / content.persistent_volume_claim.path
            where.parent.mkdir(parents=True)
            where.write_text("anything")
    dataset = body.spec.dataset
    generator = None if dataset is None else dataset.generator
    plan = plan_of(with_few_queries(plain(body.spec.workload)), generator=generator)
    assert load_workload(plan, tmp_path).names


def test_proxies_of_an_example_come_along() -> None:
    path = next(each for each in EXAMPLES if each.stem == "variants")
    body = benchmark(path)
    (service,) = [each for each in documents(path) if each["kind"] == "Service"]
    port = service["spec"]["ports"][0]["port"]
    urls = [url for each in body.spec.target.variants for url in each.urls or []]
    assert urls == [f"http://{service['metadata']['name']}:{port}/solr"]
    (proxy,) = deployments(path)
    assert service["spec"]["selector"] == proxy["spec"]["selector"]["matchLabels"]
    common = urlsplit(solr_service_url(body))
    server = f"server {(common.hostname or '').split('.')[0]}:{common.port};"
    assert server in config_maps(path)["variants-proxy"]["nginx.conf"]


def test_names_differ_so_that_all_can_be_applied_together() -> None:
    names = [benchmark(path).metadata.name for path in EXAMPLES]
    assert len(set(names)) == len(names)


@cache
def verdict_after(seconds: int, repeats: int) -> str:
    """Return the verdict on repeats of so many seconds in which nothing but chance varies."""
    runs = [
        short_repeat(each, 10_000, seconds, windows=seconds_around([10_000] * seconds, each))
        for each in range(1, repeats + 1)
    ]
    return verdict_of(*runs).verdict


@pytest.mark.parametrize("path", [*EXAMPLES, *SWEEPS], ids=lambda path: path.stem)
def test_steps_are_long_enough_to_be_valid_on_a_quiet_machine(path: Path) -> None:
    bodies = [each for each in documents(path) if each["kind"].startswith(KIND)]
    load = (bodies[0]["spec"].get("template") or bodies[0])["spec"]["load"]
    repeats = load.get("repeats", {})
    for step in load.get("steps", []):
        # How long a number of requests takes is known of a planned rate alone.
        seconds = step.get("durationSeconds") or step["requests"] / step["requestsPerSecond"]
        count = repeats.get("count") or repeats.get("min") or 1
        assert verdict_after(min(int(seconds), 60), count) == "Valid", step


def test_steps_that_are_too_short_are_inconclusive() -> None:
    assert verdict_after(20, 2) == "Inconclusive"
