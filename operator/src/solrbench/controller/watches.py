"""Watches of what belongs to benchmarks that run, so that a change of it is noticed at once.

How often kopf asks the API server again: for ever where it lists and watches.
"""

import asyncio
import itertools
import logging
import threading
from collections.abc import Callable, Iterator, Sequence

from solrbench.contract.names import LABEL_BENCHMARK
from solrbench.controller.schedule import BenchmarkKey
from solrbench.errors import SolrbenchError
from solrbench.kube.client import Cluster

log = logging.getLogger("solrbench")

OnChange = Callable[[str], None]
"""Called with the uid of the benchmark, in the thread of a watch."""

KINDS = (("v1", "Pod"), ("batch/v1", "Job"))
"""What StatefulSets, SolrClouds and Deployments do shows in their pods."""
WATCH_SECONDS = 240
"""After which the API server ends a watch, and the next begins."""
RETRY_SECONDS = 30.0
"""Before a watch that was refused or interrupted begins anew."""


class RunWatches:
    """The pods and Jobs of every benchmark that runs, watched by a thread for each kind.

    Args:
        cluster: where they are
        on_change: called when one of them is new, changed or gone
    """

    def __init__(self, cluster: Cluster, on_change: OnChange) -> None:
        self._cluster = cluster
        self._on_change = on_change
        self._lock = threading.Lock()
        self._watches: dict[str, list[_Watch]] = {}

    def begin(self, key: BenchmarkKey) -> None:
        """Watch what belongs to a benchmark, if that is not done already."""
        with self._lock:
            if key.uid not in self._watches:
                self._watches[key.uid] = [
                    _Watch(self._cluster, key, kind, self._on_change) for kind in KINDS
                ]

    def end(self, uid: str) -> None:
        """Watch nothing more of a benchmark; unknown ones are fine."""
        with self._lock:
            for watch in self._watches.pop(uid, ()):
                watch.stopped.set()

    def are_open(self, uid: str) -> bool:
        """Return whether every change of what belongs to a benchmark is noticed at present."""
        with self._lock:
            watches = self._watches.get(uid, ())
        return bool(watches) and all(watch.is_open.is_set() for watch in watches)


class _Watch:
    """One kind of object of a benchmark."""

    def __init__(
        self, cluster: Cluster, key: BenchmarkKey, kind: tuple[str, str], on_change: OnChange
    ) -> None:
        self.stopped = threading.Event()
        self.is_open = threading.Event()
        self._cluster, self._key, self._kind, self._on_change = cluster, key, kind, on_change
        name = f"{kind[1]} of {key.namespace}/{key.name}"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while not self.stopped.is_set():
            try:
                self._follow()
            except SolrbenchError as error:
                self.is_open.clear()
                text = " ".join(str(error).split())
                log.info("%s/%s: not watched: %s", self._key.namespace, self._key.name, text)
                self.stopped.wait(RETRY_SECONDS)

    def _follow(self) -> None:
        """Pass changes on until the API server ends the watch.

        Raises:
            SolrbenchError: if it is refused or interrupted.
        """
        changes = self._cluster.watch_changes(
            *self._kind,
            self._key.namespace,
            {LABEL_BENCHMARK: self._key.name},
            seconds=WATCH_SECONDS,
            on_open=self.is_open.set,
        )
        for _ in changes:
            if self.stopped.is_set():
                return
            self._on_change(self._key.uid)


BACKOFFS: Sequence[float] = (1, 1, 2, 3, 5, 8, 13, 21)
"""Seconds between the attempts of every request; kopf's own."""

WATCH_BACKOFF = 60.0
"""Seconds between further attempts to list or watch a namespace."""


class WatchRetries:
    """Pauses after refused or failed requests, without an end for those of kopf's watchers.

    A watcher that gives up ends the whole operator: one namespace that is deleted, or whose role
    is, would stop the benchmarks of all others. With an endless sequence that namespace alone
    rests, and goes on when the role is back. All other requests fail as before.

    Args:
        first: pauses in seconds that every request gets
        watch: pause in seconds between further attempts of a watcher
    """

    def __init__(self, first: Sequence[float] = BACKOFFS, watch: float = WATCH_BACKOFF) -> None:
        self._first = first
        self._watch = watch

    def __iter__(self) -> Iterator[float]:
        """Return the pauses of one request."""
        yield from self._first
        task = asyncio.current_task()
        name = "" if task is None else task.get_name()
        if not name.startswith("watcher for "):
            return
        log.error(
            "%s: refused or unreachable; the others go on. Asked again every %g s; if the namespace"
            " is deleted, take it out of watchNamespaces, or else restore the operator's role",
            name,
            self._watch,
        )
        yield from itertools.repeat(self._watch)
