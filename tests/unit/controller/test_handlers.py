"""When a finalizer is needed, what the watch shows, and what a due benchmark costs."""

import asyncio
import threading
import traceback
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import kopf
import pytest

from solrbench.controller.failures import CONFLICT_PAUSE, UPGRADE_PAUSE
from solrbench.controller.handlers import SHORTEST_PAUSE, Handlers
from solrbench.controller.schedule import BenchmarkKey, _Item
from solrbench.decide.pauses import QUEUED_PAUSE, needs_finalizer, needs_reconcile
from solrbench.errors import ConflictError, TemporaryError
from solrbench.kube.connection import NotFoundError
from solrbench.metrics.operator import PrometheusMetrics
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.controller.world import NOW, SETTINGS, fail_with
from support.fakes.fake_cluster import FakeCluster, Request, no_fault, refusal
from support.fakes.operator_driver import OperatorDriver

CLEANED = {"type": "CleanedUp", "status": "True"}


def benchmark(*conditions: dict[str, str], **spec: Any) -> dict[str, Any]:
    body = small("one", **spec)
    body["metadata"] |= {"namespace": "default", "uid": "u1", "generation": 1}
    times = {"reason": "Test", "lastTransitionTime": NOW.isoformat()}
    body["status"] = {"phase": "Succeeded", "conditions": [each | times for each in conditions]}
    return body


SUCCEEDED = {"type": "Succeeded", "status": "True"}
CREATES: dict[str, Any] = {"existing": {"url": "http://solr:8983/solr"}}
USES: dict[str, Any] = {"existing": CREATES["existing"] | {"collectionPolicy": "UseExisting"}}


@pytest.mark.parametrize(
    ("body", "needed"),
    [
        (small("new"), False),  # owner references are enough
        (benchmark(target=USES), False),
        (benchmark(target=CREATES), True),
        (benchmark(SUCCEEDED, target=CREATES), True),
        (benchmark(SUCCEEDED, CLEANED, target=CREATES), False),
    ],
)
def test_only_a_collection_on_an_existing_solr_needs_a_finalizer(
    body: dict[str, Any], needed: bool
) -> None:
    assert needs_finalizer(body=body) is needed


@pytest.mark.parametrize(
    ("body", "needed"),
    [
        (small("new"), True),
        (benchmark(SUCCEEDED), True),
        (benchmark({"type": "CleanedUp", "status": "False"}), True),
        (benchmark(SUCCEEDED, CLEANED), False),
        (benchmark(CLEANED, ttlSecondsAfterFinished=60), True),  # the operator deletes it
    ],
)
def test_a_benchmark_is_reconciled_until_it_is_cleaned_up(
    body: dict[str, Any], needed: bool
) -> None:
    assert needs_reconcile(body) is needed


def suspended(target: dict[str, Any]) -> dict[str, Any]:
    body = benchmark(target=CREATES, suspend=True)
    body["status"] |= {"phase": "Suspended", "target": target}
    return body


def test_a_suspended_one_needs_it_until_its_collection_is_gone() -> None:
    assert needs_finalizer(body=suspended({"nodes": {"a:8983_solr": NOW.isoformat()}}))
    assert not needs_finalizer(body=suspended({}))
    resumed = suspended({})
    resumed["spec"]["suspend"] = False
    assert needs_finalizer(body=resumed)


def test_new_spec_of_one_that_is_over_is_shown_in_its_status() -> None:
    body = benchmark(SUCCEEDED, CLEANED)
    body["metadata"]["generation"] = 2
    body["status"]["observedGeneration"] = 1
    assert needs_reconcile(body)
    body["status"]["observedGeneration"] = 2
    assert not needs_reconcile(body)


HOPS = [
    *("on_event", "add", "wake", "_begin", "run", "on_due", "reconcile", "_run_stages"),
    *("reconcile_target", "ensure_ready", "ensure_pods", "ensure_ensemble", "apply"),
]
"""To the `apply` of ZooKeeper; that of Solr comes from `ensure_pods` itself."""


