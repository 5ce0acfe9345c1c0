"""Diagnostics of Solr's nodes during the step runs of one repeat: dumps, GC logs, recordings.

Agents in Solr's pods are asked side by side. Nothing depends on them: where a node does not
respond, the file says so. Of a GC log only what was written since the begin is kept.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, Protocol, TypeVar
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


MAX_NODES = 8
"""Nodes of which files are taken, so that a document of a step run stays small."""


class AgentFiles(ABC):
    """One kind of files of agents at addresses such as `solr-0.solr.ns.svc:9101`."""

    what: ClassVar[str]
    """As messages call it."""
    max_nodes: ClassVar[int] = MAX_NODES
    max_bytes: ClassVar[int]
    """Of a response; the agent sends less."""
    timeout_seconds: ClassVar[float]
    _begun: gevent.Greenlet

    def __init__(self, addresses: Sequence[str], token: str) -> None:
        self._addresses = addresses[: self.max_nodes]
        self._http = create_pooled_client(
            self.timeout_seconds, headers={TOKEN_HEADER: token}, max_bytes=self.max_bytes
        )

    def begin(self) -> None:
        """Let every agent begin, in the background: one may be silent."""
        self._begun = gevent.spawn(self._each, self._begin)

    @abstractmethod
    def _begin(self, agent: str) -> int | None: ...

    def _each(self, ask: Callable[[str], Answer]) -> dict[str, Answer | Exception]:
        """Return what every agent says, or the exception instead."""
        answers = Group().map(partial(self._caught, ask), self._addresses)
        return dict(zip(self._addresses, answers, strict=True))

    def _caught(self, ask: Callable[[str], Answer], agent: str) -> Answer | Exception:
        try:
            return ask(agent)
        except NO_ANSWER_ERRORS as error:
            _logger.info("no %s from %s: %r", self.what, agent, error)
            return error

    def _request(
        self, method: str, agent: str, path: str, parameters: dict[str, int]
    ) -> httpx.Response:
        response = self._http.request(method, f"http://{agent}{path}", params=parameters)
        return response.raise_for_status()

    def _file(self, agent: str, name: str, content: str | Exception) -> DiagnosticFile:
        """Return a file of an agent; one that could not be had says why."""
        if isinstance(content, Exception):
            content = f"no {self.what} of {pod_of(agent)}: {format_error(content)}\n"
        return DiagnosticFile.pack(name, content)


class FlightRecordings(AgentFiles):
    """The recordings of pods, given the addresses of their agents and their token."""

    what = "flight recording"
    max_nodes = 2  # each has up to 1 MiB
    max_bytes = 2 << 20
    timeout_seconds = 60.0
    """The JVM writes the file, and an agent of 0.05 cores packs it."""

    def __init__(self, agents: Sequence[str], token: str, seconds: int) -> None:
        super().__init__(agents, token)
        self._seconds = seconds

    def _begin(self, agent: str) -> None:
        self._request("POST", agent, FLIGHT_RECORDING, {"seconds": self._seconds})

    def end(self) -> list[DiagnosticFile]:
        """End the recordings and return them."""
        begun: dict[str, Exception | None] = self._begun.get()
        ended = self._each(
            lambda agent: self._request("DELETE", agent, FLIGHT_RECORDING, {}).content
        )
        # What was not begun cannot be taken: the first error is the one that says why.
        return [
            self._recording(agent, begun[agent] or recording) for agent, recording in ended.items()
        ]

    def _recording(self, agent: str, found: bytes | Exception) -> DiagnosticFile:
        name = f"flight-{pod_of(agent)}"
        if isinstance(found, Exception):
            return self._file(agent, f"{name}.txt", found)
        return DiagnosticFile.of_packed(f"{name}.jfr", found)


GC_LOG = "/gc-log"


class GcLogs(AgentFiles):
    """The logs of pods, of which only what is added is kept."""

    what = "GC log"
    max_bytes = 4 << 20  # the text is JSON
    timeout_seconds = 10.0

    def _begin(self, agent: str) -> int:
        return int(self._get(agent, {})["bytes"])

    def end(self) -> list[DiagnosticFile]:
        """Return what was added to each log since the begin."""
        lengths: dict[str, int | Exception] = self._begun.get()

        def added(agent: str) -> str:
            before = lengths[agent]
            # From its start where its length is not known: too much is better than nothing.
            begin = 0 if isinstance(before, Exception) else before
            return str(self._get(agent, {"begin": begin})["text"])

        return [
            self._file(agent, f"gc-{pod_of(agent)}.log", text)
            for agent, text in self._each(added).items()
        ]

    def _get(self, agent: str, parameters: dict[str, int]) -> Any:
        return self._request("GET", agent, GC_LOG, parameters).json()


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
    # A limit of their own, so that long logs leave room for the recordings.
    for is_text, most in ((True, MAX_TEXT_BYTES), (False, MAX_RECORDING_BYTES)):
        kind = [file for file in files if file.is_text is is_text]
        sizes = accumulate(len(file.content) for file in kind)
        kept += [file for file, size in zip(kind, sizes, strict=True) if size <= most]
    return kept
