"""The product as its pods run it: one master and its workers, each a process."""

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness.processes import prefer, started, wait_until
from bench.servers.running import Server, free_port
from solrbench.contract.load_plan import LoadState
from solrbench.contract.step_document import StepRunResult
from solrbench.net.token import TOKEN_HEADER

_SOURCES = Path(__file__).parents[2] / "operator" / "src"
_START_SECONDS = 180.0
_TOKEN = "secret-of-the-load"
QUERIES = 1000
"""Different queries sent."""


@dataclass(frozen=True)
class Product:
    """A run under way: the port of the master's page, and the process ids of the workers."""

    web_port: int
    workers: Sequence[int]

    def get(self, path: str) -> bytes:
        """Return the body behind a path of the master's page; empty while it is not there."""
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            address = f"http://127.0.0.1:{self.web_port}{path}"
            request = urllib.request.Request(address, headers={TOKEN_HEADER: _TOKEN})
            with opener.open(request, timeout=10) as response:
                return bytes(response.read())
        except (urllib.error.URLError, ConnectionError):
            return b""

    def state(self) -> LoadState | None:
        """Return where the run is; None while the page is not there."""
        found = self.get("/solrbench/state")
        return LoadState.model_validate_json(found) if found else None

    def wait_for_stage(self, *stages: str, seconds: float = _START_SECONDS) -> None:
        """Wait until the run is in one of `stages`."""
        wait_until(lambda: self._stage() in stages, seconds, f"stage {' or '.join(stages)}")

    def documents(self, seconds: float) -> list[StepRunResult]:
        """Wait until everything is measured and return it, in the order of the steps."""
        self.wait_for_stage("Finished", "Failed", seconds=_START_SECONDS + seconds)
        state = self.state()
        if state is None or state.reason is not None:
            raise RuntimeError(f"{state.reason}: {state.message}" if state else "no master")
        found = [self.get(f"/solrbench/results/{each}") for each in state.unacknowledged]
        return [StepRunResult.model_validate_json(each) for each in found]

    def _stage(self) -> str:
        state = self.state()
        return state.stage if state else ""


@contextmanager
def product(
    server: Server, folder: Path, *steps: dict[str, Any], workers: int = 1, **fields: Any
) -> Iterator[Product]:
    """Run steps against a server; `fields` go into the plan."""
    web_port, locust_port = free_port(), free_port()
    queries = "".join(f"word{number}\n" for number in range(QUERIES))
    (folder / "queries.txt").write_text(queries)
    plan = folder / f"plan-{web_port}.json"
    plan.write_text(json.dumps(plan_body(server.url, steps, workers=workers, **fields)))
    arguments = [
        *("--plan", str(plan), "--queries-folder", str(folder)),
        *("--results-folder", str(folder / f"results-{web_port}")),
        *("--web-port", str(web_port), "--locust-port", str(locust_port)),
    ]
    command = [sys.executable, "-m", "solrbench.load"]
    environment = {"PYTHONPATH": str(_SOURCES)}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                started([*command, role, *arguments], folder / "product.log", environment)
            )
            for role in ("master", *["worker"] * workers)
        ]
        yield Product(web_port, [process.pid for process in processes[1:]])


def measure_preferred(
    server: Server, folder: Path, step: dict[str, Any], seconds: int, workers: int = 1
) -> StepRunResult:
    """Measure a step after a short warm-up, with server and workers before all other processes."""
    warm_up = {"durationSeconds": 1}
    with product(server, folder, step, workers=workers, warmUp=warm_up) as running:
        running.wait_for_stage("WarmingUp", "Measuring")
        prefer([server.pid, *running.workers])
        (document,) = running.documents(seconds)
    return document


def plan_body(url: str, steps: Sequence[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """Return the plan of a load on this machine, each step once."""
    return {
        "benchmark": "bench/bench",
        "attempt": 1,
        "solrUrls": [url],
        "collection": "books",
        "workload": {"queries": {"configMap": {"name": "queries"}, "order": "Random", "seed": 1}},
        "stepRuns": [
            {"id": f"r1-s{index}-{step['name']}", "repeat": 1, "step": step}
            for index, step in enumerate(steps)
        ],
        "masterHost": "127.0.0.1",
        "token": _TOKEN,
        **fields,
    }
