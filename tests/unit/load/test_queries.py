from pathlib import Path

import pytest

from solrbench.load.failures import LoadFailure
from solrbench.load.queries import MOST_NAMES, Query, parse_lines, query_file, read_queries
from unit.load.builders import queries_spec


@pytest.mark.parametrize(
    ("line", "name", "parameters"),
    [
        ("solr cloud", None, [("q", "solr cloud")]),
        ("  title:solr  ", None, [("q", "title:solr")]),
        ("{!edismax}solr", None, [("q", "{!edismax}solr")]),
        ("100% sure & more", None, [("q", "100% sure & more")]),
        (
            "q=Business+AND+Technology&fq=a%3Ab&fq=c",
            None,
            [("q", "Business AND Technology"), ("fq", "a:b"), ("fq", "c")],
        ),
        ("facet.field=cat&q=", None, [("facet.field", "cat"), ("q", "")]),
        ("{!term f=id}a=b", None, [("q", "{!term f=id}a=b")]),
        (
            '{"q": "é", "rows": 5, "boost": 0.5, "facet": true, "fq": ["a", "b"]}',
            None,
            [
                ("q", "é"),
                ("rows", "5"),
                ("boost", "0.5"),
                ("facet", "true"),
                ("fq", "a"),
                ("fq", "b"),
            ],
        ),
        (
            "_route_=p3!&shards.preference=replica.type:PULL&q=solr",
            None,
            [("_route_", "p3!"), ("shards.preference", "replica.type:PULL"), ("q", "solr")],
        ),
        (
            '{"q": "solr", "_route_": "p3!", "shards.preference": "replica.type:PULL"}',
            None,
            [("q", "solr"), ("_route_", "p3!"), ("shards.preference", "replica.type:PULL")],
        ),
        ('{"name": "hot", "params": {"q": "x"}}', "hot", [("q", "x")]),
        ('{"name": "x", "q": "y"}', None, [("name", "x"), ("q", "y")]),
    ],
)
def test_line_becomes_parameters(
    line: str, name: str | None, parameters: list[tuple[str, str]]
) -> None:
    assert list(parse_lines([line.encode()], "f")) == [Query(name, tuple(parameters))]


def test_blank_lines_and_comments_are_left_out() -> None:
    lines = [b"\xef\xbb\xbffirst\r\n", b"\n", b"# no query\n", b"   \n", b"second"]
    assert [query.parameters for query in parse_lines(lines, "f")] == [
        (("q", "first"),),
        (("q", "second"),),
    ]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b'{"q": ', "Expecting value"),
        (b'{"q": null}', '"q" must be a text'),
        (b'{"q": [1]}', '"q" must be a text'),
        (b'{"name": "", "params": {}}', '"name" must be a text of 1 to 40'),
        (b'{"name": 3, "params": {}}', '"name" must be'),
        (b"\xff\xfe", "utf-8"),
    ],
)
def test_malformed_line_is_named(line: bytes, part: str) -> None:
    with pytest.raises(LoadFailure) as caught:
        list(parse_lines([b"good", b"", line], "queries.txt"))
    assert caught.value.reason == "MalformedQueries"
    assert caught.value.message.startswith("queries.txt line 3: ")
    assert part in caught.value.message


@pytest.mark.parametrize("text", ["", "\n\n# only a comment\n"])
def test_file_without_queries_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "queries.txt"
    path.write_text(text)
    with pytest.raises(LoadFailure, match=r"NoQueries: query file queries\.txt has no query"):
        read_queries(path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadFailure, match=r"NoQueries: cannot read .*none\.txt"):
        read_queries(tmp_path / "none.txt")


def test_too_many_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    rows = [f'{{"name": "n{i}", "params": {{"q": "x"}}}}' for i in range(MOST_NAMES + 1)]
    path.write_text("\n".join(rows[:-1]))
    assert len(read_queries(path)) == MOST_NAMES
    path.write_text("\n".join(rows))
    with pytest.raises(LoadFailure, match="51 names; use at most 50"):
        read_queries(path)


def test_file_lies_where_it_is_mounted() -> None:
    folder = Path("/queries")
    volume = {"claimName": "data", "path": "deep/list.txt"}
    assert query_file(queries_spec(), folder) == folder / "queries.txt"
    spec = queries_spec(configMap=None, persistentVolumeClaim=volume)
    assert query_file(spec, folder) == folder / "deep" / "list.txt"
    with pytest.raises(ValueError, match="no file"):
        query_file(queries_spec(configMap=None, generated={}), folder)
