"""What a document costs the index client and Solr, side by side with SolrJ and curl.

All send the same documents in batches of the same size over two connections, by turns to the same
Solr, which is emptied in between. Each reads a file of JSON lines and parses it, but curl, whose
bodies are made beforehand. They are past their start: interpreter, compiler and connections have
seen a part of the documents before the clock. The CPU time of a client is that of its process, from
outside; that of Solr includes the commit after the last document. Bodies of curl in three formats
say what each costs Solr.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import orjson

from bench.harness.processes import DidNotHappenError, cpu_seconds
from bench.harness.table import Row, at_least, at_most
from bench.servers.real_solr import RealSolr, compile_class, copy_jars, real_solr
from solrbench.api.v1alpha1.dataset import Dataset, Generator
from solrbench.api.v1alpha1.validity import Collect, LoadTelemetry
from solrbench.contract.generated_documents import DocumentGenerator
from solrbench.contract.pod_plans import IndexPlan

STREAMS, BATCH = 2, 1000
_SOLRJ = Path(__file__).parent / "solrj"
OURS = "the index client"
SOLRJ = ("CloudHttp2SolrClient", "ConcurrentUpdateHttp2SolrClient")
FORMATS = {"json": "application/json", "cbor": "application/cbor", "javabin": "application/javabin"}
"""Of the bodies that curl sends."""
_MAX_CPU_RATIO, _MIN_RATE_RATIO = 0.4, 1.05


@dataclass(frozen=True)
class Documents:
    """Documents as files: lines of JSON, the first of them for a warm-up, and bodies of batches."""

    name: str
    count: int
    words: int
    """Of the text of each."""

    @property
    def warm_up(self) -> int:
        """How many are sent before the clock."""
        return self.count // 2

    def write(self, folder: Path, classes: str) -> int:
        """Write all files into a folder; return the mean size of a document in bytes."""
        spec = Generator(documents=self.count, seed=1, words_per_document=self.words)
        rows = [orjson.dumps(each) for each in DocumentGenerator(spec).range(range(self.count))]
        (folder / "documents.jsonl").write_bytes(b"\n".join(rows) + b"\n")
        (folder / "warm-up.jsonl").write_bytes(b"\n".join(rows[: self.warm_up]) + b"\n")
        for number in range(0, self.count, BATCH):
            body = b"[" + b",".join(rows[number : number + BATCH]) + b"]"
            (folder / f"body-{number}.json").write_bytes(body)
        subprocess.run(["java", "-cp", classes, "Bodies", str(folder)], check=True)
        return sum(map(len, rows)) // self.count


SIZES = (Documents("small", 200_000, 4), Documents("4 kB", 20_000, 720))


@dataclass(frozen=True)
class IndexCost:
    """What one client took for all documents."""

    documents_per_second: float
    client_microseconds: float
    """CPU time of the client for each document."""
    solr_microseconds: float


@dataclass(frozen=True)
class IndexTarget:
    """A collection of a node, and what is sent to it."""

    solr: RealSolr
    collection: str
    documents: Documents
    folder: Path
    """Of the files."""


Client = Callable[[IndexTarget], Iterator[Callable[[], float]]]
"""Starts, and yields what sends all documents and returns the CPU seconds that this took."""


def _own(target: IndexTarget) -> Iterator[Callable[[], float]]:
    plans = []
    for name in ("documents", "warm-up"):
        dataset = Dataset.model_validate(
            {
                "configMap": {"name": "files", "keys": [f"{name}.jsonl"]},
                "indexing": {"concurrency": STREAMS, "batchSize": BATCH},
            }
        )
        plan = IndexPlan(
            benchmark="bench/index",
            solr_urls=[target.solr.url],
            collection=target.collection,
            dataset=dataset,
            telemetry=LoadTelemetry(collect=Collect.NONE),
        )
        file = target.folder / f"{name}.plan"
        file.write_text(plan.model_dump_json(by_alias=True))
        plans.append(str(file))
    command = [sys.executable, "-m", "bench.indexing.own_client", *plans, str(target.folder)]
    yield from _waiting(command, target)


def _solrj(kind: str, classes: str, target: IndexTarget) -> Iterator[Callable[[], float]]:
    command = [
        *("java", "-Xms512m", "-Xmx512m", "-cp", classes, "SolrjClient", kind),
        *(target.solr.url, target.collection, str(target.folder / "documents.jsonl")),
        *(str(STREAMS), str(BATCH), str(target.documents.warm_up)),
    ]
    yield from _waiting(command, target)


def _waiting(command: Sequence[str], target: IndexTarget) -> Iterator[Callable[[], float]]:
    """Yield what lets a process go on that says `ready` and `done`."""
    with (target.folder / "client.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        out, given = process.stdout, process.stdin

        def expect(word: str) -> None:
            # A client may log to where it says this.
            for line in out:
                if line.strip() == word:
                    return
            raise DidNotHappenError(f"{command[0]}: no {word!r}, see {log.name}")

        def send() -> float:
            before = cpu_seconds(process.pid)
            given.write("\n")
            given.flush()
            expect("done")
            return cpu_seconds(process.pid) - before

        try:
            expect("ready")
            yield send
        finally:
            process.kill()


def _curl(format_: str, target: IndexTarget) -> Iterator[Callable[[], float]]:
    lines = ["silent", "fail", f'header = "Content-Type: {FORMATS[format_]}"']
    for number in range(0, target.documents.count, BATCH):
        body = target.folder / f"body-{number}.{format_}"
        lines += [
            f'url = "{target.solr.url}/{target.collection}/update?wt=json"',
            f'data-binary = "@{body}"',
            'output = "/dev/null"',
            "next",
            *lines[:3],
        ]
    config = target.folder / "curl.config"
    config.write_text("\n".join(lines[:-4]) + "\n")

    def send() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        streams = ["--parallel", "--parallel-max", str(STREAMS)]
        # That of the file is for each transfer, not for the progress of all.
        options = ["--silent", *streams, "--config", str(config)]
        subprocess.run(["curl", *options], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    yield send


def _measure(client: Client, target: IndexTarget) -> IndexCost:
    with contextmanager(client)(target) as send:
        target.solr.remove_documents(target.collection)
        spent, began = target.solr.cpu_seconds(), time.monotonic()
        used = send()
        seconds = time.monotonic() - began
    count = target.solr.count(target.collection)
    if count != target.documents.count:
        raise DidNotHappenError(f"{count} documents are there of {target.documents.count}")
    spent = target.solr.cpu_seconds() - spent
    return IndexCost(count / seconds, 1e6 * used / count, 1e6 * spent / count)


def index_clients(folder: Path, rounds: int) -> list[Row]:
    """Measure small documents and such of 4 kB, on one shard and on three."""
    jars = folder / "solrj"
    jars.mkdir()
    lib = copy_jars(_SOLRJ / "pom.xml", jars)
    classes = compile_class(_SOLRJ / "SolrjClient.java", lib, jars)
    compile_class(_SOLRJ / "Bodies.java", lib, jars)
    clients: dict[str, Client] = {
        OURS: _own,
        **{kind: partial(_solrj, kind, classes) for kind in SOLRJ},
        **{f"curl, {format_}": partial(_curl, format_) for format_ in FORMATS},
    }
    rows = []
    with real_solr(folder) as solr:
        for documents in SIZES:
            files = folder / documents.name.replace(" ", "-")
            files.mkdir()
            size = documents.write(files, classes)
            for shards in (1, 3):
                collection = f"{documents.count}-on-{shards}"
                solr.create(collection, shards)
                target = IndexTarget(solr, collection, documents, files)
                what = f"documents of {size:,} B, {shards} shard{'s'[: shards - 1]}"
                rows += _rows(what, _by_turns(clients, target, rounds))
    return rows


def _by_turns(
    clients: dict[str, Client], target: IndexTarget, rounds: int
) -> dict[str, list[IndexCost]]:
    found: dict[str, list[IndexCost]] = {name: [] for name in clients}
    names = list(clients)
    for number in range(rounds + 1):
        first = number % len(names)  # Solr goes on to grow faster, so none is always the last
        for name in names[first:] + names[:first]:
            cost = _measure(clients[name], target)
            if number:  # the first round is Solr's own start
                found[name].append(cost)
    return found


def _rows(what: str, found: dict[str, list[IndexCost]]) -> list[Row]:
    """Return the ratios to the best of SolrJ, and what each took."""
    rate = {name: median(e.documents_per_second for e in all_) for name, all_ in found.items()}
    cpu = {name: median(e.client_microseconds for e in all_) for name, all_ in found.items()}
    solr = {name: median(e.solr_microseconds for e in all_) for name, all_ in found.items()}
    cheapest, fastest = min(SOLRJ, key=cpu.__getitem__), max(SOLRJ, key=rate.__getitem__)
    used = f"{cpu[OURS]:.1f} and {cpu[cheapest]:.1f} us, {cheapest}"
    sent = f"{rate[OURS]:,.0f} and {rate[fastest]:,.0f}, {fastest}"
    client, fast = f"{what}: client's CPU / SolrJ's best", f"{what}: documents/s / SolrJ's best"
    rows = [
        at_most(client, cpu[OURS] / cpu[cheapest], _MAX_CPU_RATIO, "{:.2f} x", used),
        at_least(fast, rate[OURS] / rate[fastest], _MIN_RATE_RATIO, "{:.2f} x", sent),
    ]
    for name in found:
        text = f"{cpu[name]:.1f} us, Solr {solr[name]:.1f} us ({solr[name] / solr[OURS]:.2f} x)"
        rows.append(Row(f"{what}: {name}", "", f"{rate[name]:,.0f}/s", None, text))
    return rows
