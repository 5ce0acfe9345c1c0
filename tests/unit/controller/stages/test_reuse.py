"""Points of a sweep that go on with the target of the point before."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from solrbench.api.kinds import BENCHMARK
from solrbench.api.v1alpha1.target import Provisioner
from solrbench.contract.names import COMPANION, LABEL_BENCHMARK, LABEL_COMPONENT
from solrbench.controller.provisioners import created, registry
from solrbench.controller.stages import load
from solrbench.kube.connection import ForbiddenError
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import config_map, small
from support.fakes.fake_cluster import POD_KINDS, Request, no_fault
from support.fakes.operator_driver import KilledError, SweepDriver, condition, kills_at
from support.fakes.workloads import DOCUMENTS, TargetOfPods
from support.resources.companions import MANIFESTS, text_of
from support.resources.small_sweep import small_sweep

Body = dict[str, Any]
USERS = {"name": "users", "field": "load.steps[0].users", "values": [1, 2]}
BATCHES = {"name": "batch", "field": "dataset.indexing.batchSize", "values": [100, 200]}
HEAPS = {"name": "heap", "field": "target.solrCloud.heap", "values": ["512Mi", "600Mi"]}
NODES = {"name": "nodes", "field": "target.solrCloud.nodes", "values": [1, 2]}
BOTH_ENDPOINTS = [
    {"name": "nodes", "endpoint": "Nodes"},
    {"name": "proxy", "urls": ["http://proxy:8080/solr"]},
]
MANIFEST = {"name": "manifests", "key": "all"}
ENDPOINTS = {
    "name": "endpoint",
    "fields": ["target.variants", "companions"],
    "values": [
        {"name": f"{workers}-workers", "value": [BOTH_ENDPOINTS, [companion]]}
        for workers in (1, 2)
        for companion in [{"configMap": MANIFEST, "values": {"WORKERS": f"{workers}"}}]
    ],
}


class Shared:
    """Sweeps whose targets are one pod each."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.sweeps = SweepDriver(patch)
        self.cloud = self.sweeps.operator.cloud
        self.target = TargetOfPods(self.sweeps.cluster, self.cloud)
        provisioners = dict(registry.PROVISIONERS) | {Provisioner.STATEFUL_SET: self.target}
        patch.setattr(registry, "PROVISIONERS", provisioners)
        patch.setattr(created, "_check_nodes", lambda _: None)
        patch.setattr(load, "check_hosts", lambda *_: None)  # Services have no names here
        self.sweeps.cluster.now = lambda: f"{self.sweeps.operator.now}"

    def put(self, *axes: Body, **spec: Any) -> None:
        template = small("one", dataset={"generator": {"documents": DOCUMENTS}})["spec"]
        template["load"] |= {"steps": [{"name": "one", "users": 1, "requests": 200}]}
        changes = {"spec.axes": list(axes), "spec.template.spec": template}
        body = small_sweep(changes | {f"spec.{key}": value for key, value in spec.items()})
        self.sweeps.put(body)

    def get_on(self, rounds: int = 1) -> list[Body]:
        """Let it get on, with a new operator after each kill; return the points."""
        for _ in range(rounds):
            try:
                self.sweeps.get_on()
            except KilledError:
                self.sweeps.restart()
            assert not self.sweeps.operator.errors
        points: list[Body] = self.sweeps.read().get("status", {}).get("points", [])
        return points

    def begin_second(self) -> None:
        """Let it get on until the second point has begun."""
        while len(self.sweeps.children()) < 2:
            self.get_on()

    def finish(self) -> list[Body]:
        """Let it get on until nothing is left to do; return the points."""
        for _ in range(600):
            points = self.get_on()
            status = self.sweeps.read()["status"]
            if condition(self.sweeps.read(), "Complete")[0] == "True" and not status["targets"]:
                return points
        raise AssertionError(self.sweeps.read()["status"])

    def measure(self) -> list[str | None]:
        """Let it get on until every point is measured; return what each has reused."""
        points = self.finish()
        assert {each["state"] for each in points} == {"Inconclusive"}
        return reuses(points)

    def created(self) -> int:
        """Return how many collections were made."""
        return sum(action == "CREATE" for action, _ in self.cloud.changed)

    def solr_pods(self) -> list[str]:
        return [name for name in self.sweeps.cluster.names("Pod") if "-solr-" in name]


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Shared:
    return Shared(monkeypatch)


