"""The operator killed at any write of a sweep goes on as if it had not been."""

import random
from typing import Any

import pytest

from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.sweep.plan import make_plan
from support.fakes.fake_cluster import POD_KINDS
from support.fakes.operator_driver import KilledError, SweepDriver, condition, kills_at
from support.resources.small_sweep import sweep_of

pytestmark = pytest.mark.slow

POINTS = 20
KILLS = 10
WRITES_AT_LEAST = 400
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


@pytest.mark.timeout(120)  # a sweep of 20 points on a busy machine
def test_kills_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = run(SweepDriver(monkeypatch), 1)["status"]["points"][0]
    figures = {key: each for key, each in undisturbed.items() if key not in ("name", "values")}
    sweeps = SweepDriver(monkeypatch)
    sweeps.cluster.fault = kills = kills_at(
        set(random.Random(1).sample(range(1, WRITES_AT_LEAST), KILLS))
    )
    points = run(sweeps, POINTS)["status"]["points"]
    assert kills.number == KILLS
    planned = make_plan(SolrBenchmarkSweep.parse(sweep_of(POINTS, order="Random"))).points
    assert points == [
        {"name": each.point.name, "values": each.point.indexes} | figures for each in planned
    ]
    assert sweeps.children().keys() == {f"trial-{each.point.name}" for each in planned}
    assert set(sweeps.workloads.started.values()) == {1}  # nothing is measured twice


def test_many_kills_of_a_small_sweep_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sweeps = SweepDriver(monkeypatch)
    sweeps.cluster.fault = kills = kills_at(set(random.Random(2).sample(range(1, 80), 25)))
    status = run(sweeps, 2)["status"]
    assert kills.number > KILLS
    assert [each["state"] for each in status["points"]] == ["Valid"] * 2
    assert set(sweeps.workloads.started.values()) == {1}


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


@pytest.mark.parametrize("rounds", [0, 1, 3, 6, 12])
def test_a_deletion_at_any_moment_leaves_nothing(
    rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps = SweepDriver(monkeypatch)
    sweeps.put(sweep_of(3))
    for _ in range(rounds):
        sweeps.get_on()
    sweeps.delete()
    assert sweeps.cluster.names(BENCHMARK.name, SWEEP.name) == set()
    assert sweeps.cluster.names(*POD_KINDS) == set()
