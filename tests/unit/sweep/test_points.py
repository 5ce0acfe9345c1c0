import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.sweep.plan import make_plan
from solrbench.sweep.validation import build_child
from support.resources.small_resource import REMOVE, Changes
from support.resources.small_sweep import CACHES, HEAP, NODES, parse_sweep, plan, users_axis


def texts(**spec: object) -> list[str]:
    """Return the points of a sweep in words."""
    found = plan({f"spec.{name}": value for name, value in spec.items()})
    assert found.problems == ()
    return [each.point.text for each in found.points]


def test_one_axis_at_a_time_is_changed_from_the_baseline() -> None:
    assert texts() == [
        "heap 512Mi, nodes 1/1",
        "heap 1Gi, nodes 1/1",
        "heap 2Gi, nodes 1/1",
        "heap 512Mi, nodes 2/2",
    ]


def test_a_baseline_names_values() -> None:
    assert texts(baseline={"heap": "2Gi", "nodes": [2, 2]})[0] == "heap 2Gi, nodes 2/2"
    assert texts(baseline={"nodes": "2/2"})[0] == "heap 512Mi, nodes 2/2"


EXCLUDE = ['point.heap == "2Gi" && point.nodes[0] < 2', 'point.heap == "1Gi"']


def test_a_full_design_has_every_combination_but_those_excluded() -> None:
    assert len(texts(design="Full")) == 6
    left = texts(design="Full", exclude=EXCLUDE)
    assert left == ["heap 512Mi, nodes 1/1", "heap 512Mi, nodes 2/2", "heap 2Gi, nodes 2/2"]


def test_a_list_is_completed_from_its_first_point() -> None:
    points = [{"heap": "1Gi"}, {"nodes": [2, 2]}]
    assert texts(design="List", points=points) == ["heap 1Gi, nodes 1/1", "heap 1Gi, nodes 2/2"]


def test_values_reach_the_benchmark() -> None:
    axes = [HEAP, NODES, CACHES, users_axis(3)]
    sweep = parse_sweep({"spec.axes": axes, "spec.design": "Full"})
    last = make_plan(sweep).points[-1]
    spec = SolrBenchmark.parse(build_child(sweep, last.point)).spec
    assert spec.target.solr_cloud is not None
    assert (spec.target.solr_cloud.heap, spec.target.solr_cloud.nodes) == ("2Gi", 2)
    assert spec.collection.shards == 2
    assert spec.collection.caches.filter is not None
    assert spec.collection.caches.filter.size == 16
    assert spec.load.steps[0].users == 3


def test_a_named_value_without_value_leaves_the_field_out() -> None:
    values = [{"name": "none", "value": {"requests": 0}}, {"name": "default"}]
    axes = [{"name": "warm-up", "field": "warmUp", "values": values}]
    sweep = parse_sweep({"spec.axes": axes}, {"spec.warmUp": {"requests": 7}})
    specs = [build_child(sweep, each.point)["spec"] for each in make_plan(sweep).points]
    assert [each.get("warmUp") for each in specs] == [{"requests": 0}, None]


def test_names_are_short_different_and_do_not_depend_on_the_other_points() -> None:
    changes = {"spec.axes": [users_axis(300)], "spec.maxPoints": 300, "metadata.name": "s" * 24}
    names = [each.point.name for each in plan(changes).points]
    assert len(set(names)) == 300
    assert all(len(f"{'s' * 24}-{name}") <= 40 for name in names)
    fewer = plan(changes | {"spec.axes": [users_axis(2)]}).points
    assert [each.point.name for each in fewer] == names[:2]


def test_names_leave_room_for_a_zookeeper_of_the_solr_operator() -> None:
    provided = {"spec.target.solrCloud.zookeeper.mode": "Provided"}
    found = plan({"metadata.name": "s" * 24}, provided)
    assert found.problems == ()
    assert all(len(each.point.name) <= 7 for each in found.points)


def test_a_random_order_stays_when_points_are_added() -> None:
    def order(number: int, seed: int = 1) -> list[str]:
        changes = {"spec.axes": [users_axis(number)], "spec.order": "Random", "spec.seed": seed}
        return [each.point.name for each in plan(changes).points]

    assert order(20) != order(20, seed=2)
    assert [each for each in order(20) if each in order(10)] == order(10)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(4)), st.sampled_from(["OneAtATime", "Full"]))
