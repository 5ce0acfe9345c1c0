"""Documents made to become large in memory, and how much the operator grows as it reads each.

`python -m support.servers.hostile_documents` prints the growth of each in MiB, as JSON. Each is
read in a process of its own, forked from one that has read nothing: memory that was used before
would hide what is used now.
"""

import base64
import gzip
import hashlib
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import httpx2 as httpx

from solrbench.analysis.baseline import (
    MAX_STORED_BYTES,
    UnreadableReportError,
    benchmark_input,
    compare_candidate,
)
from solrbench.analysis.samples import RunSamples
from solrbench.analysis.step_comparison import settings_of_spec
from solrbench.api.v1alpha1.collection import Collection
from solrbench.api.v1alpha1.objectives import Baseline
from solrbench.contract.server_document import DiagnosticFile
from solrbench.contract.storage import ChunkedDocument
from solrbench.decide.views import Replica
from solrbench.errors import SolrbenchError
from solrbench.index.progress import read_progress
from solrbench.kube.reader import as_manifest
from solrbench.kube.results import BenchmarkResultStore, read_baseline
from solrbench.load.master_client import LoadMasterClient
from solrbench.manifests.results import build_report
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import (
    live_nodes,
    node_identities,
    node_identity,
    replica_sizes,
    replica_sizes_via_proxy,
    replicas,
    resolve_alias,
    zookeepers,
)
from solrbench.solr.collection import removable_config_set, unset_properties
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored
from support.results.builders import make_document, make_result, make_spec
from support.results.large_report import clean_up

MIB = 1 << 20
PART = 1 << 16
BENCHMARK = stored().model_copy(update={"spec": make_spec("two")})
GOOD = make_document("two", 1, make_result([1000, 2000] * 50))
"""A step run of it."""

CLIENTS = ("solr.client", "load.master_client", "index.progress")

STATUS = b'{"cluster":{"live_nodes":[],"collections":{"x":[', b"]}}}"
STATE = b'{"stage":"x","unacknowledged":[', b"]}"
RESULT = b'{"requests":[', b"]}"
WINDOWS = b'{"requests":[{"windows":[', b"]}]}"
FIGURES = b'{"telemetry":{"spreads":{', b"}}}"
PROGRESS = b'{"pod":0,"usage":{', b"}}"
STEPS = b'{"spec":{},"status":{},"steps":[', b"]}"
REQUESTS = b'{"spec":{},"status":{},"steps":[{"requests":[', b"]}]}"
SERIES = b'{"spec":{},"status":{},"steps":[{"windows":[', b"]}]}"
TRENDS = b'{"spec":{},"steps":[],"status":{"trends":[', b"]}}"
SPEC = b'{"status":{},"steps":[],"spec":{', b"}}"
ANY = b"{", b"}"
DATA = b'{"kind":"ConfigMap","metadata":{},"data":{', b"}}"

ENCODING, COMPRESSION = 0x1C849313, 0x1C849314
"""Cookies of HdrHistogram V2."""

Document = Callable[[], bytes]
Ends = tuple[bytes, bytes]


def repeat(ends: Ends, item: bytes, size: int) -> bytes:
    """Return a document of about `size` bytes with the same item again and again."""
    count = (size - len(ends[0]) - len(ends[1])) // (len(item) + 1)
    return ends[0] + b",".join([item] * count) + ends[1]


def keys(ends: Ends, count: int) -> bytes:
    """Return a document with an object of so many keys and texts, all different."""
    return ends[0] + b",".join(b'"k%06d":"v%06d"' % (n, n) for n in range(count)) + ends[1]


def deep(ends: Ends, size: int) -> bytes:
    """Return a document of about `size` bytes with objects within objects."""
    return repeat(ends, b'{"a":' * 900 + b"0" + b"}" * 900, size)


def text(character: str, size: int) -> bytes:
    """Return a document of about `size` bytes with a text of one letter and a character."""
    return b'{"id":"%b%b"}' % (b"x" * (size - 20), character.encode())


SOLR_REPLICA = Replica(
    "shard1", "c", "a:8983_solr", "http://a:8983/solr", "NRT", "active", leader=True
)


def pack_histogram(counts: Iterable[bytes]) -> str:
    """Return a histogram of our range with these counts, as they come, in its stored form."""
    header = struct.pack(">4I2Qd", ENCODING, 0, 0, 3, 1, 3_600_000_000, 1.0)
    writer = zlib.compressobj(1)
    packed = b"".join([*map(writer.compress, chain([header], counts)), writer.flush()])
    return base64.b64encode(struct.pack(">II", COMPRESSION, len(packed)) + packed).decode()


