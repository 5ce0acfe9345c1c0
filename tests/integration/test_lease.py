"""The Lease of operators in the real API server."""

import time

import pytest

from solrbench.kube.client import Cluster
from solrbench.kube.lease import LEASE, LEASE_SECONDS, LeaseTakenError, OperatorLease
from solrbench.kube.official import open_officially
from support.narrowing import not_none

pytestmark = pytest.mark.cluster


def test_one_of_two_operators_holds_the_lease(namespace: str) -> None:
    cluster, ahead = Cluster(open_officially()), 0.0
    one = OperatorLease(cluster, namespace, "bench", "one")
    two = OperatorLease(cluster, namespace, "bench", "two", lambda: time.monotonic() + ahead)
    assert one.try_take()
    assert not two.try_take()
    for _ in range(2):
        one.renew()
    assert not two.try_take()
    ahead = LEASE_SECONDS
    assert two.try_take(), "it has not changed for that long"
    assert two.number > one.number
    with pytest.raises(LeaseTakenError, match="held by two"):
        one.renew()
    two.release()
    body = not_none(cluster.get(*LEASE, namespace, "bench"))
    assert "holderIdentity" not in body["spec"]
    three = OperatorLease(cluster, namespace, "bench", "three")
    assert three.try_take()
    assert three.number > two.number
    body = not_none(cluster.get(*LEASE, namespace, "bench"))
    assert body["spec"]["leaseTransitions"] == 3
