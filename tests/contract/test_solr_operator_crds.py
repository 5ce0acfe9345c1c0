"""Our SolrClouds against the definitions of the Solr Operator, in the real API server, strictly.

That of the version which hack/cluster builds comes from its Go module. `SOLRBENCH_CRDS` may name
a folder with others: files `solrclouds-<version>.yaml` with one definition each, as the Solr
Operator publishes them (https://solr.apache.org/operator/downloads/crds/). One version is
installed after the other.
"""

import json
import os
import socket
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from solrbench.controller.context import ReconcileContext
from solrbench.controller.owned_objects import SOLR_CLOUDS
from solrbench.controller.provisioners import zookeeper
from solrbench.controller.provisioners.solr_operator import SolrOperatorTarget
from solrbench.controller.settings import Settings
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster, connect
from solrbench.kube.connection import KindNotServedError, open_connection
from solrbench.kube.facts import known_fields
from solrbench.kube.kubeconfig import find_access
from solrbench.kube.results import BenchmarkResultStore
from solrbench.manifests.solr_cloud import POD_OPTIONS
from support.cluster.admission import RejectedError, reach_api_server
from support.cluster.definitions import (
    installed,
    is_there,
    lost,
    read_definition,
    schema_at,
    solr_operator_definition,
    try_create,
)
from support.failing import failing
from support.resources.objects import IMAGE, STARTED, operated_target, stored
from support.resources.pod_options import EVERY_OPTION, with_options
from support.resources.small_resource import SOLR, Changes

pytestmark = pytest.mark.cluster

FOLDER = os.environ.get("SOLRBENCH_CRDS", "")
OTHERS = sorted(Path(FOLDER).glob("solrclouds-*.yaml")) if FOLDER else []
BUILT = Path("solrclouds-v0.9.1.yaml")
FILES = [BUILT, *(each for each in OTHERS if each.name != BUILT.name)]
NEWER = {"defaultInitContainerSecurityContext", "enableServiceLinks"}


def _without(*options: str) -> dict[str, Any]:
    """Return every pod option but these, which the definitions lack."""
    return {key: value for key, value in EVERY_OPTION.items() if key not in options}


