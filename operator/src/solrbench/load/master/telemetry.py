"""Reads all sources at the begin and the end of a step run, and a little of them in between.

Nothing depends on what is read: where a source is silent, its metrics are missing, and
`Telemetry.missing` says so. Solr 9 is read by one node for all, Solr 10 by each node itself.
"""

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import count, cycle
from urllib.parse import urlsplit

import gevent
import httpx
from gevent.event import Event

from solrbench.contract.names import COMPANION, LOAD_MASTER, SOLR, ZOOKEEPER
from solrbench.contract.server_document import MAX_MISSING_TEXTS, ServerFigures, Telemetry
from solrbench.net.http import HttpAuth
from solrbench.telemetry.readings import ServerReading, series_of, summarise_readings
from solrbench.telemetry.solr_json import FULL_PARAMETERS, LIGHT_PARAMETERS, parse_solr_json
from solrbench.telemetry.solr_prometheus import PARAMETERS, parse_solr_prometheus
from solrbench.telemetry.summary import handlers_of, spreads_of, with_shares, worst_servers


class TelemetrySource(ABC):
    """Servers of one `kind`, a field of `Telemetry`."""

    kind: str

    @abstractmethod
    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each server that responds, never raise; `full` with everything."""

    def missing(self) -> str | None:
        """Return a sentence on what could not be read so far, and why; None if all was.

        What cannot be read of this process's own machine is missing in its figures alone.
        """
        return None


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
        self._readings: dict[str, dict[str, list[ServerReading]]] = {}
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
        return self.so_far()

    def _stop(self) -> None:
        self._ended.set()
        if self._greenlet is not None:
            self._greenlet.join()
            self._greenlet = None

    def _sample_until_end(self, ended: Event) -> None:
        self._sample(full=True)
        for number in count(1):
            # An event instead of a sleep: the end of a step run shall not wait for the next turn.
            if ended.wait(self._pause):
                return
            self._sample(full=number % FULL_EACH == 0)

    def _sample(self, *, full: bool) -> None:
        jobs = [
            gevent.spawn(telemetry_source.read, full=full) for telemetry_source in self._sources
        ]
        gevent.joinall(jobs)
        for source, job in zip(self._sources, jobs, strict=True):
            for reading in job.value or ():
                self._keep(self._readings.setdefault(reading.kind or source.kind, {}), reading)

    def _keep(self, known: dict[str, list[ServerReading]], reading: ServerReading) -> None:
        series = known.setdefault(reading.server, [])
        series.append(reading)
        if len(series) > MAX_READINGS:
            known[reading.server] = series[::2]
            spacing = (series[-1].moment - series[0].moment) / (len(series) - 1)
            self._pause = max(self._pause, spacing * 2)

    def so_far(self) -> Telemetry:
        """Return what the readings until now show."""
        servers = {
            kind: [with_shares(summarise_readings(each)) for each in known.values() if each]
            for kind, known in self._readings.items()
        }
        solr, pods = servers.get("solr", []), servers.get("pods", [])
        spread = {kind: known for kind, known in servers.items() if kind != "pods"}
        for component, name in _POD_SPREADS.items():
            spread[name] = [each for each in pods if each.component == component]
        # The load master keeps what it measures, so that it grows.
        others = [each for each in pods if each.component != LOAD_MASTER]
        shown = {each.server for kind in (solr, others) for each in worst_servers(kind)}
        return Telemetry(
            solr=worst_servers(solr),
            handlers=handlers_of(solr),
            zookeeper=worst_servers(servers.get("zookeeper", [])),
            pods=worst_servers(pods),
            machines=worst_servers(servers.get("machines", [])),
            spreads={kind: spreads_of(kind, known) for kind, known in spread.items() if known},
            series=[
                series
                for kind, known in self._readings.items()
                for server, readings in known.items()
                if server in shown
                for series in series_of(kind, readings)
            ],
            missing=self._missing(servers),
        )

    def _missing(self, servers: dict[str, list[ServerFigures]]) -> list[str]:
        texts = [text for source in self._sources if (text := source.missing())]
        for kind, known in servers.items():
            alone = [server.server for server in known if server.readings < 2]
            if alone:
                texts.append(
                    f"only one reading of {kind} {', '.join(alone[:3])}, so no differences"
                )
        return texts[:MAX_MISSING_TEXTS]


class MetricsClient:
    """Reads `path` of nodes; `access` is called before the first request."""

    def __init__(
        self, access: Callable[[], HttpAuth], timeout_seconds: float, path: str = "/admin/metrics"
    ) -> None:
        self._path = path
        self._access = access
        self._timeout_seconds = timeout_seconds
        self._http: httpx.Client | None = None

    def get(self, url: str, parameters: Mapping[str, str | list[str]]) -> httpx.Response:
        """Return the response of the node with a base URL, whatever its status.

        Raises:
            httpx.HTTPError: if there is none.
        """
        if self._http is None:
            # It would write a line for every request.
            logging.getLogger("httpx").setLevel(logging.WARNING)
            self._http = self._access().open_client(self._timeout_seconds)
        return self._http.get(f"{url}{self._path}", params=dict(parameters))


TIMEOUT_SECONDS = 5.0

_BAD_REQUEST = 400
_logger = logging.getLogger(__name__)


class SolrSource(TelemetrySource):
    """The nodes of the target; `access` is called before the first request."""

    kind = "solr"

    def __init__(
        self, urls: Sequence[str], collection: str, access: Callable[[], HttpAuth]
    ) -> None:
        self._urls = list(urls)
        self._turns = cycle(urls)
        self._url = next(self._turns)
        self._collection = collection
        self._client = MetricsClient(access, TIMEOUT_SECONDS)
        self._each_node = False
        self._refused = False
        self._problem: str | None = "Solr's metrics were not read"

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each node, never raise."""
        if self._refused:
            return []
        try:
            readings = self._read_each() if self._each_node else self._read_all(full=full)
        except (httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError) as error:
            # Whatever a proxy says in place of Solr: it is no reason to stop measuring.
            self._problem = f"no metrics from {self._url}: {error or type(error).__name__}"
            _logger.info("%s", self._problem)
            self._url = next(self._turns)
            return []
        self._problem = None if readings else f"{self._url} responds without metrics of a node"
        return readings

    def missing(self) -> str | None:
        """Return why there is no reading."""
        return self._problem

    def _read_all(self, *, full: bool) -> list[ServerReading]:
        parameters = FULL_PARAMETERS if full else LIGHT_PARAMETERS
        response = self._client.get(self._url, parameters)
        if response.status_code == _BAD_REQUEST:
            # Solr 10 knows no JSON, and no other node's metrics.
            self._each_node = True
            return self._read_each()
        # Not allowed: so will the next response be.
        self._refused = response.is_client_error
        json = response.raise_for_status().json()
        return parse_solr_json(json, self._collection, time.monotonic())

    def _read_each(self) -> list[ServerReading]:
        readings = []
        for url in self._urls:
            text = self._client.get(url, PARAMETERS).raise_for_status().text
            reading = parse_solr_prometheus(
                text, urlsplit(url).netloc, self._collection, time.monotonic()
            )
            if reading is not None:
                readings.append(reading)
        return readings
