"""Watches that fill a queue of names, and one worker that reconciles them one after another."""

import queue
import threading
from collections.abc import Callable
from typing import Any

from kubernetes.dynamic.exceptions import ApiException
from urllib3.exceptions import HTTPError

from support.solr_operator.objects import Kind, Objects

Body = dict[str, Any]
Source = tuple[Kind, str, Callable[[Body], str | None]]
"""A kind to watch, the labels it must have, and whose reconcile its change triggers."""

SOON_SECONDS = 1.0


class Controller:
    """Calls `reconcile` with a name whenever something of that name changed."""

    def __init__(self, reconcile: Callable[[str], bool]) -> None:
        self._reconcile = reconcile
        self._names: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._waiting: set[str] = set()
        self._lock = threading.Lock()

    def start(self, objects: Objects, sources: list[Source]) -> list[threading.Thread]:
        """Start the watches and the worker; they end with the process.

        Raises:
            ResourceNotFoundError: if the API server does not know a kind, as at a real start.
        """
        for kind, _, _ in sources:
            objects.must_serve(kind)
        threads = [threading.Thread(target=self.work, daemon=True)]
        for kind, labels, owner in sources:
            arguments = (kind, labels, lambda body, owner=owner: self.enqueue(owner(body)))
            threads.append(threading.Thread(target=objects.watch, args=arguments, daemon=True))
        for thread in threads:
            thread.start()
        return threads

    def enqueue(self, name: str | None) -> None:
        """Queue a reconcile, unless one is queued already."""
        if name is None:
            return
        with self._lock:
            if name in self._waiting:
                return
            self._waiting.add(name)
        self._names.put(name)

    def work(self) -> None:
        """Reconcile name after name for ever."""
        while True:
            self.reconcile_next()

    def reconcile_next(self) -> None:
        """Wait for a name and reconcile it; after an error, again soon."""
        name = self._names.get()
        with self._lock:
            self._waiting.discard(name)
        try:
            again = self._reconcile(name)
        except (ApiException, HTTPError, OSError) as error:
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
            again = True
        if again:
            timer = threading.Timer(SOON_SECONDS, self.enqueue, [name])
            timer.daemon = True
            timer.start()
