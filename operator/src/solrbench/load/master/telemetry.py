"""Reads all sources at the begin and the end of a step run, and a little of them in between.

Nothing depends on what is read: where a source is silent, its figures are missing, and
`Telemetry.missing` says so.
"""

from collections.abc import Sequence
from itertools import count

import gevent
from gevent.event import Event

from solrbench.load.master.telemetry.sources import TelemetrySource
from solrbench.plan.names import COMPANION, LOAD_MASTER, SOLR, ZOOKEEPER
from solrbench.results.model.telemetry import MOST_MISSING, ServerFigures, ServerSeries, Telemetry
from solrbench.telemetry.readings import Reading, figures_of
from solrbench.telemetry.series import series_of
from solrbench.telemetry.summary import (
    handlers_of,
    spreads_of,
    with_shares,
    worst_servers,
)

MAX_READINGS = 360
"""Readings of a server that are kept of one step run; then every second one is dropped, and the
time between two doubles. The first one always stays."""

_POD_SPREADS = {
    SOLR: "solr-pods",
    ZOOKEEPER: "zookeeper-pods",
    COMPANION: "companion-pods",
    LOAD_MASTER: "load-pods",
}
"""Names of the figures over all pods of a component; those of workers are added to the last."""

FULL_EACH = 5
"""Of so many readings one has the figures of the cores, too, which show when caches are full."""


class TelemetrySampler:
    """Reads `sources` in greenlets of its own; `interval_seconds` lie between two readings."""

    def __init__(self, sources: Sequence[TelemetrySource], interval_seconds: float) -> None:
        self._sources = list(sources)
        self._interval = interval_seconds
        self._pause = interval_seconds
        self._readings: dict[str, dict[str, list[Reading]]] = {}
        self._ended = Event()
        self._measuring = Event()
        self._greenlet: gevent.Greenlet | None = None

    def begin(self) -> None:
        """Forget what was read before; nothing is read until `mark`."""
        self._stop()
        self._pause = self._interval
        self._readings = {}

    def mark(self) -> None:
        """Begin to measure: read everything at once, then again and again until the end."""
        self._ended = Event()
        self._greenlet = gevent.spawn(self._sample_until_end, self._ended)

    def end(self) -> Telemetry:
        """Read everything a last time; return what it shows."""
        self._stop()
        self._sample(full=True)
        return self._summary()

    def so_far(self) -> Telemetry:
        """Return what the readings until now show."""
        return self._summary()

    def _stop(self) -> None:
        self._ended.set()
        if self._greenlet is not None:
            self._greenlet.join()
            self._greenlet = None

    def _sample_until_end(self, ended: Event) -> None:
        self._sample(full=True)
        for number in count(1):
            if ended.wait(self._pause):
                return
            self._sample(full=number % FULL_EACH == 0)

    def _sample(self, *, full: bool) -> None:
        jobs = [gevent.spawn(each.read, full=full) for each in self._sources]
        gevent.joinall(jobs)
        for source, job in zip(self._sources, jobs, strict=True):
            for reading in job.value or ():
                self._keep(self._readings.setdefault(reading.kind or source.kind, {}), reading)

    def _keep(self, known: dict[str, list[Reading]], reading: Reading) -> None:
        series = known.setdefault(reading.server, [])
        series.append(reading)
        if len(series) > MAX_READINGS:
            known[reading.server] = series[::2]
            self._pause = max(self._pause, _spacing(series) * 2)

    def _summary(self) -> Telemetry:
        servers = {
            kind: [with_shares(figures_of(each)) for each in known.values() if each]
            for kind, known in self._readings.items()
        }
        solr, pods = servers.get("solr", []), servers.get("pods", [])
        spread = {kind: known for kind, known in servers.items() if kind != "pods"}
        for component, name in _POD_SPREADS.items():
            spread[name] = [each for each in pods if each.component == component]
        return Telemetry(
            solr=worst_servers(solr),
            handlers=handlers_of(solr),
            zookeeper=worst_servers(servers.get("zookeeper", [])),
            pods=worst_servers(pods),
            machines=worst_servers(servers.get("machines", [])),
            spreads={kind: spreads_of(kind, known) for kind, known in spread.items() if known},
            # The load master keeps what it measures, so that it grows.
            series=self._series(solr, [each for each in pods if each.component != LOAD_MASTER]),
            missing=self._missing(servers),
        )

    def _series(self, *kept: Sequence[ServerFigures]) -> list[ServerSeries]:
        names = {each.server for kind in kept for each in worst_servers(kind)}
        return [
            series
            for kind, known in self._readings.items()
            for server, readings in known.items()
            if server in names
            for series in series_of(kind, readings)
        ]

    def _missing(self, servers: dict[str, list[ServerFigures]]) -> list[str]:
        found = [text for source in self._sources if (text := source.missing())]
        for kind, known in servers.items():
            alone = [each.server for each in known if each.readings < 2]
            if alone:
                found.append(
                    f"only one reading of {kind} {', '.join(alone[:3])}, so no differences"
                )
        return found[:MOST_MISSING]


def _spacing(series: Sequence[Reading]) -> float:
    return (series[-1].moment - series[0].moment) / (len(series) - 1)