EXTERNAL = {"mode": "External", "connectionString": "zk-0.zk:2181,zk-1.zk:2181"}
TOPOLOGIES: dict[str, Changes] = {
    "little": {},
    "everything": {
        f"{SOLR}.nodes": 100,
        f"{SOLR}.heap": "31Gi",
        f"{SOLR}.image": {"tag": "9.9.0", "pullPolicy": "Always"},
        f"{SOLR}.imagePullSecrets": [{"name": "key"}],
        f"{SOLR}.gcTune": "-XX:+UseG1GC",
        f"{SOLR}.solrOpts": "-Da=b",
        f"{SOLR}.resources": {
            "requests": {"cpu": "500m", "memory": "40Gi"},
            "limits": {"cpu": "2", "memory": "40Gi"},
        },
        f"{SOLR}.storage": {"ephemeral": {"sizeLimit": "5Gi"}},
        f"{SOLR}.nodeSelector": {"disk": "ssd"},
        f"{SOLR}.tolerations": [{"operator": "Exists"}, {"key": "a", "effect": "NoExecute"}],
        f"{SOLR}.topologySpread": {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
        f"{SOLR}.zookeeper": {"replicas": 7, "heap": "1Gi"},
    },
    "claims": {
        "metadata.name": "a" * 40,
        f"{SOLR}.storage": {"persistent": {"size": "5Gi", "storageClassName": "fast"}},
    },
    "claims of the default class": {f"{SOLR}.storage": {"persistent": {"size": "5Gi"}}},
    "outside ZooKeeper": {f"{SOLR}.zookeeper": EXTERNAL | {"chroot": "/benchmarks"}},
    "provided ZooKeeper": {
        f"{SOLR}.nodeSelector": {"disk": "ssd"},
        f"{SOLR}.tolerations": [{"operator": "Exists"}],
        f"{SOLR}.zookeeper": {
            "mode": "Provided",
            "replicas": 3,
            "heap": "1Gi",
            "chroot": "/a/b",
            "image": {"repository": "mirror/zookeeper", "tag": "0.2.15"},
            "resources": {"requests": {"cpu": "250m"}, "limits": {"memory": "2Gi"}},
        },
    },
    "agents": {"spec.load.telemetry": {"collect": "ServersAndPods"}},
    "pod options": with_options(_without("runtimeClassName")),
    "pod options of a provided ZooKeeper": {f"{SOLR}.zookeeper": {"mode": "Provided"}}
    | with_options(_without("runtimeClassName", "priorityClassName")),
}


@pytest.fixture(scope="module")
def dynamic() -> DynamicClient:
    reach_api_server()
    return DynamicClient(config.new_client_from_config())


@pytest.fixture(scope="module")
def namespace(dynamic: DynamicClient) -> Iterator[str]:
    server = reach_api_server()
    name = f"solr-clouds-{uuid.uuid4().hex[:8]}"
    server.create_restricted_namespace(name)
    yield name
    server.delete_namespace(name)


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def definition(request: pytest.FixtureRequest, dynamic: DynamicClient) -> Iterator[dict[str, Any]]:
    file = solr_operator_definition() if request.param == BUILT else request.param
    found = read_definition(file)
    if is_there(dynamic, found["metadata"]["name"]):
        pytest.skip("the cluster has the definition of a Solr Operator of its own")
    with installed(dynamic, found):
        yield found


def observed() -> frozenset[str]:
    return known_fields(connect(), *SOLR_CLOUDS.reference, POD_OPTIONS)


def test_without_a_definition_there_is_no_kind_to_ask_for(
    dynamic: DynamicClient, namespace: str
) -> None:
    cluster = connect()
    if is_there(dynamic, "solrclouds.solr.apache.org"):
        pytest.skip("the cluster has a Solr Operator of its own")
    assert not cluster.serves(*SOLR_CLOUDS.reference)
    with pytest.raises(KindNotServedError):
        list(cluster.list_metadata(*SOLR_CLOUDS.reference, namespace))
    with failing(TemporaryError, "SchemaNotPublished"):
        known_fields(cluster, *SOLR_CLOUDS.reference, POD_OPTIONS)
    assert _reason(cluster, namespace, "127.0.0.1:1", 0) == "SolrOperatorMissing"


def test_schema_reveals_the_version(definition: dict[str, Any]) -> None:
    wanted = set(schema_at(definition, *POD_OPTIONS)["properties"])
    assert observed() == wanted
    assert wanted >= NEWER or wanted.isdisjoint(NEWER)


@pytest.mark.parametrize("changes", TOPOLOGIES.values(), ids=TOPOLOGIES.keys())
def test_every_topology_is_stored_as_built(
    dynamic: DynamicClient, definition: dict[str, Any], namespace: str, changes: Changes
) -> None:
    manifest = operated_target(changes | {"metadata.namespace": namespace}, observed())
    assert lost(manifest, try_create(dynamic, manifest)) == []


def test_a_field_that_the_definition_lacks_is_refused(
    dynamic: DynamicClient, definition: dict[str, Any], namespace: str
) -> None:
    lacking = NEWER - observed() or {"notAField"}
    manifest = operated_target({"metadata.namespace": namespace}, observed() | lacking)
    options = manifest["spec"]["customSolrKubeOptions"]["podOptions"]
    options |= {field: options.get(field, False) for field in lacking}
    with pytest.raises(RejectedError, match="unknown field"):
        try_create(dynamic, manifest)


def test_without_a_solr_operator_the_reason_says_so(
    definition: dict[str, Any], namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The ensemble is a socket on loopback, which the rules for addresses rightly never allow.
    monkeypatch.setattr(zookeeper, "check_hosts", lambda *_, **__: None)
    monkeypatch.setattr(zookeeper, "address_check", lambda *_, **__: None)
    cluster = RecordingCluster()
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        seen = [_reason(cluster, namespace, address, seconds) for seconds in (0, 0, 61)]
    assert seen == ["SolrCloudNotReady", "SolrCloudNotReady", "SolrOperatorNotRunning"]
    cloud = cluster.applied[-1]
    managers = {each["manager"] for each in cloud["metadata"]["managedFields"]}
    assert (cloud["metadata"]["generation"], managers) == (1, {"solrbench-operator"})
    cluster.delete(*SOLR_CLOUDS.reference, namespace, "base")


class RecordingCluster(Cluster):
    """Keeps what was stored: the garbage collector soon removes it, its owner is not there."""

    def __init__(self) -> None:
        super().__init__(open_connection(find_access()))
        self.applied: list[dict[str, Any]] = []

    def _send(self, action: str, method: str, path: str, **options: Any) -> bytes:
        body = super()._send(action, method, path, **options)
        if action.startswith(f"applying {SOLR_CLOUDS.kind} "):
            self.applied.append(json.loads(body))  # with what `apply` leaves out
        return body


def _reason(cluster: Cluster, namespace: str, address: str, later: int) -> str:
    benchmark = stored(
        {
            "metadata.namespace": namespace,
            f"{SOLR}.provisioner": "SolrOperator",
            f"{SOLR}.zookeeper": {"mode": "External", "connectionString": address},
        }
    )
    now = datetime.now(UTC) + timedelta(seconds=later)
    run = ReconcileContext(
        cluster, BenchmarkResultStore(cluster), Settings((), IMAGE), benchmark, {}, now
    )
    run.update(start_time=STARTED)
    with pytest.raises(TemporaryError) as caught:
        SolrOperatorTarget().ensure_pods(run)
    return caught.value.reason