def reuses(points: list[Body]) -> list[str | None]:
    return [each.get("reuses") for each in points]


def test_points_that_differ_in_the_load_share_cluster_and_index(shared: Shared) -> None:
    shared.put(USERS)
    assert shared.measure() == [None, "Index"]
    assert len(shared.target.made) == 1
    assert shared.created() == 1
    assert [action for action, _ in shared.cloud.changed].count("RELOAD") == 1
    first, second = shared.sweeps.children().values()
    assert first["status"]["target"]["pods"] == second["status"]["target"]["pods"]
    assert first["status"]["dataset"]["documents"] == second["status"]["dataset"]["documents"]
    assert condition(second, "DataIndexed")[1] == "IndexReused"
    assert shared.solr_pods() == []
    (owner,) = {each["kind"] for each in first["metadata"]["ownerReferences"]}
    assert owner == "SolrBenchmarkSweep"


@pytest.mark.parametrize(("config_set", "number"), [({}, 1), ({"configMap": {"name": "own"}}, 0)])
def test_settings_of_the_point_before_are_taken_back_and_not_those_of_a_config_set(
    shared: Shared, config_set: Body, number: int
) -> None:
    shared.sweeps.cluster.put(config_map("own", **{"solrconfig.xml": "<config/>"}))
    shared.cloud.overlay = {"props": {"query": {"filterCache": {"autowarmCount": 64}}}}
    shared.put(USERS, **{"template.spec.collection": {"configSet": config_set}})
    assert reuses(shared.finish()) == [None, "Index"]
    changed = [action for action, _ in shared.cloud.changed if action.endswith("/config")]
    assert len(changed) == number


def companions_of(shared: Shared, point: str) -> dict[str, set[str]]:
    """Return the companions of a point that are there, with the kinds of their owners."""
    return {
        f"{kind}/{name}": {each["kind"] for each in body["metadata"]["ownerReferences"]}
        for (kind, _, name), body in shared.sweeps.cluster.objects.items()
        if kind in ("Deployment", "Service", "ConfigMap")
        and body["metadata"].get("labels", {}).get(LABEL_COMPONENT) == COMPANION
        and body["metadata"]["labels"][LABEL_BENCHMARK] == f"trial-{point}"
    }


def put_endpoints(shared: Shared) -> None:
    """Put a sweep over proxies in front of Solr."""
    shared.sweeps.cluster.put(config_map("manifests", all=text_of(*MANIFESTS)))
    shared.sweeps.workloads.variants = ("nodes", "proxy")
    shared.put(ENDPOINTS)


