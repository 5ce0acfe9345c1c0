"""One Solr through three endpoints, which count their requests; queries for one shard only."""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.cluster import kube
from support.cluster.benchmarks import SMALL_SOLR, config_map, small
from support.solr.solr_state import core_statuses, search_requests, shard_requests

EXAMPLE = Path(__file__).parents[3] / "examples/variants.yaml"
NAME = "variants"  # the proxy of the example leads to the Service of this benchmark
ENDPOINTS = ("nodes", "service", "proxy")
REPEATS, REQUESTS, WARM_UP = 3, 200, 50
PROXY = "variants-proxy"


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    bodies = list(yaml.safe_load_all(EXAMPLE.read_text("utf-8")))
    kube.apply(*(each for each in bodies if each["metadata"]["name"] == PROXY))
    yield PROXY
    kube.kubectl("delete", "deployment,service,configmap", PROXY, "--ignore-not-found")


@pytest.fixture(scope="module")
def status(proxy: str) -> Iterator[dict[str, Any]]:
    variants = [
        {"name": "nodes", "endpoint": "Nodes"},
        {"name": "service", "endpoint": "Service"},
        {"name": "proxy", "urls": [f"http://{proxy}:8080/solr"]},
    ]
    yield from kube.measured(
        small(
            NAME,
            target={"solrCloud": SMALL_SOLR | {"nodes": 2}, "variants": variants},
            collection={"replicas": {"nrt": 2}},
            warmUp={"requests": WARM_UP},
            load={
                "repeats": {"count": REPEATS, "order": "Interleaved"},
                "steps": [{"name": "two-users", "users": 2, "requests": REQUESTS}],
            },
            cleanup="Never",
        )
    )


