import tracemalloc
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.api.v1alpha1.request_mix import Expectation
from solrbench.api.v1alpha1.workload import MAX_REQUEST_NAMES
from solrbench.load.errors import LoadError
from solrbench.load.workload.query_file import FileQueries, WorkloadQuery, _decode, query_file_path
from support.load.builders import parse_lines, queries_spec


def list_queries(path: Path) -> list[WorkloadQuery]:
    return list(iter(FileQueries(path)))


ROUTED = [("_route_", "p3!"), ("shards.preference", "replica.type:PULL")]
OBJECT = [("q", "é"), ("rows", "5"), ("boost", "0.5"), ("facet", "true"), ("fq", "a"), ("fq", "b")]


@pytest.mark.parametrize(
    ("line", "parameters"),
    [
        ("solr cloud", [("q", "solr cloud")]),
        ("  title:solr  ", [("q", "title:solr")]),
        ("{!edismax}solr", [("q", "{!edismax}solr")]),
        ("100% sure & more", [("q", "100% sure & more")]),
        ("q=A+AND+T&fq=a%3Ab&fq=c", [("q", "A AND T"), ("fq", "a:b"), ("fq", "c")]),
        ("facet.field=cat&q=", [("facet.field", "cat"), ("q", "")]),
        ("q=a+b%26&fq=&x", [("q", "a b&"), ("fq", ""), ("x", "")]),
        ("{!term f=id}a=b", [("q", "{!term f=id}a=b")]),
        ('{"q": "é", "rows": 5, "boost": 0.5, "facet": true, "fq": ["a", "b"]}', OBJECT),
        ("_route_=p3!&shards.preference=replica.type:PULL", ROUTED),
        ('{"_route_": "p3!", "shards.preference": "replica.type:PULL"}', ROUTED),
        ('{"name": "x", "q": "y"}', [("name", "x"), ("q", "y")]),
        # As it was before: without `params` or a body, these are names of parameters.
        ('{"json": "{}", "method": "x"}', [("json", "{}"), ("method", "x")]),
    ],
)
def test_line_becomes_parameters(line: str, parameters: list[tuple[str, str]]) -> None:
    assert list(parse_lines([line.encode()], "f")) == [WorkloadQuery(None, tuple(parameters))]


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ('{"name": "hot", "params": {"q": "x"}}', WorkloadQuery("hot", (("q", "x"),))),
        (
            '{"params": {"q": "a"}, "expect": {"minNumFound": 1}, "method": "POST"}',
            WorkloadQuery(None, (("q", "a"),), method="POST", expect=Expectation(min_num_found=1)),
        ),
        (
            '{"name": "body", "json": {"query": "a", "limit": 3}, "params": {"rows": 1}}',
            WorkloadQuery("body", (("rows", "1"),), b'{"query":"a","limit":3}'),
        ),
        ('{"json": {"query": "a"}, "method": "POST"}', WorkloadQuery(None, (), b'{"query":"a"}')),
    ],
)
def test_line_may_say_how_it_is_sent_and_what_is_expected(line: str, query: WorkloadQuery) -> None:
    assert list(parse_lines([line.encode()], "f")) == [query]


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1, max_size=4))
def test_any_parameters_survive_a_log(pairs: list[tuple[str, str]]) -> None:
    line = "q=&" + urlencode(pairs, errors="surrogatepass")
    assert _decode(line) == (("q", ""), *parse_qsl(line, keep_blank_values=True)[1:])


def test_queries_of_a_file_are_found_again_by_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(
        b"\xef\xbb\xbffirst\r\n\n# no query\n  q=a&fq=b  \n" + '{"q": "é"}\n \nlast'.encode()
    )
    queries = FileQueries(tmp_path / "f")
    for _ in range(2):
        read = list(iter(queries))
        firsts = [query.parameters[0] for query in read]
        assert firsts == [("q", text) for text in ("first", "a", "é", "last")]
        assert [queries[index] for index in range(len(queries))] == read
    assert queries[1:3] == read[1:3]


