"""Two operators of one Lease, paused and killed at drawn moments, and all that they wrote.

Versions of objects are numbers of one sequence for all kinds, and the fencing number of an operator
is the version with which it took the Lease: who held it at a write is known without a clock.
"""

import itertools
import json
import signal
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

from support.cluster import api_server
from support.cluster.disturbed_operator import DisturbedOperator

Body = dict[str, Any]

LEASE = "bench"
WATCH_SECONDS = "5"
LONG_PAUSE, SHORT_PAUSE, KILL = (10.5, 20.0), (0.5, 8.0), None
"""Seconds between which the length of a pause is drawn: with a long one, the other takes over."""
REST = (2.0, 10.0)
"""Seconds between two interferences."""


class OperatorPair:
    """Two operators, of which one at a time is paused or killed for so many seconds."""

    def __init__(self, namespace: str, folder: Path, seed: int, seconds: float) -> None:
        self.counts = Counter[str]()
        self._lease, self._source = api_server.path_of("leases", namespace, LEASE), Random(seed)
        self._actions = itertools.cycle((LONG_PAUSE, KILL, SHORT_PAUSE, KILL))
        # One that has lost the Lease ends by itself, with 1.
        self._operators = [DisturbedOperator(namespace, folder, each, (-9, 1)) for each in "ab"]
        for each in self._operators:
            each.set_environment(SOLRBENCH_LEASE=LEASE, SOLRBENCH_OPERATOR_NAMESPACE=namespace)
        self.log = self._operators[0].log
        self._paused: DisturbedOperator | None = None
        self._until = time.monotonic() + seconds
        self._next = time.monotonic() + self._source.uniform(*REST)

    def keep_running(self) -> None:
        """Start again what has ended, and pause, continue or kill one if it is time."""
        for each in self._operators:
            each.keep_running()
        if time.monotonic() > self._next and not self.is_over():
            self._next = time.monotonic() + self._source.uniform(*self._interfere())

    def is_over(self) -> bool:
        """Return whether the seconds are over, and both kinds of interference were made."""
        return time.monotonic() > self._until and len(self.counts) > 1 and self._paused is None

    def close(self) -> None:
        for each in self._operators:
            each.close()

    def _interfere(self) -> tuple[float, float]:
        """End a pause, begin one of the holder, or kill one; return the seconds until the next."""
        holder = (api_server.read(self._lease) or {"spec": {}})["spec"].get("holderIdentity")
        if self._paused is not None:
            self._paused.send(signal.SIGCONT)
            self._paused = None
        elif holder is not None:
            action = next(self._actions)
            wants_holder = action is not None or self._source.random() < 0.75
            chosen = [each for each in self._operators if (each.host == holder) == wants_holder]
            operator = chosen[0] if chosen else self._operators[0]
            self.counts["kills" if action is None else "pauses"] += 1
            time.sleep(self._source.uniform(0, 0.3))  # not only while benchmarks are looked at
            if action is not None:
                operator.send(signal.SIGSTOP)
                self._paused = operator
                return action
            operator.kill()
            if self._source.random() < 0.5:  # another pod; else its container is started again
                operator.host += operator.host[0]
        return REST


@contextmanager
def recorded(namespace: str, *plurals: str) -> Iterator[dict[str, list[Body]]]:
    """Give every version of the objects of some kinds, which are whole after the block."""
    versions: dict[str, list[Body]] = {each: [] for each in plurals}
    paths = {each: api_server.path_of(each, namespace) for each in plurals}
    first = {each: (api_server.read(paths[each]) or {})["metadata"] for each in plurals}
    over = Event()

    def record(plural: str) -> None:
        version, is_last = first[plural]["resourceVersion"], False
        while not is_last:
            is_last = over.is_set()
            query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": WATCH_SECONDS}
            with http_client.stream("GET", paths[plural], params=query) as response:
                for event in map(json.loads, response.iter_lines()):
                    assert event["type"] != "ERROR", event
                    version = event["object"]["metadata"]["resourceVersion"]
                    versions[plural].append(event["object"])

    # A client of their own: the connections of so many watches are closed at the end.
    with api_server.client.__wrapped__() as http_client, ThreadPoolExecutor(len(plurals)) as pool:
        threads = [pool.submit(record, each) for each in plurals]
        try:
            yield versions
        finally:
            over.set()
        for each in threads:
            each.result()


def writes_without_lease(resources: Iterable[Body], leases: Iterable[Body]) -> list[str]:
    """Return the writes of a status with another number than that of the holder at this version."""
    taken: dict[str, int] = {}
    for body in leases:
        taken.setdefault(body["spec"]["acquireTime"], int(body["metadata"]["resourceVersion"]))
    numbers, found = sorted(taken.values()), []
    last: dict[str, Body] = {}
    for body in resources:
        metadata, status = body["metadata"], body.get("status") or {}
        version, uid = int(metadata["resourceVersion"]), metadata["uid"]
        holder = numbers[bisect_right(numbers, version) - 1]
        if status != last.get(uid, {}) and status.get("fencingNumber") != holder:
            found.append(f"{metadata['name']} at {version}, holder {holder}: {status}")
        last[uid] = status
    return found


def doubles(versions: Iterable[Body]) -> dict[tuple[str, str], set[str]]:
    """Return the uids of what was made more than once, by the uid of its owner, and its name."""
    uids: dict[tuple[str, str], set[str]] = defaultdict(set)
    for body in versions:
        metadata = body["metadata"]
        for owner in metadata.get("ownerReferences") or ():
            uids[owner["uid"], f"{body['kind']}/{metadata['name']}"].add(metadata["uid"])
    return {key: found for key, found in uids.items() if len(found) > 1}
