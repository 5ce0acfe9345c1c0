"""A sweep in pods: begun, waited for, and taken away with all its benchmarks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from solrbench.api.kinds import SWEEP
from support.cluster import kube

Body = dict[str, Any]


@contextmanager
def ended_sweep(body: Body, seconds: float) -> Iterator[Body]:
    """Apply a sweep and give its status once it is over, which takes so many seconds at most."""
    name = body["metadata"]["name"]

    def read_ended() -> Body:
        status: Body = (kube.get(SWEEP.plural, name) or {}).get("status") or {}
        conditions = {each["type"]: each["status"] for each in status.get("conditions", [])}
        return status if conditions.get("Complete") == "True" else {}

    kube.apply(body)
    yield kube.wait_for("end of the sweep", read_ended, seconds)
    if kube.get(SWEEP.plural, name) is not None:
        kube.kubectl("delete", SWEEP.plural, name, "--wait=false")
    selector = f"solrbench.io/sweep={name}"
    kube.wait_for("deletion of all", lambda: not kube.items("solrbenchmarks", selector), 60)
