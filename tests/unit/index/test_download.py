import hashlib
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from solrbench.api.v1alpha1.dataset import Http
from solrbench.errors import PermanentError
from solrbench.index.download import Downloader, ResumableBody, check_redirect
from solrbench.index.download_rules import DownloadRules
from solrbench.index.errors import IndexingError, RetryPolicy
from solrbench.net.http import basic_auth
from solrbench.reasons.lifecycle import LifecycleReason
from support.failing import failing
from support.servers.index_servers import RangeServer, file_server, range_server

FILES = {"/a.json": b"[]", "/big.json": bytes(300_000)}


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the waits before retries, which end at once."""
    found: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", found.append)
    return found


ON_LOOPBACK = DownloadRules(address_rule=lambda *_: None)


def read(
    url: str,
    retries: int = 2,
    rules: DownloadRules = ON_LOOPBACK,
    first: tuple[int, Callable[[], None]] | None = None,
    **fields: Any,
) -> bytes:
    """Return a file; after some bytes of it, call something, if that is given."""
    http = Http.model_validate({"urls": [url], **fields})
    client = Downloader(http, RetryPolicy(retries), rules)
    with closing(client), client.files()[0].open() as body:
        if first is None:
            return body.read()
        count, action = first
        begin = body.read(count)
        action()
        return begin + body.read()


@pytest.mark.parametrize("code", [429, 500, 503])
def test_download_is_retried_after_a_temporary_failure(code: int, pauses: list[float]) -> None:
    with file_server(FILES, [(code, ""), (code, "")]) as url:
        assert read(f"{url}/a.json") == b"[]"
    assert len(pauses) == 2


def test_gives_up_after_the_retries(pauses: list[float]) -> None:
    lost = partial(failing, IndexingError, "DatasetUnreachable", permanent=False)
    with file_server(FILES, [(503, "")] * 3) as url, lost():
        read(f"{url}/a.json")
    with lost():
        read(f"{url}/a.json", retries=1)  # nothing listens any more
    assert len(pauses) == 3


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        *((code, "DatasetNotFound") for code in (404, 410)),
        *((code, "DatasetUnreachable") for code in (401, 403)),
    ],
)
def test_no_retry_cures_these(code: int, reason: str, pauses: list[float]) -> None:
    refused = failing(IndexingError, reason, permanent=True)
    with file_server(FILES, [(code, "")]) as url, refused as caught:
        read(f"{url}/a.json?token=secret")
    assert str(code) in str(caught.value)
    assert "secret" not in str(caught.value)
    assert pauses == []


def test_follows_redirects_within_the_host() -> None:
    with file_server(FILES, [(302, "/b"), (301, "/a.json")]) as url:
        assert read(f"{url}/start") == b"[]"


def test_does_not_follow_for_ever() -> None:
    said = "more than 5 redirects"
    refused = failing(IndexingError, "DatasetUnreachable", said, permanent=True)
    with file_server(FILES, [(302, "/a.json")] * 6) as url, refused:
        read(f"{url}/a.json")


def test_follows_to_another_host() -> None:
    with file_server(FILES, []) as other:
        place = other.replace("127.0.0.1", "localhost") + "/big.json"
        with file_server(FILES, [(302, place)]) as url:
            assert read(f"{url}/a.json") == FILES["/big.json"]


@pytest.mark.parametrize("place", ["ftp://files/a.json", "file:///etc/passwd"])
def test_does_not_follow_to_another_scheme(place: str) -> None:
    said = f"redirects from http to {place.partition(':')[0]}"
    with file_server(FILES, [(302, place)]) as url, pytest.raises(IndexingError, match=said):
        read(f"{url}/a.json")


@pytest.mark.parametrize(
    ("before", "place", "refused"),
    [
        ("https://a/x", "http://a/x", True),
        ("https://a/x", "https://b/x", False),
        ("http://a/x", "https://a/x", False),
        ("http://a/x", "http://b/x", False),
        ("http://a/x", "ftp://a/x", True),
    ],
)
def test_redirects_never_leave_https(before: str, place: str, *, refused: bool) -> None:
    check = partial(check_redirect, httpx.URL("https://first/x"), httpx.URL(before))
    if not refused:
        check(httpx.URL(place))
        return
    with pytest.raises(IndexingError, match="put a final URL with https") as caught:
        check(httpx.URL(place))
    assert caught.value.permanent


def test_a_redirect_to_a_host_that_is_not_allowed_is_refused() -> None:
    script = [(302, "http://files.example.org/a.json")]
    rules = replace(ON_LOOPBACK, allowed_hosts=("127.*",))
    said = r"spec\.dataset\.http\.urls: files\.example\.org matches none.*datasets\.allowedHosts"
    refused = failing(IndexingError, "HostNotAllowed", said, permanent=True)
    with file_server(FILES, script) as url, refused:
        read(f"{url}/a.json", rules=rules)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
def test_addresses_of_the_pod_itself_are_refused(host: str) -> None:
    with file_server(FILES, []) as url:
        place = url.replace("127.0.0.1", host)
        with failing(IndexingError, "HostNotAllowed", "loopback"):
            read(f"{place}/a.json", rules=DownloadRules())


def test_the_api_server_is_refused_behind_any_name() -> None:
    def check(host: str, found: Iterable[str], api_server: Iterable[str], field: str) -> None:
        # Loopback stands for an address that may be connected to, but for the API server's.
        assert field == "spec.dataset.http.urls"
        if set(found) & set(api_server):
            raise PermanentError(LifecycleReason.HOST_NOT_ALLOWED, f"{host} is the API server")

    rules = DownloadRules(api_server=("127.0.0.1",), address_rule=check)
    with file_server(FILES, []) as url, pytest.raises(IndexingError, match="is the API server"):
        read(f"{url}/a.json", rules=rules)


def test_lost_connection_is_resumed_where_it_broke() -> None:
    served = RangeServer(FILES["/big.json"], cuts=[100_000, 50_000])
    with range_server(served) as url:
        assert read(f"{url}/a.json") == served.body
    assert served.asked == [None, "bytes=100000-", "bytes=150000-"]
    assert [each.get("If-Range") for each in served.headers] == [None, '"1"', '"1"']


@pytest.mark.parametrize(
    "how", [{"ranges": False}, {"etag": ""}, {"etag": 'W/"1"'}], ids=["no ranges", "none", "weak"]
)
def test_without_ranges_or_a_tag_the_file_is_read_again(how: dict[str, Any]) -> None:
    body = bytes(range(256)) * 1000
    served = RangeServer(body, cuts=[100_000, 200_001, 150_000], **how)
    with range_server(served) as url:
        assert read(f"{url}/a.json", retries=3) == body
    assert len(served.headers) == 4


@pytest.mark.parametrize("etag", ['"1"', ""])
def test_a_file_that_changes_while_it_is_read_is_noticed(etag: str) -> None:
    served = RangeServer(bytes(200_000), etag=etag, cuts=[100_000])

    def change() -> None:
        served.body, served.etag = b"x" * 200_000, etag and '"2"'

    noticed = failing(IndexingError, "DatasetChanged", "was changed", permanent=True)
    with range_server(served) as url, noticed:
        read(f"{url}/a.json", first=(50_000, change))


def test_resuming_ends_when_nothing_more_comes() -> None:
    served = RangeServer(bytes(200_000), cuts=[100_000, 0, 0, 0, 0])
    with range_server(served) as url, pytest.raises(IndexingError, match="after 100000 bytes"):
        read(f"{url}/a.json", retries=2)
    assert len(served.headers) == 3


def test_the_digest_is_checked_at_the_end() -> None:
    body = FILES["/big.json"]
    with range_server(RangeServer(body, cuts=[1000])) as url:
        assert read(f"{url}/a.json", sha256=[hashlib.sha256(body).hexdigest()]) == body
        with failing(IndexingError, "DatasetChanged", r"the SHA-256 is .*, expected 0000"):
            read(f"{url}/a.json", sha256=["0" * 64])


def test_a_file_beyond_the_limit_is_not_read_on() -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(10):
            yield bytes(30_000)
        pytest.fail("read to the end")

    response = httpx.Response(200, content=pieces())
    body = ResumableBody(lambda _: response, RetryPolicy(0), "a.json", 100_000)
    with failing(IndexingError, "DatasetTooLarge", "maxGibibytes"):
        io.BufferedReader(body).read()


def test_other_encodings_than_gzip_are_refused() -> None:
    served = RangeServer(b"x", extra={"Content-Encoding": "br"})
    with range_server(served) as url, pytest.raises(IndexingError, match=r"compresses .*\(br\)"):
        read(f"{url}/a.json")


def test_a_download_that_takes_too_long_ends() -> None:
    said = r"not downloaded within -1 s; raise spec\.deadlines\.indexingSeconds"
    late = failing(IndexingError, "DatasetUnreachable", said, permanent=True)
    with file_server(FILES, []) as url, late:
        read(f"{url}/a.json", rules=replace(ON_LOOPBACK, seconds=-1.0))


@pytest.fixture
def secrets(tmp_path: Path) -> DownloadRules:
    for name, text in {"username": "ann\n", "password": "p:w", "token": "t0ken\n"}.items():
        (tmp_path / name).write_text(text)
    return replace(ON_LOOPBACK, credentials=tmp_path, ca=tmp_path)


@pytest.mark.parametrize(
    ("auth", "header"),
    [
        ({"basicSecret": {"name": "mine"}}, basic_auth("ann", "p:w")),
        ({"bearerSecret": {"name": "mine"}}, "Bearer t0ken"),
    ],
)
def test_credentials_stay_with_their_host(
    auth: dict[str, Any], header: str, secrets: DownloadRules
) -> None:
    other = RangeServer(b"[]", cuts=[1])
    with range_server(other) as there:
        first = RangeServer(b"[1]")
        with range_server(first) as url:
            assert read(f"{url}/a.json", rules=secrets, auth=auth) == b"[1]"
        assert first.headers[0]["Authorization"] == header
        with file_server({}, [(302, f"{there}/a.json")] * 2) as url:
            assert read(f"{url}/a.json", rules=secrets, auth=auth) == b"[]"
    assert len(other.headers) == 2
    assert all("Authorization" not in each for each in other.headers)


@pytest.mark.parametrize(
    "fields",
    [
        {"auth": {"basicSecret": {"name": "mine"}}},
        {"auth": {"bearerSecret": {"name": "mine"}}},
        {"tls": {"caConfigMap": {"name": "mine"}}},
    ],
)
def test_missing_credentials_are_named(fields: dict[str, Any], tmp_path: Path) -> None:
    rules = replace(ON_LOOPBACK, credentials=tmp_path, ca=tmp_path)
    said = r"spec\.dataset\.http\..*mine does not exist"
    with failing(IndexingError, "DatasetSecretNotFound", said):
        read("http://127.0.0.1:1/a.json", rules=rules, **fields)


@pytest.mark.parametrize("token", ["t0k\nen", "t0k\u00e9n", "t0k\0en", " "])
def test_a_token_that_no_header_can_hold_is_in_no_message(token: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(token, "utf-8")
    rules = replace(ON_LOOPBACK, credentials=tmp_path)
    with pytest.raises(IndexingError, match="Secret mine has no token that can be sent") as caught:
        read("http://127.0.0.1:1/a.json", rules=rules, auth={"bearerSecret": {"name": "mine"}})
    assert "t0k" not in str(caught.value)
    assert caught.value.permanent


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("none")
    rules = replace(ON_LOOPBACK, ca=tmp_path)
    with pytest.raises(IndexingError, match="no certificates in PEM"):
        read("https://127.0.0.1:1/a.json", rules=rules, tls={"caSecret": {"name": "mine"}})


def test_a_proxy_is_sent_the_whole_url_and_checked_itself() -> None:
    proxy = RangeServer(b"[2]")
    with range_server(proxy) as url:
        assert read("http://files.example.org/a.json", proxyUrl=url) == b"[2]"
        assert proxy.headers[0]["Host"] == "files.example.org"
        with pytest.raises(IndexingError, match="loopback"):
            read("http://files.example.org/a.json", rules=DownloadRules(), proxyUrl=url)
        rules = replace(ON_LOOPBACK, allowed_hosts=("files.example.org",))
        with failing(IndexingError, "HostNotAllowed", r"http\.proxyUrl: 127\.0\.0\.1 matches none"):
            read("http://files.example.org/a.json", rules=rules, proxyUrl=url)
