"""Changes of any field at any time, against the real API server; only pods are faked."""

import os
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from solrbench.kube.client import connect
from support.cluster.admission import ApiServer
from support.cluster.benchmark_objects import BenchmarkObjects, own_namespace
from support.fakes.operator_driver import operator_of
from support.transitions.walk import Walk

SEEDS = (1, 2, 3, 4, 5)
TRANSITIONS = int(os.environ.get("TRANSITIONS", "500")) // len(SEEDS)
"""With each seed."""
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(2 * TRANSITIONS)]
MINIMUM = {"queued": 40, "running": 20, "done": 20, "suspended": 20}
"""Transitions of benchmarks in each state."""
SEEN: Counter[tuple[str, str]] = Counter()
"""All transitions by state and outcome."""


@pytest.fixture(scope="module")
def objects(server: ApiServer) -> Iterator[BenchmarkObjects]:
    with own_namespace("transitions") as found:
        yield found


@pytest.mark.parametrize("seed", SEEDS)
def test_every_change_is_refused_by_name_or_effective(
    seed: int, objects: BenchmarkObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator = operator_of(monkeypatch, connect(), objects.namespace)
    source = random.Random(seed)
    walk = Walk(operator, objects.namespace, objects.store, objects.replace, source)
    walk.go(TRANSITIONS)
    walk.finish()
    walk.remove_all()
    SEEN.update(walk.seen)


def test_every_state_was_changed() -> None:
    if not SEEN:
        pytest.skip("no walk was made")
    states = Counter(state for (state, _), number in SEEN.items() for _ in range(number))
    assert all(states[state] >= least for state, least in MINIMUM.items()), SEEN
