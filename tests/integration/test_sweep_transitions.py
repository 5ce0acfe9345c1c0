"""Changes of any field of a sweep at any time, against the real API server; pods are faked."""

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from solrbench.api.kinds import SWEEP
from solrbench.errors import SolrbenchError
from support.cluster.admission import RejectedError, reachable_api_server
from support.cluster.benchmark_objects import own_namespace
from support.cluster.renamed_kinds import RenamedKinds, renamed_kinds
from support.fakes.faked_pods import ClusterWithFakedPods
from support.fakes.handled_operator import settings_for
from support.fakes.handled_sweeps import HandledSweeps
from support.transitions.sweep_walk import Body, SweepWalk

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

TRANSITIONS = 60


@pytest.fixture(scope="module")
def cluster() -> Iterator[RenamedKinds]:
    if reachable_api_server() is None:
        pytest.skip("KUBECONFIG is not set; start the cluster with `make cluster`")
    dynamic = DynamicClient(config.new_client_from_config())
    with renamed_kinds(dynamic, f"t{uuid.uuid4().hex[:8]}.solrbench.test") as found:
        yield found


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
        sweeps = HandledSweeps(
            monkeypatch, ClusterWithFakedPods(cluster), namespace, settings_for(namespace)
        )
        sweeps.operator.now = datetime.now(UTC).replace(microsecond=0)
        walk = SweepWalk(sweeps, apply, random.Random(1))
        walk.go(TRANSITIONS)
    states = {state for state, _ in walk.seen}
    assert states >= {"running", "suspended"}, walk.seen
    assert {"refused", "effective"} <= {outcome for _, outcome in walk.seen}, walk.seen
