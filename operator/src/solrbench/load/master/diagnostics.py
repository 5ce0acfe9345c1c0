"""Thread dumps of Solr's nodes, again and again during a step run."""

import logging
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import gevent
import httpx
from gevent.event import Event

from solrbench.api.v1alpha1.load.diagnostics import ThreadDumps
from solrbench.http_auth import HttpAuth
from solrbench.load.master.diagnostics.recorder import MAX_TEXT_BYTES, MOST_NODES
from solrbench.load.master.metrics_client import MetricsClient
from solrbench.results.model.diagnostics import DiagnosticFile
from solrbench.telemetry.thread_dump import format_thread_dump

THREADS = "/admin/info/threads"
TIMEOUT_SECONDS = 10.0


class ThreadDumper:
    """Asks nodes for their threads; `access` is called before the first request."""

    def __init__(
        self, wanted: ThreadDumps, urls: Sequence[str], access: Callable[[], HttpAuth]
    ) -> None:
        self._wanted = wanted
        self._urls = list(urls)[:MOST_NODES]
        self._client = MetricsClient(access, TIMEOUT_SECONDS, THREADS)
        self._ended = Event()
        self._greenlet: gevent.Greenlet | None = None
        self._files: list[DiagnosticFile] = []

    def begin(self) -> None:
        """Dump from now on, in the background; forget the dumps so far."""
        self.end()
        self._ended = Event()
        self._greenlet = gevent.spawn(self._dump_until_end, self._ended)

    def end(self) -> list[DiagnosticFile]:
        """Return the dumps since the begin; no more are taken."""
        self._ended.set()
        if self._greenlet is not None:
            self._greenlet.join()
            self._greenlet = None
        found, self._files = self._files, []
        return found

    def _dump_until_end(self, ended: Event) -> None:
        for number in range(1, self._wanted.count + 1):
            if ended.wait(self._wanted.interval_seconds) or self._is_full():
                return
            jobs = [gevent.spawn(self._dump, url) for url in self._urls]
            gevent.joinall(jobs)
            for url, job in zip(self._urls, jobs, strict=True):
                name = f"threads-{number}-{_host(url)}.txt"
                self._files.append(DiagnosticFile.pack(name, str(job.value)))

    def _is_full(self) -> bool:
        return sum(len(each.content) for each in self._files) > MAX_TEXT_BYTES

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
