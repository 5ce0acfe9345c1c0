"""Batches posted to the leaders of their shards, and tried again while that may help.

Leaders are read from Solr itself. Documents are read in a thread, ahead of the event loop that
sends them.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, Self, TypeVar
from urllib.parse import quote

import httpx2 as httpx

from solrbench.contract.pod_plans import IndexPlan
from solrbench.index.errors import (
    IndexingError,
    RetryPolicy,
    connection_failure,
    parse_failure,
    refusal,
    unavailable,
)
from solrbench.index.progress import ProgressCounter
from solrbench.index.routing import Batch, Routes, parse_routes
from solrbench.index.update_client import UpdateClient


@dataclass(frozen=True, eq=False, repr=False)
class LeaderResolver:
    """Reads the routes of the collection of a plan from whichever node responds."""

    http: httpx.AsyncClient
    plan: IndexPlan

    async def read(self) -> Routes:
        """Return the routes as they are now.

        It raises `IndexingError` if no node knows the collection; a retry may succeed.
        """
        failure = unavailable("spec.target", "has no node")
        for url in self.plan.solr_urls:
            try:
                return await self._fetch(url)
            except IndexingError as error:
                failure = error
            except httpx.TransportError as error:
                failure = connection_failure(url, error)
            if failure.permanent:  # what one node refuses for good, the others refuse alike
                break
        raise failure

    async def _fetch(self, url: str) -> Routes:
        collection = self.plan.collection
        params = {"action": "CLUSTERSTATUS", "collection": collection, "wt": "json"}
        response = await self.http.get(f"{url}/admin/collections", params=params)
        if turned_away := refusal(response.status_code, url):
            raise turned_away
        if response.status_code != 200:
            raise unavailable(url, f"HTTP {response.status_code} for CLUSTERSTATUS")
        try:
            routes = parse_routes(response.json(), collection, self.plan.dataset.id_field)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise unavailable(url, f"CLUSTERSTATUS is not as expected: {error!r}") from error
        if routes is None or not routes.shards:
            raise unavailable(url, f"there is no active shard of collection {collection}")
        if self.plan.leader_urls is None:
            return routes
        endpoints = [f"{each}/{collection}" for each in self.plan.solr_urls]
        return routes.via_endpoints(endpoints, self.plan.leader_urls)


@dataclass(eq=False, repr=False)
class Sender:
    """Posts batches; several may be under way at once."""

    client: UpdateClient
    leaders: LeaderResolver
    routes: Routes
    retry_policy: RetryPolicy
    counter: ProgressCounter
    _turn: int = field(default=0, init=False)

    async def send(self, batch: Batch) -> None:
        """Post a batch until Solr has taken it, and count it.

        It raises `IndexingError` if Solr refuses a document, or fails longer than the retries last.
        """
        self.counter.sending()
        attempts, begin = count(), time.perf_counter()

        async def attempt() -> None:
            if number := next(attempts):
                if number == 1:
                    self.counter.retried()
                # Without new leaders the old are the best guess; the post shows what is wrong.
                with suppress(IndexingError):
                    self.routes = await self.leaders.read()
            await self._post(batch)

        await self.retry_policy.call_async(attempt)
        seconds = time.perf_counter() - begin
        self.counter.accepted(batch.documents, len(batch.body), seconds)

    async def _post(self, batch: Batch) -> None:
        self._turn += 1
        routes = self.routes
        leader = routes.leader_of(batch.shard, self._turn)
        if leader is None:
            raise unavailable(f"shard {batch.shard or 'of any name'}", "has no active leader")
        url = f"{leader}/update?wt=json"
        # Without it, an implicit router without a field keeps a document where it arrives.
        if routes.implicit and not routes.field_routed and batch.shard is not None:
            url += f"&_route_={quote(batch.shard, safe='')}"
        try:
            status, response = await self.client.post(url, batch.body)
        except OSError as error:
            raise connection_failure(leader, error) from error
        if failure := parse_failure(status, response, leader):
            raise failure


Item = TypeVar("Item")


class PrefetchReader(Generic[Item]):
    """Runs an iterator in a thread, at most `depth` items ahead of the takers."""

    def __init__(self, items: Callable[[], Iterator[Item]], depth: int) -> None:
        """Keep `items`, which makes the iterator inside the thread."""
        self._is_read = asyncio.Event()
        self._failure: BaseException | None = None
        self._stopped = threading.Event()
        self._items = items
        self._free = threading.Semaphore(depth)
        self._queue: asyncio.Queue[Item | BaseException | None] = asyncio.Queue()
        # A read that hangs in the network must not keep the process alive.
        self._thread = threading.Thread(target=self._read, name="reader", daemon=True)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopped.set()
        self._free.release()  # the thread may wait for room that no consumer will make

    async def wait_until_read(self) -> None:
        """Wait until there is nothing more to read, which `depth` must allow.

        It raises what the iterator did: then nothing needs to be taken.
        """
        await self._is_read.wait()
        if self._failure is not None:
            raise self._failure

    async def take(self) -> Item | None:
        """Return the next item, None to every taker after the last; raise what the iterator did."""
        item = await self._queue.get()
        self._free.release()
        if item is None or isinstance(item, BaseException):
            self._queue.put_nowait(None)
        if isinstance(item, BaseException):
            raise item
        return item

    def _read(self) -> None:
        try:
            for item in self._items():
                self._free.acquire()
                if self._stopped.is_set():
                    break
                self._call(self._queue.put_nowait, item)
        except BaseException as error:  # noqa: BLE001 - handed to who takes the items
            self._failure = error
        self._call(self._queue.put_nowait, self._failure)
        self._call(self._is_read.set)

    def _call(self, callback: Callable[..., None], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            self._stopped.set()  # the event loop is closed: no consumer is left