def test_only_deletion_is_filtered_and_deletion_itself_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operator = OperatorDriver(FakeCluster(), monkeypatch)
    filters: dict[str, Any] = {}

    def note(name: str) -> Any:
        return lambda *_, **given: lambda handler: filters.update({name: given.get("when")})

    monkeypatch.setattr(kopf.on, "delete", note("delete"))
    monkeypatch.setattr(kopf.on, "event", note("event"))
    operator.handlers.register(kopf.OperatorRegistry())
    assert filters == {"delete": needs_finalizer, "event": None}


def shown(telemetry: PrometheusMetrics) -> set[str]:
    return {
        name
        for family in telemetry.registry.collect()
        for sample in family.samples
        for name in sample.labels.values()
        if name == "one"
    }


@pytest.mark.parametrize("is_missed", [False, True])
def test_metrics_of_a_benchmark_off_the_schedule_stay_until_it_is_gone(
    monkeypatch: pytest.MonkeyPatch, is_missed: bool
) -> None:
    operator = OperatorDriver(FakeCluster(benchmark(CLEANED)), monkeypatch)
    operator.watch()
    assert shown(operator.telemetry) == {"one"}
    operator.cluster.objects.clear()
    if is_missed:  # by the watch
        assert operator.handlers.on_due(BenchmarkKey("u1", "default", "one")) is None
    else:
        operator.watch()
    assert shown(operator.telemetry) == set()


