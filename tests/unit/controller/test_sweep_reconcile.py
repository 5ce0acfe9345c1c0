"""Sweeps from beginning to end, and what is in their way, on a cluster in memory."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from solrbench.api.kinds import BENCHMARK
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.controller import sweep_reconcile
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.end import ApiServerReason
from solrbench.sweep.plan import make_plan
from support.cluster.benchmarks import small
from support.controller.worlds import stored_conditions
from support.fakes.fake_cluster import no_fault, refusal
from support.fakes.operator_driver import SweepDriver, condition
from support.resources.small_sweep import HEAP, small_sweep, sweep_of, users_axis

Body = dict[str, Any]


def states(body: Body) -> list[str]:
    return [each["state"] for each in body["status"]["points"]]


def test_points_are_measured_one_after_another(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(3))
    most = 0
    while condition(sweeps.find() or {}, "Complete")[0] != "True":
        sweeps.get_on()
        complete = [condition(each, "Complete")[0] for each in sweeps.children().values()]
        most = max(most, len(complete) - complete.count("True"))
    body = sweeps.read()
    assert most == 1
    assert states(body) == ["Inconclusive"] * 3
    assert condition(body, "Succeeded")[:2] == ("True", "Succeeded")
    assert body["status"]["counts"]["text"] == "3/3"
    assert body["status"]["progressPercent"] == 100
    assert body["status"]["best"] == []  # of one repeat nothing is the best
    assert not sweeps.operator.errors


def test_answers_are_compared_once_for_each_point(
    sweeps: SweepDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        sweep_reconcile, "read_answers", lambda _cluster, _namespace, name: asked.append(name)
    )
    body = sweep_of(3)
    body["spec"]["template"]["spec"]["comparison"] = {"answers": {"queries": 50}}
    sweeps.put(body)
    compared = sweeps.finish()["status"]["answerComparisons"]
    base, *others = (f"trial-{each['name']}" for each in sweeps.read()["status"]["points"])
    assert [name for name in asked if name != base] == others
    assert asked[0] == base
    assert len(compared) == len({each["candidate"] for each in compared}) == len(others)
    assert all(each["notCompared"] for each in compared)  # no pod has stored any


def test_children_are_owned_labelled_and_cleaned_up(sweeps: SweepDriver) -> None:
    body = sweep_of(1)
    body["spec"]["template"] |= {"metadata": {"labels": {"team": "search"}}}
    sweeps.put(body)
    sweeps.finish()
    ((name, child),) = sweeps.children().items()
    assert name.startswith("trial-baseline-")
    (owner,) = child["metadata"]["ownerReferences"]
    assert owner["kind"] == "SolrBenchmarkSweep"
    assert child["metadata"]["labels"]["team"] == "search"
    assert child["metadata"]["labels"]["solrbench.io/sweep"] == "trial"
    assert child["spec"]["cleanup"] == "Always"
    sweeps.get_on()
    assert sweeps.cluster.pods_of(name) == set()


def test_points_in_parallel_are_bounded_by_the_installer(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(3, parallelism=3))
    sweeps.reconcile()
    assert len(sweeps.children()) == 1  # concurrency is 1


def test_invalid_points_are_named_before_anything_starts(sweeps: SweepDriver) -> None:
    axis = HEAP | {"values": ["512Mi", "lots"]}
    sweeps.put(small_sweep({"spec.axes": [axis]}))
    sweeps.reconcile()
    status, reason, message = condition(sweeps.read(), "Accepted")
    assert (status, reason) == ("False", "InvalidPoints")
    assert "heap lots" in message
    assert "spec.target.solrCloud.heap" in message
    assert sweeps.children() == {}
    sweeps.put(small_sweep())
    sweeps.reconcile()
    assert condition(sweeps.read(), "Accepted")[0] == "True"
    assert len(sweeps.children()) == 1


@pytest.mark.parametrize(
    ("fail_fast", "others", "reason"),
    [(False, "Inconclusive", "PointsFailed"), (True, "Planned", "StoppedAfterFailure")],
)
def test_a_failed_point_stops_the_others_with_fail_fast_alone(
    sweeps: SweepDriver, fail_fast: bool, others: str, reason: str
) -> None:
    sweeps.put(sweep_of(3, failFast=fail_fast))
    refuse_first(sweeps)
    body = sweeps.finish()
    assert states(body) == ["Failed", others, others]
    assert condition(body, "Succeeded")[:2] == ("False", reason)
    assert body["status"]["points"][0]["reason"] == "ManifestRejected"


def refuse_first(sweeps: SweepDriver) -> None:
    """Let the API server refuse the first benchmark, as a quota or a policy does."""
    denied = PermanentError(ApiServerReason.MANIFEST_REJECTED, "denied")
    sweeps.cluster.fault = refusal(denied, ["apply"], ["SolrBenchmark"], times=1)


def test_what_is_in_the_way_of_a_point_is_said_of_the_sweep(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1))
    sweeps.get_on()
    ((name, child),) = sweeps.children().items()
    refused = 'pods "x" is forbidden: exceeded quota: team'
    (waits,) = stored_conditions(Succeeded="Unknown")
    child["status"] = {"conditions": [waits | {"reason": "FailedCreate", "message": refused}]}
    sweeps.cluster.put(child)
    sweeps.reconcile()
    status, reason, message = condition(sweeps.read(), "Succeeded")
    assert (status, reason) == ("Unknown", "RunningPoints")
    assert f"{name}: FailedCreate: {refused}" in message


def test_a_point_whose_name_is_taken_is_said_once_and_fails(sweeps: SweepDriver) -> None:
    body = sweep_of(2)
    first = make_plan(SolrBenchmarkSweep.parse(body)).points[0].point.name
    foreign = small(f"trial-{first}")
    foreign["status"] = {"conditions": [{"type": "CleanedUp", "status": "True"}]}
    sweeps.cluster.put(foreign)
    sweeps.put(body)
    sweeps.reconcile()
    status, reason, message = condition(sweeps.read(), "Succeeded")
    assert (status, reason) == ("Unknown", "PointNotCreated")
    assert f"{first}: NameTaken: SolrBenchmark trial-{first} in namespace" in message
    assert "does not belong to this sweep and is not changed; delete it" in message
    stored = sweeps.read()
    for _ in range(5):
        sweeps.operator.now += timedelta(seconds=10)
        sweeps.reconcile()
    assert sweeps.read() == stored
    events = [each[:2] for each in sweeps.operator.events]
    assert events.count(("Warning", "PointNotCreated")) == 1
    sweeps.operator.now += timedelta(minutes=10)
    body = sweeps.finish()
    assert states(body) == ["Failed", "Inconclusive"]
    assert body["status"]["points"][0]["reason"] == "NameTaken"
    assert "blockedSince" not in body["status"]["points"][0]
    assert "ownerReferences" not in sweeps.children()[f"trial-{first}"]["metadata"]


def test_a_point_that_the_api_server_has_not_refused_does_not_fail(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1))
    error = TemporaryError(ApiServerReason.API_UNREACHABLE, "a webhook does not respond")
    sweeps.cluster.fault = refusal(error, ["apply"])
    for _ in range(3):
        sweeps.reconcile()
        assert condition(sweeps.read(), "Succeeded")[1] == "PointNotCreated"
        sweeps.operator.now += timedelta(minutes=20)
    sweeps.cluster.fault = no_fault
    assert states(sweeps.finish()) == ["Inconclusive"]


def test_nodes_that_could_not_be_listed_once_are_listed_again(sweeps: SweepDriver) -> None:
    capacity = {"cpu": "1", "memory": "1Mi", "pods": "110"}
    node = {"kind": "Node", "metadata": {"name": "small", "namespace": ""}}
    sweeps.cluster.put(node | {"spec": {}, "status": {"allocatable": capacity}})
    sweeps.put(sweep_of(1))
    error = TemporaryError(ApiServerReason.API_UNREACHABLE, "a gateway times out")
    sweeps.cluster.fault = refusal(error, kinds=["Node"])
    sweeps.reconcile()
    assert "fixedHash" not in sweeps.read().get("status", {})
    # Thousands of nodes in one response would fill the operator's memory.
    sweeps.cluster.fault = refusal(error, ["list"], ["Node"])
    sweeps.reconcile()
    assert sweeps.cluster.asked.count("Node") == 2
    assert condition(sweeps.read(), "Accepted")[1] == "PointsDoNotFit"


def test_a_point_is_made_once_its_name_is_free(sweeps: SweepDriver) -> None:
    body = sweep_of(1)
    name = f"trial-{make_plan(SolrBenchmarkSweep.parse(body)).points[0].point.name}"
    sweeps.cluster.put(small(name))
    sweeps.put(body)
    sweeps.reconcile()
    assert "blockedSince" in sweeps.read()["status"]["points"][0]
    sweeps.cluster.delete(*BENCHMARK.reference, "default", name)
    sweeps.reconcile()
    assert "blockedSince" not in sweeps.read()["status"]["points"][0]
    assert condition(sweeps.read(), "Succeeded")[1] == "RunningPoints"
    assert states(sweeps.finish()) == ["Inconclusive"]


def test_a_refused_change_of_a_benchmark_that_runs_fails_no_point(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1))
    sweeps.get_on()
    refuse_first(sweeps)
    sweeps.put(sweep_of(1, cleanup="OnSuccess"))
    sweeps.reconcile()
    assert states(sweeps.read()) == ["Running"]
    assert condition(sweeps.read(), "Succeeded")[1] == "PointNotCreated"
    assert states(sweeps.finish()) == ["Inconclusive"]


def test_suspension_reaches_the_point_under_way(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(2))
    for _ in range(4):
        sweeps.get_on()
    sweeps.put(sweep_of(2, suspend=True))
    for _ in range(6):
        sweeps.get_on()
    (child,) = sweeps.children().values()
    assert child["spec"]["suspend"] is True
    assert sweeps.read()["status"]["phase"] == "Suspended"
    assert sweeps.cluster.pods_of(child["metadata"]["name"]) == set()
    sweeps.put(sweep_of(2))
    assert states(sweeps.finish()) == ["Inconclusive"] * 2


def test_suspension_reaches_the_point_under_way_of_a_sweep_that_is_held(
    sweeps: SweepDriver,
) -> None:
    sweeps.put(sweep_of(2))
    for _ in range(4):
        sweeps.get_on()
    sweeps.put(small_sweep({"spec.suspend": True}))
    for _ in range(6):
        sweeps.get_on()
    body, (child,) = sweeps.read(), sweeps.children().values()
    assert condition(body, "Accepted")[:2] == ("False", "SweepChanged")
    assert child["spec"]["suspend"] is True
    assert child["spec"]["target"] == sweep_of(2)["spec"]["template"]["spec"]["target"]
    assert sweeps.cluster.pods_of(child["metadata"]["name"]) == set()
    sweeps.put(small_sweep())
    sweeps.reconcile()
    (child,) = sweeps.children().values()
    assert child["spec"]["suspend"] is False
    sweeps.put(sweep_of(2))
    assert states(sweeps.finish()) == ["Inconclusive"] * 2


def test_points_can_be_added_to_a_finished_sweep(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1))
    before = sweeps.finish()["status"]["points"]
    sweeps.put(sweep_of(2))
    after = sweeps.finish()["status"]["points"]
    assert after[0] == before[0]
    assert [each["state"] for each in after] == ["Inconclusive"] * 2


SECOND = {"design": "Full", "baseline": {"users": 2}}
"""The baseline is the second point."""


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (sweep_of(2) | {"spec": small_sweep()["spec"]}, "SweepChanged"),
        (sweep_of(2, **SECOND, axes=[users_axis(9) | {"values": [2, 3]}]), "PointsRemoved"),
    ],
)
def test_what_has_begun_must_not_change(changed: Body, reason: str, sweeps: SweepDriver) -> None:
    begun = sweep_of(2, **SECOND)
    sweeps.put(begun)
    sweeps.get_on()
    sweeps.put(changed)
    for _ in range(30):
        sweeps.get_on()
    body = sweeps.read()
    assert condition(body, "Accepted")[:2] == ("False", reason)
    assert states(body) == ["Inconclusive", "Planned"]
    sweeps.put(begun)
    assert states(sweeps.finish()) == ["Inconclusive"] * 2


def test_a_finished_sweep_is_deleted_after_its_time_to_live(sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(1, ttlSecondsAfterFinished=60))
    sweeps.finish()
    assert sweeps.reconcile().total_seconds() <= 60
    held = sweep_of(1, ttlSecondsAfterFinished=60, **{"template.spec.seed": 5})
    for later, changed in enumerate((held, sweep_of(1, ttlSecondsAfterFinished=60))):
        # One that is held is not over, and its time begins anew.
        sweeps.put(changed)
        sweeps.reconcile()
        sweeps.operator.now = sweeps.operator.now.replace(year=2027 + later)
        assert sweeps.find() is not None
        sweeps.reconcile()
    assert sweeps.find() is None


def test_metrics_show_figures_by_value(sweeps: SweepDriver) -> None:
    sweeps.operator.now = datetime.now(UTC).replace(microsecond=0)  # old results are not shown
    sweeps.put(sweep_of(2))
    sweeps.finish()
    registry = sweeps.operator.telemetry.registry
    point = sweeps.read()["status"]["points"][0]["name"]
    owner = {"namespace": "default", "sweep": "trial"}
    labels = owner | {"point": point}
    value = {"axis": "users", "value": "1"}
    assert registry.get_sample_value("solrbench_sweep_point_value_info", labels | value) == 1
    name, values = "solrbench_sweep_point_requests_per_second", {"values": "users 1"}
    assert registry.get_sample_value(name, labels | values) is not None
    shown = owner | {"phase": "Succeeded"}
    assert registry.get_sample_value("solrbench_sweep_info", shown) == 1
    asyncio.run(sweeps.handlers.on_event(event={"type": "DELETED"}, body=sweeps.read()))
    assert registry.get_sample_value("solrbench_sweep_info", shown) is None
