"""The controller of an object."""

from typing import Any

import pytest

from solrbench.decide.ownership import controller_uid


@pytest.mark.parametrize(
    ("metadata", "wanted"),
    [
        ({}, None),
        ({"ownerReferences": None}, None),
        ({"ownerReferences": [{"uid": "a"}]}, None),
        ({"ownerReferences": [{"uid": "a", "controller": False}]}, None),
        ({"ownerReferences": [{"uid": "a"}, {"uid": "b", "controller": True}]}, "b"),
    ],
)
def test_an_object_belongs_to_its_controller(metadata: dict[str, Any], wanted: str | None) -> None:
    assert controller_uid({"metadata": metadata}) == wanted
