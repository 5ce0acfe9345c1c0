"""Kinds that a cluster may not know."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ResourceNotFoundError, api_exception

from solrbench.cluster.client import Cluster, ForbiddenError
from solrbench.errors import PermanentError, SolrbenchError, TemporaryError

GROUP_PATH = "/apis/solr.apache.org/v1beta1"
KIND = ("solr.apache.org/v1beta1", "SolrCloud")


class Answers:
    """What an API server says at some paths; HTTP 404 at all others."""

    def __init__(self, **by_status: dict[str, bytes]) -> None:
        self._bodies = by_status.get("ok", {})
        self._refused = by_status.get("refused", {})

    def request(self, method: str, path: str, **_: Any) -> Any:
        assert method == "get"
        if path in self._bodies:
            return SimpleNamespace(data=self._bodies[path])
        status = 403 if path in self._refused else 404
        error = ApiException(status=status, reason="no")
        error.body = "{}"
        raise api_exception(error)


def cluster(**by_status: dict[str, bytes]) -> Cluster:
    return Cluster(cast(DynamicClient, Answers(**by_status)))


def kinds(*names: str) -> dict[str, bytes]:
    return {GROUP_PATH: json.dumps({"resources": [{"kind": each} for each in names]}).encode()}


def test_a_kind_is_served_if_its_group_lists_it() -> None:
    assert cluster(ok=kinds("SolrBackup", "SolrCloud")).serves(*KIND)
    assert not cluster(ok=kinds("SolrBackup")).serves(*KIND)


def test_a_group_that_is_not_there_serves_nothing() -> None:
    assert not cluster().serves(*KIND)
    assert cluster().list_if_served(*KIND, "search", {}) == []


def test_an_empty_document_is_none() -> None:
    assert cluster(ok={"/openapi/v3/x": b""}).read("/openapi/v3/x") is None


def test_a_refusal_is_no_absence() -> None:
    with pytest.raises(TemporaryError) as caught:
        cluster(refused={GROUP_PATH: b""}).serves(*KIND)
    assert caught.value.reason == "ApiRefused"


@pytest.mark.parametrize(
    ("status", "text", "error"),
    [
        (400, "", PermanentError),
        (413, "", PermanentError),
        (422, "", PermanentError),
        (500, "etcdserver: request is too large", PermanentError),
        (500, "grpc: trying to send message larger than max", PermanentError),
        (500, "etcdserver: leader changed", TemporaryError),
        (503, "", TemporaryError),
    ],
)
def test_what_another_attempt_cannot_cure_is_permanent(
    status: int, text: str, error: type[SolrbenchError]
) -> None:
    class Refusing:
        def request(self, *_: Any, **__: Any) -> Any:
            refusal = ApiException(status=status, reason="no")
            refusal.body = text
            raise api_exception(refusal)

    with pytest.raises(error):
        Cluster(cast(DynamicClient, Refusing())).read("/x")


LOG_PATH = "/api/v1/namespaces/search/pods/one-solr-0/log"


def read_log(client: Cluster) -> str:
    how = {"previous": True, "lines": 5, "max_bytes": 100}
    return client.pod_log("search", "one-solr-0", "solr", **cast(Any, how))


def test_end_of_a_log_is_read_as_text_with_limits() -> None:
    sent: list[dict[str, Any]] = []

    class Recording(Answers):
        def request(self, method: str, path: str, **options: Any) -> Any:
            sent.append(options)
            return super().request(method, path)

    api = Recording(ok={LOG_PATH: b"\xc3\xa9t\xc3\xa9 \xff"})
    assert read_log(Cluster(cast(DynamicClient, api)).within(1.5)) == "été \ufffd"
    (options,) = sent
    assert dict(options["query_params"]) == {
        "container": "solr",
        "previous": "true",
        "tailLines": 5,
        "limitBytes": 100,
    }
    assert options["_request_timeout"] == 1.5


def test_a_refused_log_is_not_a_missing_one() -> None:
    with pytest.raises(ForbiddenError):
        read_log(cluster(refused={LOG_PATH: b""}))
    with pytest.raises(TemporaryError) as caught:
        read_log(cluster())
    assert caught.value.reason == "NotFound"


class Discovery:
    """The discovery of the dynamic client: not safe for threads, with pods and nothing else."""

    def __init__(self) -> None:
        self.searches: list[str] = []
        self.overlaps = 0
        self._busy = Lock()

    def get(self, api_version: str, kind: str) -> Any:
        if not self._busy.acquire(blocking=False):
            self.overlaps += 1
            raise KeyError(api_version)
        try:
            self.searches.append(kind)
            sleep(0.001)  # lets others in
            if kind != "Pod":
                raise ResourceNotFoundError(kind)
            return SimpleNamespace(get=lambda **_: SimpleNamespace(to_dict=lambda: {"kind": kind}))
        finally:
            self._busy.release()


def test_threads_find_a_kind_once_while_another_is_missing() -> None:
    discovery = Discovery()
    dynamic = cast(DynamicClient, SimpleNamespace(resources=discovery))
    shared = Cluster(dynamic)

    def read(number: int) -> Any:
        if number % 2:
            with pytest.raises(TemporaryError, match="SolrCloud"):
                shared.get(*KIND, "search", "one")
            return None
        return shared.within(1.0).get("v1", "Pod", "search", "one")

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(read, range(40)))
    assert found == [{"kind": "Pod"}, None] * 20
    assert discovery.overlaps == 0
    assert discovery.searches.count("Pod") == 1
