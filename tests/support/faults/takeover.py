"""Pairs of processes that want one Lease each; who holds one is killed again and again.

The processes do what the operator does for its Lease, with its pauses. The objects are in a process
of their own, which stands for the API server.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.managers import BaseManager
from multiprocessing.process import BaseProcess
from typing import Any

from solrbench.controller.main import keep_lease, wait_for_lease
from solrbench.errors import ConflictError
from solrbench.kube.lease import OperatorLease
from solrbench.reasons.end import ApiServerReason
from support.cluster.benchmarks import small
from support.fakes.fake_cluster import FakeCluster

PATIENCE_SECONDS = 60.0
FORK = multiprocessing.get_context("fork")


class _Objects:
    """Leases for many processes, one request after another."""

    def __init__(self) -> None:
        self._cluster = FakeCluster(small("one"))  # no version of a Lease is the first of all
        self._lock = threading.Lock()

    def get(self, *reference: str) -> Any:
        with self._lock:
            return self._cluster.get(*reference)

    def apply(self, manifest: dict[str, Any]) -> Any:
        """Return what is stored, `None` for a conflict: errors cannot be sent."""
        with self._lock, suppress(ConflictError):
            return self._cluster.apply(manifest)
        return None


class _Manager(BaseManager):
    """Serves them."""


_Manager.register("objects", _Objects)


class _Cluster:
    """The client of one process."""

    def __init__(self, objects: Any) -> None:
        self.get, self._apply = objects.get, objects.apply

    def within(self, _: float) -> "_Cluster":
        return self

    def apply(self, manifest: dict[str, Any]) -> Any:
        stored = self._apply(manifest)
        if stored is None:
            raise ConflictError(ApiServerReason.CONFLICT, "the object has been modified")
        return stored


def _operate(objects: Any, name: str, sender: Connection) -> None:
    """Wait for the Lease, say when it is held, and hold it until the process is killed."""
    cluster: Any = _Cluster(objects)
    lease = OperatorLease(cluster, "tools", name, str(os.getpid()))
    wait_for_lease(lease, 0)
    sender.send((os.getpid(), time.monotonic(), lease.number))
    keep_lease(lease)


def _start(objects: Any, name: str, sender: Connection) -> BaseProcess:
    process = FORK.Process(target=_operate, args=(objects, name, sender), daemon=True)
    process.start()
    return process


def kill_holders(objects: Any, name: str, kills: int) -> list[float]:
    """Return the seconds from each kill of a holder until the other one holds the Lease."""
    receiver, sender = FORK.Pipe(duplex=False)
    alive = {each.pid: each for each in (_start(objects, name, sender) for _ in range(2))}
    seconds: list[float] = []
    killed, last = 0.0, 0
    try:
        for _ in range(kills + 1):
            assert receiver.poll(PATIENCE_SECONDS), f"{name}: no one takes over"
            holder, taken, number = receiver.recv()
            assert number > last, f"{name}: two hold it"
            last = number
            seconds += [taken - killed] if killed else []
            assert not receiver.poll(), f"{name}: two hold it"
            if len(seconds) == kills:
                break
            killed = time.monotonic()
            os.kill(holder, signal.SIGKILL)
            alive.pop(holder).join()
            new = _start(objects, name, sender)
            alive[new.pid] = new
    finally:
        for each in alive.values():
            each.kill()
    return seconds


def measure(pairs: int, kills: int) -> list[float]:
    """Return the times of all takeovers, those of each pair one after another, sorted."""
    with _Manager(ctx=FORK) as manager:
        objects: Any = manager.objects()  # type: ignore[attr-defined]
        with ThreadPoolExecutor(pairs) as pool:
            found = pool.map(lambda n: kill_holders(objects, f"lease-{n}", kills), range(pairs))
            return sorted(second for each in found for second in each)


if __name__ == "__main__":
    print(measure(int(sys.argv[1]), int(sys.argv[2])))
