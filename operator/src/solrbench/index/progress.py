"""What an index pod has done so far, from the counter in the pod to the operator.

The pod counts while it runs, serves `/progress` and `/metrics` over HTTP, one request a connection,
and leaves the last state behind as its termination message.
"""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx2 as httpx
from aiohttp import web

from solrbench.contract.pod_plans import INDEX_PORT, IndexProgress, pack_telemetry
from solrbench.contract.server_document import Telemetry
from solrbench.index.errors import IndexingError
from solrbench.index.files import ReadCounts
from solrbench.net.deadline import AddressCheck, single_family, url_host
from solrbench.net.http import create_client, fetch, utf8_text
from solrbench.telemetry.summary import POD_METRICS, OwnPodMeter

MAX_TERMINATION_MESSAGE_BYTES = 4096
"""Kubernetes cuts a termination message here, and cut JSON is no JSON."""

_TELEMETRY_KEY_BYTES = 20
"""Of `"telemetry":"",`."""

_SHORT_NAME = 16
"""Characters of the name of a file that are kept, its end; shorter ones name no file."""

_log = logging.getLogger(__name__)


class ProgressCounter:
    """Counts accepted batches; `progress` has the counts so far."""

    def __init__(
        self, pod: int, clock: Callable[[], float], meter: OwnPodMeter | None = None
    ) -> None:
        """Start at zero; `clock` returns the Unix time in seconds.

        `meter` reads what the pod uses from its first batch on: before that, Python starts.
        """
        self.progress = IndexProgress(pod=pod)
        self._clock = clock
        self._meter = meter
        self._last: float | None = None
        self._target: Telemetry | None = None

    def sending(self) -> None:
        """Note the time of the first batch."""
        if self.progress.started is None:
            if self._meter is not None:
                self._meter.begin()
            self._update(started=self._clock())

    def retried(self) -> None:
        """Count a batch that is sent a second time."""
        self._update(retried_batches=self.progress.retried_batches + 1)

    def accepted(self, documents: int, size: int, seconds: float) -> None:
        """Count a batch that Solr has taken; `size` is that of its body, `seconds` its wait."""
        done, self._last = self.progress, self._clock()
        self._update(
            documents=done.documents + documents,
            bytes=done.bytes + size,
            waiting_seconds=round(done.waiting_seconds + seconds, 6),
        )

    def observed(self, target: Telemetry) -> None:
        """Note what Solr did, as much as a termination message has room for beside the rest."""
        self._target = target

    def sent(self) -> None:
        """Note what the pod used, after the last batch."""
        if self._meter is not None:
            pod = self._meter.figures()
            known = {n: round(pod.figures[n], 3) for n in POD_METRICS if n in pod.figures}
            self._update(usage={"seconds": round(pod.seconds, 3)} | known)

    def read(self, reads: ReadCounts) -> None:
        """Note what was read and cleaned, after the last document."""
        if reads.files:
            slowest = sorted(reads.slowest, key=lambda file: file.seconds, reverse=True)
            self._update(files=reads.files, slowest_files=slowest)
        if reads.cleaned is not None:
            self._update(cleaned=reads.cleaned)

    def ended(self, failure: IndexingError | None = None) -> None:
        """Note the end and what brought it about."""
        # Not now: after the last response, the first pod reads Solr once more.
        self._update(finished=self._clock() if failure else self._last or self._clock())
        if failure is not None:
            self._update(reason=failure.reason.value, message=str(failure))
        elif self._target is not None:
            # The names of files get what it leaves: without series nothing of Solr can be shown.
            beside = self.progress.model_copy(update={"slowest_files": []})
            room = MAX_TERMINATION_MESSAGE_BYTES - len(as_json(beside)) - _TELEMETRY_KEY_BYTES
            self._update(telemetry=pack_telemetry(self._target, room))

    def _update(self, **changes: object) -> None:
        self.progress = self.progress.model_copy(update=changes)


def as_json(progress: IndexProgress) -> bytes:
    """Return the JSON of `/progress`."""
    return progress.model_dump_json(by_alias=True, exclude_none=True).encode()


