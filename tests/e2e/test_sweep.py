"""A sweep of three points in real pods, from its plan to its answers, and its deletion."""

import itertools
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import build_sweep, ended_sweep, small

NAME = "shards"
PLURAL = "solrbenchmarksweeps"
SECONDS = 600
Body = dict[str, Any]


def sweep_body() -> Body:
    """Return a sweep over shards and users with three repeats; two points share all."""
    axes = [
        {"name": "shards", "field": "collection.shards", "values": [1, 2]},
        {"name": "users", "field": "load.steps[0].users", "values": [1, 2]},
    ]
    body = build_sweep(small(NAME, load__repeats={"count": 3}), axes=axes, order="Listed")
    body["spec"]["template"]["metadata"] = {"labels": {"team": "search"}}
    return body


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    with ended_sweep(sweep_body(), SECONDS) as found:
        yield found


def test_points_are_measured_and_compared(status: Body) -> None:
    assert status["phase"] == "Succeeded", status
    assert status["counts"]["text"] == "3/3"
    for point in status["points"]:
        assert point["state"] in ("Valid", "Inconclusive", "Invalid")
        assert point["requestsPerSecond"] > 0
        assert point["repeats"] == 3
    words = ("Better", "Worse", "Same", "Inconclusive")
    # Users are a condition: with two of them, there are no shards to compare.
    assert [each.get("conclusion") in words for each in status["points"]] == [False, False, True]
    assert all(each["condition"] == "users 1" for each in status.get("best", []))
    assert any(each.startswith("Nothing is compared with users 2") for each in status["answers"])
    # On a busy machine the point may be Invalid, as the answer then says.
    assert re.match(r"shards 2 with users 1( \(Invalid\))?: the p95 ", status["answers"][0]), (
        status["answers"]
    )


def test_points_that_differ_in_the_load_share_cluster_and_index(status: Body) -> None:
    baseline, users, shards = status["points"]
    assert baseline["values"] == [0, 0]
    assert users["values"] == [0, 1]  # the order is that in which least is made again
    found = [each.get("reuses") for each in (baseline, users, shards)]
    assert found == [None, "Index", "Cluster"]
    first, second, third = (kube.status(f"{NAME}-{each['name']}") for each in status["points"])
    assert first["target"]["pods"] == second["target"]["pods"] == third["target"]["pods"]
    assert second["dataset"] == first["dataset"]
    assert second["attempts"]["target"] == 1
    conditions = {each["type"]: each["reason"] for each in second["conditions"]}
    assert conditions["DataIndexed"] == "IndexReused"


def test_nothing_of_a_target_is_left_after_its_last_point(status: Body) -> None:
    def targets() -> list[Body]:
        found: list[Body] = (kube.get(PLURAL, NAME) or {})["status"].get("targets", [])
        return found

    kube.wait_for("removal of the target", lambda: not targets(), 60)
    label = f"solrbench.io/benchmark={NAME}-{status['points'][0]['name']}"
    assert not kube.items("pods", label)
    assert not kube.items("statefulsets", label)


def test_each_point_is_a_benchmark_of_its_own(status: Body) -> None:
    found = kube.items("solrbenchmarks", f"solrbench.io/sweep={NAME},team=search")
    names = [f"{NAME}-{each['name']}" for each in status["points"]]
    assert sorted(each["metadata"]["name"] for each in found) == sorted(names)
    shards = {each["metadata"]["name"]: each["spec"]["collection"]["shards"] for each in found}
    assert [shards[name] for name in names] == [1, 1, 2]
    runs = [kube.status(name) for name in names]
    assert all(a["completionTime"] <= b["startTime"] for a, b in itertools.pairwise(runs))
    for before, after in itertools.pairwise(runs):
        report_gap(before, after)


def report_gap(before: Body, after: Body) -> None:
    """Print what passed from the end of a point to its next one, and to the load of that."""
    ended, begun = (datetime.fromisoformat(before["completionTime"]), after["startTime"])
    conditions = {each["type"]: each for each in after["conditions"]}
    indexed = datetime.fromisoformat(conditions["DataIndexed"]["lastTransitionTime"])
    waited = (datetime.fromisoformat(begun) - ended).total_seconds()
    reuses = after["target"].get("reuses", "nothing")
    print(
        f"a point that reuses {reuses}: begun after {waited:.0f} s, data ready after"
        f" {(indexed - ended).total_seconds():.0f} s"
    )


def test_a_deleted_sweep_leaves_nothing(status: Body) -> None:
    names = [f"{NAME}-{each['name']}" for each in status["points"]]
    kube.kubectl("delete", PLURAL, NAME, "--wait=false")
    kube.wait_for("deletion of the sweep", lambda: kube.get(PLURAL, NAME) is None, 30)
    kube.wait_for("deletion of all objects", lambda: not any(map(leftovers, names)), 60)


def leftovers(name: str) -> list[Body]:
    """Return all that a benchmark owned and that is still there."""
    selector = f"solrbench.io/benchmark={name}"
    return [each for kind in kube.OWNED for each in kube.items(kind, selector)]
