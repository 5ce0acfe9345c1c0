"""A master and its workers as processes, and the server that they send to."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx2 as httpx

from bench.harness.processes import wait_until
from bench.harness.product import plan_body
from bench.servers.running import free_port
from solrbench.contract.load_plan import LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.net.token import TOKEN_HEADER
from support.servers.http_server import HttpServer, Script, respond_well

SOURCES = Path(__file__).parents[3] / "operator" / "src"
LATE_SECONDS = 5
"""A busy machine ends a step late, but never by this much."""
GOES_ON = {"onWorkerLoss": "Redistribute"}
SOON = {"worker-silent-seconds": 3}


@contextmanager
def serving(script: Script = respond_well) -> Iterator[HttpServer]:
    """Serve in a thread, since the test itself waits for processes."""
    server, ready, loop = HttpServer(script), threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert ready.wait(5)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def wait_for_handler(pid: int, number: signal.Signals) -> None:
    """Wait until a process handles a signal: one that still starts would die of it."""

    def is_handled() -> bool:
        status = Path(f"/proc/{pid}/status").read_text("ascii")
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
        return bool(int(caught.split()[1], 16) >> (number - 1) & 1)

    wait_until(is_handled, 25, f"a handler of {number.name}")


class Load:
    """A master and its workers."""

    def __init__(self, folder: Path, plan: dict[str, Any], queries: str, **options: float) -> None:
        self.web, self.locust = free_port(), free_port()
        self.plan = folder / "plan.json"
        self.plan.write_text(json.dumps(plan))
        (folder / "queries.txt").write_text(queries)
        self.results = folder / "results"
        self._arguments = [
            *("--plan", str(self.plan), "--queries-folder", str(folder)),
            *("--results-folder", str(self.results)),
            *("--web-port", str(self.web), "--locust-port", str(self.locust)),
            *(text for key, value in options.items() for text in (f"--{key}", str(value))),
        ]
        self._log = (folder / "log").open("w")
        self.master = self.start("master")
        self.workers = [self.start("worker") for _ in range(plan["workers"])]
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{self.web}",
            headers={TOKEN_HEADER: plan["token"]},
            trust_env=False,
        )

    def start(self, role: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "solrbench.load", role, *self._arguments],
            env=os.environ | {"PYTHONPATH": str(SOURCES)},
            stdout=self._log,
            stderr=self._log,
        )

    def state(self) -> LoadState | None:
        try:
            return LoadState.model_validate_json(self.http.get("/solrbench/state").content)
        except httpx.TransportError:
            return None

    def wait(self, holds: Callable[[LoadState], bool], seconds: float = 25) -> LoadState:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            state = self.state()
            if state is not None and holds(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s; last seen: {state}")

    def wait_for_page(self, requests: dict[str, int], seconds: float = 6) -> None:
        """Wait until Locust's page shows so many requests of each step."""
        deadline, shown = time.monotonic() + seconds, Counter[str]()
        while time.monotonic() < deadline:
            rows = self.http.get("/stats/requests").json()["stats"]
            shown = Counter[str]()
            for row in rows:
                shown[row["method"]] += row["num_requests"] if row["method"] else 0
            if +shown == requests:
                return
            time.sleep(0.2)
        raise AssertionError(f"page shows {shown}")

    def fetch(self, step_run_id: str) -> StepRunResult:
        answer = self.http.get(f"/solrbench/results/{step_run_id}").raise_for_status()
        return StepRunResult.model_validate_json(answer.content)

    def acknowledge(self, step_run_id: str) -> int:
        return self.http.post(f"/solrbench/results/{step_run_id}/ack").status_code

    def store(self, step_run_id: str, seconds: float = 60) -> StepRunResult:
        """Take a finished document over, as the operator does."""
        self.wait(lambda state: step_run_id in state.unacknowledged, seconds)
        document = self.fetch(step_run_id)
        self.acknowledge(step_run_id)
        return document

    def exit_codes(self, seconds: float = 10) -> list[int]:
        return [each.wait(seconds) for each in (self.master, *self.workers)]

    def close(self) -> None:
        for each in (self.master, *self.workers):
            if each.poll() is None:
                each.kill()
            each.wait()
        self.http.close()
        self._log.close()


@contextmanager
def running(folder: Path, plan: dict[str, Any], queries: str, **options: float) -> Iterator[Load]:
    load = Load(folder, plan, queries, **options)
    try:
        yield load
    except BaseException:
        print((folder / "log").read_text())
        raise
    finally:
        load.close()


def run_plan(folder: Path, plan: dict[str, Any], queries: str = "") -> list[StepRunResult]:
    """Run a plan to its good end; return its documents in their order."""
    with running(folder, plan, queries) as load:
        return measure(load, *(each["id"] for each in plan["stepRuns"]))


class Server(Protocol):
    """The server that the load sends to."""

    @property
    def url(self) -> str:
        """Where its Solr is."""


def make_plan(server: Server, *steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    queries = {"configMap": {"name": "queries"}, "order": "Sequential"}
    usual: dict[str, Any] = {"benchmark": "tests/small", "attempt": 2, "workers": 2}
    usual["workload"] = {"queries": queries, "timeoutSeconds": 2}
    return plan_body(server.url, steps, **(usual | fields))


def measure(load: Load, *ids: str) -> list[StepRunResult]:
    """Take the documents over that are left, and let the run end."""
    found = [load.store(step_run_id) for step_run_id in ids]
    assert set(load.exit_codes()) == {0}
    return found


def sent(server: HttpServer) -> Counter[str]:
    """Count the queries that a server was asked."""
    return Counter(each.query for each in server.exchanges if each.path.endswith("/select"))


def kill_one(load: Load) -> None:
    load.workers[0].send_signal(signal.SIGKILL)
    assert load.workers[0].wait(5) == -signal.SIGKILL
