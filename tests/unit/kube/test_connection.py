"""How a request is secured: certificates, tokens, and programs that give them."""

import json
import ssl
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

from solrbench.api.identity import BENCHMARKS
from solrbench.errors import ConflictError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import (
    UnauthorizedError,
    UnreachableError,
    open_connection,
    tls_context,
)
from solrbench.kube.kubeconfig import ClusterAccess, NoClusterError
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster
from support.servers.in_thread import QuietHandler, in_thread


class Server(ThreadingHTTPServer):
    """Takes one token, and notes the names of client certificates."""

    def __init__(self, authority: trustme.CA) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.authority = authority
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("api.internal", "127.0.0.1").configure_cert(context)
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_OPTIONAL
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.token = "right"
        self.certificates: list[str] = []


class Handler(QuietHandler):
    server: Server
    connection: ssl.SSLSocket

    def do_GET(self) -> None:  # noqa: N802 - its name in the base class
        shown = self.connection.getpeercert() or {}
        names = [str(each[1]) for each in shown.get("subjectAltName", ())]
        self.server.certificates += names
        known = bool(names) or self.headers["Authorization"] == f"Bearer {self.server.token}"
        self.send(b"{}", 200 if known else 401)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def server(authority: trustme.CA) -> Iterator[Server]:
    http = Server(authority)
    with in_thread(http):
        yield http


def access(server: Server, user: dict[str, Any], **cluster: Any) -> ClusterAccess:
    ca = {"certificate-authority-data": encoded(server.authority.cert_pem)}
    url = f"https://127.0.0.1:{server.server_port}"
    return ClusterAccess("one", url, "default", ca | cluster, user)


def encoded(blob: trustme.Blob) -> str:
    return b64encode(blob.bytes()).decode()


def read(found: ClusterAccess) -> Any:
    return Cluster(open_connection(found)).read("/x")


def test_authorities_are_read_only_where_a_connection_is_secured(authority: trustme.CA) -> None:
    cluster = {"certificate-authority-data": encoded(authority.cert_pem)}
    secured, plain = (
        tls_context(ClusterAccess("one", f"{scheme}://127.0.0.1:1", "default", cluster, {}), None)
        for scheme in ("https", "http")
    )
    assert len(secured.get_ca_certs()) == 1
    assert plain.get_ca_certs() == []
    assert plain.verify_mode is ssl.CERT_REQUIRED


def test_a_token_is_sent(server: Server) -> None:
    assert read(access(server, {"token": "right"})) == {}
    with pytest.raises(UnauthorizedError):
        read(access(server, {"token": "wrong"}))