def termination_message(progress: IndexProgress) -> bytes:
    """Return JSON of at most `MAX_TERMINATION_MESSAGE_BYTES`.

    Names of files are shortened first, then files left out, then the message is cut in the middle.
    Both ends of a message matter: the place stands first, the remedy last.
    """
    text = as_json(progress)
    while len(text) > MAX_TERMINATION_MESSAGE_BYTES and progress.slowest_files:
        files = progress.slowest_files
        longest = max(len(each.name) for each in files)
        if longest > _SHORT_NAME:
            end = max(longest * 3 // 4, _SHORT_NAME)
            files = [each.model_copy(update={"name": each.name[-end:]}) for each in files]
        else:
            files = files[: len(files) // 2]
        progress = progress.model_copy(update={"slowest_files": files})
        text = as_json(progress)
    message = progress.message or ""
    keep = len(message)
    # By trial: JSON escapes characters, so that the length of the text is not that of the bytes.
    while len(text) > MAX_TERMINATION_MESSAGE_BYTES:
        keep = keep * 3 // 4
        cut = f"{message[: keep // 2]} … {message[len(message) - keep // 2 :]}"
        text = as_json(progress.model_copy(update={"message": cut}))
    return text


def write_termination_message(progress: IndexProgress, file: Path) -> None:
    """Write the progress where Kubernetes looks for it."""
    try:
        file.write_bytes(termination_message(progress))
    except OSError as error:
        # The exit code still shows how the run ended; outside a container there is no such file.
        _log.warning("no termination message: %s", error)


def as_metrics(progress: IndexProgress, benchmark: str) -> bytes:
    """Return the counts in Prometheus' text exposition format 0.0.4."""
    labels = f'{{benchmark="{benchmark}",pod="{progress.pod}"}}'
    rows: list[tuple[str, str, str, float | None]] = [
        ("documents_total", "counter", "Documents that Solr has accepted.", progress.documents),
        ("bytes_total", "counter", "Bytes of accepted request bodies.", progress.bytes),
        ("retried_batches_total", "counter", "Batches sent again.", progress.retried_batches),
        ("started_timestamp_seconds", "gauge", "Time of the first batch.", progress.started),
        ("finished_timestamp_seconds", "gauge", "Time of the last response.", progress.finished),
    ]
    lines = [
        f"# HELP solrbench_index_{name} {text}\n"
        f"# TYPE solrbench_index_{name} {kind}\n"
        f"solrbench_index_{name}{labels} {value}\n"
        for name, kind, text, value in rows
        if value is not None
    ]
    return "".join(lines).encode()


REQUEST_SECONDS = 5.0
"""A connection on which no whole request has come for so long is closed."""

_LINE_BYTES = 1 << 12
_HEADERS = 32
_SHUTDOWN_SECONDS = 1.0

Page = Callable[[], tuple[str, bytes]]
"""Returns content type and body."""


@asynccontextmanager
async def serve_progress(pages: Mapping[str, Page], host: str, port: int) -> AsyncIterator[int]:
    """Serve GET for each path of `pages` while the block runs; yield the port.

    A request line and each header have at most 4 KiB, a request at most 32 headers; a body is
    not read. For port 0 the system chooses one.
    """
    application = web.Application()
    for path, page in pages.items():
        application.router.add_get(path, partial(_respond, page), allow_head=False)
    runner = web.AppRunner(
        application,
        access_log=None,
        keepalive_timeout=REQUEST_SECONDS,
        lingering_time=0,
        max_line_size=_LINE_BYTES,
        max_field_size=_LINE_BYTES,
        max_headers=_HEADERS,
        shutdown_timeout=_SHUTDOWN_SECONDS,
    )
    await runner.setup()
    try:
        for address in single_family(host):
            await web.TCPSite(runner, address, port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def _respond(page: Page, _request: web.Request) -> web.StreamResponse:
    kind, body = page()
    response = web.Response(body=body, headers={"Content-Type": kind})
    response.force_close()  # a client that kept it would find it closed now and then
    return response


TIMEOUT_SECONDS = 2.0
MAX_BYTES = 64 << 10
"""A progress has some hundred bytes; what responds may be any pod with the labels."""


def read_progress(host: str, check: AddressCheck | None = None) -> str:
    """Return the progress of the index pod at a host as JSON, empty while it does not respond.

    `check` is of the addresses of the connection.
    """
    url = f"http://{url_host(host)}:{INDEX_PORT}/progress"
    try:
        with create_client(check=check) as http:
            return utf8_text(fetch(http, "GET", url, max_bytes=MAX_BYTES, seconds=TIMEOUT_SECONDS))
    except httpx.HTTPError:
        return ""  # the next reconcile asks again; the end is in the termination message