@pytest.mark.parametrize("kills", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_points_that_differ_in_access_exchange_their_companions(shared: Shared, kills: int) -> None:
    if kills:
        moments = set(random.Random(kills).sample(range(1, 120), 30))
        shared.sweeps.cluster.fault = kills_at(moments)
    put_endpoints(shared)
    seen: list[tuple[str, ...]] = []
    for _ in range(600):
        points = shared.get_on()
        status = shared.sweeps.read().get("status", {})
        made = {each["name"]: companions_of(shared, each["name"]) for each in points}
        there = tuple(name for name, found in made.items() if found)
        assert all(owner == {"SolrBenchmark"} for each in made.values() for owner in each.values())
        if there not in seen:
            seen.append(there)
        if condition(shared.sweeps.read(), "Complete")[0] == "True" and not status["targets"]:
            break
    first, second = (each["name"] for each in points)
    # Those of one point are gone before there are any of the next.
    assert seen == [(), (first,), (second,)]
    assert [each["state"] for each in points] == ["Inconclusive", "Inconclusive"]
    assert reuses(points) == [None, "Index"]
    assert (len(shared.target.made), shared.created()) == (1, 1)
    assert shared.solr_pods() == []


def test_a_companion_that_is_lost_makes_the_shared_target_again(shared: Shared) -> None:
    put_endpoints(shared)
    shared.begin_second()
    second = next(each["name"] for each in shared.get_on() if each["state"] == "Running")
    while f"trial-{second}-load-master-0" not in shared.sweeps.cluster.names("Pod"):
        shared.get_on()
    del shared.sweeps.cluster.objects["Pod", "default", f"trial-{second}-proxy-0"]
    points = shared.finish()
    assert "Failed" not in [each["state"] for each in points]
    assert len(shared.target.made) == 2
    assert shared.solr_pods() == []


def test_points_with_other_collections_share_the_cluster(shared: Shared) -> None:
    shared.put(BATCHES)
    assert shared.measure() == [None, "Cluster"]
    assert len(shared.target.made) == 1
    assert shared.created() == 2


def test_the_order_rebuilds_least(shared: Shared) -> None:
    shared.put(USERS, HEAPS, design="Full")
    points = shared.finish()
    assert [each["values"] for each in points] == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert reuses(points) == [None, "Index", None, "Index"]
    assert len(shared.target.made) == 2


@pytest.mark.parametrize(("axes", "made"), [((USERS, HEAPS), 4), ((USERS,), 1)])
def test_rounds_make_targets_anew_unless_all_points_use_one(
    shared: Shared, axes: tuple[Body, ...], made: int
) -> None:
    rounds = {"until": "Decided", "min": 2, "max": 2}
    shared.put(*axes, design="Full", order="Random", repeats=rounds)
    points = shared.finish()
    assert {(each["state"], each["rounds"]) for each in points} == {("Inconclusive", 2)}
    assert [each["repeatRounds"] for each in points] == [[1, 2]] * len(points)
    assert len(shared.target.made) == made
    assert shared.solr_pods() == []


def test_fresh_targets_are_made_for_each_point(shared: Shared) -> None:
    shared.put(USERS, startOn="FreshTarget")
    assert shared.measure() == [None, None]
    assert len(shared.target.made) == 2


def test_what_is_reused_is_known_before_anything_starts(shared: Shared) -> None:
    shared.put(USERS, HEAPS, suspend=True)
    shared.sweeps.reconcile()
    assert reuses(shared.sweeps.read()["status"]["points"]) == [None, "Index", None]


def test_a_target_that_was_lost_is_made_again(shared: Shared) -> None:
    shared.put(USERS)
    shared.begin_second()
    for name in shared.solr_pods():
        del shared.sweeps.cluster.objects["Pod", "default", name]
    assert shared.measure() == [None, None]
    assert len(shared.target.made) == 2
    assert shared.solr_pods() == []


def test_a_deleted_benchmark_does_not_go_on_with_its_own_documents(shared: Shared) -> None:
    shared.put(BATCHES)
    shared.begin_second()
    _, second = shared.sweeps.children()
    while f"{second}-load-master-0" not in shared.sweeps.cluster.names("Pod"):
        shared.get_on()
    shared.sweeps.cluster.delete(*BENCHMARK.reference, "default", second)
    assert shared.measure() == [None, None]
    assert len(shared.target.made) == 2
    assert shared.solr_pods() == []


def test_a_point_after_a_failed_one_makes_its_own_target(shared: Shared) -> None:
    shared.put(USERS)
    while not shared.solr_pods():
        shared.get_on()
    (name,) = shared.sweeps.children()
    body = shared.sweeps.children()[name]
    failed = {"type": "Succeeded", "status": "False", "reason": "Broken", "message": ""}
    others = [each for each in body["status"]["conditions"] if each["type"] != "Succeeded"]
    times = {"lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1}
    body["status"]["conditions"] = [*others, failed | times]
    shared.sweeps.cluster.put(body)
    points = shared.finish()
    assert [each["state"] for each in points] == ["Failed", "Inconclusive"]
    assert reuses(points) == [None, None]
    assert len(shared.target.made) == 2
    assert shared.solr_pods() == []


def test_a_target_makes_room_for_benchmarks_of_others(shared: Shared) -> None:
    shared.put(USERS)
    shared.begin_second()
    started = {"startTime": "2026-01-01T00:00:00Z"}
    other = small("other") | {"status": started}
    shared.sweeps.cluster.put(other)  # it is older: they have no time of creation
    shared.get_on(10)
    assert shared.solr_pods() == []
    targets = shared.sweeps.read()["status"]["targets"]
    assert [each["point"].split("-")[0] for each in targets] == ["users"]
    shared.sweeps.cluster.delete(*BENCHMARK.reference, "default", "other")
    assert shared.measure() == [None, None]


def test_a_target_that_cannot_be_removed_is_named_by_its_sweep(shared: Shared) -> None:
    def refuse(request: Request, serve: Callable[[], Any]) -> Any:
        if request.method == "delete" and "-solr" in request.arguments["name"]:
            raise ForbiddenError(ApiServerReason.API_REFUSED, "policy")
        return serve()

    shared.put(USERS, HEAPS)
    shared.sweeps.cluster.fault = refuse
    shared.get_on(150)
    body = shared.sweeps.read()
    status, reason, message = condition(body, "Succeeded")
    assert (status, reason) == ("Unknown", "RunningPoints")
    assert message.startswith("1 point to come; target trial-")
    assert message.endswith(": ApiRefused: policy")
    version = body["metadata"]["resourceVersion"]
    shared.sweeps.reconcile()
    assert shared.sweeps.read()["metadata"]["resourceVersion"] == version
    shared.sweeps.cluster.fault = no_fault
    assert condition(shared.sweeps.finish(), "Succeeded")[0] == "True"


def test_a_kept_target_is_protected_as_long_as_points_use_it(shared: Shared) -> None:
    shared.put(USERS, cleanup="Never")
    while not shared.solr_pods():
        shared.get_on()
    cluster, (solr,) = shared.sweeps.cluster, shared.solr_pods()
    pod = cluster.objects["Pod", "default", solr]["metadata"]
    own = {key: pod[key] for key in ("namespace", "labels", "ownerReferences")}
    cluster.put({"kind": "PodDisruptionBudget", "metadata": own | {"name": "nodes"}})
    (name,) = shared.sweeps.children()
    while condition(shared.sweeps.children()[name], "CleanedUp")[1] != "CleanupSkipped":
        shared.get_on()
    assert "delete the sweep when" in condition(shared.sweeps.children()[name], "CleanedUp")[2]
    assert "nodes" in cluster.names("PodDisruptionBudget")
    assert shared.measure() == [None, "Index"]
    assert (cluster.names("PodDisruptionBudget"), shared.solr_pods()) == (set(), [solr])


def test_suspension_removes_the_target(shared: Shared) -> None:
    shared.put(USERS)
    shared.begin_second()
    shared.put(USERS, suspend=True)
    shared.get_on(10)
    assert shared.solr_pods() == []
    shared.put(USERS)
    shared.measure()


@pytest.mark.slow
@pytest.mark.timeout(120)  # 25 kills on a busy machine
def test_kills_change_nothing(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    shared.put(USERS, HEAPS, design="Full")
    shared.sweeps.cluster.fault = kills = kills_at(set(random.Random(3).sample(range(1, 150), 25)))
    shared.measure()
    assert kills.number > 10
    assert set(shared.sweeps.workloads.started.values()) == {1}  # nothing is measured twice
    assert shared.solr_pods() == []
    assert len(shared.target.made) == 2


@pytest.mark.parametrize("rounds", [2, 6, 10, 14])
def test_a_deletion_at_any_moment_leaves_nothing(rounds: int, shared: Shared) -> None:
    shared.put(USERS, NODES)
    shared.get_on(rounds)
    shared.sweeps.delete()
    assert shared.sweeps.cluster.names(*POD_KINDS) == set()
