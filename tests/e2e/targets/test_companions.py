"""A proxy that a benchmark makes, measures and removes itself."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.cluster import kube
from support.cluster.benchmarks import SMALL_REQUESTS, SMALL_SOLR, small
from support.cluster.command_line import solrbench

NAME = "companion"
MANIFESTS = "companion-manifests"
PROXY = """
import http.client, http.server, sys, threading

own = threading.local()

class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not hasattr(own, "http"):
            own.http = http.client.HTTPConnection(sys.argv[1])
        own.http.request("GET", self.path)
        response = own.http.getresponse()
        body = response.read()
        self.send_response(response.status)
        self.send_header("Content-Type", response.getheader("Content-Type"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        print(self.path, flush=True)

http.server.ThreadingHTTPServer(("", 8080), Proxy).serve_forever()
"""


def manifests() -> str:
    """Return the proxy in the image under test, which has a Python."""
    operator = kube.items("deployments", "app.kubernetes.io/name=solr-benchmark-operator")[0]
    container = operator["spec"]["template"]["spec"]["containers"][0]
    files = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "files"},
        "data": {"proxy.py": PROXY},
    }
    proxy = {
        "name": "proxy",
        "image": container["image"],
        "imagePullPolicy": container["imagePullPolicy"],
        "command": ["python3", "/etc/proxy/proxy.py", "$(SOLR_HOSTS)"],
        "readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 1},
        "volumeMounts": [{"name": "files", "mountPath": "/etc/proxy"}],
    }
    volumes = [{"name": "files", "configMap": {"name": "files"}}]
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "proxy"},
        "spec": {"template": {"spec": {"containers": [proxy], "volumes": volumes}}},
    }
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "proxy"},
        "spec": {"ports": [{"port": 8080}]},
    }
    return yaml.safe_dump_all([files, deployment, service])


@pytest.fixture(scope="module")
def status() -> Iterator[dict[str, Any]]:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": MANIFESTS},
        "data": {"proxy.yaml": manifests()},
    }
    variants = [
        {"name": "nodes", "endpoint": "Nodes"},
        {"name": "proxy", "urls": ["http://proxy:8080/solr"]},
    ]
    body = small(
        NAME,
        target={"solrCloud": SMALL_SOLR, "variants": variants},
        companions=[{"configMap": {"name": MANIFESTS}}],
        dataset__firstDocuments=1500,
        load__telemetry={"collect": "ServersAndPods"},
    )
    yield from kube.measured(config_map, body)
    kube.kubectl("delete", "configmap", MANIFESTS, "--ignore-not-found")


def test_all_requests_of_a_variant_go_through_its_companion(status: dict[str, Any]) -> None:
    found = {each["variant"]: (each["requests"], each["failures"]) for each in status["results"]}
    assert found == dict.fromkeys(("nodes", "proxy"), (SMALL_REQUESTS, 0))
    assert len(status["companions"]["pods"]) == 1
    assert status["companions"]["services"] == ["proxy"]


def test_its_pod_and_those_of_the_load_were_read(status: dict[str, Any]) -> None:
    by_variant = {each["variant"]: each for each in status["telemetry"]}
    idle, busy = (by_variant[each]["companionCpuCores"] for each in ("nodes", "proxy"))
    assert 0 <= idle < busy
    for each in by_variant.values():
        assert each.get("missing", []) == []
        assert each["loadCpuCores"] > 0
        assert min(each["loadWorkingSetMaxBytes"], each["companionWorkingSetMaxBytes"]) > 8 << 20
        assert each["loadNetworkBytesPerSecond"] > 0
    (step, *_) = json.loads(solrbench("report", NAME, "-o", "json"))["steps"]
    pods = {each["component"]: each for each in step["telemetry"]["pods"]}
    assert set(pods) == {"solr", "zookeeper", "companion", "load-master", "load-worker"}
    assert len({each["machine"] for each in pods.values()}) == 1
    assert pods["companion"]["server"] in status["companions"]["pods"]


def test_the_index_pod_read_itself(status: dict[str, Any]) -> None:
    found = status["dataset"]["pods"]
    assert found["cpuCores"] > 0
    assert found["workingSetMaxBytes"] > 8 << 20
    assert found["networkSentBytesPerSecond"] > 0


def test_the_companion_is_known_to_lead_to_the_same_collection(status: dict[str, Any]) -> None:
    (verdict,) = [each for each in status["verdicts"] if each.get("variant") == "proxy"]
    words = [each["reason"] for part in ("reasons", "unchecked") for each in verdict.get(part, [])]
    assert "VariantDiffers" not in words


def test_only_the_first_documents_are_in_the_index(status: dict[str, Any]) -> None:
    assert (status["dataset"]["documents"], status["dataset"]["documentsTotal"]) == (1500, 1500)


def test_companions_go_with_the_target(status: dict[str, Any]) -> None:
    assert status
    kube.kubectl("wait", "--for=condition=CleanedUp", f"sbench/{NAME}", "--timeout=60s")
    label = f"solrbench.io/benchmark={NAME},app.kubernetes.io/component=companion"
    for kind in ("deployments", "replicasets", "pods", "services", "poddisruptionbudgets"):
        assert kube.items(kind, label) == []
