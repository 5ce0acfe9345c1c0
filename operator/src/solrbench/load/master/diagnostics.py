"""Diagnostics of Solr's nodes during the step runs of one repeat: dumps, GC logs, recordings.

Agents in Solr's pods are asked side by side. Nothing depends on them: where a node does not
respond, the file says so. Of a GC log only what was written since the begin is kept.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import gevent
import httpx2 as httpx
from gevent.event import Event
from gevent.pool import Group

from solrbench.api.v1alpha1.validity import ThreadDumps
from solrbench.contract.server_document import DiagnosticFile
from solrbench.errors import format_error
from solrbench.net.http import NO_ANSWER_ERRORS, HttpAuth, create_pooled_client
from solrbench.net.token import TOKEN_HEADER
from solrbench.telemetry.agent import FLIGHT_RECORDING
from solrbench.telemetry.jvm import format_thread_dump
from solrbench.telemetry.sources import THREADS, MetricsClient, pod_of

Answer = TypeVar("Answer")

_logger = logging.getLogger(__name__)


class Agents:
    """Agents at addresses such as `solr-0.solr.ns.svc:9101`, asked with their token."""

    def __init__(
        self, addresses: Sequence[str], token: str, *, what: str, max_bytes: int, seconds: float
    ) -> None:
        """Ask these for `what`, as messages call it, of up to `max_bytes` within `seconds`."""
        self.addresses = list(addresses)
        self._what = what
        headers = {TOKEN_HEADER: token}
        self._http = create_pooled_client(seconds, headers=headers, max_bytes=max_bytes)

    def each(self, ask: Callable[[str], Answer]) -> dict[str, Answer | Exception]:
        """Return what every agent says, or the exception instead."""
        answers = Group().map(partial(self._caught, ask), self.addresses)
        return dict(zip(self.addresses, answers, strict=True))

    def request(
        self, method: str, agent: str, path: str, parameters: dict[str, int]
    ) -> httpx.Response:
        """Return the response of one agent; `httpx.HTTPError` if it is not a good one."""
        response = self._http.request(method, f"http://{agent}{path}", params=parameters)
        return response.raise_for_status()

    def file(self, agent: str, name: str, content: str | Exception) -> DiagnosticFile:
        """Return a file of an agent; one that could not be had says why."""
        if isinstance(content, Exception):
            content = f"no {self._what} of {pod_of(agent)}: {format_error(content)}\n"
        return DiagnosticFile.pack(name, content)

    def _caught(self, ask: Callable[[str], Answer], agent: str) -> Answer | Exception:
        try:
            return ask(agent)
        except NO_ANSWER_ERRORS as error:
            _logger.info("no %s from %s: %r", self._what, agent, error)
            return error


MAX_RECORDED_NODES = 2
"""Each has up to 1 MiB."""

RECORDING_TIMEOUT_SECONDS = 60.0
"""The JVM writes the file, and an agent of 0.05 cores packs it."""

_MAX_RECORDING_BYTES = 2 << 20
"""Of a response; the agent sends less."""


class FlightRecordings:
    """The recordings of pods, given the addresses of their agents and their token."""

    def __init__(self, agents: Sequence[str], token: str, seconds: int) -> None:
        self._agents = Agents(
            agents[:MAX_RECORDED_NODES],
            token,
            what="flight recording",
            max_bytes=_MAX_RECORDING_BYTES,
            seconds=RECORDING_TIMEOUT_SECONDS,
        )
        self._seconds = seconds
        self._begun: gevent.Greenlet | None = None

    def begin(self) -> None:
        """Record from now on, begun in the background: an agent may be silent."""
        self._begun = gevent.spawn(self._agents.each, self._begin)

    def end(self) -> list[DiagnosticFile]:
        """End the recordings and return them."""
        if self._begun is None:
            return []
        begun: dict[str, Exception | None] = self._begun.get()
        self._begun = None
        ended = self._agents.each(
            lambda agent: self._agents.request("DELETE", agent, FLIGHT_RECORDING, {}).content
        )
        # What was not begun cannot be taken: the first error is the one that says why.
        return [self._file(agent, begun[agent] or recording) for agent, recording in ended.items()]

    def _begin(self, agent: str) -> None:
        self._agents.request("POST", agent, FLIGHT_RECORDING, {"seconds": self._seconds})

    def _file(self, agent: str, found: bytes | Exception) -> DiagnosticFile:
        name = f"flight-{pod_of(agent)}"
        if isinstance(found, Exception):
            return self._agents.file(agent, f"{name}.txt", found)
        return DiagnosticFile.of_packed(f"{name}.jfr", found)


MAX_NODES = 8
"""Nodes of which files are taken, so that a document of a step run stays small."""

MAX_TEXT_BYTES = 1 << 20
"""Dumps and logs of a step run, packed, base64; those after that are left out."""

MAX_RECORDING_BYTES = 3 << 20
"""Recordings of a step run, base64: two of 1 MiB are 2.7 MiB."""


class DiagnosticsSource(Protocol):
    """One kind of files."""

    def begin(self) -> None:
        """Begin to take them anew; a step run begins to be measured."""

    def end(self) -> list[DiagnosticFile]:
        """Take no more; return those since the begin."""


@dataclass(eq=False, repr=False)
class DiagnosticsRecorder:
    """Takes files from all sources in the step runs of one repeat."""

    repeat: int
    sources: Sequence[DiagnosticsSource]
    _is_taking: bool = field(default=False, init=False)

    def mark(self, repeat: int) -> None:
        """Begin, if a step run is of the repeat that is wanted."""
        self._is_taking = repeat == self.repeat
        if self._is_taking:
            for source in self.sources:
                source.begin()

    def end(self) -> list[DiagnosticFile]:
        """Return what was taken since the mark; no more is."""
        if not self._is_taking:
            return []
        self._is_taking = False
        return limit_size([file for source in self.sources for file in source.end()])


def limit_size(files: Sequence[DiagnosticFile]) -> list[DiagnosticFile]:
    """Return the first texts and the first recordings, as many as the limits hold."""
    kept = []
    # Apart, so that long logs leave room for the recordings.
    for is_text, most in ((True, MAX_TEXT_BYTES), (False, MAX_RECORDING_BYTES)):
        kind = [file for file in files if file.is_text is is_text]
        sizes = accumulate(len(file.content) for file in kind)
        kept += [file for file, size in zip(kind, sizes, strict=True) if size <= most]
    return kept


GC_LOG = "/gc-log"
GC_LOG_TIMEOUT_SECONDS = 10.0
_MAX_GC_LOG_BYTES = 4 << 20
"""Of a response, whose text is JSON; the agent sends less."""


class GcLogs:
    """The logs of pods, given the addresses of their agents and their token."""

    def __init__(self, agents: Sequence[str], token: str) -> None:
        self._agents = Agents(
            agents[:MAX_NODES],
            token,
            what="GC log",
            max_bytes=_MAX_GC_LOG_BYTES,
            seconds=GC_LOG_TIMEOUT_SECONDS,
        )
        self._begins: dict[str, int] = {}
        self._begun: gevent.Greenlet | None = None

    def begin(self) -> None:
        """Note how long the logs are, in the background: an agent may be silent."""
        self._begun = gevent.spawn(
            self._agents.each, lambda agent: int(self._get(agent, {})["bytes"])
        )

    def end(self) -> list[DiagnosticFile]:
        """Return what was added to each log since then."""
        if self._begun is not None:
            sizes: dict[str, int | Exception] = self._begun.get()
            self._begins = {agent: size for agent, size in sizes.items() if isinstance(size, int)}
            self._begun = None
        return [
            self._agents.file(agent, f"gc-{pod_of(agent)}.log", added)
            for agent, added in self._agents.each(self._added).items()
        ]

    def _added(self, agent: str) -> str:
        # From its start where its length is not known: too much is better than nothing.
        return str(self._get(agent, {"begin": self._begins.get(agent, 0)})["text"])

    def _get(self, agent: str, parameters: dict[str, int]) -> Any:
        return self._agents.request("GET", agent, GC_LOG, parameters).json()


THREAD_DUMP_TIMEOUT_SECONDS = 10.0


class ThreadDumper:
    """Asks nodes for their threads; `access` is called before the first request."""

    def __init__(
        self, wanted: ThreadDumps, urls: Sequence[str], access: Callable[[], HttpAuth]
    ) -> None:
        self._wanted = wanted
        self._urls = list(urls)[:MAX_NODES]
        self._client = MetricsClient(access, THREAD_DUMP_TIMEOUT_SECONDS, THREADS)
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
        files, self._files = self._files, []
        return files

    def _dump_until_end(self, ended: Event) -> None:
        for number in range(1, self._wanted.count + 1):
            full = sum(len(file.content) for file in self._files) > MAX_TEXT_BYTES
            if full or ended.wait(self._wanted.interval_seconds):
                return
            for url, text in zip(self._urls, Group().map(self._dump, self._urls), strict=True):
                name = f"threads-{number}-{_host(url)}.txt"
                self._files.append(DiagnosticFile.pack(name, text))

    def _dump(self, url: str) -> str:
        try:
            response = self._client.get(url, {"wt": "json"}).raise_for_status()
            return format_thread_dump(response.json())
        except NO_ANSWER_ERRORS as error:
            _logger.info("no thread dump of %s: %r", url, error)
            return f"no thread dump of {url}: {format_error(error)}\n"


def _host(url: str) -> str:
    """Return a host as part of a file name: the pod, or what else stands first in it."""
    parts = urlsplit(url)
    host = parts.hostname or "solr"
    first = host if host.replace(".", "").isdigit() or ":" in host else host.partition(".")[0]
    return f"{first.replace(':', '-')}-{parts.port or 80}"
