"""What the operator costs with a thousand finished and two hundred waiting benchmarks."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from bench.harness.processes import (
    DidNotHappenError,
    cpu_seconds,
    resident_megabytes,
    started,
    wait_until,
)
from bench.harness.table import Row, at_most, skipped
from bench.operator.stored_objects import (
    ApiServer,
    benchmark,
    benchmarks_path,
    finished_status,
    list_benchmarks,
    namespace,
    report,
    running_status,
    store,
    waiting_status,
)
from bench.servers.api_proxy import COUNTS, write_kubeconfig
from bench.servers.running import Server, python_server
from solrbench.controller.settings import Settings

FINISHED, WAITING, FOREIGN = 1000, 200, 8000
_IN_ETCD = 10_000
_NEW = 20
_SETTLE_SECONDS = 20.0
_START_SECONDS = 180.0
_REACTION_SECONDS = 20.0
_SOURCES = Path(__file__).parents[2] / "operator" / "src"


@dataclass(frozen=True)
class Usage:
    """What the operator took for some seconds.

    CPU time is in per cent of one core, memory what is resident at the end; requests to the API
    server are counted by verb and resource.
    """

    cpu_percent: float
    megabytes: float
    requests: Counter[str]
    seconds: float


def operator_scale(folder: Path, seconds: float) -> list[Row]:
    """Compare the operator among many stored objects with the same in an empty namespace."""
    try:
        api = ApiServer()
        api.call("GET", benchmarks_path("default"))
    except Exception as error:  # noqa: BLE001 - whatever is missing, other parts can be measured
        return [skipped("the operator among 1,200 benchmarks", "", f"no cluster: {error}")]
    with namespace(api, "scale") as place, python_server("api_proxy", folder) as proxy:
        with _operator(folder, proxy, place) as pid:
            idle = _usage(pid, proxy, seconds / 3)
        now = datetime.now(UTC).replace(microsecond=0)
        _fill(api, place, now)
        kept = _kept_row(api, place)
        with _operator(folder, proxy, place) as pid:
            busy = _usage(pid, proxy, seconds)
            reactions = sorted(_reaction(api, place, f"new-{each}") for each in range(_NEW))
            free = _free_place(api, place)
    return [*_rows(idle, busy, reactions, free), kept]


def _fill(api: ApiServer, place: str, now: datetime) -> None:
    def finished(number: int) -> None:
        # A quarter has a time to live, for which the operator keeps a finalizer and a timer.
        spec = {} if number % 4 else {"ttlSecondsAfterFinished": 30 * 86_400}
        body = benchmark(f"done-{number:04}", **spec)
        owner = store(api, place, body, finished_status(now, number))
        api.call("POST", maps, report(owner))

    def waiting(number: int) -> None:
        name = f"wait-{number:03}"
        store(api, place, benchmark(name), waiting_status(now, number + 1))

    def foreign(number: int) -> None:
        body = {"metadata": {"name": f"foreign-{number}"}, "data": {"key": "x" * 200}}
        api.call("POST", maps, body)

    maps = f"/api/v1/namespaces/{place}/configmaps"
    patient = benchmark("running", deadlines={"provisioningSeconds": 86_400})
    store(api, place, patient, running_status(now))
    api.each(waiting, range(WAITING))
    api.each(finished, range(FINISHED))
    api.each(foreign, range(FOREIGN))


def _kept_row(api: ApiServer, place: str) -> Row:
    """Return what 10,000 finished benchmarks of a namespace take in etcd, by those that there are.

    A resource is JSON in etcd, too. Results have a limit of their own.
    """
    stored = list_benchmarks(api, place)
    sizes = [len(orjson.dumps(e)) for e in stored if "completionTime" in e.get("status", {})]
    mean, limit = sum(sizes) / len(sizes), Settings.report_mebibytes
    used = f"{mean / 1024:.1f} KiB each, and {limit} MiB of results (reports.maxMebibytes)"
    total = _IN_ETCD * mean / (1 << 20) + limit
    return at_most(f"{_IN_ETCD:,} finished benchmarks: etcd", total, 256, "{:.0f} MiB", used)


@contextmanager
def _operator(folder: Path, proxy: Server, place: str) -> Iterator[int]:
    kubeconfig = folder / "kubeconfig"
    write_kubeconfig(kubeconfig, proxy.port)
    settings = {
        "KUBECONFIG": str(kubeconfig),
        "PYTHONPATH": str(_SOURCES),
        "SOLRBENCH_NAMESPACES": place,
        "SOLRBENCH_IMAGE": "none",
        "SOLRBENCH_METRICS_PORT": "0",
        "SOLRBENCH_HEALTH_PORT": "0",
        "MALLOC_ARENA_MAX": "2",  # as the chart sets it
    }
    command = [sys.executable, "-m", "solrbench.cli", "operator"]
    log, watched = folder / "operator.log", f"watch {benchmarks_path('').rsplit('/', 1)[-1]}"
    before = _counts(proxy)[watched]
    with started(command, log, dict(os.environ) | settings) as process:
        wait_until(
            lambda: _counts(proxy)[watched] > before or process.poll() is not None,
            _START_SECONDS,
            "the operator's watch",
        )
        if process.poll() is not None:
            raise DidNotHappenError(f"the operator ended: {log.read_text()[-500:]}")
        time.sleep(_SETTLE_SECONDS)
        yield process.pid


def _counts(proxy: Server) -> Counter[str]:
    return Counter(proxy.get_json(COUNTS))


def _usage(pid: int, proxy: Server, seconds: float) -> Usage:
    spent, requests, began = cpu_seconds(pid), _counts(proxy), time.monotonic()
    time.sleep(seconds)
    passed = time.monotonic() - began
    return Usage(
        100 * (cpu_seconds(pid) - spent) / passed,
        resident_megabytes(pid),
        _counts(proxy) - requests,
        passed,
    )


def _reaction(api: ApiServer, place: str, name: str) -> float:
    """Return the seconds from the creation of a benchmark to its first status."""
    began = time.monotonic()
    api.call("POST", benchmarks_path(place), benchmark(name))
    _wait_for_status(api, place, name, lambda status: bool(status.get("conditions")))
    return time.monotonic() - began


def _free_place(api: ApiServer, place: str) -> float:
    """Return the seconds from the end of the running one to the start of the next.

    Its target does not exist, which it finds out as soon as it is its turn.
    """
    began = time.monotonic()
    api.call("PATCH", f"{benchmarks_path(place)}/running", {"spec": {"suspend": True}})
    _wait_for_status(api, place, "wait-000", lambda status: status.get("phase") == "Pending")
    return time.monotonic() - began


def _wait_for_status(api: ApiServer, place: str, name: str, holds: Any) -> None:
    path = f"{benchmarks_path(place)}/{name}"
    wait_until(
        lambda: bool(holds(api.call("GET", path).get("status") or {})),
        _REACTION_SECONDS,
        f"status of {name}",
    )


def _rows(idle: Usage, busy: Usage, reactions: list[float], free: float) -> list[Row]:
    most = ", ".join(f"{name} {count}" for name, count in busy.requests.most_common(5))
    calls = f"in {busy.seconds:.0f} s: {most}"
    slow = f"longest of {len(reactions)}, median {reactions[len(reactions) // 2]:.2f} s"
    more = busy.megabytes - idle.megabytes
    rate = busy.requests.total() / busy.seconds
    alone = f"{idle.cpu_percent:.1f} % in an empty namespace"
    foreign = f"{busy.megabytes:.0f} MB, with {FOREIGN:,} foreign ConfigMaps"
    what = f"operator, {FINISHED:,} finished and {WAITING} waiting"
    return [
        at_most(f"{what}: CPU", busy.cpu_percent, 3, "{:.1f} % of a core", alone),
        at_most(f"{what}: memory", more, 40, "{:.0f} MB more", foreign),
        at_most(f"{what}: API requests", rate, 5, "{:.1f} /s", calls),
        at_most("operator: from apply to the first status", reactions[-1], 3, "{:.2f} s", slow),
        at_most("operator: from the end of one to the next", free, 3, "{:.2f} s"),
    ]
