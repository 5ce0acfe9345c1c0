"""Which writes of two operators are found to be wrong."""

from typing import Any

from support.cluster.two_operators import doubles, writes_without_lease


def version(number: int, uid: str = "1", **changes: Any) -> dict[str, Any]:
    metadata = {"name": "one", "uid": uid, "resourceVersion": str(number)}
    return {"kind": "Job", "metadata": metadata | {"ownerReferences": [{"uid": "0"}]}} | changes


def written(number: int, phase: str, by: int) -> dict[str, Any]:
    return version(number, status={"phase": phase, "fencingNumber": by})


def test_a_status_of_one_that_held_the_lease_before_is_found() -> None:
    times = {10: "first", 13: "first", 20: "second", 23: "second"}
    leases = [version(number, spec={"acquireTime": time}) for number, time in times.items()]
    good = [written(12, "Pending", 10), written(21, "Pending", 10), written(22, "Failed", 20)]
    assert writes_without_lease(good, leases) == []  # at 21, something else was written
    (found,) = writes_without_lease([*good, written(24, "Pending", 10)], leases)
    assert found.startswith("one at 24, holder 20: ")


def test_an_object_that_is_made_again_for_its_owner_is_found() -> None:
    assert doubles([version(10), version(11)]) == {}
    assert doubles([version(10), version(12, "2")]) == {("0", "Job/one"): {"1", "2"}}
