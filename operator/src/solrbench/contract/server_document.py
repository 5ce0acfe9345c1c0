"""What servers and pods did while a step run was measured. Parts of `StepRunResult`.

Figures are numbers by name, and the unit is the end of the name. A figure that was not measured is
missing, never zero; `Telemetry.missing` says what could not be read at all, and why.
"""

from solrbench.api.rules import LenientModel

MOST_SERVERS = 20
"""Servers of a kind whose figures are kept one by one; of more, those with the most CPU time."""

MOST_HANDLERS = 16
"""Request handlers that are kept: those with the most time."""

MOST_MISSING = 8
"""Sentences on what could not be read."""

CACHES = {
    "filterCache": "filter_cache",
    "queryResultCache": "query_result_cache",
    "documentCache": "document_cache",
    "fieldValueCache": "field_value_cache",
}
"""Solr's caches and what the names of their figures begin with."""


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
    """From the first reading to the last."""
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
