"""Thread dumps of Solr's nodes during the step runs of one repeat.

Nothing depends on them: where a node does not respond, the file says so.
"""

import logging
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import gevent
import httpx
from gevent.event import Event

from solrbench.api.v1alpha1.load.diagnostics import Diagnostics
from solrbench.http_auth import HttpAuth
from solrbench.load.master.metrics_client import MetricsClient
from solrbench.load.telemetry.thread_dump import format_thread_dump
from solrbench.results.model.diagnostics import DiagnosticFile

THREADS = "/admin/info/threads"
TIMEOUT_SECONDS = 10.0
MOST_NODES = 8
"""Nodes that are asked, so that a document of a step run stays small."""

MAX_BYTES = 1 << 20
"""Packed files of a step run; dumps after that are left out."""


class DiagnosticsRecorder:
    """Asks nodes for their threads; `access` is called before the first request."""

    def __init__(
        self, wanted: Diagnostics, urls: Sequence[str], access: Callable[[], HttpAuth]
    ) -> None:
        self._wanted = wanted
        self._urls = list(urls)[:MOST_NODES]
        self._client = MetricsClient(access, TIMEOUT_SECONDS, THREADS)
        self._ended = Event()
        self._greenlet: gevent.Greenlet | None = None
        self._files: list[DiagnosticFile] = []

    def mark(self, repeat: int) -> None:
        """Begin, if a step run is of the repeat that is wanted."""
        self.end()
        if repeat == self._wanted.repeat:
            self._ended = Event()
            self._greenlet = gevent.spawn(self._dump_until_end, self._ended)

    def end(self) -> list[DiagnosticFile]:
        """Return what was taken since the mark; no more is."""
        self._ended.set()
        if self._greenlet is not None:
            self._greenlet.join()
            self._greenlet = None
        found, self._files = self._files, []
        return found

    def _dump_until_end(self, ended: Event) -> None:
        dumps = self._wanted.thread_dumps
        for number in range(1, dumps.count + 1):
            if ended.wait(dumps.interval_seconds) or self._is_full():
                return
            jobs = [gevent.spawn(self._dump, url) for url in self._urls]
            gevent.joinall(jobs)
            for url, job in zip(self._urls, jobs, strict=True):
                name = f"threads-{number}-{_host(url)}.txt"
                self._files.append(DiagnosticFile.pack(name, str(job.value)))

    def _is_full(self) -> bool:
        return sum(len(each.content) for each in self._files) > MAX_BYTES

    def _dump(self, url: str) -> str:
        try:
            response = self._client.get(url, {"wt": "json"}).raise_for_status()
            return format_thread_dump(response.json())
        except (httpx.HTTPError, ValueError, TypeError, KeyError, AttributeError) as error:
            logging.getLogger(__name__).info("no thread dump of %s: %r", url, error)
            return f"no thread dump of {url}: {error or type(error).__name__}\n"


def _host(url: str) -> str:
    """Return a host as part of a file name: the pod, or what else stands first in it."""
    parts = urlsplit(url)
    host = parts.hostname or "solr"
    first = host if host.replace(".", "").isdigit() or ":" in host else host.partition(".")[0]
    return f"{first.replace(':', '-')}-{parts.port or 80}"
