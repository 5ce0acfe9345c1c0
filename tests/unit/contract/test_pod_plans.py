"""How several entries of pod options come together."""

from typing import Any

from solrbench.api.rules import plain
from solrbench.contract import names
from solrbench.contract.pod_plans import COMPONENTS, pod_options
from support.resources.objects import stored
from support.resources.pod_options import ALL_COMPONENTS, with_options
from support.resources.small_resource import SOLR, create


def options(component: str, *entries: dict[str, Any]) -> dict[str, Any]:
    found = pod_options(stored(with_options(*entries)).spec, component)
    return plain(found)


def test_every_component_with_pods_can_be_named() -> None:
    assert [each.value for each in COMPONENTS.values()] == ALL_COMPONENTS
    assert {*COMPONENTS, names.REPORT} == {*names.COMPONENTS}


def variables(**values: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


def test_labels_annotations_and_variables_add_up() -> None:
    env = variables(A="1", B="1")
    first = {"labels": {"a": "1", "b": "1"}, "annotations": {"n": "1"}, "env": env}
    other = {"components": ["Index"], "labels": {"c": "3"}}
    env = variables(B="2", C="2")
    last = {"labels": {"b": "2"}, "annotations": {"m": "2"}, "env": env}
    found = options(names.LOAD_WORKER, first, other, {"components": ["LoadWorker"]} | last)
    assert found["labels"] == {"a": "1", "b": "2"}
    assert found["annotations"] == {"n": "1", "m": "2"}
    assert {each["name"]: each["value"] for each in found["env"]} == {"A": "1", "B": "2", "C": "2"}


def test_any_other_option_of_the_last_entry_counts() -> None:
    found = options(
        names.INDEX,
        {"nodeSelector": {"a": "1"}, "tolerations": [{"key": "a"}], "priorityClassName": "low"},
        {"components": ["Index"], "nodeSelector": {"b": "2"}, "tolerations": []},
    )
    assert found["nodeSelector"] == {"b": "2"}
    assert found["tolerations"] == []
    assert found["priorityClassName"] == "low"


def test_placement_of_the_solr_cloud_is_for_solr_and_zookeeper_alone() -> None:
    benchmark = stored({f"{SOLR}.nodeSelector": {"disk": "ssd"}})
    for component in COMPONENTS:
        shared = component in (names.SOLR, names.ZOOKEEPER)
        found = pod_options(benchmark.spec, component).node_selector
        assert found == ({"disk": "ssd"} if shared else None)
    existing = stored(create())
    assert pod_options(existing.spec, names.SOLR).node_selector is None
