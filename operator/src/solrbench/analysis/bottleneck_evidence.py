"""What the rules of bottlenecks read of one step run, and the limits that several of them share.

Limits and their sources: docs/method/causes.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from solrbench.analysis.checks import Outcome, first_finding
from solrbench.analysis.server_metrics import RunTelemetry
from solrbench.stats.number_format import format_milliseconds, format_percent


@dataclass(frozen=True)
class BottleneckInput:
    """One step run, behind a proxy if something stands between load and Solr.

    Of the users of a closed loop each has one request under way at most; None for arrivals.
    """

    repeat: int
    servers: RunTelemetry
    findings: Mapping[str, Outcome]
    behind_proxy: bool = False
    users: int | None = None

    def figure(self, name: str) -> float | None:
        """Return a figure; None if it was not measured."""
        return self.servers.figures.get(name)

    def server(self, name: str) -> str | None:
        """Return the server that shows a figure most, if there are several."""
        if self.servers.figures.get("nodes", 1) <= 1:
            return None
        return self.servers.servers.get(name)


@dataclass(frozen=True)
class Symptom:
    """A resource at its limit, as text, and the server that shows it if it is one of several."""

    text: str
    server: str | None = None


def pod_of(server: str) -> str:
    """Return the pod's name of a server in the cluster, whose full address fills a sentence."""
    host, dot, rest = server.partition(".")
    return host if dot and rest.rpartition(":")[0].endswith(".svc") else server


# A node with twice its share of requests has more; nodes whose shards are nearly alike differ by
# less (docs/method/causes.md, the bottleneck).
_MIN_RATIO = 1.4

_PEER_FIGURES = {
    "cpu_percent": (10.0, "used {} of its CPUs"),
    "request_milliseconds": (1.0, "took {} for each request"),
    "shard_request_milliseconds": (1.0, "took {} for each request to a shard"),
}
"""The smallest difference that counts, as idle nodes differ by chance, and words for a value."""

MAX_PEER_DEVIATIONS = 3.0
"""How many scaled median absolute deviations the highest may be above the median."""

# With fewer nodes, a median absolute deviation is that of one or two of them.
_ENOUGH_NODES = 5


def find_outlier(run: BottleneckInput, figure: str) -> Symptom | None:
    """Return the node that is apart from the others by a figure; None if there is none."""
    spread = run.servers.peers.get(figure)
    if spread is None or spread.servers < 2:
        return None
    # The median of two nodes has half of the highest in it: the other one is all its peers.
    peers = spread.lowest if spread.servers == 2 else spread.median
    least, what = _PEER_FIGURES[figure]
    if spread.highest <= _MIN_RATIO * peers or spread.highest - peers < least:
        return None
    limit = MAX_PEER_DEVIATIONS * spread.deviation
    if spread.servers >= _ENOUGH_NODES and spread.highest - spread.median <= limit:
        return None
    show = format_percent if figure == "cpu_percent" else format_milliseconds
    return Symptom(
        f"{pod_of(spread.highest_server)} {what.format(show(spread.highest))}, the other"
        f" nodes {show(peers)} (limit {_MIN_RATIO:g} times)",
        spread.highest_server,
    )


MAX_CPU_PERCENT = 85.0
MAX_MACHINE_PERCENT = 90.0
MAX_THROTTLED_PERCENT = 5.0


def is_cpu_busy(run: BottleneckInput) -> bool:
    """Return whether Solr uses up its CPUs, as far as is known."""
    return (run.figure("cpu_percent") or 0.0) > MAX_CPU_PERCENT


def found_by_verdict(run: BottleneckInput, *reasons: str) -> Symptom | None:
    """Return the symptom of the first of some checks of the verdict that found something."""
    text = first_finding(run.findings, reasons)
    return None if text is None else Symptom(text)


def above(run: BottleneckInput, name: str, limit: float, what: str) -> Symptom | None:
    """Return the symptom of a percentage above its limit, by a text with `{}` for it, if any."""
    value = run.figure(name)
    if value is None or value <= limit:
        return None
    text = f"{what.format(format_percent(value))} (limit {format_percent(limit)})"
    return Symptom(text, run.server(name))
