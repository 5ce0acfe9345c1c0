from pathlib import Path
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.load_plan import LoadPlan
from solrbench.load.engine.target import load_target
from solrbench.load.errors import LoadError
from solrbench.load.workload.query_file import WorkloadQuery
from solrbench.load.workload.request_mix import QuerySource
from solrbench.load.workload.requests import BodyKind, first_template_index, prepare_node
from solrbench.load.workload.templates import url_quote
from solrbench.net.http import NO_AUTH, HttpAuth, basic_auth
from support.failing import failing
from support.load.builders import plain, plan_of, prepare_requests, workload

URL = "http://node-0.solr.ns.svc:8983/solr"


def message(
    spec: Workload, queries: list[WorkloadQuery], url: str = URL, access: HttpAuth = NO_AUTH
) -> str:
    """Return the request of the only query as it is sent to a node."""
    (request,) = prepare_requests(spec, queries).requests
    return prepare_node(spec, "books", url, access).message(request).decode("ascii")


def test_own_parameters_win_over_those_of_the_workload() -> None:
    spec = workload(parameters={"rows": "5", "fl": "id"})
    queries = [WorkloadQuery(None, (("q", "a b"), ("rows", "0"), ("fq", "x"), ("fq", "y")))]
    (request,) = prepare_requests(spec, queries).requests
    assert request.body == b"q=a+b&rows=0&fq=x&fq=y&wt=json&fl=id"


@pytest.mark.parametrize(
    ("parameters", "query", "is_readable"),
    [
        ({}, (("q", "a"),), True),
        ({"wt": "csv"}, (("q", "a"),), False),
        ({"wt": "xml"}, (("q", "a"), ("wt", "json")), True),
        ({}, (("q", "a"), ("json.wrf", "call")), False),
    ],
)
def test_answer_is_json_unless_asked_otherwise(
    parameters: dict[str, str], query: tuple[tuple[str, str], ...], is_readable: bool
) -> None:
    spec = workload(parameters=parameters)
    (request,) = prepare_requests(spec, [WorkloadQuery(None, query)]).requests
    assert request.is_readable is is_readable


def test_get_is_one_line_and_headers() -> None:
    text = message(workload(), plain("ä&b"), URL + "/")
    assert text.startswith("GET /solr/books/select?q=%C3%A4%26b&wt=json HTTP/1.1\r\n")
    assert "\r\nHost: node-0.solr.ns.svc:8983\r\n" in text
    assert text.endswith("\r\n\r\n")


def test_post_says_how_long_its_form_is() -> None:
    spec = workload(method="POST", handler="/browse")
    head, form = message(spec, plain("a")).split("\r\n\r\n")
    assert head.startswith("POST /solr/books/browse HTTP/1.1\r\n")
    assert head.endswith(f"Content-Length: {len(form)}")
    assert form == "q=a&wt=json"


def test_body_of_the_json_api_goes_beside_the_parameters() -> None:
    spec = workload(parameters={"shards.preference": "replica.type:PULL", "_route_": "p1!"})
    query = WorkloadQuery(None, (("timeAllowed", "9"),), b'{"query":"a"}')
    head, body = message(spec, [query]).split("\r\n\r\n")
    assert head.split("\r\n")[0] == (
        "POST /solr/books/select?timeAllowed=9&wt=json"
        "&shards.preference=replica.type%3APULL&_route_=p1%21 HTTP/1.1"
    )
    assert "\r\nContent-Type: application/json\r\n" in head
    assert head.endswith(f"Content-Length: {len(body)}")
    assert body == '{"query":"a"}'


def test_line_may_be_sent_by_another_method_than_the_others() -> None:
    for method, others in (("GET", "POST"), ("POST", "GET")):
        spec, (query,) = workload(method=others), plain("a")
        assert message(spec, [query]).startswith(others)
        second = message(spec, [query._replace(method=method)])
        assert second.startswith(method)
        assert "q=a&wt=json" in second


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_are_quoted_as_the_library_does(text: str) -> None:
    assert url_quote(text) == quote_plus(text)


