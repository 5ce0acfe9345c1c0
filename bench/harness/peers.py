"""Who is compared: each sends to one URL until it is ended.

The least of them is a bare loop in C at a planned rate (`baseline.c`). It checks nothing, keeps
nothing and uses one connection. What it costs is the price of waking up twice for each request and
of the network on this machine, in any language. A bare timer stands beside the lag of a worker.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit

from bench.harness.processes import prefer, started
from bench.harness.product import product
from bench.servers.running import Server

CONNECTIONS = 20
_FOREVER_SECONDS = 120
"""Longer than any measurement; a peer that is not ended ends itself."""

_K6 = """
import http from 'k6/http';
export const options = %s;
export default function () { http.get('%s'); }
"""

_LOCUST = """
from locust import FastHttpUser, task

class QueryUser(FastHttpUser):
    @task
    def query(self):
        self.client.get('/books/select?q=word1&wt=json', name='select')
"""

_AIOLOCUST = """
from aiolocust import HttpUser

class QueryUser(HttpUser):
    async def run(self):
        async with self.client.get('%s') as response:
            await response.read()
"""


def question(server: Server) -> str:
    """Return the URL that peers request, the same path as the product's."""
    return f"{server.url}/books/select?q=word1&wt=json"


@contextmanager
def ours(server: Server, folder: Path) -> Iterator[int]:
    """Run our master and one worker; gives the worker's process id."""
    step = {"name": "full", "users": CONNECTIONS, "durationSeconds": _FOREVER_SECONDS}
    with product(server, folder, step) as running:
        running.wait_for_stage("Measuring")
        yield running.workers[0]


def fast_http_user(server: Server, folder: Path) -> AbstractContextManager[int]:
    """Run Locust with its `FastHttpUser`, in one process."""
    script = folder / "locustfile.py"
    script.write_text(_LOCUST)
    command = [
        *(sys.executable, "-m", "locust", "-f", str(script), "--headless", "--only-summary"),
        *("-u", str(CONNECTIONS), "-r", str(CONNECTIONS), "-t", f"{_FOREVER_SECONDS}s"),
        *("-H", server.url, "--skip-log", "--exit-code-on-error", "0"),
    ]
    return _running(command, folder / "locust.log")


def aiolocust(server: Server, folder: Path) -> AbstractContextManager[int]:
    """Run aiolocust with one event loop."""
    script = folder / "aiolocustfile.py"
    script.write_text(_AIOLOCUST % question(server))
    options = ["-u", str(CONNECTIONS), "-d", str(_FOREVER_SECONDS), "--event-loops", "1"]
    command = [_program("aiolocust"), str(script), *options]
    return _running(command, folder / "aiolocust.log")


def wrk(server: Server, folder: Path) -> AbstractContextManager[int]:
    """Run wrk with one thread."""
    options = ["-t", "1", "-c", str(CONNECTIONS), "-d", f"{_FOREVER_SECONDS}s"]
    command = [_program("wrk"), *options, question(server)]
    return _running(command, folder / "wrk.log")


def k6(server: Server, folder: Path) -> AbstractContextManager[int]:
    """Run k6 with a script that sends and does nothing else."""
    options = {"vus": CONNECTIONS, "duration": f"{_FOREVER_SECONDS}s"}
    return _k6(server, folder, options)


def paced_k6(server: Server, folder: Path, rate: int) -> AbstractContextManager[int]:
    """Run k6 at a rate, with arrivals of its own planning."""
    scenario = {
        "executor": "constant-arrival-rate",
        "rate": rate,
        "duration": f"{_FOREVER_SECONDS}s",
        "preAllocatedVUs": CONNECTIONS,
    }
    return _k6(server, folder, {"scenarios": {"paced": scenario}})


def _k6(server: Server, folder: Path, options: dict[str, object]) -> AbstractContextManager[int]:
    script = folder / "k6.js"
    script.write_text(_K6 % (json.dumps(options), question(server)))
    command = [_program("k6"), "run", "--quiet", "--no-usage-report", "--no-summary", str(script)]
    return _running(command, folder / "k6.log")


@contextmanager
def _running(command: Sequence[str], log: Path) -> Iterator[int]:
    """Run a program; gives its process id."""
    with started(command, log) as process:
        yield process.pid


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not on the PATH; hack/tools bench provides it")
    return found


_SOURCE = Path(__file__).parent / "baseline.c"


def run_baseline(
    server: Server, folder: Path, rate: int, seconds: int
) -> AbstractContextManager[int]:
    """Run the bare loop."""
    program = folder / "baseline"
    subprocess.run(["cc", "-O2", "-o", str(program), str(_SOURCE)], check=True)
    parts = urlsplit(question(server))
    path = f"{parts.path}?{parts.query}"
    command = [str(program), str(server.port), path, str(rate), str(seconds)]
    return _running(command, folder / "baseline.log")


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
