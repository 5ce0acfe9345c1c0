import json
from urllib.parse import parse_qsl

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.load.workload.templates import (
    escape_json,
    extract_values,
    join_templates,
    parse_extraction,
    parse_template,
    url_quote,
)
from support.narrowing import not_none

BODY = b'{"response":{"docs":[{"id":"x1","n":5,"ok":true,"tags":["a","b"],"none":null}]},"a-b":1.5}'


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("response.docs[0].id", "x1"),
        ("response.docs[0].n", "5"),
        ("response.docs[0].ok", "true"),
        ("response.docs[0].tags[1]", "b"),
        ("a-b", "1.5"),
        ("length(response.docs)", "1"),
        ("length(response.docs[0].tags)", "2"),
        ("join('+', response.docs[0].tags)", "a+b"),
        ("nothing || response.docs[0].id", "x1"),
        ('response.docs[0].none || "a-b"', "1.5"),
        ("response.docs[0].tags | max(@)", "b"),
    ],
)
def test_values_become_texts(path: str, text: str) -> None:
    values = {"kept": "1"}
    assert extract_values(BODY, [parse_extraction("found", path)], values) is None
    assert values == {"kept": "1", "found": text}


@pytest.mark.parametrize(
    "path",
    [
        "response.docs[1].id",
        "response.docs[0].none",
        "response.docs[0].tags",
        "response.docs.id",
        "response.docs[0].id[0]",
        "response.docs[0].id[0].x",
        "nothing",
        "nothing || response.docs[0].none",
        "response.docs[0].tags || nothing",
        "length(nothing)",
        "max_by(response.docs, &id).x",
        "response.docs[0].contains(id, `5`)",
        "response.docs[::0].id",
    ],
)
def test_missing_values_are_failures_that_name_the_path(path: str) -> None:
    found = not_none(extract_values(BODY, [parse_extraction("id", path)], {}))
    assert found.kind == "ExtractionFailed"
    assert found.message.startswith(f"id: no single value at {path} in ")


def test_only_plain_paths_take_the_fast_path() -> None:
    plain = parse_extraction("id", "response.docs[0].a-b[12][3].c d:e")
    assert plain.path == ("response", "docs", 0, "a-b", 12, 3, "c d:e")
    assert plain.expression is None
    assert parse_extraction("id", "response.docs || a").expression is not None


PATHS = st.lists(
    st.tuples(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,3}", fullmatch=True), st.integers(0, 2)),
    min_size=1,
    max_size=4,
)


@given(PATHS, st.booleans())
def test_fast_path_finds_what_the_library_finds(keys: list[tuple[str, int]], there: bool) -> None:
    path = ".".join(f"{key}[{index}]" for key, index in keys)
    content: object = "x"
    for key, index in reversed(keys):
        content = {key: [*[None] * index, content]}
    body = json.dumps(content if there else {keys[0][0]: 1})
    values: dict[str, str] = {}
    found = extract_values(body.encode(), [parse_extraction("v", path)], values)
    expected = jmespath.search(path, json.loads(body))
    assert (values.get("v"), found is None) == (expected, expected is not None)


@pytest.mark.parametrize("path", ["length(a", "a ||", "none(a)", "length(a, b)", "a*"])
def test_what_is_no_expression_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"jmespath|function|Parse error"):
        parse_extraction("id", path)


def test_answer_that_is_no_json_is_a_failure() -> None:
    found = not_none(extract_values(b"<html>", [parse_extraction("id", "a")], {}))
    assert found.message.startswith("response is not JSON")


VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(VALUES, VALUES)
def test_values_survive_an_address(one: str, two: str) -> None:
    parts = [parse_template(text, url_quote) for text in ("q=a", "t&:{{one}} + {{ two }}")]
    text = join_templates([join_templates(parts, "="), parse_template("x", url_quote)], "&")
    filled = text.fill({"one": one, "two": two}, url_quote)
    assert parse_qsl(filled, keep_blank_values=True) == [("q=a", f"t&:{one} + {two}"), ("x", "")]


@given(VALUES)
def test_values_survive_json(value: str) -> None:
    found = parse_template('{"id": "loan-{{id}}", "n": [{{n}}]}')
    filled = json.loads(found.fill({"id": value, "n": "5"}, escape_json))
    assert filled == {"id": f"loan-{value}", "n": [5]}


def test_names_are_known_beforehand() -> None:
    assert parse_template("{{a}}-{{ b.c }}{{a}}").names == {"a", "b.c"}
    assert parse_template("{!term f=id}{a} {{ }}").names == frozenset()
    with pytest.raises(KeyError):
        parse_template("{{a}}").fill({}, str)
