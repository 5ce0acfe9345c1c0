"""Lists of the client: in parts, with what they leave out, and within limits of memory."""

import json

import httpx2 as httpx
import pytest

from solrbench.api.identity import BENCHMARKS
from solrbench.errors import TemporaryError
from solrbench.kube.reader import LISTED_AT_ONCE, MAX_LIST_MEMORY, MAX_PART_BYTES, METADATA_AT_ONCE
from support.servers.api_stub import ApiStub, cluster_of, cluster_with_kinds


def test_listed_objects_have_the_kind_and_version_that_the_list_has() -> None:
    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.params.get("continue") == "more":
            items, metadata = [{"metadata": {"name": "b"}}], {}
        else:
            items, metadata = [{"metadata": {"name": "a"}}], {"continue": "more"}
        body = {"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items}
        return httpx.Response(200, json=body)

    found = cluster_with_kinds(respond).list("v1", "Pod", "search", {})
    names = [(each["kind"], each["metadata"]["name"]) for each in found]
    assert names == [("Pod", "a"), ("Pod", "b")]


@pytest.mark.parametrize(
    ("annotations", "limits"),
    [
        # Longer than a part of several objects may be; two of them are too much.
        pytest.param(
            {"a": "x" * (MAX_LIST_MEMORY // 2)},
            (LISTED_AT_ONCE, LISTED_AT_ONCE // 10, 1, 1),
            id="one long text",
        ),
        # Four quotes and a comma stand for 160 bytes.
        pytest.param(
            dict.fromkeys(map(str, range(MAX_LIST_MEMORY // 480)), ""),
            (LISTED_AT_ONCE,) * 3,
            id="many keys",
        ),
    ],
)
def test_objects_of_a_namespace_are_listed_up_to_a_limit(
    annotations: dict[str, str], limits: tuple[int, ...]
) -> None:
    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(int(request.url.params["limit"]))
        pods = [{"metadata": {"annotations": annotations}}]
        return httpx.Response(200, json={"metadata": {"continue": "more"}, "items": pods})

    asked: list[int] = []
    reader = cluster_with_kinds(respond)
    with pytest.raises(TemporaryError, match="Pods of namespace search take more than 128 MiB"):
        reader.list("v1", "Pod", "search", {})
    with pytest.raises(TemporaryError, match="Events of namespace search take more than 128 MiB"):
        reader.events("search", "Pod", "one")
    assert asked == [*limits, *limits]


@pytest.mark.parametrize(
    "annotations",
    [
        pytest.param(dict.fromkeys(map(str, range(60_000)), ""), id="many keys"),
        pytest.param({"a": "x" * (MAX_PART_BYTES // 3)}, id="a long text"),
    ],
)
def test_objects_that_a_tenant_has_filled_are_listed_one_by_one(
    annotations: dict[str, str],
) -> None:
    bodies = [{"metadata": {"name": str(each), "annotations": annotations}} for each in range(8)]
    asked: list[int] = []

    def respond(request: httpx.Request) -> httpx.Response:
        query = request.url.params
        begin, limit = int(query.get("continue", "0")), int(query["limit"])
        asked.append(limit)
        end = begin + limit
        rest = {"continue": str(end)} if end < len(bodies) else {}
        return httpx.Response(200, json={"metadata": rest, "items": bodies[begin:end]})

    listed = cluster_with_kinds(respond).list_metadata(*BENCHMARKS, None)
    assert [each["metadata"]["name"] for each in listed] == list("01234567")
    assert asked == [METADATA_AT_ONCE, METADATA_AT_ONCE // 10, *[1] * 8]


@pytest.mark.parametrize("depth", [0, 5000])
def test_managed_fields_are_not_kept_and_may_be_nested(depth: int) -> None:
    # Brackets and a quote in the name of a field end no list.
    fields = '[{"fieldsV1":' + r'{"f:]\"]":[' * depth + "1" + "]}" * depth + "},{}]"
    body = {"metadata": {"managedFields": "FIELDS", "name": "one"}}
    listed = {"items": [body, {"metadata": None}]}
    api, place = ApiStub(), f"/apis/{BENCHMARKS[0]}/namespaces/search/solrbenchmarks"
    for path, shown in ((f"{place}/one", body), (place, listed)):
        text = json.dumps(shown, separators=(",", ":")).replace('"FIELDS"', fields)
        api.responses[path] = httpx.Response(200, content=text.encode())
    cluster = cluster_of(api)
    assert cluster.get(*BENCHMARKS, "search", "one") == {"metadata": {"name": "one"}}
    found = cluster.list(*BENCHMARKS, "search", {})
    assert [each["metadata"] for each in found] == [{"name": "one"}, None]
