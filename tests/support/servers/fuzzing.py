"""Documents that are nearly good, before all that read bytes of others, in little memory.

`python -m support.servers.fuzzing SECONDS SEED` prints what was found as JSON. A document that
ends a reader otherwise than by its own errors, that takes long, or more memory than there is, is
printed with the number from which it is made again.
"""

import gzip
import json
import multiprocessing
import random
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import orjson

from solrbench.contract.environment import Environment
from solrbench.contract.foreign import ForeignDataError, read
from solrbench.contract.pod_plans import ExportOutcome, IndexProgress
from solrbench.contract.second_series import SecondSeries, SecondSums
from solrbench.contract.server_document import DiagnosticFile
from solrbench.contract.step_document import StepRunResult, UsageSlice
from solrbench.contract.storage import MAX_DOCUMENT_BYTES
from support.repository import ROOT
from support.resources.small_resource import resource as benchmark
from support.results.builders import make_timed_result, swinging
from support.results.validity_documents import open_loop, worker
from support.servers.hostile_documents import (
    GOOD,
    MIB,
    READS_OF_SOLR,
    pack_histogram,
    pack_result,
    read_chunks,
    read_index_pod,
    read_report,
    read_result,
    read_solr,
    read_state,
    resident,
)
from support.solr.table_server import SYSTEM

MEMORY = 192 * MIB
"""What the whole process may have in RAM, as its control group would say."""
MAX_CPU_SECONDS = 1.0
"""Twice the aim: the slowest took 0.2 to 0.3 s, and on a busy host the same work takes longer."""
MAX_CHANGES = 6
MAX_FOUND = 5
LARGEST = MAX_DOCUMENT_BYTES + MIB
"""More than any of them reads."""


def _measured() -> StepRunResult:
    """Return a step run of an open loop with a worker, its usage, servers and blocks of time."""
    (request,) = open_loop(200, partial_results=0).requests
    timed = make_timed_result(swinging(40)).service_time_blocks
    response = request.service_time_histogram
    times = {
        "service_time_blocks": timed,
        "response_time_blocks": timed,
        "response_time_histogram": response,
        "response_time_without_lag_histogram": response,
        "failed_time_histogram": response,
        "windows": SecondSeries([SecondSums(second, 9, 1, 900, 300) for second in range(9)]),
    }
    usage = UsageSlice(begin_seconds=1.0, seconds=1.0, cpu_seconds=0.5, core_cpu_seconds=0.4)
    busy = worker(most_cpu=usage, most_busy=usage, lag_p99_microseconds=9, cpu_limit_cores=1.0)
    changes = {"id": GOOD.id, "step": GOOD.step, "workers": [busy, busy]}
    return open_loop(200).model_copy(
        update=changes | {"requests": [request.model_copy(update=times)]}
    )


STEP = json.loads(_measured().model_dump_json(by_alias=True))
REPLICA = {
    "state": "active",
    "core": "c",
    "node_name": "a:8983_solr",
    "base_url": "http://a:8983/solr",
}
SHARD = {"range": "80000000-7fffffff", "replicas": {"core_node1": REPLICA | {"leader": "true"}}}
CORE = {"CORE.coreName": "c", "INDEX.sizeInBytes": 7, "SEARCHER.searcher.numDocs": 5}
# Each response that is read, in one document: what is not of it is ignored.
STATUS = SYSTEM | {
    "cluster": {
        "live_nodes": ["a:8983_solr"],
        "collections": {"x": {"shards": {"shard1": SHARD}, "configName": "x"}},
    },
    "a:8983_solr": SYSTEM | {"metrics": {"solr.core.x": CORE}},
    "status": {"c": {"index": {"sizeInBytes": 7, "numDocs": 5}}},
    "zkStatus": {"ensembleSize": 3},
    "configSets": ["x"],
    "overlay": {"props": {"query": {"filterCache": {"size": 9}}}},
}
STATE = {"stage": "Measuring", "step": "a", "requests": 9, "unacknowledged": ["r1-s0-a"]}
PROGRESS = {"pod": 0, "documents": 9, "bytes": 9, "started": 1.0, "usage": {"cpu": 1.0}}
OUTCOME = {"files": 1, "bytes": 9, "sha256": "0" * 64, "removed": 0}
REPORT = {
    "benchmark": "x/a",
    "spec": benchmark()["spec"],
    "status": {"trends": []},
    "steps": [STEP],
}


def _read_model(model: Any, text: bytes) -> None:
    with suppress(ForeignDataError):
        read(model, text[:MIB])  # what a ConfigMap, or the end of a container, can say


def _unpack(text: bytes) -> None:
    with suppress(ForeignDataError, ValueError):
        DiagnosticFile.of_packed("a.jfr", gzip.compress(text, 1)).unpack()


READERS: dict[str, tuple[Callable[[bytes], object], Any]] = {
    **{
        f"response {number} of Solr": (partial(read_solr, reads=[each]), STATUS)
        for number, each in enumerate(READS_OF_SOLR)
    },
    "state": (read_state, STATE),
    "result": (read_result, STEP),
    "progress": (read_index_pod, PROGRESS),
    "last words of an index pod": (partial(_read_model, IndexProgress), PROGRESS),
    "last words of an export pod": (partial(_read_model, ExportOutcome), OUTCOME),
    "environment": (
        partial(_read_model, Environment),
        {"specHash": "a", "images": {}, "nodes": []},
    ),
    "baseline": (lambda text: read_report(gzip.compress(text, 1)), REPORT),
    "chunks": (lambda text: read_chunks(pack_result(lambda: text)), STEP),
    "diagnostic file": (_unpack, {"a": "b"}),
}

