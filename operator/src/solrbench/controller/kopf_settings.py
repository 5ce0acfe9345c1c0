"""How kopf is set up."""

import logging

import kopf

from solrbench.api.v1alpha1 import GROUP
from solrbench.controller.scheduling.watch_retries import WatchRetries
from solrbench.plan.names import FINALIZER

WORKERS = 32
"""Reconciles are synchronous and wait for HTTP most of their time, each in a thread of its own."""

LIST_CHUNK = 50
"""Benchmarks in one part of a list: results make them large, and parts are not kept."""

IDLE_SECONDS = 0.2
"""How long kopf keeps the last event of a resource, results included, in case another one comes.
With its own 5 s, all that it lists at the start is in memory at once."""


class NoDiffs(kopf.DiffBaseStorage):
    """Keeps nothing of a resource, as no handler asks what has changed.

    kopf would write the whole spec into an annotation. All annotations together may have 256 KiB,
    so that a larger spec could not be watched; and it would copy results with every event.
    """

    def build(self, **_: object) -> kopf.BodyEssence:
        """Return nothing, whatever the resource is."""
        return kopf.BodyEssence()

    def fetch(self, **_: object) -> kopf.BodyEssence:
        """Return the same: nothing has changed."""
        return kopf.BodyEssence()

    def store(self, **_: object) -> None:
        """Write nothing."""


def configure(settings: kopf.OperatorSettings, **_: object) -> None:
    """Set kopf up: our own prefix everywhere, no log lines as events, no silent watches."""
    settings.persistence.finalizer = FINALIZER
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = NoDiffs()
    settings.posting.loggers = False
    settings.posting.level = logging.INFO
    # kopf logs every call of a handler; transitions are logged here instead.
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.getLogger("aiohttp.access").setLevel(logging.WARNING)  # one line for every probe
    settings.execution.max_workers = WORKERS
    settings.queueing.idle_timeout = IDLE_SECONDS
    # The definition is there before kopf starts, and namespaces are given: there is nothing to
    # discover, and no right to list namespaces or definitions is needed.
    settings.scanning.disabled = True
    settings.watching.chunk_size = LIST_CHUNK
    # A connection that died without a word is noticed after this long.
    settings.watching.server_timeout = 240
    settings.watching.client_timeout = 300
    settings.watching.connect_timeout = 30
    settings.networking.error_backoffs = WatchRetries()
