"""Locust starts and stops users in parts, so that its heartbeats go on meanwhile.

Locust starts, and stops, all users of a worker in one turn of its loop. Of 17,000, either takes
1.5 s of CPU time, on a busy node many seconds, after which the master takes the worker for lost.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

_PART = 200
"""Users started or stopped at once: some 20 ms."""


def start_users_in_parts(runner: Any, pause: Callable[[], object]) -> None:
    """Let a `locust.runners.Runner` start users part by part; `pause` lets others run.

    An order that comes meanwhile ends this one in a pause, and counts the users that are there.
    """
    start_all = runner.spawn_users

    def spawn_users(counts: dict[str, int], wait: bool = False) -> list[Any]:
        started: list[Any] = []
        for part in _parts(counts):
            started += start_all(part)
            pause()
        # None to start: Locust notes that the worker has begun to, and may wait for its users.
        started += start_all({}, wait)
        return started

    runner.spawn_users = spawn_users


def stop_users_in_parts(
    runner: Any, lock: AbstractContextManager[object], pause: Callable[[], object]
) -> None:
    """Let a `locust.runners.Runner` stop users part by part; `pause` lets others run.

    Of those, none stops users as well: `lock` is held meanwhile.

    Users that are given time to end are stopped together, as each part would wait for that time.
    """
    stop_all = runner.stop_users

    def stop_users(counts: dict[str, int]) -> None:
        if runner.environment.stop_timeout:
            stop_all(counts)
            return
        with lock:
            for part in _parts(counts):
                stop_all(part)
                pause()

    runner.stop_users = stop_users


def _parts(counts: dict[str, int]) -> Iterator[dict[str, int]]:
    """Yield the users of each class in parts."""
    for name, count in list(counts.items()):
        for before in range(0, count, _PART):
            yield {name: min(_PART, count - before)}
