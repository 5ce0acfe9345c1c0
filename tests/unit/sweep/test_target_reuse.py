"""Which points share a target, and whether the nodes could take them."""

from typing import Any

import pytest

from solrbench.sweep.cluster_capacity import capacity_of_nodes, free_nodes
from solrbench.sweep.plan import check_sweep, find_points_without_capacity
from solrbench.sweep.planned_points import (
    common_parts,
    draw_order,
    order_for_reuse,
    take_fingerprints,
)
from support.resources.objects import stored
from support.resources.small_resource import Changes, create, use
from support.resources.small_sweep import CACHES, HEAP, plan, small_sweep, users_axis


def common(changes: Changes, base: Changes | None = None) -> Any:
    """Return what a benchmark with changes can take over from one without."""
    before, after = stored(base or {}), stored((base or {}) | changes)
    return common_parts(take_fingerprints(before.spec), take_fingerprints(after.spec))


BOTH = [{"name": each, "endpoint": each.capitalize()} for each in ("nodes", "service")]
PROXY = {"name": "proxy", "urls": ["http://proxy:8080/solr"]}
PROXIES = [{"configMap": {"name": "manifests"}}]


@pytest.mark.parametrize(
    ("changes", "shared"),
    [
        ({"spec.load.steps.0.users": 7}, "Index"),
        ({"spec.workload.timeoutSeconds": 7}, "Index"),
        ({"spec.warmUp": {"requests": 0}}, "Index"),
        ({"spec.seed": 9}, "Cluster"),  # the documents are others
        ({"spec.collection.caches": {"filter": {"size": 16}}}, "Index"),
        ({"spec.collection.autoCommit": {"maxDocuments": 16}}, "Cluster"),
        ({"spec.collection.shards": 2}, "Cluster"),
        ({"spec.dataset.firstDocuments": 5}, "Cluster"),
        ({"spec.target.solrCloud.heap": "600Mi"}, None),
        ({"spec.target.solrCloud.image": {"tag": "9.8.1"}}, None),
        ({"spec.target.solrCloud.gcTune": "-XX:+UseZGC"}, None),
        ({"spec.target.solrCloud.solrOpts": "-Dsolr.modules=ltr"}, None),
        ({"spec.load.telemetry.collect": "None"}, None),
        ({"spec.target.variants": BOTH}, "Index"),
        ({"spec.target.variants": [*BOTH, PROXY], "spec.companions": PROXIES}, "Index"),
        ({"spec.podOptions": [{"components": ["LoadWorker"], "env": []}]}, "Index"),
        ({"spec.podOptions": [{"components": ["Companion", "Index"], "env": []}]}, "Cluster"),
        ({"spec.podOptions": [{"components": ["LoadWorker", "Solr"], "env": []}]}, None),
        ({"spec.podOptions": [{"components": ["ZooKeeper"], "env": []}]}, None),
        ({"spec.load.repeats": {"count": 2, "startOn": "FreshTarget"}}, None),
        ({"spec.load.repeats": {"count": 2, "startOn": "FreshData"}}, "Cluster"),
    ],
)
def test_fields_of_load_and_queries_share_more_than_others(
    changes: Changes, shared: str | None
) -> None:
    assert common(changes) == shared


def test_points_compared_by_the_time_of_indexing_share_no_index() -> None:
    found = plan({"spec.objective": {"metric": "IndexingSeconds"}, "spec.axes": [CACHES]})
    assert [each.reuses for each in found.points] == [None, "Cluster"]


def test_nodes_that_mount_a_backup_are_others() -> None:
    base: Changes = {"spec.workload.queries": {"configMap": {"name": "q"}}}
    on_claim = {"name": "nightly", "claimName": "backups"}
    backup: Changes = {"spec.dataset": {"backup": on_claim}}
    assert common(backup, base) is None
    assert common({"spec.load.steps.0.users": 7}, base | backup) == "Index"
    older = {"spec.dataset": {"backup": on_claim | {"backupId": 1}}}
    assert common(older, base | backup) == "Cluster"