SCALARS: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**63,
    10**400,
    1e308,
    -0.0,
    "",
    "\0",
    "\N{GRINNING FACE}",
    "2026-99-99T00:00:00Z",
    "a" * 5000,
    pack_histogram([b"\2" * 3]),
    pack_histogram([b"\xff" * 3]),
    pack_histogram(bytes(MIB) for _ in range(64)),
    [],
    {},
)
NAMES = ("unknown", "a" * 3000, "", "\N{GRINNING FACE}")


def _deep(source: random.Random) -> Any:
    value: Any = 0
    for _ in range(source.choice((10, 200, 900))):
        value = {"a": value} if source.random() < 0.5 else [value]
    return value


def _copy(value: Any) -> Any:
    """Return a copy of a value; 0 for one that two deep changes made deeper than json writes."""
    try:
        return json.loads(json.dumps(value))
    except RecursionError:
        return 0


def _large(source: random.Random, value: Any) -> Any:
    """Return many of a value, or of small ones, as a list or an object."""
    item: Any = _copy(source.choice((value, source.choice(SCALARS), {"a": 0}, [[]])))
    size = max(1, len(json.dumps(item)))
    (most,) = source.choices((100, 1000, 10_000, 300_000), (20, 20, 5, 1))
    count = min(most, LARGEST // size)
    if source.random() < 0.3:
        return {f"k{number}": item for number in range(min(count, 100_000))}
    return [item] * count


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in a document: what holds it, and where."""
    found: list[tuple[Any, Any]] = []
    open_ends = [value]
    while open_ends and len(found) < 2000:
        holder = open_ends.pop()
        keys = list(holder) if isinstance(holder, dict) else range(min(len(holder), 50))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                open_ends.append(holder[key])
    return found


def make(source: random.Random, good: Any) -> bytes:
    """Return a document that was good, after some changes."""
    value = _copy(good)
    for _ in range(source.randint(1, MAX_CHANGES)):
        places = _places(value)
        if not places:
            break
        holder, key = source.choice(places)
        match source.randrange(6):
            case 0:
                holder[key] = source.choice(SCALARS)
            case 1:
                holder[key] = _large(source, holder[key])
                break  # a change of what is there 300,000 times would take gigabytes here
            case 2:
                holder[key] = _deep(source)
            case 3:
                del holder[key]
            case 4:
                other, place = source.choice(places)
                holder[key] = _copy(other.get(place) if isinstance(other, dict) else 0)
            case _ if isinstance(holder, dict):
                holder[source.choice(NAMES)] = holder[key]
            case _:
                holder.append(holder[key])
    try:
        text = orjson.dumps(value)
    except TypeError:  # a number that is too large for it, or too deep
        with suppress(RecursionError):
            return json.dumps(value).encode()[:LARGEST]
        text = b"[" * 5000
    if source.random() < 0.1:
        at = source.randrange(len(text) + 1)
        text = text[:at] + source.choice((b"", bytes(100), b"\xff", b'"', b"[" * 5000))
    return text[:LARGEST]


def _serve(connection: Connection, other_end: Connection) -> None:
    """Read the documents of a connection within the memory that there is; say how each was."""
    other_end.close()  # so that it ends with the one that sends
    # Readers are imported and warm: what they take beyond is for documents.
    for reader, good in READERS.values():
        reader(orjson.dumps(good))
    room = MEMORY - int(resident("VmRSS") * MIB)
    # Of addresses, some of which are never used: what is used is looked at after each document.
    limit = int(resident("VmSize") * MIB) + room * 3 // 2
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    while True:
        name, text = connection.recv(), connection.recv_bytes()  # pickled, it would be there twice
        Path("/proc/self/clear_refs").write_text("5")  # receiving it took twice its size
        error, began = "", time.process_time()
        try:
            READERS[name][0](text)
        except BaseException:  # noqa: BLE001 - whatever it is, it would have reached the operator
            error = traceback.format_exc()[-2000:]
        connection.send((error, time.process_time() - began, resident("VmHWM")))


def _start() -> tuple[Connection, BaseProcess]:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, ours), daemon=True)
    process.start()
    theirs.close()
    return ours, process


def fuzz(seconds: float, seed: int) -> dict[str, Any]:
    """Read documents for some time; return what was found."""
    found: list[dict[str, Any]] = []
    end, number, slowest, peak = time.monotonic() + seconds, 0, 0.0, 0.0
    connection, process = _start()
    while time.monotonic() < end and len(found) < MAX_FOUND:
        number += 1
        source = random.Random(f"{seed} {number}")
        name = source.choice(list(READERS))
        text = make(source, READERS[name][1])
        try:
            connection.send(name)
            connection.send_bytes(text)
            error, spent, most = connection.recv()
        except (EOFError, OSError):
            process.join()
            error, spent, most = f"it ended with {process.exitcode}", 0.0, 0.0
            connection, process = _start()
        slowest, peak = max(slowest, spent), max(peak, most)
        if error or spent > MAX_CPU_SECONDS or most > MEMORY / MIB:
            row = {"reader": name, "number": number, "bytes": len(text), "error": error}
            found.append(row | {"seconds": spent, "peak": most})
    process.terminate()
    return {"documents": number, "found": found, "slowest": slowest, "peak": peak}


def check(seconds: float, seed: int) -> None:
    """Read documents in a process of its own; nothing of it may be found."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(seconds), str(seed)],
        capture_output=True,
        cwd=ROOT / "tests",
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["found"] == [], f"seed {seed}: {result}"[:3000]
    assert result["documents"] > seconds / 5


if __name__ == "__main__":
    print(json.dumps(fuzz(float(sys.argv[1]), int(sys.argv[2]))))
