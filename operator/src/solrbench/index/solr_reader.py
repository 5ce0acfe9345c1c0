"""Reads Solr's nodes while documents are sent, in a thread of its own of the first index pod.

What the whole stage needs goes into the pod's termination message, so only some figures are kept:
those that rules and the status read, and a few of the busiest node over time.
"""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import fmean

from solrbench.api.v1alpha1.server_metrics import MAX_INDEXING_POINTS
from solrbench.api.v1alpha1.validity import Collect
from solrbench.contract.pod_plans import IndexPlan
from solrbench.contract.server_document import CPU_PERCENT, ServerSeries, Spread, Telemetry
from solrbench.net.http import read_auth
from solrbench.stats.number_format import round_significant
from solrbench.stats.series import Combine
from solrbench.telemetry.readings import ServerReading, series_of
from solrbench.telemetry.sources import AgentSource, SolrSource, TelemetrySource, UpdateThreadSource
from solrbench.telemetry.summary import CACHE_METRICS, summarise_servers

FIRST_SECONDS = 2.0
"""Time between two readings at first: a small dataset is indexed in some seconds."""

MAX_READINGS = 120
"""Readings of a server that are kept; then every second one is dropped, and the time doubles."""

_SERIES: Mapping[str, Mapping[str, Combine]] = {
    "solr": {
        CPU_PERCENT: fmean,
        "updates_per_second": fmean,
        "heap_used_bytes": max,
        "index_bytes": max,
        "segments": max,
    },
    "solr-threads": {"merge_threads": fmean, "merge_stalled_percent": fmean},
}
"""What is kept over time."""

_UNREAD = {*CACHE_METRICS, "requests", "request_milliseconds", "documents"}
"""Figures that say nothing of indexing."""

_KINDS = ("solr", "solr-threads", "solr-pods", "machines")
_DIGITS = 4
_AGENTS_AT_ONCE = 8


def target_reader(plan: IndexPlan) -> "TargetReader | None":
    """Return what reads the target of a plan; None if telemetry is turned off."""
    if plan.telemetry.collect is Collect.NONE:
        return None
    access = partial(read_auth, plan.access)
    sources: list[TelemetrySource] = [
        SolrSource(plan.solr_urls, plan.collection, access),
        UpdateThreadSource(plan.solr_urls, access),
    ]
    if plan.agents:
        pool = ThreadPoolExecutor(_AGENTS_AT_ONCE, "agents")
        sources.append(AgentSource(plan.agents, plan.agent_token, pool.map))
    return TargetReader(sources, min(FIRST_SECONDS, plan.telemetry.interval_seconds))


class TargetReader:
    """Reads `sources` from `begin` to `end`, at first each `seconds`."""

    def __init__(self, sources: Sequence[TelemetrySource], seconds: float = FIRST_SECONDS) -> None:
        self._sources = list(sources)
        self._pause = seconds
        self._readings: dict[str, dict[str, list[ServerReading]]] = {}
        self._is_wanted = False
        self._ended = threading.Event()
        # A read that hangs in the network must not keep the process alive.
        self._thread = threading.Thread(target=self._read_until_end, name="target", daemon=True)

    def begin(self) -> None:
        """Read now, and again and again until the end."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more; what reads at this moment ends by itself."""
        self._ended.set()

    def end(self) -> Telemetry:
        """Read a last time; return what rules and status need of all readings."""
        self._is_wanted = True
        self._ended.set()
        self._thread.join()
        missing = [text for source in self._sources if (text := source.missing())]
        found = summarise_servers(self._readings, missing)
        # The first one has the most CPU time.
        busiest = found.solr[:1]
        return Telemetry(
            solr=[each.model_copy(update={"figures": {}}) for each in busiest],
            spreads={kind: _needed(found.spreads.get(kind, [])) for kind in _KINDS},
            series=self._series(busiest[0].server) if busiest else [],
            missing=found.missing,
        )

    def _read_until_end(self) -> None:
        self._read()
        while not self._ended.wait(self._pause):
            self._read()
        if self._is_wanted:
            self._read()
        for source in self._sources:
            source.close()

    def _read(self) -> None:
        for source in self._sources:
            for reading in source.read(full=True):
                known = self._readings.setdefault(reading.kind or source.kind, {})
                known.setdefault(reading.server, []).append(reading)
        servers = [own for known in self._readings.values() for own in known.values()]
        if max(map(len, servers), default=0) > MAX_READINGS:
            self._pause *= 2
            for known in self._readings.values():
                for server, own in known.items():
                    known[server] = own[::2]

    def _series(self, busiest: str) -> list[ServerSeries]:
        return [
            series.model_copy(
                update={
                    "seconds": [round(each, 1) for each in series.seconds],
                    "values": [round_significant(each, _DIGITS) for each in series.values],
                }
            )
            for kind, figures in _SERIES.items()
            for server, own in self._readings.get(kind, {}).items()
            if server == busiest
            for series in series_of(kind, own, figures, MAX_INDEXING_POINTS)
        ]


def _needed(spreads: Sequence[Spread]) -> list[Spread]:
    return [
        each.model_copy(
            update={
                name: round_significant(getattr(each, name), _DIGITS)
                for name in ("total", "median", "deviation", "lowest", "highest")
            }
        )
        for each in spreads
        if each.figure not in _UNREAD
    ]
