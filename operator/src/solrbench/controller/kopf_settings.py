"""How kopf is set up, and that it goes on whatever the API server answers."""

import asyncio
import itertools
import logging
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, cast

import kopf
from aiohttp import (
    ClientConnectionError,
    ClientHandlerType,
    ClientPayloadError,
    ClientRequest,
    ClientResponse,
    ClientSession,
    StreamReader,
    TCPConnector,
)

from solrbench.api.kinds import KINDS, SWEEP
from solrbench.api.v1alpha1 import GROUP
from solrbench.contract.names import FINALIZER
from solrbench.errors import TemporaryError
from solrbench.kube.lease import OperatorLease
from solrbench.kube.reader import METADATA_OF_EVENTS, METADATA_ONLY, without_managed_fields

log = logging.getLogger("solrbench")

_WATCHED = frozenset(kind.plural for kind in KINDS)
_EXPIRED = 410
_LEFT_TO_KOPF = frozenset({401, 403, 429})
"""Of those that blame the request: kopf logs in again, or tries again by itself."""

LEASE_MEMO = "lease"
"""Where the memo of kopf has the Lease, if there is one."""


async def log_in(**arguments: Any) -> kopf.AiohttpSession | None:
    """Return a session of the pod's service account, or else of the kubeconfig."""
    info = kopf.login_with_service_account(**arguments) or kopf.login_with_kubeconfig(**arguments)
    memo = arguments.get("memo") or {}
    return None if info is None else open_session(info, memo.get(LEASE_MEMO))


def open_session(
    info: kopf.ConnectionInfo, lease: OperatorLease | None = None
) -> kopf.AiohttpSession:
    """Return a session as kopf makes it, with watches that do not end the operator.

    With a Lease, what kopf itself writes (finalizers, events) needs it, too.
    """

    async def hold(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        if lease is None or request.method == "GET":
            return await handler(request)
        try:
            with lease.writing() as left:
                async with asyncio.timeout(left):
                    return await handler(request)
        except TemporaryError as error:  # kopf tries again after errors of its own library only
            raise ClientConnectionError(str(error)) from error

    session = ClientSession(
        connector=TCPConnector(limit=0, ssl=info.as_ssl_context()),
        headers=info.as_http_headers(),
        proxy=info.proxy_url,
        trust_env=info.trust_env,
        middlewares=(hold, spare_specs, spare_managed_fields, ListParts(), keep_watching),
    )
    return kopf.AiohttpSession(
        server=info.server,
        default_namespace=info.default_namespace,
        priority=info.priority,
        expiration=info.expiration,
        aiohttp_session=session,
    )


async def spare_specs(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """Ask for the metadata of sweeps alone, as their handlers look at nothing else.

    A template has no schema: a megabyte of it may be lists without items, which take 36 as values.
    """
    if request.method == "GET" and request.url.name == SWEEP.plural:
        is_watch = "watch" in request.url.query
        request.headers["Accept"] = METADATA_OF_EVENTS if is_watch else METADATA_ONLY
    return await handler(request)


async def spare_managed_fields(
    request: ClientRequest, handler: ClientHandlerType
) -> ClientResponse:
    """Leave `managedFields` out of the events of a watch, before kopf parses them.

    Nested 1,000 times they would raise `RecursionError`, which ends the operator.
    """
    response = await handler(request)
    if request.url.name in _WATCHED and "watch" in request.url.query:
        response.content = cast("StreamReader", _EventLines(response.content))
    return response


class _EventLines:
    """A stream for kopf, which takes what it reads of a watch from `iter_chunked` alone."""

    def __init__(self, stream: StreamReader) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def iter_chunked(self, size: int) -> AsyncIterator[bytes]:
        rest = b""
        async for piece in self._stream.iter_chunked(size):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield without_managed_fields(line) + b"\n"
        yield without_managed_fields(rest)


class ListParts:
    """A middleware that reads the lists of kopf one at a time, each part small as text.

    Results make benchmarks large, and so do `managedFields`, which are left out of what is parsed.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._limits: dict[str, int] = {}
        """Objects to ask for in the next part of a list, by its path."""

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Return what is asked for; of a list, ask for fewer objects until a part is small."""
        url = request.url
        if request.method != "GET" or url.name not in _WATCHED or "watch" in url.query:
            return await handler(request)
        limit = self._limits.get(url.path, LIST_CHUNK) if "continue" in url.query else LIST_CHUNK
        while True:
            request.url = url.update_query(limit=limit)
            response = await handler(request)
            async with self._turn:
                # One object takes no more than etcd lets it have.
                text = await _read_up_to(response, PART_BYTES if limit > 1 else sys.maxsize)
            if text is not None:
                break
            response.close()
            limit = limit // 10 or 1
        is_small = 10 * len(text) <= PART_BYTES
        self._limits[url.path] = min(10 * limit, LIST_CHUNK) if is_small else limit
        # The API server lists no metadata as null, which kopf does not know of.
        is_metadata = url.name == SWEEP.plural
        empty, none = b'"items":[]', b'"items":null'
        text = without_managed_fields(text)
        response._body = text.replace(none, empty) if is_metadata else text  # noqa: SLF001
        return response


async def _read_up_to(response: ClientResponse, max_bytes: int) -> bytes | None:
    """Return the body of a response, or `None` once more than so many bytes of it have come."""
    text = bytearray()
    async for piece in response.content.iter_any():
        text += piece
        if len(text) > max_bytes:
            return None
    return bytes(text)


async def keep_watching(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """Let kopf list or watch again where it would end the operator.

    A definition that is deleted and made again, as some upgrades and backups do, answers 404 for
    that time; a list that took longer than the API server keeps its version answers 410.

    Raises:
        ClientConnectionError: for 404 and the like; kopf asks again after a pause.
        ClientPayloadError: for a list that expired; kopf begins it anew.
    """
    response = await handler(request)
    if request.method != "GET" or request.url.name not in _WATCHED:
        return response
    if not 400 <= response.status < 500 or response.status in _LEFT_TO_KOPF:
        return response
    response.release()
    text = f"{request.url.path}: HTTP status {response.status}"
    if response.status == _EXPIRED and "watch" not in request.url.query:
        raise ClientPayloadError(text)
    raise ClientConnectionError(text)


WORKERS = 32
"""Reconciles are synchronous and wait for HTTP most of their time, each in a thread of its own."""

LIST_CHUNK = 50
"""Benchmarks in one part of a list, unless they are large: parts are not kept."""

PART_BYTES = 2 << 20
"""Text of a part of a list with several objects."""

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


BACKOFFS: Sequence[float] = (1, 1, 2, 3, 5, 8, 13, 21)
"""Seconds between the attempts of every request; kopf's own."""

WATCH_BACKOFF = 60.0
"""Seconds between further attempts to list or watch a namespace."""


class WatchRetries:
    """Pauses after refused or failed requests, without an end for those of kopf's watchers.

    A watcher that gives up ends the whole operator: one namespace that is deleted, or whose role
    is, would stop the benchmarks of all others. With an endless sequence that namespace alone
    rests, and goes on when the role is back. All other requests fail as before.
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


def configure(settings: kopf.OperatorSettings, **_: object) -> None:
    """Set kopf up: our own prefix everywhere, no log lines as events, no silent watches."""
    settings.persistence.finalizer = FINALIZER
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = NoDiffs()
    settings.posting.loggers = False
    settings.posting.level = logging.INFO
    # kopf logs every call of a handler; transitions are logged here instead.
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
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
