"""A SolrCloud that requires a password, with nginx in front: what users have already.

The nodes are those that a benchmark has left (`cleanup: Never`); from then on no
benchmark owns them. Security is switched on by Solr's own means, a `security.json` in ZooKeeper.
"""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from support.cluster import kube

USER, PASSWORD = "bench", "Rocks:and Røll"
ENDPOINTS = "endpoints"
PROXY, BALANCER, REDIRECT, INSPECTION, ENCRYPTED = 8081, 8082, 8083, 8084, 8085
FILES = "/etc/nginx/endpoints"
CONTEXT = {"runAsNonRoot": True, "runAsUser": 101, "seccompProfile": {"type": "RuntimeDefault"}}

NGINX = """
worker_processes 1;
events {{}}
http {{
  access_log off;
  client_max_body_size 64m;
  client_body_temp_path /tmp/body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_read_timeout 200s;
  upstream first {{ server {first}; keepalive 8; }}
  upstream every {{ {servers} keepalive 8; }}
  server {{ listen {proxy}; location / {{ proxy_pass http://first; }} }}
  server {{ listen {balancer}; location / {{ proxy_pass http://every; }} }}
  server {{ listen {redirect}; location / {{ return 302 http://{first}$request_uri; }} }}
  server {{
    listen {encrypted} ssl;
    ssl_certificate {files}/server.pem;
    ssl_certificate_key {files}/server.key;
    location / {{ proxy_pass http://every; }}
  }}
  server {{
    listen {inspection};
    location / {{ proxy_set_header Authorization "{login}"; proxy_pass http://first; }}
  }}
}}
"""


def login() -> str:
    """Return the header's value."""
    return "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def secret(name: str, password: str = PASSWORD) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/basic-auth",
        "metadata": {"name": name},
        "stringData": {"username": USER, "password": password},
    }


def trust(name: str, authority: Path) -> dict[str, Any]:
    """Return a Secret with the certificate of an authority."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name},
        "stringData": {"ca.crt": authority.read_text("ascii")},
    }


def node_urls(name: str, nodes: int) -> list[str]:
    return [f"http://{_host(name, i)}/solr" for i in range(nodes)]


def endpoint_url(port: int) -> str:
    """Return the base URL behind one of nginx's ports."""
    scheme = "https" if port == ENCRYPTED else "http"
    return f"{scheme}://{ENDPOINTS}:{port}/solr"


def lock(name: str) -> None:
    """Require the password on all nodes, except for probes of the kubelet."""
    salt = b"sixteen bytes of"
    digest = hashlib.sha256(hashlib.sha256(salt + PASSWORD.encode()).digest()).digest()
    stored = f"{base64.b64encode(digest).decode()} {base64.b64encode(salt).decode()}"
    probes = ["/admin/info/system", "/admin/info/health"]
    security = {
        "authentication": {
            "class": "solr.BasicAuthPlugin",
            "blockUnknown": False,
            "credentials": {USER: stored},
        },
        "authorization": {
            "class": "solr.RuleBasedAuthorizationPlugin",
            "user-role": {USER: "admin"},
            "permissions": [
                {"name": "probes", "path": probes, "collection": None, "role": None},
                {"name": "all", "role": "admin"},
            ],
        },
    }
    pod = f"{name}-solr-0"
    put_into_zookeeper(pod, "security.json", security)

    def is_locked() -> bool:
        try:
            kube.solr(pod, "/admin/collections", action="LIST")
        except AssertionError as error:
            return ": 401 " in str(error)
        return False

    kube.wait_for("a locked Solr", is_locked, 30)


def put_into_zookeeper(pod: str, file: str, content: kube.Body) -> None:
    """Write a file at the top of Solr's tree by Solr's own command; all nodes notice."""
    script = (
        f"cat > /tmp/{file} && java -cp '/opt/solr/server/lib/*'"
        f" org.apache.solr.cli.SolrCLI zk cp /tmp/{file} zk:/{file} -z $ZK_HOST"
    )
    kube.kubectl("exec", "-i", pod, "--", "sh", "-c", script, stdin=json.dumps(content))


def open_endpoints(name: str, nodes: int, certificate: Path, key: Path) -> None:
    """Start nginx as a proxy, two balancers (one with TLS), a redirection, and the suite's eyes."""
    files = {
        "nginx.conf": _configuration([_host(name, i) for i in range(nodes)]),
        "server.pem": certificate.read_text("ascii"),
        "server.key": key.read_text("ascii"),
    }
    ports = (PROXY, BALANCER, REDIRECT, INSPECTION, ENCRYPTED)
    kube.apply(
        # It holds a key, and the login of the suite's own endpoint.
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": ENDPOINTS},
            "stringData": files,
        },
        _pod(),
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": ENDPOINTS},
            "spec": {
                "selector": {"app": ENDPOINTS},
                "ports": [{"name": f"p{port}", "port": port} for port in ports],
            },
        },
    )
    kube.kubectl("wait", "--for=condition=Ready", f"pod/{ENDPOINTS}", "--timeout=60s")


def _configuration(hosts: list[str]) -> str:
    return NGINX.format(
        first=hosts[0],
        servers=" ".join(f"server {host};" for host in hosts),
        proxy=PROXY,
        balancer=BALANCER,
        redirect=REDIRECT,
        inspection=INSPECTION,
        encrypted=ENCRYPTED,
        files=FILES,
        login=login(),
    )


def _pod() -> kube.Body:
    command = ["nginx", "-c", f"{FILES}/nginx.conf", "-e", "stderr"]
    container = {
        "name": "nginx",
        "image": "docker.io/library/nginx:1.22",
        "args": [*command, "-g", "daemon off; pid /tmp/nginx.pid;"],
        "readinessProbe": {"tcpSocket": {"port": PROXY}, "periodSeconds": 1},
        "volumeMounts": [{"name": "files", "mountPath": FILES}],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": ENDPOINTS, "labels": {"app": ENDPOINTS}},
        "spec": {
            "automountServiceAccountToken": False,
            "securityContext": CONTEXT,
            "containers": [container],
            "volumes": [{"name": "files", "secret": {"secretName": ENDPOINTS}}],
        },
    }


def close_endpoints() -> None:
    options = ("--grace-period=1", "--ignore-not-found")
    kube.kubectl("delete", "pod,service,secret", ENDPOINTS, *options)


def inspect(path: str, **params: Any) -> kube.Body:
    """Send a request to Solr through the suite's own endpoint."""
    return kube.solr(ENDPOINTS, path, port=INSPECTION, **params)


def collections() -> set[str]:
    return set(inspect("/admin/collections", action="LIST")["collections"])


def config_sets() -> set[str]:
    return set(inspect("/admin/configs", action="LIST")["configSets"])


def indexes(collection: str) -> dict[str, tuple[int, int]]:
    """Return documents and version of the index of every core of a collection.

    Every change of an index, and every commit that writes one, gives it another version.
    """
    metrics = ("SEARCHER.searcher.numDocs", "SEARCHER.searcher.indexVersion")
    response = inspect("/admin/metrics", nodes="all", group="core", prefix=",".join(metrics))
    found = {}
    for node in response.values():
        for core, values in node.get("metrics", {}).items():
            if core.startswith(f"solr.core.{collection}."):
                found[core] = (values[metrics[0]], values[metrics[1]])
    return found


def _host(name: str, ordinal: int) -> str:
    return f"{name}-solr-{ordinal}.{name}-solr.{kube.NAMESPACE}.svc:8983"
