"""The controller of an object."""

from typing import Any

import pytest

from solrbench.decide.ownership import check_not_taken, controller_uid


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


def config_map(*owners: str) -> dict[str, Any]:
    references = [{"uid": each, "controller": True} for each in owners]
    metadata = {"name": "one-solr", "namespace": "search", "ownerReferences": references}
    return {"kind": "ConfigMap", "metadata": metadata}


@pytest.mark.parametrize(
    ("wanted", "found", "is_taken"),
    [
        (config_map("a"), None, False),
        (config_map("a"), config_map("a"), False),
        (config_map("a"), config_map("b"), True),
        (config_map("a"), config_map(), True),
        (config_map(), config_map("b"), False),
    ],
)
def test_an_object_of_another_owner_is_taken(
    wanted: dict[str, Any], found: dict[str, Any] | None, is_taken: bool
) -> None:
    outcome = check_not_taken(wanted, found)
    assert (outcome is not None) is is_taken
    assert outcome is None or outcome.reason == "NameTaken"
