"""Fields of a kind in the OpenAPI document, what is recorded of the nodes, and Secrets."""

from base64 import b64encode
from contextlib import nullcontext
from typing import Any

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.contract.environment import Environment, NodeRecord
from solrbench.errors import TemporaryError
from solrbench.kube.connection import ForbiddenError
from solrbench.kube.facts import known_fields, record_environment, secret_auth
from solrbench.kube.result_documents import read_environment
from solrbench.kube.results import BenchmarkResultStore
from solrbench.manifests.solr_cloud import API_VERSION, KIND, POD_OPTIONS
from solrbench.net.http import HttpAuth, basic_auth
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import secret
from support.failing import failing
from support.fakes.fake_cluster import FakeCluster, Fault, no_fault, refusal
from support.narrowing import not_none
from support.resources.objects import stored
from support.resources.small_resource import create
from support.resources.solr_clouds import OPENAPI_PATH, published_schema


@pytest.mark.parametrize(
    ("place", "fields"),
    [
        pytest.param(POD_OPTIONS, {"labels", "resources"}, id="a place that is there"),
        pytest.param(("spec", "customSolrKubeOptions", "x"), set(), id="one that is not"),
    ],
)
def test_fields_at_a_place(place: tuple[str, ...], fields: set[str]) -> None:
    cluster = FakeCluster(documents={OPENAPI_PATH: published_schema("labels", "resources")})
    assert known_fields(cluster, API_VERSION, KIND, place) == frozenset(fields)


@pytest.mark.parametrize(
    ("published", "version", "kind"),
    [
        (published_schema(), API_VERSION, "SolrBackup"),
        (published_schema(), "solr.apache.org/v1", KIND),
        ({}, API_VERSION, KIND),
    ],
)
def test_another_kind_or_version_is_not_taken_for_it(
    published: dict[str, Any], version: str, kind: str
) -> None:
    paths = OPENAPI_PATH, OPENAPI_PATH.replace("v1beta1", "v1")
    cluster = FakeCluster(documents=dict.fromkeys(paths, published))
    with failing(TemporaryError, "SchemaNotPublished"):
        known_fields(cluster, version, kind, POD_OPTIONS)


BENCHMARK = stored()


def recorded(status: dict[str, Any], labels: dict[str, str] | None = None) -> NodeRecord:
    (found,) = recorded_environment(status, labels).nodes
    return found


def recorded_environment(
    status: dict[str, Any], labels: dict[str, str] | None = None, fault: Fault = no_fault
) -> Environment:
    metadata = {"name": "virtual", "namespace": "", "labels": labels or {}}
    node = {"kind": "Node", "metadata": metadata, "status": status}
    cluster = FakeCluster(pod("one", {}, spec={"nodeName": "virtual"}), node, fault=fault)
    return record_environment(cluster, BENCHMARK, None)


def pod(name: str, labels: dict[str, str], **parts: Any) -> dict[str, Any]:
    labels = {"solrbench.io/benchmark": BENCHMARK.metadata.name} | labels
    metadata = {"name": name, "namespace": BENCHMARK.metadata.namespace, "labels": labels}
    return {"kind": "Pod", "metadata": metadata, "spec": {}} | parts


@pytest.mark.parametrize(
    ("memory", "wanted"), [("1e9", 10**9), ("128974848000m", 128974848), ("2Pi", 2 << 50)]
)
def test_capacity_in_any_quantity_is_recorded(memory: str, wanted: int) -> None:
    found = recorded({"capacity": {"cpu": "1e1", "memory": memory}, "nodeInfo": {}})
    assert (found.cpu_cores, found.memory_bytes) == (10.0, wanted)


@pytest.mark.parametrize(
    ("error", "is_final"),
    [
        (ForbiddenError(ApiServerReason.API_REFUSED, "nodes is forbidden"), True),
        (TemporaryError(ApiServerReason.API_UNREACHABLE, "a gateway times out"), False),
    ],
)
def test_a_node_that_could_not_be_read_once_is_read_again(
    error: TemporaryError, is_final: bool
) -> None:
    with nullcontext() if is_final else pytest.raises(TemporaryError, match="times out"):
        (node,) = recorded_environment({}, fault=refusal(error, kinds=["Node"])).nodes
        assert node == NodeRecord(name="virtual")


@pytest.mark.parametrize("status", [{}, {"capacity": {"cpu": "many", "memory": ""}}])
def test_what_a_node_does_not_report_is_absent(status: dict[str, Any]) -> None:
    assert recorded(status) == NodeRecord(name="virtual")


def test_machine_type_zone_and_versions_are_recorded() -> None:
    labels = {
        "node.kubernetes.io/instance-type": "m6i.2xlarge",
        "topology.kubernetes.io/zone": "eu-central-1a",
    }
    info = {
        "osImage": "Debian GNU/Linux 12 (bookworm)",
        "containerRuntimeVersion": "containerd://1.7.24",
        "kubeletVersion": "v1.31.4",
    }
    assert recorded({"nodeInfo": info}, labels) == NodeRecord(
        name="virtual",
        instance_type="m6i.2xlarge",
        zone="eu-central-1a",
        os_image="Debian GNU/Linux 12 (bookworm)",
        container_runtime="containerd://1.7.24",
        kubelet_version="v1.31.4",
    )


def test_node_of_each_pod_is_recorded() -> None:
    (attempt,) = recorded_environment({}).attempts
    assert attempt.pods == {"one": "virtual"}


