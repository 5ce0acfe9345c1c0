"""How often kopf asks the API server again: for ever where it lists and watches."""

import asyncio
import itertools
import logging
from collections.abc import Iterator, Sequence

log = logging.getLogger("solrbench")

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
