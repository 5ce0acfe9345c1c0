"""What servers, replicas and pods did while a step run was measured. Parts of `StepRunResult`.

Metrics are numbers by name, and the unit is the end of the name. One that was not measured is
missing, never zero; `Telemetry.missing` says what could not be read at all, and why. Diagnostic
files of a JVM are for people to read.
"""

import base64
import gzip
import re
from datetime import datetime
from typing import Self

from solrbench.api.rules import LenientModel
from solrbench.contract.foreign import unpack

MAX_SERVERS = 20
"""Servers of a kind whose figures are kept one by one; of more, those with the most CPU time, and
the load master."""

MAX_HANDLERS = 16
"""Request handlers that are kept: those with the most time."""

MAX_MISSING_TEXTS = 8
"""Sentences on what could not be read."""

CACHES = {
    "filterCache": "filter_cache",
    "queryResultCache": "query_result_cache",
    "documentCache": "document_cache",
    "fieldValueCache": "field_value_cache",
}
"""Solr's caches and what the names of their figures begin with."""

SEARCH_CACHES = ("filterCache", "queryResultCache", "documentCache")
"""Those that searches fill, which are sampled and emptied."""

CACHE_ENTRIES, CPU_PERCENT = "cache_entries", "cpu_percent"
"""Figures over time that are no trends: when caches are full, and what is drawn."""


class ServerFigures(LenientModel):
    """One Solr node, ZooKeeper server, pod or machine in one step run.

    Counts and times that grow are differences between the first and the last reading; `_max` is the
    largest and `_mean` the mean of all readings; other figures are those of the last one.
    """

    server: str
    """Host and port, name of the pod, or id of the machine."""
    component: str = ""
    """Component of a pod: solr, zookeeper, companion, load-master, load-worker."""
    machine: str = ""
    """Id of the machine that a pod ran on."""
    seconds: float
    """From the first reading to the last; of Solr, between those that have its cores."""
    readings: int
    """How many there were."""
    figures: dict[str, float] = {}
    """Numbers by name; those of each kind are in docs/telemetry.md."""


class ServerSeries(LenientModel):
    """One figure of one server over a step run, in windows of equal length."""

    server: str
    kind: str
    """What the server is: solr or pods."""
    figure: str
    """Name of the figure; its unit is the end of the name."""
    seconds: list[float]
    """The middle of each window, counted from the server's first reading."""
    values: list[float]
    limit: float | None = None
    """What the figure may grow to: that of the heap, or of the pod's memory."""


class Spread(LenientModel):
    """One figure over all servers of a kind, those included that are not kept one by one."""

    figure: str
    """Name of the figure; the times and counts are per second here."""
    servers: int
    """Servers that have it."""
    total: float
    median: float
    deviation: float
    """Median absolute deviation from the median, times 1.4826, which for normally distributed
    numbers is the standard deviation."""
    lowest: float
    highest: float
    highest_server: str
    """The server with the highest."""


class HandlerFigures(LenientModel):
    """One request handler, over all nodes."""

    handler: str
    """Path, such as /select; `/select[shard]` are the requests of nodes among each other."""
    requests: int
    errors: int
    seconds: float
    """Time that requests spent in it, added."""


class Telemetry(LenientModel):
    """What was read of servers and pods."""

    solr: list[ServerFigures] = []
    """Solr nodes."""
    handlers: list[HandlerFigures] = []
    zookeeper: list[ServerFigures] = []
    """ZooKeeper servers."""
    pods: list[ServerFigures] = []
    """Pods, by their control groups."""
    machines: list[ServerFigures] = []
    """Machines, as far as pods may see them."""
    spreads: dict[str, list[Spread]] = {}
    """Figures over all servers by what they are: `solr`, `zookeeper`, `solr-pods`,
    `zookeeper-pods`, `companion-pods`, `load-pods`, `machines`."""
    series: list[ServerSeries] = []
    """Heap, memory, index and cache entries over time, of which trends are found, and CPU."""
    missing: list[str] = []
    """What could not be read, and why."""


class VisibilityResult(LenientModel):
    """After which time replicas of one type found marked documents, in one step run."""

    replica_type: str
    """NRT, TLOG or PULL; empty if the replicas could not be listed."""
    documents: int
    """Times that a replica found one."""
    not_found: int
    """Times that it did not in time."""
    timeout_milliseconds: float
    """The time after which that was given up."""
    milliseconds: list[float]
    """From the response to the update until a replica found the document; a random part of them if
    they are very many."""
    errors: list[float]
    """By how many milliseconds each of them may be too small or too large, as a replica is asked
    now and then, and responds later."""
    problem: str = ""
    """What went wrong last."""


class AddedDocuments(LenientModel):
    """The documents of a step that indexes, as the replicas had them when it was over."""

    documents: int = 0
    """Documents that every replica of their shard has."""
    differing: list[str] = []
    """Replicas that have others than the first of their shard, or are not active; some of them."""
    problem: str = ""
    """Why they could not be counted; empty if they were."""


MAX_UNPACKED_BYTES = 16 << 20
"""Of a file that is read back; the largest are flight recordings."""

_IN_FILE_NAME = re.compile(r"[^A-Za-z0-9_.-]+")

MAX_FILE_BYTES = 512 << 10
"""Of a file before it is packed; a dump of 300 threads has about 300 kB."""

RECORDING = ".jfr"
"""End of the name of a recording of Java Flight Recorder."""

_CUT = b"\n(cut: the file is too long)\n"


class DiagnosticFile(LenientModel):
    """One file."""

    name: str
    """File name, such as `threads-1-base-solr-0.txt`."""
    content: str
    """What it holds: gzip, base64."""

    @classmethod
    def pack(cls, name: str, text: str) -> Self:
        """Return the file; what is beyond `MAX_FILE_BYTES` is left out."""
        whole = text.encode()
        kept = whole if len(whole) <= MAX_FILE_BYTES else whole[:MAX_FILE_BYTES] + _CUT
        return cls.of_packed(name, gzip.compress(kept, mtime=0))

    @classmethod
    def of_packed(cls, name: str, packed: bytes) -> Self:
        """Return the file whose content gzip has packed."""
        return cls(name=name, content=base64.b64encode(packed).decode())

    @property
    def is_text(self) -> bool:
        """Whether it is text, not a recording."""
        return not self.name.endswith(RECORDING)

    @property
    def safe_name(self) -> str:
        """Its name as one part of a path: a stored document may say anything."""
        # Dots at the begin would hide the file, or lead out of the folder.
        return _IN_FILE_NAME.sub("-", self.name).lstrip(".") or "file"

    def unpack(self) -> bytes:
        """Return what it holds; of a file that cannot be read, or is too long, a line on why."""
        try:
            return bytes(unpack(base64.b64decode(self.content), MAX_UNPACKED_BYTES))
        except ValueError as error:  # also of what is no base64
            return f"(omitted: {error})\n".encode()


class PodEvent(LenientModel):
    """What happened to a pod while a step run was measured."""

    kind: str
    """Restarted, OOMKilled or Replaced."""
    container: str = ""
    """The container that ended; empty for a whole pod."""
    time: datetime
    """When the container ended, or when the pod that took the place was made."""


class PodRecord(LenientModel):
    """A pod of the benchmark, as the operator saw it when the step run was over."""

    pod: str
    """Name of the pod."""
    component: str
    """solr, zookeeper, load-master or load-worker."""
    restarts: int
    """Restarts of its containers since the pod was made."""
    troubles: list[PodEvent] = []
    """What happened to it between the step run's start and end."""
