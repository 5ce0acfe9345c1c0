from typing import Any

import pytest

from solrbench.dataset.sources.cleaning import cleaned


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"id": "1", "a": "x"}, {"id": "1", "a": "x"}),
        ({"id": "1", "a": None}, {"id": "1"}),
        ({"a": "x"}, {"id": "made", "a": "x"}),
        ({"id": None, "a": "x"}, {"id": "made", "a": "x"}),
        ({"id": "1", "a": [None, "x"]}, {"id": "1", "a": ["x"]}),
        ({"id": "1", "a": []}, {"id": "1"}),
        ({"id": "1", "a": {"b": 1, "c": {"d": 2}}}, {"id": "1", "a.b": 1, "a.c.d": 2}),
        ({"id": "1", "a": [{"b": 1}, {"b": [2, 3]}]}, {"id": "1", "a.b": [1, 2, 3]}),
        ({"id": "1", "a": [["x"], ["y", None]]}, {"id": "1", "a": ["x", "y"]}),
        ({"id": "1", "a.b": 1, "a": {"b": 2}}, {"id": "1", "a.b": [1, 2]}),
    ],
)
def test_documents_become_flat(document: dict[str, Any], expected: dict[str, Any]) -> None:
    assert cleaned(document, "id", "made") == expected


def test_document_without_its_key_field_gets_the_made_id() -> None:
    assert cleaned({"id": "1"}, "isbn", "f-1") == {"isbn": "f-1", "id": "1"}