@pytest.fixture(scope="module")
def report(status: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(kube.solrbench("report", NAME, "-o", "json"))
    return found


def test_every_variant_has_results_of_its_own(status: dict[str, Any]) -> None:
    found = [(each["variant"], each["repeats"], each["requests"]) for each in status["results"]]
    assert found == [(endpoint, REPEATS, REPEATS * REQUESTS) for endpoint in ENDPOINTS]
    assert [each["failures"] for each in status["results"]] == [0, 0, 0]
    assert status["report"]["totalSteps"] == status["report"]["storedSteps"] == 9


def test_variants_took_turns(report: dict[str, Any]) -> None:
    steps = sorted(report["steps"], key=lambda step: step["startTime"])
    forth = list(ENDPOINTS)
    assert [step["variant"] for step in steps] == forth + forth[::-1] + forth
    assert [step["warmUpRequests"] for step in steps] == [WARM_UP] * 9


def test_request_counts_are_those_of_solr(status: dict[str, Any]) -> None:
    measured = sum(each["requests"] for each in status["results"])
    assert search_requests(NAME) == measured + REPEATS * len(ENDPOINTS) * WARM_UP


def test_requests_of_the_proxy_are_those_of_its_own_log(status: dict[str, Any]) -> None:
    log = kube.kubectl("logs", f"deployment/{PROXY}", "-c", "nginx", "--tail=-1")
    asked = [line for line in log.splitlines() if f"/solr/{NAME}/select?" in line]
    assert len(asked) == REPEATS * (REQUESTS + WARM_UP)
    codes = Counter(line.partition('" ')[2].split()[0] for line in asked)
    assert codes == {"200": len(asked)}


def test_each_other_endpoint_is_compared_with_the_first(status: dict[str, Any]) -> None:
    found = status["comparisons"]
    sides = [(each["variant"], each["baseline"]) for each in found]
    assert sides == [("service", "nodes"), ("proxy", "nodes")]
    for each in found:
        assert (each["repeats"], each["failures"], each["step"]) == (REPEATS, 0, "two-users")
        for figure in ("average", "p95", "requestsPerSecond"):
            overhead = each[figure]
            assert overhead["lowPercent"] <= overhead["percent"] <= overhead["highPercent"]


def test_overhead_can_be_computed_from_the_report(
    status: dict[str, Any], report: dict[str, Any]
) -> None:
    def average(variant: str, repeat: int) -> float:
        key = variant, repeat
        (step,) = [each for each in report["steps"] if (each["variant"], each["repeat"]) == key]
        (result,) = step["requests"]
        return float(result["sumMicroseconds"] / result["requests"])

    for each in status["comparisons"]:
        pairs = [(average(each["variant"], n), average("nodes", n)) for n in (1, 2, 3)]
        mean = math.prod(after / before for after, before in pairs) ** (1 / REPEATS)
        assert each["average"]["percent"] == pytest.approx(100 * (mean - 1), abs=0.01)


def test_every_form_of_the_report_shows_the_comparison(status: dict[str, Any]) -> None:
    for form in ("table", "markdown"):
        full = ("--details",) if form == "table" else ()
        text = kube.solrbench("report", NAME, "-o", form, *full)
        heads = set(re.split(r"[ \n]*\|[ \n]*|  +|\n", text))
        assert {"Baseline", "This variant", "Difference", "95 % CI", "Conclusion"} <= heads
        assert "Variants compared with nodes" in text
        assert re.search(r"proxy.*service", text, re.DOTALL)
    lines = list(csv.DictReader(io.StringIO(kube.solrbench("report", NAME, "-o", "csv"))))
    assert [line["variant"] for line in lines] == list(ENDPOINTS)


def test_service_goes_with_the_benchmark(status: dict[str, Any]) -> None:
    assert f"services/{NAME}-solr-common" in kube.owned(NAME)
    kube.delete(NAME)  # checks that nothing is left


PREFIXES = 8


@pytest.fixture
def routed(run: Callable[..., str]) -> str:
    line = json.dumps({"q": "*:*", "_route_": "p0!", "shards.preference": "replica.type:NRT"})
    body = small(
        "routed",
        collection={"shards": 2},
        dataset={"generator": {"documents": 2000, "seed": 3, "routePrefixes": PREFIXES}},
        workload={"queries": {"configMap": {"name": "routes", "key": "queries.jsonl"}}},
        cleanup="Never",
    )
    name = run(body, config_map("routes", queries__jsonl=line))
    kube.wait_for_success(name)
    return name


def documents_by_prefix(name: str) -> dict[str, dict[str, int]]:
    """Return the documents of every prefix in each shard, asked core by core."""
    params = {f"f{i}": f"{{!prefix f=id}}p{i}!" for i in range(PREFIXES)}
    found: dict[str, dict[str, int]] = {key: {} for key in params}
    for core in core_statuses(name):
        asked = [f"{{!key={key}}}{{!prefix f=id}}p{key[1:]}!" for key in params]
        facets: dict[str, Any] = {"facet": "true", "facet.query": asked}
        path = f"/{core}/select"
        answer = kube.solr(f"{name}-solr-0", path, q="*:*", rows=0, distrib="false", **facets)
        for key in params:
            shard = core.split("_")[1]
            found[key][shard] = answer["facet_counts"]["facet_queries"][key]
    return found


def test_routed_queries_ask_the_one_shard_that_holds_their_documents(routed: str) -> None:
    whole, parts = search_requests(routed), shard_requests(routed)
    assert whole == 200
    found = documents_by_prefix(routed)
    assert sum(sum(each.values()) for each in found.values()) == 2000
    holders = {key: {s for s, n in each.items() if n} for key, each in found.items()}
    assert all(len(shards) == 1 for shards in holders.values()), found
    assert set.union(*holders.values()) == {"shard1", "shard2"}
    (owner,) = holders["f0"]
    (other,) = {"shard1", "shard2"} - {owner}
    assert parts[other] == 0
    # Without a route the same counter moves: both shards are asked.
    kube.solr(f"{routed}-solr-0", f"/{routed}/select", q="*:*")
    assert shard_requests(routed)[other] > 0
    kube.kubectl("delete", "configmap", "routes")
