import json
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solrbench.load.workload.templates import in_address, in_json, joined, template

VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(VALUES, VALUES)
def test_values_survive_an_address(one: str, two: str) -> None:
    parts = [template(text, in_address) for text in ("q=a", "t&:{{one}} + {{ two }}")]
    text = joined([joined(parts, "="), template("x", in_address)], "&")
    filled = text.fill({"one": one, "two": two}, in_address)
    assert parse_qsl(filled, keep_blank_values=True) == [
        ("q=a", f"t&:{one} + {two}"),
        ("x", ""),
    ]


@given(VALUES)
def test_values_survive_json(value: str) -> None:
    found = template('{"id": "loan-{{id}}", "n": [{{n}}]}')
    assert json.loads(found.fill({"id": value, "n": "5"}, in_json)) == {
        "id": f"loan-{value}",
        "n": [5],
    }


def test_names_are_known_beforehand() -> None:
    assert template("{{a}}-{{ b.c }}{{a}}").names == {"a", "b.c"}
    assert template("{!term f=id}{a} {{ }}").names == frozenset()
    with pytest.raises(KeyError):
        template("{{a}}").fill({}, str)
