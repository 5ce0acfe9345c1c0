"""Sweeps that are killed, deleted or changed at any moment, on a cluster in memory."""

import copy
import random
from typing import Any

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.sweep.plan import make_plan
from support.fakes.fake_cluster import POD_KINDS
from support.fakes.operator_driver import KilledError, SweepDriver, condition, kills_at
from support.resources.small_resource import REMOVE
from support.resources.small_sweep import sweep_of
from support.transitions.fields import draw_value, list_fields, put_value, spec_schema

POINTS = 20
KILLS = 10
MIN_WRITES = 400
"""Of a sweep of 20 points."""
Body = dict[str, Any]


def run(sweeps: SweepDriver, number: int) -> Body:
    """Return a sweep at its end, with a new operator after each kill."""
    return run_killed(sweeps, sweep_of(number, order="Random"), 60 * number)


def run_killed(sweeps: SweepDriver, body: Body, rounds: int) -> Body:
    """Return this sweep at its end."""
    sweeps.put(body)
    for _ in range(rounds):
        try:
            sweeps.get_on()
        except KilledError:
            sweeps.restart()
        assert not sweeps.operator.errors
        if condition(sweeps.read(), "Complete")[0] == "True":
            return sweeps.read()
    raise AssertionError(sweeps.read()["status"])


@pytest.mark.slow
@pytest.mark.timeout(120)  # a sweep of 20 points on a busy machine
def test_kills_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = run(SweepDriver(monkeypatch), 1)["status"]["points"][0]
    figures = {key: each for key, each in undisturbed.items() if key not in ("name", "values")}
    sweeps = SweepDriver(monkeypatch)
    sweeps.cluster.fault = kills = kills_at(
        set(random.Random(1).sample(range(1, MIN_WRITES), KILLS))
    )
    points = run(sweeps, POINTS)["status"]["points"]
    assert kills.number == KILLS
    planned = make_plan(SolrBenchmarkSweep.parse(sweep_of(POINTS, order="Random"))).points
    assert points == [
        {"name": each.point.name, "values": each.point.indexes} | figures for each in planned
    ]
    assert sweeps.children().keys() == {f"trial-{each.point.name}" for each in planned}
    assert set(sweeps.workloads.started.values()) == {1}  # nothing is measured twice


@pytest.mark.slow
def test_many_kills_of_a_small_sweep_change_nothing(sweeps: SweepDriver) -> None:
    sweeps.cluster.fault = kills = kills_at(set(random.Random(2).sample(range(1, 80), 25)))
    status = run(sweeps, 2)["status"]
    assert kills.number > KILLS
    assert [each["state"] for each in status["points"]] == ["Inconclusive"] * 2
    assert set(sweeps.workloads.started.values()) == {1}


@pytest.mark.slow
def test_kills_change_nothing_in_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    body = sweep_of(2, repeats={"until": "Decided", "min": 2, "max": 4})
    undisturbed = SweepDriver(monkeypatch)
    undisturbed.put(body)
    expected = undisturbed.finish()["status"]
    sweeps = SweepDriver(monkeypatch)
    sweeps.cluster.fault = kills = kills_at(set(random.Random(3).sample(range(1, 120), KILLS)))
    status = run_killed(sweeps, body, 240)["status"]
    assert kills.number == KILLS
    assert status["points"] == expected["points"]
    assert status["answers"] == expected["answers"]
    assert sweeps.children().keys() == undisturbed.children().keys()
    assert min(each["rounds"] for each in status["points"]) >= 2
    assert set(sweeps.workloads.started.values()) == {1}


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [0, 1, 3, 6, 12])
def test_a_deletion_at_any_moment_leaves_nothing(rounds: int, sweeps: SweepDriver) -> None:
    sweeps.put(sweep_of(3))
    for _ in range(rounds):
        sweeps.get_on()
    sweeps.delete()
    assert sweeps.cluster.names(BENCHMARK.name, SWEEP.name) == set()
    assert sweeps.cluster.names(*POD_KINDS) == set()


FIELDS = list(list_fields(spec_schema(SWEEP)))
OWN = [each for each in FIELDS if not each[0].startswith("spec.template")]
TRANSITIONS = 20
"""With each seed. What the API server refuses beforehand reaches the operator here, too."""


@pytest.mark.parametrize("seed", range(5))
def test_every_change_is_shown_and_none_stops_a_sweep(seed: int, sweeps: SweepDriver) -> None:
    good, source = sweep_of(2), random.Random(seed)
    sweeps.put(copy.deepcopy(good))
    for _ in range(TRANSITIONS):
        path, schema = source.choice(OWN if source.random() < 0.7 else FIELDS)
        changed, value = copy.deepcopy(good), draw_value(schema, source)
        must_stay = value is REMOVE and path.endswith((".0", ".name"))
        if must_stay or not put_value(changed, path, value):
            continue
        sweeps.put(changed)
        if sweeps.find() is None:
            return
        for _ in range(source.choice((1, 3))):
            sweeps.reconcile()  # raises nothing
        assert not sweeps.operator.errors
        check_shown(sweeps.find() or {}, path)
        sweeps.put(copy.deepcopy(good))
        sweeps.get_on()
    body = sweeps.finish()
    assert condition(body, "Succeeded")[0] in ("True", "False")


def check_shown(body: Body, path: str) -> None:
    accepted = condition(body, "Accepted")
    assert "InternalError" not in str(body.get("status")), (path, accepted)
    assert accepted[1], path
    if accepted[0] == "False":
        assert accepted[2], path