def with_bombs() -> bytes:
    """Return a result of which the histograms are small and unpack to 64 MiB each."""
    bomb = pack_histogram(bytes(MIB) for _ in range(64))
    names = ("service_time", "response_time", "response_time_without_lag")
    (result,) = GOOD.requests
    result = result.model_copy(update={f"{name}_histogram": bomb for name in names})
    return GOOD.model_copy(update={"requests": [result]}).model_dump_json(by_alias=True).encode()


READS_OF_SOLR: tuple[Callable[[SolrClient], object], ...] = (
    live_nodes,
    node_identities,
    lambda client: node_identity(client, "http://a:8983/solr"),
    lambda client: replicas(client, "x"),
    lambda client: replica_sizes_via_proxy(client, [SOLR_REPLICA]),
    lambda client: replica_sizes(client, [SOLR_REPLICA]),
    lambda client: resolve_alias(client, "x"),
    zookeepers,
    lambda client: removable_config_set(client, "x", "x"),
    lambda client: unset_properties(client, "x", Collection()),
)


def read_solr(
    document: bytes, reads: Iterable[Callable[[SolrClient], object]] = READS_OF_SOLR
) -> None:
    """Read it as each response of Solr that does not need another one, or as some of them."""
    with serve(document), SolrClient(["http://a:8983/solr"]) as solr:
        for read in reads:
            with suppress(SolrbenchError):
                read(solr)


def read_state(document: bytes) -> None:
    with (
        serve(document),
        LoadMasterClient("192.0.2.1", "token") as master,
        suppress(SolrbenchError),
    ):
        master.state()


def read_result(document: bytes) -> None:
    """Read it as a result of a load master, and store it."""
    with (
        serve(document),
        LoadMasterClient("192.0.2.1", "token") as master,
        suppress(SolrbenchError),
    ):
        found = master.result(GOOD.id)
        BenchmarkResultStore(FakeCluster()).store(BENCHMARK, found, 1)


def read_index_pod(document: bytes) -> None:
    with serve(document):
        read_progress("192.0.2.1")


def read_report(packed: bytes) -> None:
    """Read it as the report of a ConfigMap that is the baseline."""
    encoded = {"binaryData": {"report.json.gz": base64.b64encode(packed).decode()}}
    cluster: Any = SimpleNamespace(get=lambda *_: encoded)
    reports: Any = None
    baseline = Baseline.model_validate({"report": {"configMap": {"name": "old"}}})
    with suppress(SolrbenchError, UnreadableReportError):
        found = read_baseline(cluster, reports, "ns", baseline)
        own = benchmark_input("new", BENCHMARK, [RunSamples(GOOD)])
        compare_candidate(found, own, settings_of_spec(BENCHMARK.spec))


def read_chunks(packed: bytes) -> None:
    """Read it as a stored result; its digest stands behind it."""
    chunks = ChunkedDocument((packed[:-64],), packed[-64:].decode())
    cluster = FakeCluster(*build_report(BENCHMARK, GOOD.id, chunks, 1))
    with suppress(SolrbenchError):
        BenchmarkResultStore(cluster).runs(BENCHMARK)


@contextmanager
def serve(document: bytes) -> Iterator[None]:
    """Let every client get it as the response to whatever it asks."""

    def parts() -> Iterator[bytes]:
        for start in range(0, len(document), PART):
            yield document[start : start + PART]

    def client(*_: Any, **options: Any) -> httpx.Client:
        transport = httpx.MockTransport(lambda _: httpx.Response(200, content=parts()))
        return httpx.Client(transport=transport, base_url=options.get("base_url", ""))

    with ExitStack() as stack:
        for name in CLIENTS:
            stack.enter_context(patch(f"solrbench.{name}.create_client", client))
        yield


def pack(make: Document) -> bytes:
    return gzip.compress(make(), 1)


def pack_result(make: Document) -> bytes:
    text = make()
    return gzip.compress(text, 1) + hashlib.sha256(text).hexdigest().encode()


