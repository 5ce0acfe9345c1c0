"""The pods and Jobs of benchmarks, watched so that a change of one is noticed at once."""

import logging
import threading
from collections.abc import Callable, Sequence

from solrbench.contract.names import LABEL_BENCHMARK
from solrbench.kube.client import Cluster

log = logging.getLogger("solrbench")

KINDS = (("v1", "Pod"), ("batch/v1", "Job"))
"""What StatefulSets, SolrClouds and Deployments do shows in their pods."""
WATCH_SECONDS = 240
"""After which the API server ends a watch, and the next begins."""
FIRST_RETRY_SECONDS = 1.0
LAST_RETRY_SECONDS = 30.0
"""Before a watch that ended, was refused or interrupted begins anew; the pause doubles from the
first to the last, and is the first again as soon as a watch has begun."""


class PodWatches:
    """Two watches for each watched namespace, or for all together, each in a thread of its own.

    They show what has the label of a benchmark, whether the operator runs this benchmark or not:
    to begin and end a watch with each benchmark would cost two connections each. They have no
    owner but the process, which ends their threads with it.

    Without `namespaces`, those of every one are shown. `on_change` is called when a pod or Job is
    new, changed or gone, and for all at each begin: with namespace and name of the benchmark, in
    the thread of a watch.
    """

    def __init__(
        self, cluster: Cluster, namespaces: Sequence[str], on_change: Callable[[str, str], None]
    ) -> None:
        self._cluster = cluster
        self._on_change = on_change
        self._stopped = threading.Event()
        self._open = {
            (namespace, kind): threading.Event()
            for namespace in namespaces or (None,)
            for kind in KINDS
        }

    def start(self) -> None:
        """Begin to watch, once."""
        for (namespace, kind), is_open in self._open.items():
            threading.Thread(
                target=self._run,
                args=(namespace, kind, is_open),
                name=f"{kind[1]} of {namespace or 'every namespace'}",
                # It waits in a read for up to `WATCH_SECONDS`; the process does not, at its end.
                daemon=True,
            ).start()

    def stop(self) -> None:
        """Report no further change."""
        self._stopped.set()

    def are_open(self, namespace: str) -> bool:
        """Return whether every change of a pod or Job in a namespace is noticed at present."""
        place = None if (None, KINDS[0]) in self._open else namespace
        watches = [self._open.get((place, kind)) for kind in KINDS]
        return not self._stopped.is_set() and all(each and each.is_set() for each in watches)

    def _run(self, namespace: str | None, kind: tuple[str, str], is_open: threading.Event) -> None:
        pause = FIRST_RETRY_SECONDS
        while not self._stopped.is_set():
            try:
                for changed in self._cluster.watch_changes(
                    *kind, namespace, LABEL_BENCHMARK, seconds=WATCH_SECONDS, on_open=is_open.set
                ):
                    if self._stopped.is_set():
                        return
                    self._on_change(changed["namespace"], changed["labels"][LABEL_BENCHMARK])
            except Exception as error:  # noqa: BLE001  # a dead thread would notice nothing for ever
                text = " ".join(str(error).split()) or type(error).__name__
                place = namespace or "every namespace"
                log.info("%s: changes of each %s are not noticed: %s", place, kind[1], text)
            # Until the next watch is open, reconciles look for themselves; it begins with all that
            # is there, so that what changed meanwhile is noticed then.
            if is_open.is_set():  # it ends after its time even where nothing has changed
                pause = FIRST_RETRY_SECONDS
            is_open.clear()
            self._stopped.wait(pause)
            pause = min(2 * pause, LAST_RETRY_SECONDS)
