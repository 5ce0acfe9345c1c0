"""A sweep that measures two points in rounds, in real pods: all of them on one target."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.cluster import kube
from support.cluster.benchmarks import build_sweep, ended_sweep, small

NAME = "rounds"
SECONDS = 300
MINIMUM, MAXIMUM = 2, 3
Body = dict[str, Any]


def sweep_body() -> Body:
    """Return a sweep of two points that share target and index, of two or three rounds."""
    users = {"name": "users", "field": "load.steps[0].users", "values": [1, 2], "role": "Setting"}
    return build_sweep(
        small(NAME),
        axes=[users],
        exclude=["point.users > 2"],
        objective={"metric": "MeanMilliseconds", "step": "two-users"},
        repeats={"until": "Decided", "min": MINIMUM, "max": MAXIMUM},
    )


@pytest.fixture(scope="module")
def status() -> Iterator[Body]:
    with ended_sweep(sweep_body(), SECONDS) as found:
        yield found


def test_each_round_of_each_point_is_a_benchmark(status: Body) -> None:
    names = [
        f"{NAME}-{point['name']}" + (f"-{number}" if number > 1 else "")
        for point in status["points"]
        for number in range(1, point["rounds"] + 1)
    ]
    found = kube.items("solrbenchmarks", f"solrbench.io/sweep={NAME}")
    assert sorted(each["metadata"]["name"] for each in found) == sorted(names)
    assert all(MINIMUM <= point["rounds"] <= MAXIMUM for point in status["points"])
    assert f"{len(names)} benchmarks of at most {2 * MAXIMUM}" in " ".join(status["answers"])


def test_valid_rounds_are_counted_as_repeats(status: Body) -> None:
    for point in status["points"]:
        assert point["state"] in ("Valid", "Inconclusive", "Invalid")
        assert 1 <= point["repeats"] <= point["rounds"]
        assert point["p95Milliseconds"] > 0


def test_the_objective_is_read_of_each_round(status: Body) -> None:
    for point in status["points"]:
        means = []
        for number in point.get("repeatRounds", []):
            suffix = f"-{number}" if number > 1 else ""
            totals = kube.status(f"{NAME}-{point['name']}{suffix}")["totals"]
            means.append(totals[0]["averageMilliseconds"])
        assert point.get("repeatValues", []) == pytest.approx(means, rel=1e-3)
        assert any("the mean time in two-users" in each for each in status["answers"])


def test_later_rounds_take_over_target_and_index(status: Body) -> None:
    for point in status["points"]:
        second = kube.status(f"{NAME}-{point['name']}-2")
        assert second["target"]["reuses"] == "Index"
        assert second["attempts"]["target"] == 1
