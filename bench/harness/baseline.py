"""The least that the machine costs: a bare loop in C at a planned rate, and a bare timer.

The loop (`baseline.c`) checks nothing, keeps nothing and uses one connection. What it costs is the
price of waking up twice for each request and of the network on this machine, in any language.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit

from bench.harness.peers import question
from bench.harness.processes import prefer, started
from bench.servers.running import Server

_SOURCE = Path(__file__).parent / "baseline.c"


@contextmanager
def run_baseline(server: Server, folder: Path, rate: int, seconds: int) -> Iterator[int]:
    """Run the bare loop; gives its process id.

    Raises:
        FileNotFoundError: there is no C compiler.
    """
    program = folder / "baseline"
    subprocess.run(["cc", "-O2", "-o", str(program), str(_SOURCE)], check=True)
    parts = urlsplit(question(server))
    path = f"{parts.path}?{parts.query}"
    command = [str(program), str(server.port), path, str(rate), str(seconds)]
    with started(command, folder / "baseline.log") as process:
        yield process.pid


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
