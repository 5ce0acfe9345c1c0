import asyncio
import threading
from collections.abc import Iterator
from itertools import count

import pytest

from solrbench.index.sender import PrefetchReader


async def test_every_item_is_taken_once_and_all_takers_end() -> None:
    found: list[int] = []

    async def taker(reader: PrefetchReader[int]) -> None:
        while (item := await reader.take()) is not None:
            found.append(item)
            await asyncio.sleep(0)

    async with (
        asyncio.timeout(5),
        PrefetchReader(lambda: iter(range(1, 100)), 3) as reader,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(4):
            group.create_task(taker(reader))
    assert sorted(found) == list(range(1, 100))


async def test_reads_no_further_ahead_than_allowed() -> None:
    made = 0

    def items() -> Iterator[int]:
        nonlocal made
        while made < 1000:
            made += 1
            yield made

    async with PrefetchReader(items, 5) as reader:
        for _ in range(200):
            taken = await reader.take()
            assert taken is not None
            assert made <= taken + 7
    assert made < 250


async def test_failure_of_the_reader_reaches_the_taker_after_what_was_read() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    async with PrefetchReader(items, 5) as reader:
        assert await reader.take() == 1
        with pytest.raises(ValueError, match="broken"):
            await reader.take()
        assert await reader.take() is None


def test_thread_ends_when_the_consumer_stops() -> None:
    ended = threading.Event()

    def items() -> Iterator[int]:
        try:
            yield from count(1)
        finally:
            ended.set()

    async def run() -> PrefetchReader[int]:
        async with PrefetchReader(items, 2) as reader:
            await reader.take()
        return reader

    reader = asyncio.run(run())
    assert ended.wait(5)
    assert reader._stopped.is_set()