def test_settings_beside_a_config_set_of_the_users_are_not_taken_back() -> None:
    base: Changes = {"spec.collection.configSet": {"configMap": {"name": "mine"}}}
    assert common({"spec.collection.caches": {"filter": {"size": 16}}}, base) == "Cluster"
    assert common({"spec.load.steps.0.users": 7}, base) == "Index"


STATEFUL: Changes = {"spec.target.solrCloud.provisioner": "StatefulSet"}
VERSIONS = {
    "name": "version",
    "fields": [f"target.solrCloud.{each}" for each in ("image.tag", "gcTune", "solrOpts")],
    "values": [
        {"name": "9.8.1", "value": ["9.8.1", "-XX:+UseG1GC", "-Dsolr.modules=analytics"]},
        {"name": "10.0.0", "value": ["10.0.0", "-XX:+UseZGC", "-Dsolr.modules=ltr"]},
    ],
}


def test_versions_with_settings_of_their_own_have_targets_of_their_own() -> None:
    changes: Changes = {"spec.axes": [VERSIONS, users_axis(2)], "spec.design": "Full"}
    found = plan(changes, STATEFUL)
    assert not found.problems
    clusters = [each.fingerprints.cluster for each in found.points]
    assert (len(clusters), len(set(clusters))) == (4, 2)
    # The points of one version stand together, so that each version is made once.
    assert clusters[0] == clusters[1]


def test_field_that_one_version_does_not_know_is_refused_with_its_points() -> None:
    values = [["9.8.1", "", "-Dsolr.modules=ltr"], ["10.0.0", "", "-Dsolr.modules=analytics"]]
    found = plan({"spec.axes": [VERSIONS | {"values": values}]}, STATEFUL)
    assert len(found.problems) == 1
    assert found.problems[0].startswith("point version 10.0.0/")
    assert "spec.target.solrCloud.solrOpts: must not have the module analytics" in found.problems[0]


def fresh(start: str, **repeats: Any) -> Changes:
    """Return a template with such repeats, which a baseline decides where they are adaptive."""
    baseline = {"baseline": {"benchmark": {"name": "other"}}}
    return {
        "spec.load.repeats": repeats | {"startOn": start},
        "spec.comparison": baseline if "until" in repeats else {},
    }


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ({}, "targets are made 1 time, indexes filled 1 time"),
        (fresh("FreshTarget", count=3), "targets are made 6 times, indexes filled 6 times"),
        (fresh("FreshData", count=3), "targets are made 1 time, indexes filled 6 times"),
        (
            fresh("FreshTarget", until="Decided", min=3, max=5),
            "targets are made 6 to 10 times, indexes filled 6 to 10 times",
        ),
        (create() | fresh("FreshData", count=2), "made 0 times, indexes filled 4 times"),
        (create(), "targets are made 0 times, indexes filled 2 times"),
        (use(), "targets are made 0 times, indexes filled 0 times"),
    ],
)
def test_all_targets_and_indexes_that_are_made_are_counted(template: Changes, said: str) -> None:
    found = check_sweep(small_sweep({"spec.axes": [users_axis(2)]}, template))
    assert said in found.lines[0]


@pytest.mark.parametrize(
    ("changes", "template", "which"),
    [
        ({"spec.axes": [users_axis(2)]}, {}, "the first"),
        ({"spec.axes": [HEAP]}, {}, "each"),
        ({"spec.axes": [users_axis(2)]}, create(), "each"),
        ({"spec.axes": [users_axis(1)]}, {}, "each"),
        ({"spec.axes": [users_axis(2)]}, fresh("FreshTarget"), "each"),
    ],
)
def test_targets_of_all_rounds_are_those_of_the_first(
    changes: Changes, template: Changes, which: str
) -> None:
    found = check_sweep(small_sweep(changes | {"spec.repeats": {}}, template))
    assert f" in {which} round; 5 to 20 rounds, " in found.lines[0]


def test_existing_targets_are_not_shared() -> None:
    assert common({"spec.load.steps.0.users": 7}, create()) is None


