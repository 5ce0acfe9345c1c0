"""The bridge from a blocking reader to the event loop."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")


class PrefetchReader(Generic[Item]):
    """Runs an iterator in a thread, at most `depth` items ahead of who takes them.

    The thread is a daemon: a read that hangs in the network does not keep the process alive.
    """

    def __init__(self, items: Callable[[], Iterator[Item]], depth: int) -> None:
        """Keep `items`, which makes the iterator inside the thread."""
        self._stopped = threading.Event()
        self._items = items
        self._free = threading.Semaphore(depth)
        self._queue: asyncio.Queue[Item | BaseException | None] = asyncio.Queue()
        self._thread = threading.Thread(target=self._read, name="reader", daemon=True)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self._free.release()  # the thread may wait for room that no consumer will make

    async def take(self) -> Item | None:
        """Return the next item, or `None` after the last one, to every taker.

        Raises:
            Exception: what the iterator raised

        """
        found = await self._queue.get()
        self._free.release()
        if found is None or isinstance(found, BaseException):
            self._queue.put_nowait(None)
        if isinstance(found, BaseException):
            raise found
        return found

    def _read(self) -> None:
        last: BaseException | None = None
        try:
            for item in self._items():
                self._free.acquire()
                if self._stopped.is_set():
                    break
                self._put(item)
        except BaseException as error:  # noqa: BLE001 - handed to who takes the items
            last = error
        self._put(last)

    def _put(self, item: Item | BaseException | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)
        except RuntimeError:
            self._stopped.set()  # the event loop is closed: no consumer is left
