"""The real API server's verdict on the tables that pydantic validates in the unit tests."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import KIND, SolrBenchmark
from support.cluster.admission import ApiServer, RejectedError
from support.resources.bad.rows import Bad
from support.resources.bad_resources import BAD
from support.resources.good_resources import ACCEPTED_UPDATES, GOOD, REFUSED_UPDATES, updatable
from support.resources.small_resource import Changes, change, resource
from support.results.statuses import full_status

pytestmark = pytest.mark.cluster

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


STEP_FIELDS = {"users", "requestsPerSecond"}


@pytest.fixture(scope="module")
def stored(server: ApiServer) -> Iterator[str]:
    body = updatable()
    name = f"update-{uuid.uuid4().hex[:8]}"
    server.create(body | {"metadata": {"name": name}})
    yield name
    server.delete(name)


@pytest.mark.parametrize("row", BAD, ids=lambda row: row.name)
def test_bad_resource_is_refused_with_field_and_remedy(server: ApiServer, row: Bad) -> None:
    with pytest.raises(RejectedError) as caught:
        server.try_create(resource(row.changes))
    found = caught.value.lines
    assert any(row.field in line and row.server in line for line in found), found


@pytest.mark.parametrize("changes", GOOD.values(), ids=GOOD.keys())
def test_good_resource_is_stored_with_the_defaults_of_the_models(
    server: ApiServer, changes: Changes
) -> None:
    body = resource(changes)
    assert server.try_create(body)["spec"] == _with_defaults(body)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_accepted(server: ApiServer, path: Path) -> None:
    for body in yaml.safe_load_all(path.read_text("utf-8")):
        if body["kind"] == KIND:
            assert server.try_create(body)["spec"]


def test_unnamed_steps_of_every_kind_have_different_names(server: ApiServer) -> None:
    kinds: tuple[dict[str, Any], ...] = (
        {"replay": {}},
        {"users": 1},
        {"users": 2},
        {"requestsPerSecond": 1},
    )
    log = {"spec.workload.queries": {"configMap": {"name": "log"}}}
    steps = [kind | {"durationSeconds": 1} for kind in kinds]
    assert server.try_create(resource(log | {"spec.load.steps": steps}))["spec"]


@pytest.mark.parametrize(
    ("changes", "message"), REFUSED_UPDATES.values(), ids=REFUSED_UPDATES.keys()
)
def test_update_is_refused(server: ApiServer, stored: str, changes: Changes, message: str) -> None:
    with pytest.raises(RejectedError) as caught:
        server.try_update(stored, changes)
    assert message in str(caught.value)


@pytest.mark.parametrize("changes", ACCEPTED_UPDATES.values(), ids=ACCEPTED_UPDATES.keys())
def test_update_is_accepted(server: ApiServer, stored: str, changes: Changes) -> None:
    wanted = updatable()
    for path, value in changes.items():
        change(wanted, path, value)
    assert server.try_update(stored, changes)["spec"] == _with_defaults(wanted)


def test_full_status_is_stored_as_written(server: ApiServer, stored: str) -> None:
    written = plain(full_status())
    assert server.try_update_status(stored, written)["status"] == written


def _with_defaults(body: dict[str, Any]) -> dict[str, Any]:
    """Return the spec as stored: with every default but derived ones: seeds and names of steps."""
    spec = SolrBenchmark.parse(body).spec
    filled = plain(spec)
    derived = _without_derived(filled, body["spec"])
    assert isinstance(derived, dict)
    return {"seed": spec.seed} | derived


def _without_derived(filled: Any, given: Any) -> Any:
    if isinstance(filled, list):
        items = given if isinstance(given, list) else [{}] * len(filled)
        return [_without_derived(*pair) for pair in zip(filled, items, strict=True)]
    if not isinstance(filled, dict):
        return filled
    given = given if isinstance(given, dict) else {}
    return {
        key: _without_derived(value, given.get(key))
        for key, value in filled.items()
        if key in given or not (key == "seed" or (key == "name" and STEP_FIELDS & filled.keys()))
    }