def test_names_are_numbered_in_order_of_appearance() -> None:
    queries = [WorkloadQuery(name, ()) for name in ("hot", None, "hot", "cold")]
    prepared = prepare_requests(workload(requestName="other"), queries)
    assert prepared.names == ("hot", "other", "cold")
    assert [request.name for request in prepared.requests] == [0, 1, 0, 2]


def test_login_in_an_address_is_no_part_of_the_host() -> None:
    text = message(workload(), plain("a"), "http://user:secret@[::1]:8983/solr")
    assert "\r\nHost: [::1]:8983\r\n" in text
    assert "secret" not in text


@pytest.mark.parametrize("handler", ["/select", "/ingest"])
def test_all_that_goes_to_the_handler_of_updates_may_change_documents(handler: str) -> None:
    updates = {"name": "write", "handler": handler, "updates": {"generated": {}}}
    reads = {"name": "read", "handler": "/query", "queries": {"generated": {}}}
    spec = Workload.model_validate({"mix": [updates, reads]})
    found = prepare_node(spec, "books", URL).update_templates
    first = first_template_index(spec, handler)
    assert found >= {first + kind for kind in BodyKind}
    assert found.isdisjoint(first_template_index(spec, "/query") + kind for kind in BodyKind)


@pytest.mark.parametrize("url", ["ftp://node:8983/solr", "node:8983/solr", "http:///solr"])
def test_only_http_urls_are_nodes(url: str) -> None:
    with pytest.raises(LoadError, match=r"BadPlan: solrUrls: .* must begin with http://"):
        prepare_node(workload(), "books", url)


def generated_plan(**fields: object) -> LoadPlan:
    given = {"solrUrls": [URL], "generator": {"documents": 10, "vocabularyTerms": 1000}}
    return plan_of({"queries": {"generated": {"count": 7}}}, **given | fields)


def test_plan_becomes_requests_and_nodes() -> None:
    target = load_target(generated_plan(), Path("/nowhere"))
    (part,) = target.requests.sources
    assert isinstance(part, QuerySource)
    assert (len(part.requests), len(target.nodes)) == (7, 1)
    assert target.timeout_seconds == 30


def test_variants_become_nodes_of_their_own() -> None:
    endpoints = [
        {"variant": "raw", "urls": [URL]},
        {"variant": "proxy", "urls": ["http://p:81/x/solr"]},
    ]
    target = load_target(generated_plan(variants=endpoints), Path("/nowhere"))
    (node,) = target.nodes_of("proxy")
    assert (node.host, node.port) == ("p", 81)
    assert node.request_templates[0][0].startswith(b"GET /x/solr/books/select?")
    assert list(target.nodes_of("raw")) == list(target.nodes_of("")) == list(target.nodes)


def test_generated_queries_need_a_generated_dataset() -> None:
    with pytest.raises(LoadError, match=r"BadPlan: .*needs dataset\.generator"):
        load_target(generated_plan(generator=None), Path("/nowhere"))


def test_login_stands_in_every_request_and_in_no_text_about_it() -> None:
    access = HttpAuth(basic_auth("solr", "SolrRocks"))
    for method in ("GET", "POST"):
        text = message(workload(method=method), plain("a"), access=access)
        head = text.partition("\r\n\r\n")[0].split("\r\n")
        assert f"Authorization: {basic_auth('solr', 'SolrRocks')}" in head
    assert "Basic" not in repr(prepare_node(workload(), "books", URL, access))


@pytest.mark.parametrize(
    ("url", "port", "encrypted"),
    [
        ("https://search/solr", 443, True),
        ("https://search:8984/solr", 8984, True),
        ("http://search/solr", 80, False),
        ("http://search:8983/solr/", 8983, False),
    ],
)
def test_ports_and_trust_follow_the_scheme(url: str, port: int, encrypted: bool) -> None:
    node = prepare_node(workload(), "books", url)
    assert (node.host, node.port, node.tls is not None) == ("search", port, encrypted)


def test_missing_login_is_a_bad_plan(tmp_path: Path) -> None:
    queries = {"configMap": {"name": "queries"}}
    plan = plan_of({"queries": queries}, access={"credentialsFolder": str(tmp_path)})
    with failing(LoadError, "BadPlan", "username"):
        load_target(plan, tmp_path)
