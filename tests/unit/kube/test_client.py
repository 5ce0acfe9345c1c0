"""What the client sends, and what it makes of refusals, logs and watches."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

import httpx2 as httpx
import pytest

from solrbench.errors import PermanentError, SolrbenchError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import (
    ExpiredError,
    ForbiddenError,
    KindNotServedError,
    UnauthorizedError,
    UnreachableError,
)
from support.cluster.benchmarks import small
from support.failing import failing
from support.servers.api_stub import (
    ApiStub,
    body_of,
    cluster_of,
    cluster_with_kinds,
    resources,
    status,
    stream_of,
)

GROUP_PATH = "/apis/solr.apache.org/v1beta1"
KIND = ("solr.apache.org/v1beta1", "SolrCloud")


def cluster(**by_path: httpx.Response) -> Cluster:
    """Return a client of a server with these responses, by path; HTTP 404 at all others."""
    return cluster_with_kinds(lambda request: by_path.get(request.url.path) or status(404))


def test_a_kind_is_served_if_its_group_lists_it() -> None:
    assert cluster(**{GROUP_PATH: resources("SolrBackup", "SolrCloud")}).serves(*KIND)
    assert not cluster(**{GROUP_PATH: resources("SolrBackup")}).serves(*KIND)


def test_a_group_that_is_not_there_serves_nothing() -> None:
    assert not cluster().serves(*KIND)
    with pytest.raises(KindNotServedError):
        list(cluster().list_metadata(*KIND, "search"))


def test_an_empty_document_is_none() -> None:
    empty = httpx.Response(200, content=b"")
    assert cluster(**{"/openapi/v3/x": empty}).read("/openapi/v3/x") is None


def test_a_refusal_is_no_absence() -> None:
    with failing(TemporaryError, "ApiRefused"):
        cluster(**{GROUP_PATH: status(403)}).serves(*KIND)


@pytest.mark.parametrize(
    ("code", "text", "error"),
    [
        (400, "", PermanentError),
        (401, "Unauthorized", UnauthorizedError),
        (413, "", PermanentError),
        (422, "", PermanentError),
        (500, "etcdserver: request is too large", PermanentError),
        (500, "grpc: trying to send message larger than max", PermanentError),
        (500, "etcdserver: leader changed", TemporaryError),
        (503, "", TemporaryError),
    ],
)
def test_what_another_attempt_cannot_cure_is_permanent(
    code: int, text: str, error: type[SolrbenchError]
) -> None:
    with pytest.raises(error):
        cluster(**{"/x": httpx.Response(code, text=text)}).read("/x")


def test_a_refusal_is_worded_by_the_server_and_not_as_json() -> None:
    causes = {"causes": [{"field": "spec.load", "message": "must have steps"}]}
    refusal = status(422, 'SolrBenchmark "one" is invalid', details=causes)
    with pytest.raises(PermanentError) as caught:
        cluster(**{"/x": refusal}).read("/x")
    message = 'reading /x: SolrBenchmark "one" is invalid (spec.load: must have steps)'
    assert caught.value.message == message


def test_a_page_of_a_proxy_is_cut() -> None:
    with pytest.raises(TemporaryError) as caught:
        cluster(**{"/x": httpx.Response(502, text="<html>" * 10_000)}).read("/x")
    assert len(caught.value.message) < 1100


@pytest.mark.parametrize("body", [b"no JSON", b"[" + b"[]," * 600_000 + b"[]]"])
def test_a_response_that_is_no_object_or_takes_much_is_refused(body: bytes) -> None:
    versions = {"/api": httpx.Response(200, content=body)}
    with failing(TemporaryError, "ApiUnreachable", "a response of the API server cannot be read"):
        cluster(**versions).server_hosts()


def test_reads_alone_are_repeated_when_a_kept_connection_was_closed() -> None:
    seen: list[str] = []

    def close_once(request: httpx.Request) -> httpx.Response:
        seen.append(request.method)
        if len(seen) == 1:
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
        return httpx.Response(200, json={})

    shared = cluster_with_kinds(close_once)
    with pytest.raises(UnreachableError, match="disconnected"):
        shared.merge("v1", "Pod", "search", "one", {})
    assert seen == ["PATCH"]
    seen.clear()
    assert shared.read("/x") == {}
    assert seen == ["GET", "GET"]


def test_a_version_that_an_owner_names_is_no_query_and_not_remembered() -> None:
    cluster = cluster_of(ApiStub())
    for version in ("v1?x=1", "v1#x"):
        with pytest.raises(KindNotServedError):
            cluster.get(version, "Pod", "search", "one")
    assert not cluster._kinds._locks


LOG_PATH = "/api/v1/namespaces/search/pods/one-solr-0/log"


def read_log(client: Cluster) -> str:
    return client.pod_log("search", "one-solr-0", "solr", previous=True, lines=5, max_bytes=100)


def test_end_of_a_log_is_read_as_text_with_limits() -> None:
    api = ApiStub()
    api.responses[LOG_PATH] = httpx.Response(200, content=b"\xc3\xa9t\xc3\xa9 \xff")
    assert read_log(cluster_of(api).within(1.5)) == "été \ufffd"
    request = api.requests[-1]
    assert request.url.path == LOG_PATH
    query = {"container": "solr", "previous": "true", "tailLines": "5", "limitBytes": "100"}
    assert dict(request.url.params) == query
    assert request.extensions["timeout"]["read"] == 1.5


def test_a_log_is_followed_line_by_line() -> None:
    text = httpx.Response(200, content=iter([b"on", b"e\ntwo\n\nth", b"ree"]))
    found = list(cluster(**{LOG_PATH: text}).follow_log("search", "one-solr-0", "solr", 10))
    assert found == ["one", "two", "", "three"]


def test_a_refused_log_is_not_a_missing_one() -> None:
    with pytest.raises(ForbiddenError):
        read_log(cluster(**{LOG_PATH: status(403)}))
    with failing(TemporaryError, "NotFound"):
        read_log(cluster())


def test_objects_of_the_whole_cluster_have_no_namespace_in_their_path() -> None:
    shared = cluster(**{"/api/v1/nodes/one": httpx.Response(200, json={"kind": "Node"})})
    assert shared.get("v1", "Node", "search", "one") == {"kind": "Node"}
    assert not shared.is_namespaced("v1", "Node")


def test_a_name_that_others_wrote_is_one_part_of_the_path() -> None:
    api = ApiStub()
    assert cluster_of(api).get("v1", "Pod", "search", "x/../../pods?watch=true") is None
    path = b"/api/v1/namespaces/search/pods/x%2F..%2F..%2Fpods%3Fwatch%3Dtrue"
    assert api.requests[-1].url.raw_path == path


@pytest.mark.parametrize(
    ("version", "name"), [("../healthz", "a"), ("a/..", "a"), ("v1", ".."), ("v1", ".")]
)
def test_a_path_that_leads_elsewhere_is_not_asked_for(version: str, name: str) -> None:
    api = ApiStub()
    with suppress(KindNotServedError):
        assert cluster_of(api).get(version, "Pod", "search", name) is None
    assert {each.url.path for each in api.requests} <= {"/api/v1"}


def test_a_discovery_that_is_no_json_is_an_error_that_may_pass() -> None:
    found = {"/apis/example.org/v1": httpx.Response(200, text="<html>")}
    with pytest.raises(TemporaryError, match="it is not JSON"):
        cluster(**found).get("example.org/v1", "X", "search", "one")


def test_threads_find_a_kind_once_while_another_is_missing() -> None:
    searches: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if re.fullmatch(r"/api/v1|/apis/.*", path):
            searches.append(path)
            sleep(0.001)  # lets others in
            return resources("Pod") if path == "/api/v1" else status(404)
        return httpx.Response(200, json={"kind": "Pod"})

    shared = cluster_of(respond)

    def read(number: int) -> Any:
        if number % 2:
            with pytest.raises(KindNotServedError, match="no kind SolrCloud"):
                shared.get(*KIND, "search", "one")
            return None
        return shared.within(1.0).get("v1", "Pod", "search", "one")

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(read, range(40)))
    assert found == [{"kind": "Pod"}, None] * 20
    assert searches.count("/api/v1") == 1


def test_threads_do_not_wait_for_each_other_while_the_server_is_slow() -> None:
    seconds = 0.2

    def respond(_: httpx.Request) -> httpx.Response:
        sleep(seconds)
        raise httpx.ReadTimeout("timed out")

    shared = cluster_of(respond).within(seconds)

    def read(_: int) -> None:
        with pytest.raises(TemporaryError):
            shared.get("v1", "Pod", "search", "one")

    begun = monotonic()
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(read, range(16)))
    assert monotonic() - begun < 16 * seconds / 2  # one after another: 16 times


OWNER = {"uid": "b1", "controller": True}


def service(uid: str | None = None, *owners: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "shop-zookeeper", "namespace": "search"}
    metadata |= {"uid": uid} if uid is not None else {}
    metadata |= {"ownerReferences": list(owners)} if owners else {}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata}


def changes(api: ApiStub) -> list[httpx.Request]:
    return [each for each in api.requests if each.method != "GET"]


def applied(cluster: Cluster, api: ApiStub, body: dict[str, Any]) -> list[tuple[str, ...]]:
    """Apply an object; return method, force, uid and version of each request that this takes."""
    cluster.is_namespaced("v1", "Service")
    api.requests.clear()
    cluster.apply(body)
    path = "/api/v1/namespaces/search/services/shop-zookeeper"
    assert {each.url.path for each in api.requests} == {path}
    seen: list[tuple[str, ...]] = []
    for each in api.requests:
        metadata = body_of(each).get("metadata", {})
        patched = each.method == "PATCH"
        assert not patched or each.headers["content-type"] == "application/apply-patch+yaml"
        condition = metadata.get("uid", ""), metadata.get("resourceVersion", "")
        seen.append((each.method, each.url.params.get("force", ""), *condition))
    return seen


ABSENT, READ = ("PATCH", "false", "", "1"), ("GET", "", "", "")


def test_one_request_creates_a_new_object_and_applies_one_without_a_controller_as_it_is() -> None:
    api = ApiStub()
    assert applied(cluster_of(api), api, service(None, OWNER)) == [ABSENT]
    api = ApiStub(service("s1"))
    assert applied(cluster_of(api), api, service()) == [("PATCH", "true", "", "")]


def test_an_own_object_is_read_once_and_then_changed_if_it_is_still_the_same() -> None:
    api = ApiStub(service("s1", OWNER))
    cluster, changed = cluster_of(api), ("PATCH", "true", "s1", "")
    assert applied(cluster, api, service(None, OWNER)) == [ABSENT, READ, changed]
    assert applied(cluster, api, service(None, OWNER)) == [changed]
    assert applied(cluster.within(1.0), api, service(None, OWNER)) == [changed]


@pytest.mark.parametrize("successor", [None, "s2"])
def test_an_own_object_that_was_replaced_is_read_again(successor: str | None) -> None:
    api = ApiStub(service("s1", OWNER))
    cluster, last = cluster_of(api), ("PATCH", "true", "s2", "")
    applied(cluster, api, service(None, OWNER))
    api.objects.clear()
    if successor is not None:
        api.put(service(successor, OWNER))
    expected = [("PATCH", "true", "s1", ""), READ, ABSENT if successor is None else last]
    assert applied(cluster, api, service(None, OWNER)) == expected


@pytest.mark.parametrize("owners", [[], [OWNER | {"uid": "other"}]])
def test_an_object_of_others_is_not_taken_over(owners: list[dict[str, Any]]) -> None:
    api = ApiStub(service("s1", *owners))
    cluster, before = cluster_of(api), dict(api.objects)
    for _ in range(2):
        with failing(TemporaryError, "NameTaken", "Service shop-zookeeper in"):
            cluster.apply(service(None, OWNER))
    assert api.objects == before


def test_an_object_of_the_benchmark_before_of_the_same_name_is_not_taken_over() -> None:
    api = ApiStub()
    cluster = cluster_of(api)
    cluster.apply(service(None, OWNER))
    with failing(TemporaryError, "NameTaken", "Service shop-zookeeper in"):
        cluster.apply(service(None, OWNER | {"uid": "b2"}))


def test_an_invalid_new_object_is_not_asked_for_again() -> None:
    api = ApiStub()
    api.responses["/api/v1/namespaces/search/services"] = status(422, "spec: Required value")
    with pytest.raises(PermanentError, match="Required value"):
        cluster_of(api).apply(service(None, OWNER))
    assert len(changes(api)) == 1
    assert api.requests[-1].method == "PATCH"


def test_a_deletion_names_the_uid() -> None:
    api = ApiStub()
    cluster_of(api).delete("v1", "Service", "search", "shop", uid="s1")
    (call,) = changes(api)
    assert body_of(call)["preconditions"] == {"uid": "s1"}


KNOWN = small("one") | {"metadata": {"name": "one", "namespace": "search", "resourceVersion": "7"}}
Event = dict[str, Any]


def event(kind: str, version: str) -> Event:
    metadata = KNOWN["metadata"] | {"resourceVersion": version}
    return {"type": kind, "object": KNOWN | {"metadata": metadata}}


def watch(response: httpx.Response, queries: list[dict[str, str]] | None = None) -> list[Any]:
    """Return the versions that were seen."""

    def respond(request: httpx.Request) -> httpx.Response:
        if queries is not None:
            queries.append(dict(request.url.params))
        return response

    return [
        None if body is None else str(body["metadata"]["resourceVersion"])
        for body in cluster_with_kinds(respond).watch(dict(KNOWN), 3)
    ]


def test_changes_come_until_the_server_ends_the_watch() -> None:
    queries: list[dict[str, str]] = []
    response = stream_of(event("MODIFIED", "8"), event("MODIFIED", "9"))
    assert watch(response, queries) == ["8", "9"]
    query = {"fieldSelector": "metadata.name=one", "resourceVersion": "7"}
    assert queries == [query | {"timeoutSeconds": "3", "watch": "true"}]


def test_an_object_that_is_gone_is_none() -> None:
    assert watch(stream_of(event("DELETED", "8"))) == [None]


OLD = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "no"}}


@pytest.mark.parametrize(
    ("response", "error", "reason"),
    [
        (lambda: status(410), ExpiredError, "ApiUnreachable"),
        (lambda: stream_of(OLD), ExpiredError, "ApiUnreachable"),
        (lambda: status(403), ForbiddenError, "ApiRefused"),
        (lambda: status(500), TemporaryError, "ApiUnreachable"),
    ],
)
def test_a_watch_that_ends_says_whether_it_may_go_on(
    response: Callable[[], httpx.Response], error: type[TemporaryError], reason: str
) -> None:
    with failing(error, reason):
        watch(response())


def test_a_lost_connection_is_an_error_of_ours() -> None:
    def break_off() -> Any:
        yield b'{"type": "MODI'
        raise httpx.ReadError("connection reset")

    with pytest.raises(TemporaryError, match="connection reset"):
        watch(httpx.Response(200, content=break_off()))