class World:
    """An operator whose events and due times are given by the test."""

    def __init__(self, *bodies: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        self.cluster = FakeCluster(*bodies)
        self.handlers = Handlers(self.cluster, SETTINGS, PrometheusMetrics("test"))
        monkeypatch.setattr("solrbench.controller.handlers.post_events", lambda *_: None)
        monkeypatch.setattr("solrbench.controller.handlers.DELETE_POLL_SECONDS", 0.01)
        monkeypatch.setattr(kopf, "event", lambda *_, **__: None)

    def body(self, name: str) -> dict[str, Any]:
        return self.cluster.objects["SolrBenchmark", "default", name]

    def watch(self, name: str, type_: str = "MODIFIED") -> None:
        """Show the present state; nothing that this puts on the schedule is run."""

        async def show() -> None:
            await self.handlers.on_event(event={"type": type_}, body=self.body(name))
            await self.handlers.on_cleanup()

        asyncio.run(show())

    def due(self, name: str) -> timedelta | None:
        rest = self.handlers.on_due(BenchmarkKey(f"uid-of-{name}", "default", name))
        return None if rest is None else rest.pause

    def phase(self, name: str) -> Any:
        """Let one be due; return its phase."""
        self.due(name)
        return self.body(name)["status"]["phase"]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    bodies = [small(name) for name in ("one", "two", "three")]
    for hour, body in enumerate(bodies):
        body["metadata"] |= {"generation": 1, "creationTimestamp": f"2026-01-01T0{hour}:00:00Z"}
    return World(*bodies, monkeypatch=monkeypatch)


def test_one_that_runs_is_due_again_after_the_shortest_pause(world: World) -> None:
    assert world.due("one") == SHORTEST_PAUSE


def test_one_that_goes_on_waiting_needs_no_request(world: World) -> None:
    world.due("one")
    for name in ("two", "three"):
        assert world.due(name) == QUEUED_PAUSE
    queue = world.body("three")["status"]["queue"]
    assert (queue["position"], world.body("three")["status"]["phase"]) == (2, "Queued")
    before = len(world.cluster.requests)
    assert world.due("three") == QUEUED_PAUSE
    assert len(world.cluster.requests) == before


def test_the_others_move_up_when_one_is_gone(world: World) -> None:
    for name in ("one", "two", "three"):
        world.due(name)
    waits_since = world.body("three")["status"]["queue"]["waitingSince"]
    world.watch("one", "DELETED")
    del world.cluster.objects["SolrBenchmark", "default", "one"]
    assert world.phase("two") == "Provisioning"
    assert "queue" not in world.body("two")["status"]
    assert world.due("three") == QUEUED_PAUSE
    assert world.body("three")["status"]["queue"] == {"position": 1, "waitingSince": waits_since}


def test_benchmarks_of_other_namespaces_are_not_named(world: World) -> None:
    foreign = small("merger")
    foreign["metadata"] |= {"namespace": "secret", "creationTimestamp": "2026-01-01T00:30:00Z"}
    foreign["status"] = {"startTime": NOW.isoformat()}
    world.cluster.put(foreign)
    world.due("one")
    world.due("two")
    conditions = world.body("two")["status"]["conditions"]
    (message,) = (each["message"] for each in conditions if each["type"] == "Succeeded")
    assert message == "waits for default/one, 1 of other namespaces to end"


def test_a_change_of_the_spec_is_reconciled_while_it_waits(world: World) -> None:
    for name in ("one", "two"):
        world.due(name)
    body = world.body("two")
    body["metadata"]["generation"] = 2
    body["spec"]["suspend"] = True
    world.cluster.put(body)
    world.watch("two")
    assert world.phase("two") == "Suspended"


def test_a_missing_object_is_noticed_when_it_is_its_turn(world: World) -> None:
    body = world.body("two")
    body["spec"]["workload"] = {"queries": {"configMap": {"name": "mine", "key": "q.txt"}}}
    world.cluster.put({"kind": "ConfigMap", "metadata": {"name": "mine"}, "data": {"q.txt": ""}})
    world.due("one")
    assert world.due("two") == QUEUED_PAUSE
    del world.cluster.objects["ConfigMap", "default", "mine"]
    world.watch("one", "DELETED")
    world.due("two")
    status = world.body("two")["status"]
    assert (status["phase"], status.get("startTime")) == ("Pending", None)


def test_a_conflict_is_retried_soon(world: World) -> None:
    conflict = ConflictError(ApiServerReason.CONFLICT, "the object has been modified")
    world.cluster.fault = refusal(conflict, ["replace_status"])
    assert world.due("one") == CONFLICT_PAUSE


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_place_is_not_taken_twice_if_its_write_fails(world: World, *, is_stored: bool) -> None:
    writes: list[dict[str, Any]] = []

    def fail_first(request: Request, serve: Callable[[], Any]) -> Any:
        if request.method != "replace_status":
            return serve()
        writes.append(request.arguments["body"]["status"])
        if len(writes) > 1:
            return serve()
        if is_stored:
            serve()
        raise TemporaryError(ApiServerReason.API_UNREACHABLE, "no response")

    world.cluster.fault = fail_first
    world.due("one")
    assert "startTime" in writes[0]
    assert not any("startTime" in each for each in writes[1:])
    assert ("startTime" in world.body("one")["status"]) is is_stored
    for name in ("two", "three"):
        assert world.due(name) == QUEUED_PAUSE
        assert "startTime" not in world.body(name)["status"]
    assert world.phase("one") == "Provisioning"


def test_a_place_that_could_not_be_taken_is_given_up_at_the_next_turn(world: World) -> None:
    away = TemporaryError(ApiServerReason.API_UNREACHABLE, "no response")
    world.cluster.fault = refusal(away, ["replace_status"])
    world.due("two")
    world.cluster.fault = no_fault
    # It may run: no client knows what became of the write.
    assert world.phase("one") == "Queued"
    world.watch("one")
    assert world.due("two") == QUEUED_PAUSE
    assert world.phase("one") == "Provisioning"


def test_a_newer_definition_is_waited_for(world: World) -> None:
    world.body("one")["spec"]["fieldOfTomorrow"] = 1
    assert world.due("one") == UPGRADE_PAUSE


def test_one_that_is_gone_is_not_due_again(world: World) -> None:
    assert world.due("four") is None
    world.body("one")["metadata"]["uid"] = "another"
    assert world.due("one") is None


async def test_one_that_is_gone_keeps_its_place_until_its_pods_are_gone(world: World) -> None:
    for name in ("one", "two"):
        world.due(name)
    assert world.cluster.names("StatefulSet") == {"one-zookeeper"}
    pod = {"name": "one-zookeeper-0", "namespace": "default", "uid": "p", "finalizers": ["a-hook"]}
    made = world.cluster.objects["StatefulSet", "default", "one-zookeeper"]["metadata"]
    own = {key: made[key] for key in ("labels", "ownerReferences")}
    world.cluster.put({"kind": "Pod", "metadata": pod | own})
    gone = world.cluster.objects.pop(("SolrBenchmark", "default", "one"))
    event = asyncio.create_task(world.handlers.on_event(event={"type": "DELETED"}, body=gone))
    while world.cluster.names("StatefulSet"):  # noqa: ASYNC110 - nothing announces it
        await asyncio.sleep(0.01)
    assert world.due("two") == QUEUED_PAUSE
    del world.cluster.objects["Pod", "default", "one-zookeeper-0"]
    await event
    await world.handlers.on_cleanup()
    assert world.phase("two") == "Provisioning"


async def test_a_place_is_given_up_whatever_the_wait_for_pods_ends_with(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        world.due(name)
    gone = world.cluster.objects.pop(("SolrBenchmark", "default", "one"))
    error = ValueError("no JSON")
    monkeypatch.setattr("solrbench.controller.handlers.remove_components", fail_with(error))
    with pytest.raises(ValueError, match="no JSON"):
        await world.handlers.on_event(event={"type": "DELETED"}, body=gone)
    await world.handlers.on_cleanup()
    assert world.phase("two") == "Provisioning"


async def test_one_that_is_deleted_as_it_starts_takes_no_place(world: World) -> None:
    key = "SolrBenchmark", "default", "one"
    gone, starts, goes_on = world.body("one"), threading.Event(), threading.Event()

    def fault(request: Request, serve: Callable[[], Any]) -> Any:
        body = request.arguments.get("body")
        if body is not None and body["metadata"]["name"] not in world.cluster.names(key[0]):
            raise NotFoundError(ApiServerReason.NOT_FOUND, "it is gone")
        found = serve()
        if request.method == "list_metadata":  # the queue is verified, then the place is taken
            starts.set()
            goes_on.wait(10)
        return found

    world.cluster.fault = fault
    await world.handlers.on_event(event={"type": "ADDED"}, body=gone)
    await asyncio.to_thread(starts.wait, 10)
    del world.cluster.objects[key]
    event = asyncio.create_task(world.handlers.on_event(event={"type": "DELETED"}, body=gone))
    await asyncio.sleep(0.05)
    assert not event.done()
    goes_on.set()
    await event
    await world.handlers.on_cleanup()
    assert world.phase("two") == "Provisioning"


def test_few_functions_lie_between_an_event_and_the_apply_of_a_stateful_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stacks: dict[str, list[str]] = {}

    def note(name: str) -> None:
        frames = traceback.extract_stack()
        found = [frame.name for frame in frames if "/src/solrbench/" in frame.filename]
        stacks[name] = max(found, stacks.get(name, []), key=len)

    def fault(request: Request, serve: Callable[[], Any]) -> Any:
        if request.method == "apply" and request.kind == "StatefulSet":
            note("apply")
        return serve()

    cancel = _Item.cancel

    def note_and_cancel(item: _Item) -> None:
        note("timer")
        cancel(item)

    monkeypatch.setattr(_Item, "cancel", note_and_cancel)
    driver = OperatorDriver(FakeCluster(fault=fault), monkeypatch)
    driver.cluster.put(small("one"))
    for _ in range(3):
        driver.workloads.advance()
        driver.reconcile("one")
    # The event loop calls `_begin` at the time of the timer, and `run` in a thread.
    hops = [*stacks["timer"], "_begin", *stacks["apply"], "apply"]
    assert hops[hops.index("_begin") + 1] == "run"
    assert hops == HOPS
