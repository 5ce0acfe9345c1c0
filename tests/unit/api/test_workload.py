"""Whether a workload may change the index that it measures."""

from typing import Any

import pytest

from solrbench.api.v1alpha1.workload.workload import Workload

QUERIES: dict[str, Any] = {"name": "q", "queries": {"generated": {}}}


def transaction(handler: str) -> dict[str, Any]:
    requests = [{"name": "find"}, {"name": "then", "handler": handler}]
    return {"mix": [QUERIES, {"name": "t", "transaction": {"requests": requests}}]}


@pytest.mark.parametrize(
    ("workload", "may"),
    [
        ({"queries": {"generated": {}}}, False),
        ({"mix": [QUERIES]}, False),
        (transaction("/query"), False),
        (transaction("/update/json"), True),
        ({"mix": [QUERIES | {"handler": "/update"}]}, True),
        ({"queries": {"generated": {}}, "handler": "/update"}, True),
        ({"mix": [QUERIES, {"name": "w", "updates": {"generated": {}}}]}, True),
        ({"locustfile": {"configMap": {"name": "mine", "key": "a.py"}}}, True),
    ],
)
def test_updates_and_own_users_may_change_the_index(workload: dict[str, Any], may: bool) -> None:
    assert Workload.model_validate(workload).may_change_index is may