SOLR: dict[str, Document] = {
    "16 MiB of lists of lists": partial(repeat, STATUS, b"[[]]", 16 * MIB),
    "16 MiB of objects": partial(repeat, STATUS, b"{}", 16 * MIB),
    "2 MiB of objects": partial(repeat, STATUS, b"{}", 2 * MIB),
    "as many objects as are read": partial(repeat, STATUS, b"{}", 195_000),
    "as many lists of lists as are read": partial(repeat, STATUS, b"[[]]", 350_000),
    "as many numbers as are read": partial(repeat, STATUS, b"1e9", 1_350_000),
    "as many keys as are read": partial(keys, ANY, 100_000),
    "as deep as is read": partial(deep, STATUS, 330_000),
    "many properties below a long name": lambda: (
        b'{"overlay":{"props":{"%b":{' % (b"a" * 9000)
        + b",".join(b'"k%06d":""' % number for number in range(14_000))
        + b"}}}}"
    ),
}
STATES: dict[str, Document] = {
    "1 MiB of numbers for texts": partial(repeat, STATE, b"0", MIB),
    "as many numbers as are read": partial(repeat, STATE, b"0", 170_000),
    "as many keys as are read": partial(keys, ANY, 25_000),
}
RESULTS: dict[str, Document] = {
    "1 MiB of requests": partial(repeat, RESULT, b"{}", MIB),
    "as many requests as are read": partial(repeat, RESULT, b"{}", 275_000),
    "as many windows as are read": partial(repeat, WINDOWS, b"{}", 275_000),
    "as many numbers as are read": partial(repeat, RESULT, b"1e9", 1_900_000),
    "as many figures as are read": partial(keys, FIGURES, 142_000),
    "as many keys as are read": partial(keys, ANY, 142_000),
    "as deep as is read": partial(deep, RESULT, 500_000),
    "as wide a text as is read": partial(text, "\N{GRINNING FACE}", 5_500_000),
    "a wider text": partial(text, "\N{GRINNING FACE}", 12 * MIB),
    "a text": partial(text, "", 12 * MIB),
    "two documents, one wide": lambda: text("\N{GRINNING FACE}", 30) + text("", 11 * MIB),
    "histograms that unpack to much": with_bombs,
}
REPORTS: dict[str, Document] = {
    "16 MiB of steps": partial(repeat, STEPS, b"{}", 16 * MIB),
    "16 MiB of steps as lists": partial(repeat, STEPS, b"[[]]", 16 * MIB),
    "16 MiB of trends": partial(repeat, TRENDS, b"{}", 16 * MIB),
    "16 MiB of requests": partial(repeat, REQUESTS, b"{}", 16 * MIB),
    "as much as is unpacked": partial(repeat, REQUESTS, b"{}", MAX_STORED_BYTES),
    "as many requests as are read": partial(repeat, REQUESTS, b"{}", 225_000),
    "as many windows as are unpacked": partial(repeat, SERIES, b"{}", MAX_STORED_BYTES),
    "as many fields of a spec as are read": partial(keys, SPEC, 115_000),
    "histograms that unpack to much": lambda: STEPS[0] + with_bombs() + STEPS[1],
}
CASES: dict[str, tuple[Callable[[bytes], object], Document]] = {
    **{f"Solr: {name}": (read_solr, make) for name, make in SOLR.items()},
    **{f"state: {name}": (read_state, make) for name, make in STATES.items()},
    **{f"result: {name}": (read_result, make) for name, make in RESULTS.items()},
    "ConfigMap of keys without values": (
        as_manifest,
        lambda: DATA[0] + b",".join(b'"k%06d":""' % each for each in range(150_000)) + DATA[1],
    ),
    "progress of an index pod": (read_index_pod, partial(keys, PROGRESS, 3000)),
    **{f"baseline: {name}": (read_report, partial(pack, make)) for name, make in REPORTS.items()},
    "chunks: requests": (
        read_chunks,
        partial(pack_result, RESULTS["as many requests as are read"]),
    ),
    "chunks: histograms that unpack to much": (read_chunks, partial(pack_result, with_bombs)),
    "chunks: bomb": (read_chunks, partial(pack_result, partial(bytes, 64 * MIB))),
    "clean-up of a report of 256 MiB": (clean_up, bytes),
    "diagnostic file: bomb": (
        lambda packed: DiagnosticFile.of_packed("a.jfr", packed).unpack(),
        partial(pack, partial(bytes, 64 * MIB)),
    ),
}


def resident(name: str) -> float:
    """Return a line of the process's status in MiB: VmRSS, or VmHWM, the most since a reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024


def growth(read: Callable[[bytes], object], make: Document) -> float:
    """Return by how many MiB a process grows at most while it reads a document."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            document = make()
            Path("/proc/self/clear_refs").write_text("5")
            before = resident("VmRSS")
            read(document)
            os.write(sender, str(resident("VmHWM") - before).encode())
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return float(text or "inf")


if __name__ == "__main__":
    # Once before: what is loaded at first use is no growth.
    for reader, _ in CASES.values():
        with suppress(Exception):
            reader(b"{}")
    print(json.dumps({name: round(growth(*case), 1) for name, case in CASES.items()}))
