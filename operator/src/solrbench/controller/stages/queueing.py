"""The turn of a benchmark: it waits until those before it are over."""

import threading

from pydantic import ValidationError

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cluster.client import BENCHMARKS
from solrbench.controller.context import Run
from solrbench.controller.status_writer import store_status
from solrbench.decide.conditions import SUCCEEDED
from solrbench.decide.queue import ahead_in_queue
from solrbench.errors import TemporaryError

_turn_lock = threading.Lock()
"""Only one pass at a time looks at the queue and takes the place (there is one operator)."""


def wait_for_turn(run: Run) -> None:
    """Take a place among the running benchmarks, and note that in the stored status at once.

    Raises:
        TemporaryError: while others come first.

    """
    if run.status.start_time is not None:
        return
    with _turn_lock:
        before = ahead_in_queue(run.benchmark, _everyone(run), run.settings.concurrency)
        if before:
            run.enter("Queued")
            raise TemporaryError("Queued", f"waits for {', '.join(before[:5])}")
        run.update(start_time=run.now)
        run.enter("Provisioning")
        run.conditions.set(SUCCEEDED, "Unknown", "Running", "")
        run.settle()
        store_status(run)


def _everyone(run: Run) -> list[SolrBenchmark]:
    namespaces: tuple[str | None, ...] = run.settings.namespaces or (None,)
    found = []
    for namespace in namespaces:
        for body in run.cluster.list(*BENCHMARKS, namespace, {}):
            try:
                found.append(SolrBenchmark.parse(body))
            except ValidationError:
                continue  # its own pass says what is wrong with it
    return found