def test_every_point_is_there_once_whatever_the_order_of_values(
    places: list[int], design: str
) -> None:
    values = [["512Mi", "1Gi", "2Gi", "4Gi"][each] for each in places]
    found = plan({"spec.axes": [HEAP | {"values": values}, NODES], "spec.design": design})
    names = [each.point.name for each in found.points]
    assert len(names) == len(set(names)) == {"OneAtATime": 5, "Full": 8}[design]
    assert all(re.fullmatch("[a-z0-9]([-a-z0-9]*[a-z0-9])?", name) for name in names)
    assert sum(each.point.is_baseline for each in found.points) == 1


def problem(changes: Changes, template: Changes | None = None) -> str:
    found = plan(changes, template)
    assert found.points == ()
    return "; ".join(found.problems)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"spec.axes": [HEAP | {"values": ["1Gi", "1Gi"]}]}, "values[1]: 1Gi is there twice"),
        ({"spec.axes": [HEAP | {"values": [{"a": 1}]}]}, "must be {name: ..., value: ...}"),
        ({"spec.axes": [HEAP | {"values": [None]}]}, "must not be null"),
        ({"spec.axes": [HEAP | {"values": ["x" * 41]}]}, "1 to 40 characters"),
        ({"spec.axes": [NODES | {"values": [[1]]}]}, "must be a list of 2 values"),
        ({"spec.axes": [HEAP, HEAP | {"name": "again"}]}, "would replace what"),
        ({"spec.axes": [HEAP | {"field": "suspend"}]}, "suspend belongs to the sweep"),
        ({"spec.axes": [HEAP | {"field": "spec.seed"}]}, "below the spec of a benchmark"),
        (
            {"spec.axes": [HEAP | {"field": "load.steps[3].users"}]},
            "none at [3], counted from 0; add it to the template, or",
        ),
        ({"spec.axes": [HEAP | {"field": "target.solrCloud.heap.x"}]}, "no object around x"),
        ({"spec.baseline": {"heap": "9Gi"}}, "spec.baseline.heap: must be a value of the axis"),
        ({"spec.baseline": {"disk": 1}}, "must be one of the axes heap, nodes"),
        (
            {"spec.exclude": ["point.heap == '512Mi'"]},
            "spec.baseline: must be a point of the sweep",
        ),
        ({"spec.exclude": ["true &&"]}, "spec.exclude[0]: at character 8: unexpected the end"),
        ({"spec.exclude": ["point.disk == 1"]}, "there is no disk, only heap, nodes (point heap"),
        ({"spec.points": [{"heap": "1Gi"}]}, "spec.points: must be set with design List"),
        ({"spec.design": "List"}, "spec.points: must be set with design List"),
        ({"spec.maxPoints": 3}, "has 4 points, more than 3"),
        ({"spec.template.spec.suspend": True}, "spec.template.spec.suspend: must not be set"),
        ({"spec.template.metadata": {"labels": {"a b": "1"}}}, "'a b' must be a key"),
        ({"spec.template.metadata": {"annotations": {"/x": "1"}}}, "'/x' must be a key"),
        ({"spec.template.metadata": {"labels": {"a": "b c"}}}, "'b c' must be letters"),
        ({"spec.template.spec.load.steps": []}, "every point: spec.load: steps must be set"),
        ({"spec.template.spec.wrong": 1}, "every point: spec.wrong: unknown field"),
    ],
)
def test_problems_name_the_field(changes: dict[str, object], words: str) -> None:
    assert words in problem(changes)


def test_a_problem_of_some_points_names_them() -> None:
    limit = {"spec.target.solrCloud.resources": {"limits": {"memory": "2Gi"}}}
    text = problem({}, limit)
    assert text.startswith("point heap 2Gi, nodes 1/1: spec.target.solrCloud: resources.limits")


def test_a_template_may_lack_what_the_axes_set() -> None:
    lacking = {"spec.load.steps.0.users": REMOVE}
    assert plan({}, lacking).problems
    assert plan({"spec.axes": [users_axis(2)]}, lacking).problems == ()
