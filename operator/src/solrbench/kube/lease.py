"""The Lease that lets one of several operators write, and the connection that asks it.

No clocks are compared: the Lease is taken over when it has not changed for `LEASE_SECONDS` by the
clock of who wants it, and its holder has written nothing any more for a while by then. A holder
that cannot renew it only pauses: as long as no other one has taken it, it goes on.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime

from solrbench.errors import ConflictError, TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import Connection, Request
from solrbench.kube.reader import Manifest
from solrbench.reasons.end import ApiServerReason

LEASE = ("coordination.k8s.io/v1", "Lease")
LEASE_SECONDS = 10.0
HELD_SECONDS = 9.0
"""How long a holder writes after it has sent its last renewal. Requests end then, too."""
REQUEST_SECONDS = 4.0
MAX_CLOCK_SECONDS = 60.0
"""Difference from the clock of the API server with which nothing is written: deadlines and times to
live would be over that are not."""


class LeaseTakenError(TemporaryError):
    """Another operator holds the Lease."""


class OperatorLease:
    """The Lease of one operator process; safe for threads."""

    def __init__(
        self,
        cluster: Cluster,
        namespace: str,
        name: str,
        holder: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cluster = cluster.within(REQUEST_SECONDS)
        self._key = namespace, name
        self._holder = holder
        self._clock = clock
        self._idle = threading.Condition()
        self._writes = 0
        self._held_until = -math.inf
        self._seen: tuple[str | None, float] = (None, -math.inf)
        self._stored: Manifest = {}
        self.number = 0
        """The version that the Lease had when it was taken. It grows with each holder, also if the
        Lease is deleted meanwhile, as versions may be compared (KEP-5504)."""
        self.is_released = False
        """Whether it was given up, so that another one may hold it."""

    def try_take(self) -> bool:
        """Take the Lease if it is free; return whether it is held now.

        It raises `TemporaryError` if the API server does not respond, or refuses.
        """
        body = self._cluster.get(*LEASE, *self._key)
        spec = {} if body is None else body.get("spec") or {}
        version = None if body is None else body["metadata"]["resourceVersion"]
        now = self._clock()
        if version != self._seen[0]:
            self._seen = version, now
        # A container that is restarted has the name of the one before, which is gone.
        is_free = spec.get("holderIdentity") in (None, "", self._holder)
        if not is_free and now - self._seen[1] < LEASE_SECONDS:
            return False
        taken = {"acquireTime": _now(), "leaseTransitions": spec.get("leaseTransitions", 0) + 1}
        try:
            # etcd begins to count at 1: with this version the Lease is made, and none is changed.
            self._write(taken, version or "1")
        except ConflictError:
            return False  # another one was faster
        self.number = int(self._stored["metadata"]["resourceVersion"])
        return True

    def renew(self) -> None:
        """Hold the Lease for longer.

        Raises:
            LeaseTakenError: if another one holds it, or it was deleted.
            TemporaryError: if the API server does not respond; what holds, holds until it is over.
        """
        kept = self._kept()
        try:
            self._write(kept, self._stored["metadata"]["resourceVersion"])
        except ConflictError:
            # The response to the last renewal may have been lost.
            body = self._cluster.get(*LEASE, *self._key) or {}
            found = body.get("spec") or {}
            own = self._holder, kept["acquireTime"]
            if (found.get("holderIdentity"), found.get("acquireTime")) != own:
                holder = found.get("holderIdentity") or "none"
                text = f"Lease {'/'.join(self._key)} is held by {holder}"
                raise LeaseTakenError(ApiServerReason.LEASE_NOT_HELD, text) from None
            self._write(kept, body["metadata"]["resourceVersion"])

    def release(self) -> None:
        """Write no more, wait for writes that are under way, and let another one take the Lease."""
        with self._idle:
            self.is_released, self._held_until = True, -math.inf
            self._idle.wait_for(lambda: not self._writes, HELD_SECONDS)
        self._apply(self._kept(), self._stored["metadata"]["resourceVersion"])

    @contextmanager
    def writing(self) -> Iterator[float]:
        """Write in the block, for as many seconds as this yields.

        Raises:
            TemporaryError: if the Lease was not renewed in time: another one may write by now.
        """
        with self._idle:
            left = self._held_until - self._clock()
            if left <= 0:
                text = f"Lease {'/'.join(self._key)} could not be renewed; nothing is written"
                raise TemporaryError(ApiServerReason.LEASE_NOT_HELD, text)
            self._writes += 1
        try:
            yield left
        finally:
            with self._idle:
                self._writes -= 1
                self._idle.notify_all()

    def _kept(self) -> Manifest:
        return {key: self._stored["spec"][key] for key in ("acquireTime", "leaseTransitions")}

    def _write(self, spec: Manifest, version: str) -> None:
        # Counted from before the request: another one counts from when it sees the change.
        sent = self._clock()
        self._stored = self._apply(spec | {"holderIdentity": self._holder}, version)
        with self._idle:
            if not self.is_released:  # a renewal may be under way at the end
                self._held_until = sent + HELD_SECONDS

    def _apply(self, spec: Manifest, version: str) -> Manifest:
        namespace, name = self._key
        times = {"renewTime": _now(), "leaseDurationSeconds": int(LEASE_SECONDS)}
        return self._cluster.apply(
            {
                "apiVersion": LEASE[0],
                "kind": LEASE[1],
                "metadata": {"name": name, "namespace": namespace, "resourceVersion": version},
                "spec": times | spec,
            }
        )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class LeasedConnection(Connection):
    """Sends every request that reads, and one that writes only while the Lease is held."""

    def __init__(self, inner: Connection, lease: OperatorLease) -> None:
        self._inner = inner
        self._lease = lease
        self.server, self.errors, self.closed = inner.server, inner.errors, inner.closed

    def exchange(self, request: Request, seconds: float) -> tuple[int, bytes]:
        """Send a request.

        It raises `TemporaryError` if it writes and the Lease is not held, or the clock is wrong.
        """
        if request.method == "GET":
            return self._inner.exchange(request, seconds)
        ahead = self._inner.seconds_ahead
        if abs(ahead) > MAX_CLOCK_SECONDS:
            text = (
                f"the clock of the API server is {ahead:+.0f} s from that of the operator, limit"
                f" {MAX_CLOCK_SECONDS:.0f} s; nothing is written"
            )
            raise TemporaryError(ApiServerReason.CLOCK_DIFFERS, text)
        with self._lease.writing() as left:
            return self._inner.exchange(request, min(seconds, left))

    def stream(
        self, request: Request, seconds: float | None
    ) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        """Open a response; only what reads comes in parts."""
        return self._inner.stream(request, seconds)
