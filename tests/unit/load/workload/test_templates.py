import json
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.load.workload.templates import (
    escape_json,
    escape_url,
    join_templates,
    parse_template,
)

VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(VALUES, VALUES)
def test_values_survive_an_address(one: str, two: str) -> None:
    parts = [parse_template(text, escape_url) for text in ("q=a", "t&:{{one}} + {{ two }}")]
    text = join_templates([join_templates(parts, "="), parse_template("x", escape_url)], "&")
    filled = text.fill({"one": one, "two": two}, escape_url)
    assert parse_qsl(filled, keep_blank_values=True) == [
        ("q=a", f"t&:{one} + {two}"),
        ("x", ""),
    ]


@given(VALUES)
def test_values_survive_json(value: str) -> None:
    found = parse_template('{"id": "loan-{{id}}", "n": [{{n}}]}')
    assert json.loads(found.fill({"id": value, "n": "5"}, escape_json)) == {
        "id": f"loan-{value}",
        "n": [5],
    }


def test_names_are_known_beforehand() -> None:
    assert parse_template("{{a}}-{{ b.c }}{{a}}").names == {"a", "b.c"}
    assert parse_template("{!term f=id}{a} {{ }}").names == frozenset()
    with pytest.raises(KeyError):
        parse_template("{{a}}").fill({}, str)
