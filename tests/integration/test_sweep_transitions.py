"""Changes of any field of a sweep at any time, against the real API server; pods are faked."""

import random

import pytest

from solrbench.api.kinds import SWEEP
from solrbench.errors import SolrbenchError
from support.cluster.admission import RejectedError
from support.cluster.benchmark_objects import own_namespace
from support.cluster.renamed_kinds import RenamedKinds
from support.fakes.operator_driver import sweeps_of
from support.transitions.sweep_walk import Body, SweepWalk

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

TRANSITIONS = 60


def test_every_change_is_refused_by_name_or_effective(
    cluster: RenamedKinds, monkeypatch: pytest.MonkeyPatch
) -> None:
    def apply(body: Body) -> Body:
        try:
            cluster.apply(body, "tests")
        except SolrbenchError as error:
            raise RejectedError([error.message]) from error
        stored = cluster.get(*SWEEP.reference, namespace, body["metadata"]["name"])
        assert stored is not None
        return dict(stored)

    with own_namespace("sweep-walk") as objects:
        namespace = objects.namespace
        sweeps = sweeps_of(monkeypatch, cluster, namespace)
        walk = SweepWalk(sweeps, apply, random.Random(1))
        walk.go(TRANSITIONS)
    states = {state for state, _ in walk.seen}
    assert states >= {"running", "suspended"}, walk.seen
    assert {"refused", "effective"} <= {outcome for _, outcome in walk.seen}, walk.seen
