"""A proxy in front of Solr, as companions of a benchmark in a real cluster."""

from typing import Any

from support.cluster import kube
from support.cluster.benchmarks import config_map

Body = dict[str, Any]
PROXY = """
import http.client, http.server, sys, threading

own = threading.local()

class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not hasattr(own, "http"):
            own.http = http.client.HTTPConnection(sys.argv[1].split(",")[0])
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


def proxy_manifests() -> list[Body]:
    """Return the proxy in the image under test, which has a Python."""
    operator = kube.items("deployments", "app.kubernetes.io/name=solr-benchmark-operator")[0]
    container = operator["spec"]["template"]["spec"]["containers"][0]
    files = config_map("files", proxy__py=PROXY)
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
    return [files, deployment, service]
