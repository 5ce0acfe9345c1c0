"""How much workers hold: a hundred thousand users, or ten million queries of a file.

The users are of a closed loop and think, over several workers on this machine. Each has a
connection of its own. A process may open 20,000 files here and on many another machine, and a pair
of addresses has 28,000 ports, so there are six workers and six servers.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.harness.processes import cpu_seconds, resident_megabytes
from bench.harness.product import Product, product
from bench.harness.table import Row, at_most, within
from bench.load.times import reported_percentile
from bench.servers.running import nginx
from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.step_document import StepRunResult
from solrbench.load.workload.name_table import RequestNameTable
from solrbench.load.workload.query_file import FileQueries
from solrbench.load.workload.requests import RequestBuilder, build_requests

_WORKERS = 6
_SPARE = 1.15
"""Connections of a server for each user of it: nginx needs some for itself."""

_THINK_SECONDS = 60
_MAX_KB = 16
_MAX_OFF_PERCENT = 3
_START_SECONDS = 600


def many_users(folder: Path, users: int, seconds: int) -> list[Row]:
    """Measure a step of so many users: how soon they are there, what they weigh, what they send."""
    step = {
        "name": "many",
        "users": users,
        "durationSeconds": seconds,
        "thinkTime": {"exponentialMeanMilliseconds": 1000 * _THINK_SECONDS},
    }
    with ExitStack() as stack:
        most = int(_SPARE * users / _WORKERS) + 100
        servers = [stack.enter_context(nginx(folder, connections=most)) for _ in range(_WORKERS)]
        urls = [server.url for server in servers]
        running = stack.enter_context(
            product(servers[0], folder, step, workers=_WORKERS, solrUrls=urls)
        )
        began = time.monotonic()
        running.wait_for_stage("Ramping", "WarmingUp", "Measuring")
        before = _weight(running)
        running.wait_for_stage("Measuring", "Failed", seconds=_START_SECONDS)
        started = time.monotonic() - began
        (document,) = running.documents(seconds)
        after, spent = _weight(running), sum(map(cpu_seconds, running.workers))
    return _rows(users, document, (started, 1000 * (after - before) / users, spent))


def _weight(running: Product) -> float:
    return sum(map(resident_megabytes, running.workers))


def _rows(users: int, document: StepRunResult, taken: Sequence[float]) -> list[Row]:
    started, kilobytes, spent = taken
    requests = sum(each.requests for each in document.requests)
    failures = sum(each.failures for each in document.requests)
    kinds = [kind for each in document.requests for kind in each.failure_kinds]
    shown = "".join(f"; {kind.count} {kind.kind}: {kind.sample}" for kind in kinds)
    seconds = max(each.measured_seconds or 0.0 for each in document.workers)
    rate, planned = requests / seconds, users / _THINK_SECONDS
    off = 100 * abs(rate / planned - 1)
    present = sum(each.users for each in document.workers)
    cpu = f"{spent:.0f} CPU-seconds of all workers"
    return [
        Row(
            f"{users:,} users over {_WORKERS} workers, at work",
            f"{users:,}",
            f"{present:,}",
            present == users and not failures,
            f"after {started:.0f} s, {users / started:,.0f} per second; {failures} failures{shown}",
        ),
        within(
            "rate of users who think 60 s on average",
            off,
            _MAX_OFF_PERCENT,
            f"{rate:,.0f}/s, {planned:,.0f}/s planned, for {seconds:.0f} s; p50"
            f" {reported_percentile(document, 50) / 1000:,.1f} ms, p99"
            f" {reported_percentile(document, 99) / 1000:,.1f} ms",
        ),
        at_most("memory of a user in its worker", kilobytes, _MAX_KB, "{:.1f} kB", cpu),
    ]


_MIB = 1 << 20
_MAX_MIB = 300
_MAX_SECONDS = 120
_TAKEN = 100_000


def queries(folder: Path, count: int) -> list[Row]:
    """Return the rows of a worker that reads, checks and takes queries of a file."""
    path = folder / "queries.txt"
    with path.open("w") as lines:
        lines.writelines(f"q=title:word{each}&fq=year:{each % 50}\n" for each in range(count))
    command = [sys.executable, "-m", "bench.load.worker_limits", str(path)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    path.unlink()
    peak, seconds = found["peak"] / _MIB, found["check_seconds"]
    size = f"{found['queries']:,} queries"
    each = f"{1e6 * seconds / count:.1f} us each; {found['take_us']:.1f} us to take one at random"
    return [
        at_most("worker with the file", peak, _MAX_MIB, "{:.0f} MiB", size),
        at_most("CPU time to read and check the file", seconds, _MAX_SECONDS, "{:.0f} s", each),
    ]


def _read(path: Path) -> dict[str, float]:
    """Prepare the file as a worker does, and take some of its requests."""
    began = time.process_time()
    workload = Workload.model_validate({"queries": {"configMap": {"name": "queries"}}})
    builder = RequestBuilder(workload, workload.entries[0], RequestNameTable())
    requests = build_requests(builder, FileQueries(path), check_all=True)
    checked = time.process_time()
    places = range(0, len(requests), max(len(requests) // _TAKEN, 1))
    for place in places:
        requests[place]
    return {
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "queries": len(requests),
        "check_seconds": checked - began,
        "take_us": 1e6 * (time.process_time() - checked) / len(places),
    }


if __name__ == "__main__":
    print(json.dumps(_read(Path(sys.argv[1]))))
