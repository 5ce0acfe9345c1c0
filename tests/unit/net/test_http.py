"""Whatever a server or target does, a request ends in time and takes a bounded size."""

import gzip
import socket
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

import httpx2 as httpx
import pytest

from solrbench.contract.load_plan import AuthFiles
from solrbench.errors import PermanentError
from solrbench.net.deadline import single_family, url_host, wildcard_address
from solrbench.net.http import (
    NO_AUTH,
    HttpAuth,
    ResponseTooLargeError,
    basic_auth,
    create_client,
    create_pooled_client,
    fetch,
    read_auth,
)
from support.failing import failing
from support.servers.certificates import authority
from support.servers.raw_http import HEAD, LENGTH, dripping, pour, sender, serving


def get(url: str, seconds: float = 10.0) -> httpx.Response:
    with closing(create_client()) as client:
        return fetch(client, "GET", url, max_bytes=1000, seconds=seconds)


def get_pooled(url: str, seconds: float = 10.0) -> httpx.Response:
    with create_pooled_client(seconds, max_bytes=1000) as client:
        return client.get(url)


by_both = pytest.mark.parametrize("get", [get, get_pooled])
Get = Callable[..., httpx.Response]


@by_both
def test_a_response_up_to_the_limit_is_whole(get: Get) -> None:
    with serving(sender(HEAD + LENGTH % 1000 + b"x" * 1000)) as url:
        response = get(url)
    assert (response.status_code, response.content) == (200, b"x" * 1000)


PACKED = gzip.compress(bytes(1 << 20))
COMPRESSED = HEAD + b"Content-Encoding: gzip\r\n" + LENGTH % len(PACKED) + PACKED


@by_both
@pytest.mark.parametrize(
    ("answer", "kind", "match"),
    [
        (sender(HEAD + LENGTH % 1001 + b"x" * 1001), ResponseTooLargeError, "more than 1000 bytes"),
        (pour, ResponseTooLargeError, "more than 1000 bytes"),
        (sender(COMPRESSED), httpx.DecodingError, "gzip"),
    ],
    ids=["one byte more", "without end", "compressed"],
)
def test_a_body_that_is_too_much_is_refused(
    get: Get, answer: Callable[[socket.socket], None], kind: type[Exception], match: str
) -> None:
    with serving(answer) as url, pytest.raises(kind, match=match):
        get(url)


def test_no_compression_is_asked_for() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200))
    response = fetch(httpx.Client(transport=transport), "GET", "http://a/x", max_bytes=1, seconds=1)
    assert response.request.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("get", "begin"),
    [
        (get, b"HTTP/1.1 200 OK\r\nX: "),
        (get, HEAD + LENGTH % 900),
        (get_pooled, HEAD + LENGTH % 900),
    ],
)
def test_the_deadline_holds_for_a_slow_drip(get: Get, begin: bytes) -> None:
    started = time.monotonic()
    with dripping(begin) as url, pytest.raises(httpx.ReadTimeout):
        get(url, seconds=0.4)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("url", ["http://10:244::17:8080/x", "http://a:99999/x", "http://[1:2]/x"])
def test_what_is_no_url_is_an_error_of_http(url: str) -> None:
    with pytest.raises(httpx.HTTPError):
        get(url)


def test_a_name_that_is_not_resolved_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: asked.wait(20) and [])
    try:
        with pytest.raises(httpx.ConnectTimeout, match=r"search\.team\.svc was not resolved"):
            get("http://search.team.svc/x", seconds=0.1)
    finally:
        asked.set()


def test_an_address_is_checked_before_each_connection() -> None:
    def refuse(host: str, addresses: Sequence[str]) -> None:
        raise PermissionError(f"{host} is {addresses}")

    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://localhost:{server.getsockname()[1]}/x"
        with (
            closing(create_client(check=refuse)) as client,
            pytest.raises(PermissionError, match=r"localhost is .*127\.0\.0\.1"),
        ):
            fetch(client, "GET", url, max_bytes=9, seconds=9)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize("access", [NO_AUTH, HttpAuth("Basic c29scjpzb2xy")])
def test_clients_of_the_target_send_credentials_and_ask_for_no_compression(
    access: HttpAuth,
) -> None:
    seen: list[bytes] = []
    answer = sender(HEAD + LENGTH % 2 + b"{}")
    with serving(answer, seen) as url, access.open_client(10.0) as client:
        assert client.get(url).json() == {}
    (request,) = seen
    assert b"accept-encoding: identity" in request.lower()
    assert (b"authorization: basic" in request.lower()) == (access is not NO_AUTH)


def test_credentials_in_utf_8() -> None:
    encoded = basic_auth("änne", "pass:wörd").removeprefix("Basic ")
    assert b64decode(encoded).decode() == "änne:pass:wörd"


def test_files_of_a_mounted_secret(tmp_path: Path) -> None:
    (tmp_path / "username").write_text("solr\n")
    (tmp_path / "password").write_text(" Rocks \r\n")
    (tmp_path / "ca.crt").write_text("PEM")
    files = AuthFiles(credentials_folder=str(tmp_path), ca_file=str(tmp_path / "ca.crt"))
    assert read_auth(files) == HttpAuth(basic_auth("solr", " Rocks "), "PEM")


def test_target_without_auth_sends_no_header() -> None:
    assert read_auth(AuthFiles()) == HttpAuth()
    assert HttpAuth().headers == {}


def test_secrets_are_not_in_the_repr() -> None:
    access = HttpAuth(basic_auth("solr", "SolrRocks"), "PEM")
    assert repr(access) == "HttpAuth()"
    assert access.headers["Authorization"].startswith("Basic ")


@pytest.mark.parametrize("text", ["", "  ", "not a certificate"])
def test_text_that_holds_no_certificate_is_not_the_systems_trust(text: str) -> None:
    with failing(PermanentError, "CertificateNotTrusted", "caSecret"):
        _ = HttpAuth(ca=text).verify


def test_comments_of_a_certificate_may_have_any_letter(tmp_path: Path) -> None:
    text = f"# F\u0151tan\u00fas\u00edtv\u00e1ny\n{authority(tmp_path, 'own').read_text()}"
    assert len(HttpAuth(ca=text).verify.get_ca_certs()) == 1


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("search.team.svc", "search.team.svc"),
        ("10:244::17", "[10:244::17]"),
        ("[10:244::17]", "[10:244::17]"),
    ],
)
def test_only_ipv6_has_brackets(host: str, expected: str) -> None:
    assert url_host(host) == expected


def test_a_server_with_a_socket_for_each_family_binds_both() -> None:
    assert single_family("::") == ["0.0.0.0", "::"]
    assert single_family("127.0.0.1") == ["127.0.0.1"]


def test_without_ipv6_the_wildcard_is_that_of_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> socket.socket:
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(socket, "create_server", refuse)
    assert wildcard_address() == "0.0.0.0"