def test_of_a_file_only_the_places_of_its_lines_are_kept(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("".join(f"word{n}\n" for n in range(20_000)))
    tracemalloc.start()
    try:
        queries = FileQueries(tmp_path / "f")
        names = {query.name for query in queries}
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(queries), names) == (20_000, {None})
    assert kept < 20_000 * 8


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b'{"q": ', "Expecting value"),
        (b'{"q": null}', '"q" must be a text'),
        (rb'{"q": "\ud83d"}', "surrogate"),
        (b'{"json": {"limit": 99999999999999999999}}', "64-bit"),
        (b'{"json": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "recursion"),
        (b'{"q": [1]}', '"q" must be a text'),
        (b'{"name": "", "params": {}}', '"name" must be a text of 1 to 40'),
        (b'{"name": 3, "params": {}}', '"name" must be'),
        (b"\xff\xfe", "utf-8"),
        (b'{"params": {}, "method": "PUT"}', '"method" must be GET or POST'),
        (b'{"json": {}, "method": "GET"}', '"method" must be POST, or omitted'),
        (
            b'{"params": {}, "expect": {"minNumFound": -1}}',
            '"expect": minNumFound: must be at least 0',
        ),
        (b'{"params": {}, "expect": {"least": 1}}', '"expect": least: unknown field'),
    ],
)
def test_malformed_line_is_named(line: bytes, part: str) -> None:
    with pytest.raises(LoadError) as caught:
        list(parse_lines([b"good", b"", line], "queries.txt"))
    assert str(caught.value).startswith("MalformedQueries: queries.txt line 3: ")
    assert part in caught.value.message


@pytest.mark.parametrize("text", ["", "\n\n# only a comment\n"])
def test_file_without_queries_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "queries.txt"
    path.write_text(text)
    with pytest.raises(LoadError, match=r"NoQueries: query file queries\.txt has no query"):
        list_queries(path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"NoQueries: cannot read .*none\.txt"):
        list_queries(tmp_path / "none.txt")


def test_too_many_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    rows = [f'{{"name": "n{i}", "params": {{"q": "x"}}}}' for i in range(MAX_REQUEST_NAMES + 1)]
    path.write_text("\n".join(rows[:-1]))
    assert len(list_queries(path)) == MAX_REQUEST_NAMES
    path.write_text("\n".join(rows))
    with pytest.raises(LoadError, match="51 names; use at most 50"):
        list_queries(path)


def test_file_lies_where_it_is_mounted() -> None:
    folder = Path("/queries")
    volume = {"claimName": "data", "path": "deep/list.txt"}
    assert query_file_path(queries_spec(), folder) == folder / "queries.txt"
    spec = queries_spec(configMap=None, persistentVolumeClaim=volume)
    assert query_file_path(spec, folder) == folder / "deep" / "list.txt"
    with pytest.raises(ValueError, match="no file"):
        query_file_path(queries_spec(configMap=None, generated={}), folder)


@pytest.mark.parametrize(
    ("first", "second", "recorded"),
    [
        ('"time": 5', '"time": 7.5', [0, 2.5]),
        ('"time": "2026-01-01T00:00:00.5Z"', '"time": "2026-01-01T01:00:02+01:00"', [0, 1.5]),
        ('"time": "2026-01-01T00:00:00"', '"time": "2026-01-01T00:00:00Z"', [0, 0]),
        ('"time": 5', '"name": "x"', []),
    ],
)
def test_times_count_from_the_first_line_on(
    first: str, second: str, recorded: list[float], tmp_path: Path
) -> None:
    path = tmp_path / "queries.txt"
    path.write_text("".join(f'{{{each}, "params": {{"q": "x"}}}}\n' for each in (first, second)))
    queries = FileQueries(path)
    assert len(list(iter(queries))) == 2
    assert list(queries.recorded_seconds) == recorded


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (("2", "1"), r'line 2: "time" is before that of an earlier line'),
        (("true",), r'line 1: "time" must be a number of seconds'),
        (("NaN", "1"), r'line 1: "time" must be a number of seconds'),
        (("1e999",), r'line 1: "time" must be a number of seconds'),
        (('"noon"',), r'line 1: "time" must be a number of seconds'),
    ],
)
def test_bad_times_are_refused_with_their_line(
    times: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "queries.txt"
    path.write_text("".join(f'{{"time": {each}, "params": {{"q": "x"}}}}\n' for each in times))
    with pytest.raises(LoadError, match=message):
        list_queries(path)