def test_the_order_keeps_what_comes_first() -> None:
    found = plan({"spec.axes": [HEAP, CACHES, users_axis(2)], "spec.design": "Full"})
    heaps = [each.point.values[0].label for each in found.points]
    assert heaps == ["512Mi"] * 4 + ["1Gi"] * 4 + ["2Gi"] * 4
    assert [each.reuses for each in found.points] == [None, *["Index"] * 3] * 3
    assert order_for_reuse(found.points) == [*found.points]


def test_a_random_order_rebuilds_no_more_than_the_listed_one() -> None:
    changes: Changes = {"spec.axes": [HEAP, users_axis(4)], "spec.design": "Full"}
    points = plan(changes | {"spec.order": "Random"}).points
    assert [each.reuses for each in points] == [None, *["Index"] * 3] * 3
    orders = [[each.point.text for each in draw_order(points, 1, number)] for number in range(9)]
    assert len({tuple(each) for each in orders}) == 9
    # Of two points on one target, each is the later one as often.
    assert [orders[number] for number in (2, 4, 6)] == [orders[n][::-1] for n in (1, 3, 5)]
    assert len({each[0].split(",")[0] for each in orders}) == 3
    assert len({tuple(text[-1] for text in each[:4]) for each in orders}) > 3


def node(name: str, memory: str, taint: str | None = None) -> dict[str, Any]:
    taints = [{"key": "a", "effect": taint}] if taint else []
    status = {"allocatable": {"cpu": "4", "memory": memory, "pods": "110"}}
    return {"metadata": {"name": name}, "spec": {"taints": taints}, "status": status}


def test_a_point_that_no_node_could_take_is_named() -> None:
    points = plan({"spec.axes": [HEAP | {"values": ["512Mi", "40Gi"]}]}).points
    room = capacity_of_nodes([node("a", "16Gi"), node("b", "64Gi", "NoSchedule")])
    (problem,) = find_points_without_capacity(points, room)
    assert problem.startswith("point heap 40Gi: solr needs 2 pods")
    assert problem.endswith("the node that takes pods can give 4 cores and 16 GiB")
    enough = capacity_of_nodes([node("a", "64Gi"), node("b", "64Gi")])
    assert find_points_without_capacity(points, enough) == []


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"key": "a", "operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoSchedule"}, True),
        ({"operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "a", "value": "other"}, False),
    ],
)
def test_pods_fit_on_nodes_whose_taints_they_tolerate(
    toleration: dict[str, str], *, fits: bool
) -> None:
    changes: Changes = {"spec.axes": [HEAP | {"values": ["512Mi", "40Gi"]}]}
    points = plan(changes, {"spec.target.solrCloud.tolerations": [toleration]}).points
    room = capacity_of_nodes([node("a", "16Gi"), node("b", "128Gi", "NoSchedule")])
    problems = find_points_without_capacity(points, room)
    assert (problems == []) is fits
    assert fits or problems[0].endswith("the node that takes pods can give 4 cores and 16 GiB")


def test_load_that_takes_less_memory_than_indexing_must_find_its_cpu() -> None:
    requests: Changes = {
        "spec.dataset.indexing.resources": {"requests": {"memory": "8Gi"}},
        "spec.load.resources": {"requests": {"cpu": "9"}},
    }
    points = plan({"spec.axes": [users_axis(2)]}, requests).points
    room = capacity_of_nodes([node("a", "64Gi")])
    (problem,) = find_points_without_capacity(points, room)
    assert "load-worker needs 1 pod, 9 cores" in problem


def test_starts_sidecars_and_overhead_of_pods_take_room() -> None:
    def container(memory: str, **further: str) -> dict[str, Any]:
        return {"resources": {"requests": {"memory": memory}}, **further}

    spec = {
        "nodeName": "a",
        "initContainers": [container("1Gi", restartPolicy="Always"), container("4Gi")],
        "containers": [container("2Gi"), {}],
        "overhead": {"memory": "1Gi"},
    }
    pods: list[dict[str, Any]] = [{"spec": spec}, {"spec": spec, "status": {"phase": "Failed"}}]
    (free,) = free_nodes([node("a", "16Gi")], pods)
    assert (free.cores, free.memory_bytes, free.pods) == (4, 10 << 30, 109)