def test_a_token_that_was_replaced_is_read_again(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("right\n", "utf-8")
    cluster = Cluster(open_connection(access(server, {"tokenFile": str(file)})))
    assert cluster.read("/x") == {}
    server.token = "next"
    file.write_text("next", "utf-8")
    assert cluster.read("/x") == {}


def test_a_client_certificate_is_shown(server: Server) -> None:
    own = server.authority.issue_cert("user.test")
    user = {
        "client-certificate-data": encoded(own.cert_chain_pems[0]),
        "client-key-data": encoded(own.private_key_pem),
    }
    assert read(access(server, user)) == {}
    assert server.certificates == ["user.test"]


def test_an_unknown_authority_is_refused(server: Server) -> None:
    unknown = encoded(trustme.CA().cert_pem)
    with pytest.raises(UnreachableError, match="certificate verify failed"):
        read(access(server, {"token": "right"}, **{"certificate-authority-data": unknown}))


def test_trust_can_be_switched_off_and_the_name_be_another(server: Server) -> None:
    user = {"token": "right"}
    lax = {"insecure-skip-tls-verify": True, "certificate-authority-data": ""}
    assert read(access(server, user, **lax)) == {}
    assert read(access(server, user, **{"tls-server-name": "api.internal"})) == {}
    with pytest.raises(UnreachableError, match=r"not valid for 'other\.internal'"):
        read(access(server, user, **{"tls-server-name": "other.internal"}))


def program(text: str, version: str = "v1", **more: Any) -> dict[str, Any]:
    command: dict[str, Any] = {"command": sys.executable, "args": ["-c", text], **more}
    return {"exec": {"apiVersion": f"client.authentication.k8s.io/{version}", **command}}


PRINT = "import json, os; print(json.dumps({'status': {'token': os.environ['TOKEN']}}))"
INFO = (
    "import json, os; info = json.loads(os.environ['KUBERNETES_EXEC_INFO']);"
    " print(json.dumps({'status': {'token': info['spec']['cluster']['server'][:5]}}))"
)


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_program_gives_the_token(server: Server, version: str) -> None:
    user = program(PRINT, version, env=[{"name": "TOKEN", "value": "right"}])
    assert read(access(server, user)) == {}


def test_a_program_learns_of_the_cluster(server: Server) -> None:
    server.token = "https"
    assert read(access(server, program(INFO, provideClusterInfo=True))) == {}


def test_an_expired_token_of_a_program_is_asked_for_again(server: Server, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    text = (
        f"import json; open({str(calls)!r}, 'a').write('x'); print(json.dumps({{'status':"
        " {'token': 'right', 'expirationTimestamp': '2001-01-01T00:00:00Z'}}))"
    )
    cluster = Cluster(open_connection(access(server, program(text))))
    assert [cluster.read("/x"), cluster.read("/x")] == [{}, {}]
    assert calls.read_text("utf-8") == "xx"


@pytest.mark.parametrize(
    ("user", "words"),
    [
        (program("raise SystemExit(3)", installHint="log in first"), "exit status 3.*log in first"),
        (program("print('hello')"), "printed no credential"),
        (program("", "v1alpha1"), "v1alpha1, which is not supported"),
        (program("", command="none-such"), "none-such"),
        ({"client-certificate": "/none", "client-key": "/none"}, "a certificate .* cannot be used"),
    ],
)
def test_credentials_that_cannot_be_had_are_explained(
    server: Server, user: dict[str, Any], words: str
) -> None:
    with pytest.raises(NoClusterError, match=words):
        read(access(server, user))


def test_an_api_server_that_is_away_is_one_short_error() -> None:
    with pytest.raises(UnreachableError, match="Connection refused") as caught:
        read(ClusterAccess("one", "https://127.0.0.1:1", "default", {}, {}))
    assert len(json.dumps(caught.value.message)) < 200


STATUS = {"phase": "Measuring"}


def read_and(change: Callable[[dict[str, Any]], object]) -> tuple[FakeCluster, dict[str, Any]]:
    """Return a cluster whose benchmark was changed by another client, and the one that was read."""
    fake = FakeCluster(small("one") | {"status": {"phase": "Pending"}})
    read = fake.get(*BENCHMARKS, "default", "one")
    assert read is not None
    now = fake.get(*BENCHMARKS, "default", "one") or {}
    change(now)
    fake.put(now)
    fake.requests.clear()
    return fake, read


def test_a_status_is_written_although_other_metadata_changed() -> None:
    fake, read = read_and(lambda body: body["metadata"].update(finalizers=["kopf"]))
    stored = fake.store_status(read, STATUS)
    assert (stored["status"], stored["metadata"]["finalizers"]) == (STATUS, ["kopf"])
    assert [each.method for each in fake.requests] == ["replace_status", "get", "replace_status"]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["spec"].update(suspend=True),
        lambda body: body.update(status={"phase": "Queued"}),
        lambda body: body["metadata"].update(uid="another"),
    ],
    ids=["spec", "status", "successor"],
)
def test_a_status_that_is_out_of_date_is_not_written(
    change: Callable[[dict[str, Any]], object],
) -> None:
    fake, read = read_and(change)
    with pytest.raises(ConflictError):
        fake.store_status(read, STATUS)
    assert fake.objects["SolrBenchmark", "default", "one"]["status"] != STATUS


def test_a_status_that_is_stored_already_costs_no_request() -> None:
    fake, read = read_and(lambda _: None)
    assert fake.store_status(read, {"phase": "Pending"}) is read
    assert fake.requests == []
