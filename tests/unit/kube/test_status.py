"""A status is written unless what it was decided by is out of date."""

from collections.abc import Callable
from typing import Any

import pytest

from solrbench.api.identity import BENCHMARKS
from solrbench.errors import ConflictError
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster

STATUS = {"phase": "Measuring"}


def read_and(change: Callable[[dict[str, Any]], object]) -> tuple[FakeCluster, dict[str, Any]]:
    """Return a cluster whose benchmark was changed by another client, and the one that was read."""
    fake = FakeCluster(small("one") | {"status": {"phase": "Pending"}})
    read = fake.get(*BENCHMARKS, "default", "one")
    assert read is not None
    now = fake.get(*BENCHMARKS, "default", "one") or {}
    change(now)
    fake.put(now)
    fake.requests.clear()
    return fake, read


def test_a_status_is_written_although_other_metadata_changed() -> None:
    fake, read = read_and(lambda body: body["metadata"].update(finalizers=["kopf"]))
    stored = fake.store_status(read, STATUS)
    assert (stored["status"], stored["metadata"]["finalizers"]) == (STATUS, ["kopf"])
    assert [each.method for each in fake.requests] == ["replace_status", "get", "replace_status"]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["spec"].update(suspend=True),
        lambda body: body.update(status={"phase": "Queued"}),
        lambda body: body["metadata"].update(uid="another"),
    ],
    ids=["spec", "status", "successor"],
)
def test_a_status_that_is_out_of_date_is_not_written(
    change: Callable[[dict[str, Any]], object],
) -> None:
    fake, read = read_and(change)
    with pytest.raises(ConflictError):
        fake.store_status(read, STATUS)
    assert fake.objects["SolrBenchmark", "default", "one"]["status"] != STATUS


def test_a_status_that_is_stored_already_costs_no_request() -> None:
    fake, read = read_and(lambda _: None)
    assert fake.store_status(read, {"phase": "Pending"}) is read
    assert fake.requests == []
