"""The least that a Python program spends at a planned rate: it waits, writes, reads, no more.

`python -m bench.floor URL RATE SECONDS` checks nothing, keeps nothing and uses one connection. What
it costs is the price of waking up twice for each request and of the network on this machine.
"""

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit

from bench.peers import question
from bench.processes import prefer, started
from bench.servers.running import Server

_MOST_BYTES = 1 << 16


@contextmanager
def floor(server: Server, folder: Path, rate: int, seconds: int) -> Iterator[int]:
    """Run one; gives its process id."""
    command = [sys.executable, "-m", "bench.floor", question(server), str(rate), str(seconds)]
    with started(command, folder / "floor.log") as process:
        yield process.pid


def ask(url: str, rate: int, seconds: int) -> None:
    """Ask so often, for so long."""
    parts = urlsplit(url)
    message = f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
    with socket.create_connection((parts.hostname or "", parts.port or 80)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = time.perf_counter()
        for number in range(rate * seconds):
            time.sleep(max(began + number / rate - time.perf_counter(), 0))
            connection.sendall(message)
            connection.recv(_MOST_BYTES)


def timer_lag_p99_ms(rate: int, seconds: int) -> float:
    """Return how late a timer rings on this machine that does nothing else, before all others."""
    prefer([os.getpid()])
    lags, due = [], time.perf_counter()
    try:
        for _ in range(rate * seconds):
            due += 1 / rate
            time.sleep(max(due - time.perf_counter(), 0))
            lags.append(time.perf_counter() - due)
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return 1000 * quantiles(lags, n=100)[98]


if __name__ == "__main__":
    ask(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
