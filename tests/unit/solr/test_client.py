import time
from typing import Any

import httpx2 as httpx
import pytest
from pydantic import RootModel

from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.solr.client import SolrClient
from support.failing import failing
from support.solr.recorded_solr import Reply, Solr, client_of

# bodies of Solr 9.10.1
BAD_REQUEST = {"responseHeader": {"status": 400}, "error": {"msg": "no such action", "code": 400}}
FAILED_CORE = {
    "responseHeader": {"status": 0},
    "failure": {"a:8983_solr": "Error CREATEing SolrCore 'x'"},
}

Anything = RootModel[Any]


def get(reply: Reply) -> object:
    with Solr({"/x": reply}).client() as client:
        return client.get("/x", Anything).root


def test_answers_are_json_and_asked_for_as_json() -> None:
    solr = Solr({"/x": {"a": 1}})
    with solr.client() as client:
        assert client.get("/x", Anything, {"q": "é", "rows": 0}).root == {"a": 1}
        client.post("/x", content=b"zip")
    assert solr.asked == [
        ("GET", "/x", {"wt": "json", "q": "é", "rows": "0"}, b""),
        ("POST", "/x", {"wt": "json"}, b"zip"),
    ]


@pytest.mark.parametrize(
    ("reply", "kind", "text"),
    [
        ((400, BAD_REQUEST), PermanentError, "GET /solr/x: no such action"),
        ((200, FAILED_CORE), PermanentError, "Error CREATEing SolrCore"),
        ((500, {"error": {"trace": "java.lang.Oops\n\tat"}}), TemporaryError, "java.lang.Oops"),
        ((503, {}), TemporaryError, "HTTP 503"),
        ((404, {"error": {"msg": "not found"}}), TemporaryError, "not found"),
        ((429, {}), TemporaryError, "HTTP 429"),
        (
            (200, "<html>"),
            TemporaryError,
            "cannot be read: HTTP 200, text/plain; charset=utf-8, 6 bytes: it is not JSON",
        ),
        (httpx.ConnectError("refused"), TemporaryError, "refused"),
        (httpx.ReadTimeout("timed out"), TemporaryError, "timed out"),
    ],
)
def test_errors_say_whether_waiting_helps(
    reply: Reply, kind: type[SolrbenchError], text: str
) -> None:
    with pytest.raises(SolrbenchError, match=r"\S") as caught:
        get(reply)
    assert type(caught.value) is kind
    assert text in caught.value.message


def test_a_read_goes_on_to_the_next_node_and_a_change_does_not() -> None:
    asked: list[str] = []

    def serve(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.host}")
        if request.url.host != "c":
            raise httpx.ConnectError(f"{request.url.host} refused")
        return httpx.Response(200, json={})

    client = client_of(serve, [f"http://{each}:8983/solr" for each in "abc"])
    client.get("/x", Anything)
    client.get_text("/x", {})
    assert asked == ["GET a", "GET b", "GET c"] * 2
    asked.clear()
    client.urls = client.urls[:2]
    with failing(TemporaryError, "SolrUnreachable", "GET http://b.*b refused"):
        client.get("/x", Anything)
    with failing(TemporaryError, "SolrUnreachable", "a refused"):
        client.get("/x", Anything, url="http://a:8983/solr")
    with failing(TemporaryError, "SolrUnreachable", "POST http://a.*a refused"):
        client.post("/x", content=b"")
    assert asked == ["GET a", "GET b", "GET a", "POST a"]


def test_no_request_goes_on_after_the_end_of_all() -> None:
    with SolrClient(["http://127.0.0.1:1/solr"] * 3) as client:
        client.end = time.monotonic()
        with failing(TemporaryError, "SolrUnreachable", "within the request's deadline"):
            client.get("/x", Anything)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_an_error_and_not_followed(status: int) -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return httpx.Response(status, headers={"Location": "http://169.254.169.254/latest"})

    with (
        client_of(answer) as client,
        failing(PermanentError, "RedirectRefused", r"169\.254\.169\.254"),
    ):
        client.get("/admin/info/system", Anything)
    assert len(seen) == 1


@pytest.mark.parametrize("charset", ["punycode", "bz2", "utf-16"])
def test_no_header_chooses_the_codec_of_a_text(charset: str) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        headers = {"Content-Type": f"text/plain; charset={charset}"}
        return httpx.Response(200, content="Größe".encode(), headers=headers)

    assert client_of(answer).get_text("/x", {}) == "Größe"


def test_what_another_server_says_is_not_quoted() -> None:
    with pytest.raises(TemporaryError) as caught:
        get((200, "AWS_SECRET=hunter2"))
    assert "hunter2" not in str(caught.value)


def test_a_response_without_end_is_not_kept() -> None:
    with failing(TemporaryError, "SolrUnreachable", "more than 2097152 bytes"):
        get((200, " " * (1 + (2 << 20))))


def test_a_response_of_too_many_values_is_refused_before_they_are_made() -> None:
    with pytest.raises(TemporaryError, match=r"cannot be read: HTTP 200, .* bytes of memory"):
        get((200, [[[]]] * 100_000))