def test_image_of_each_container_is_recorded() -> None:
    def running(component: str, companion: str | None, *containers: str) -> dict[str, Any]:
        labels = {"app.kubernetes.io/component": component}
        labels |= {"solrbench.io/companion": companion} if companion else {}
        name = f"{component}-{companion}"
        statuses = [{"name": each, "image": f"{name}-{each}:1"} for each in containers]
        return pod(name, labels, status={"containerStatuses": statuses})

    pods = [
        running("companion", "a", "nginx", "solrbench-agent"),
        running("companion", "b", "companion", "nginx"),
        running("solr", None, "solrcloud-node", "vault"),
        running("zookeeper", None, "zookeeper"),
    ]
    assert record_environment(FakeCluster(*pods), BENCHMARK, None).images == {
        "companion/a/nginx": "companion-a-nginx:1",
        "companion/b/companion": "companion-b-companion:1",
        "companion/b/nginx": "companion-b-nginx:1",
        "solr": "solr-None-solrcloud-node:1",
        "solr/vault": "solr-None-vault:1",
        "zookeeper": "zookeeper-None-zookeeper:1",
    }


def running(cluster: FakeCluster, target: int, load: int, node: str) -> SolrBenchmark:
    """Return a benchmark in an attempt whose Solr pod runs on a node."""
    labels = names.labels(BENCHMARK, names.SOLR, target)
    cluster.put(pod("base-solr-0", labels, spec={"nodeName": node}))
    attempts = BENCHMARK.status.attempts.model_copy(update={"target": target, "load": load})
    status = BENCHMARK.status.model_copy(update={"attempts": attempts})
    return BENCHMARK.model_copy(update={"status": status})


def test_environment_is_recorded_once_for_each_attempt() -> None:
    api = FakeCluster()
    for target, load, node in ((1, 1, "a"), (1, 2, "a"), (2, 3, "b")):
        benchmark, reports = running(api, target, load, node), BenchmarkResultStore(api)
        assert not reports.has_attempt(benchmark)
        reports.store_environment(benchmark, record_environment(api, benchmark, "17"))
        assert reports.has_attempt(benchmark)
        assert BenchmarkResultStore(api).has_attempt(benchmark)  # after a restart of the operator
    record = read_environment(api, BENCHMARK)
    assert record is not None
    assert [(each.target, each.load) for each in record.attempts] == [(1, 1), (1, 2), (2, 3)]
    words = "nodes of solr: a at first, b in attempt 2 of the target, 3 of the load"
    assert record.differences == [words]
    assert [each.name for each in record.nodes] == ["a", "b"]


@pytest.mark.parametrize("text", [None, "", "{}", '{"specHash": 5}'])
def test_a_record_that_cannot_be_read_is_made_anew(text: str | None) -> None:
    cluster = FakeCluster()
    reports = BenchmarkResultStore(cluster)
    record = Environment(spec_hash="5")
    reports.store_environment(BENCHMARK, record)
    (body,) = [each for (kind, *_), each in cluster.objects.items() if kind == "ConfigMap"]
    body["data"] = None if text is None else dict.fromkeys(body["data"], text)
    assert read_environment(cluster, BENCHMARK) is None
    assert reports.store_environment(BENCHMARK, record) == record


LOGIN = {"basicAuth": {"secret": {"name": "login"}}}
TRUST = {"urls": ["https://search/solr"], "tls": {"caSecret": {"name": "ca", "key": "root.pem"}}}


def read(cluster: FakeCluster, **fields: object) -> HttpAuth:
    existing = not_none(stored(create(**fields)).spec.target.existing)
    return secret_auth(cluster, "search", existing)


def test_secrets_become_credentials_and_authorities() -> None:
    login = secret("login", username="solr", password="SolrRocks\n")
    cluster = FakeCluster(login, secret("ca", **{"root.pem": "PEM"}))
    assert read(cluster, **LOGIN, **TRUST) == HttpAuth(basic_auth("solr", "SolrRocks"), "PEM")
    assert read(cluster) == HttpAuth()


def test_missing_secret_may_come_later() -> None:
    with failing(TemporaryError, "SecretNotFound", "no Secret login in namespace search"):
        read(FakeCluster(), **LOGIN)


@pytest.mark.parametrize("key", ["username", "password"])
def test_missing_key_is_named_and_the_other_not_printed(key: str) -> None:
    keys = {"username": "solr", "password": "SolrRocks"}
    del keys[key]
    cluster = FakeCluster(secret("login", **keys))
    with failing(TemporaryError, "SecretNotFound", f"has no key {key}") as caught:
        read(cluster, **LOGIN)
    assert not any(value in str(caught.value) for value in keys.values())


def test_key_that_is_no_text() -> None:
    body = secret("login", username="solr", password="x")
    body["data"]["password"] = b64encode(b"\xff\xfe").decode()
    cluster = FakeCluster(body)
    with pytest.raises(TemporaryError, match="not text in UTF-8"):
        read(cluster, **LOGIN)


def test_operator_without_the_right_says_which_value_gives_it() -> None:
    forbidden = ForbiddenError(ApiServerReason.API_REFUSED, "secrets is forbidden")
    cluster = FakeCluster(fault=refusal(forbidden))
    with failing(TemporaryError, "SecretNotReadable", r"rbac\.secrets"):
        read(cluster, **LOGIN)
