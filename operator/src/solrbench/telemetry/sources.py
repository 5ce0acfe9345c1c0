"""Readers of Solr's metrics and of the agents in pods, for all that measures a target.

Nothing depends on what is read: a source that is silent says so in `missing`. Solr 9 is read by one
node for all, Solr 10 by each node itself. Pods of companions have no names that are known in
advance: their agents are all addresses of one host, which are looked up each time.
"""

import logging
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx

from solrbench.contract.load_plan import PodAgent
from solrbench.contract.names import COMPANION
from solrbench.errors import format_error
from solrbench.net.deadline import url_host
from solrbench.net.http import NO_ANSWER_ERRORS, HttpAuth, create_pooled_client, utf8_text
from solrbench.net.token import TOKEN_HEADER
from solrbench.telemetry import solr_json, solr_prometheus
from solrbench.telemetry.jvm import count_update_threads
from solrbench.telemetry.readings import ServerReading


class TelemetrySource(ABC):
    """Servers of one `kind`, a field of `Telemetry`."""

    kind: str
    has_refused = False
    """Whether a server was asked by others, who had not the token of the target."""
    _problem: str | None = None
    _client: "MetricsClient | httpx.Client | None" = None

    @abstractmethod
    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each server that responds, never raise; `full` with everything."""

    def missing(self) -> str | None:
        """Return a sentence on what could not be read so far, and why; None if all was.

        What cannot be read of this process's own machine is missing in its figures alone.
        """
        return self._problem

    def close(self) -> None:
        """Close its connections, if it has any; nothing is read any more."""
        if self._client is not None:
            self._client.close()


THREADS = "/admin/info/threads"


@dataclass(eq=False, repr=False)
class MetricsClient:
    """Reads `path` of nodes; `access` is called before the first request."""

    access: Callable[[], HttpAuth]
    timeout_seconds: float
    path: str = "/admin/metrics"
    _http: httpx.Client | None = field(default=None, init=False)

    def close(self) -> None:
        """Close its connections."""
        if self._http is not None:
            self._http.close()

    def get(self, url: str, parameters: Mapping[str, str | list[str]]) -> httpx.Response:
        """Return the response of the node with a base URL, whatever its status.

        It raises `httpx.HTTPError` if there is none.
        """
        if self._http is None:
            # It would write a line for every request.
            logging.getLogger("httpx2").setLevel(logging.WARNING)
            self._http = self.access().open_client(self.timeout_seconds)
        return self._http.get(f"{url}{self.path}", params=dict(parameters))


TIMEOUT_SECONDS = 5.0

MAX_DUMPED_NODES = 16
"""Nodes whose threads are read: a dump has some hundred kilobytes."""

_logger = logging.getLogger(__name__)


class SolrSource(TelemetrySource):
    """The nodes of the target, of which `only_caches` are read if that is said.

    `access` is called before the first request.
    """

    kind = "solr"
    _client: MetricsClient

    def __init__(
        self,
        urls: Sequence[str],
        collection: str,
        access: Callable[[], HttpAuth],
        timeout_seconds: float = TIMEOUT_SECONDS,
        *,
        only_caches: bool = False,
    ) -> None:
        self._urls = list(urls)
        self._turns = cycle(urls)
        self._url = next(self._turns)
        self._collection = collection
        self._client = MetricsClient(access, timeout_seconds)
        self._only_caches = only_caches
        self._each_node = False
        self.is_refused = False
        """Whether access is denied, so that nothing is read any more."""
        self._problem = "Solr's metrics were not read"

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each node, never raise."""
        if self.is_refused:
            return []
        self._problem, readings = None, list[ServerReading]()
        try:
            readings = self._read_each() if self._each_node else self._read_all(full=full)
        except NO_ANSWER_ERRORS as error:
            self._note(self._url, error)
        if not readings:
            self._problem = self._problem or f"{self._url} responds without metrics of a node"
            self._url = next(self._turns)
        return readings

    def _note(self, url: str, error: Exception) -> None:
        # Whatever a proxy says in place of Solr: it is no reason to stop measuring.
        self._problem = f"no metrics from {url}: {format_error(error)}"
        _logger.info("%s", self._problem)

    def _read_all(self, *, full: bool) -> list[ServerReading]:
        parameters = solr_json.FULL_PARAMETERS if full else solr_json.LIGHT_PARAMETERS
        if self._only_caches:
            parameters = solr_json.CACHE_PARAMETERS
        response = self._client.get(self._url, parameters)
        if response.status_code == httpx.codes.BAD_REQUEST:
            # Solr 10 knows no JSON, and no other node's metrics.
            self._each_node = True
            return self._read_each()
        # So will the next response be; others, such as 429, may pass.
        self.is_refused = response.status_code in (401, 403)
        json = response.raise_for_status().json()
        return solr_json.parse_solr_json(json, self._collection, time.monotonic())

    def _read_each(self) -> list[ServerReading]:
        readings, parameters = [], solr_prometheus.PARAMETERS
        if self._only_caches:
            parameters = solr_prometheus.CACHE_PARAMETERS
        for url in self._urls:
            try:
                text = utf8_text(self._client.get(url, parameters).raise_for_status())
                reading = solr_prometheus.parse_solr_prometheus(
                    text, urlsplit(url).netloc, self._collection, time.monotonic()
                )
            except NO_ANSWER_ERRORS as error:
                self._note(url, error)
                continue
            if reading is not None:
                readings.append(reading)
        return readings


AGENT_TIMEOUT_SECONDS = 3.0
MAX_COMPANION_PODS = 16
_MAX_CHARACTERS = 100
"""Of a text that an agent sends."""
_MAX_BYTES = 1 << 16

MapAgents = Callable[
    [Callable[[PodAgent], list[ServerReading]], Iterable[PodAgent]], Iterable[list[ServerReading]]
]
"""A `map` that may ask all agents at once."""


class UpdateThreadSource(TelemetrySource):
    """What threads of the nodes do with updates; `access` is called before the first request.

    Solr has no metric of updates that wait for merges.
    """

    kind = "solr-threads"
    _client: MetricsClient

    def __init__(self, urls: Sequence[str], access: Callable[[], HttpAuth]) -> None:
        self._urls = list(urls)[:MAX_DUMPED_NODES]
        self._client = MetricsClient(access, TIMEOUT_SECONDS, THREADS)

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each node that responds, never raise; it has one form only."""
        del full
        readings, self._problem = [], None
        for url in self._urls:
            try:
                response = self._client.get(url, {"wt": "json"}).raise_for_status()
                counts = count_update_threads(response.json())
            except NO_ANSWER_ERRORS as error:
                self._problem = f"no threads of {url}: {format_error(error)}"
                continue
            readings.append(ServerReading(urlsplit(url).netloc, time.monotonic(), peaks=counts))
        return readings


class AgentSource(TelemetrySource):
    """Agents of pods; of companions the address is that of all. The `token` is theirs."""

    kind = "pods"
    _client: httpx.Client

    def __init__(self, agents: Sequence[PodAgent], token: str, map_agents: MapAgents = map) -> None:
        """Ask one after another, unless `map_agents` does so at once."""
        self._agents = list(agents)
        self._map = map_agents
        self._client = create_pooled_client(
            AGENT_TIMEOUT_SECONDS, headers={TOKEN_HEADER: token}, max_bytes=_MAX_BYTES
        )
        self._silent: list[str] = []
        self._partly: dict[str, str] = {}

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each pod and of each machine, never raise."""
        del full
        agents = [each for agent in self._agents for each in _single(agent)]
        found = self._map(self._read, agents)
        by_pod: dict[tuple[str, str], ServerReading] = {}
        self._silent = []
        for agent, readings in zip(agents, found, strict=True):
            if not any(each.kind == self.kind for each in readings):
                self._silent.append(agent.address)
            # Several pods may see the same machine.
            by_pod |= {(each.kind, each.server): each for each in readings}
        return list(by_pod.values())

    def missing(self) -> str | None:
        """Return which pods could not be read the last time, or only in part."""
        parts = [f"no control group of {', '.join(self._silent[:3])}"] if self._silent else []
        for why in dict.fromkeys(self._partly.values()):
            pods = [pod for pod, each in self._partly.items() if each == why]
            parts.append(f"of {', '.join(pods[:3])} only CPU time and network: {why}")
        return "; ".join(parts) or None

    def _read(self, agent: PodAgent) -> list[ServerReading]:
        try:
            response = self._client.get(f"http://{agent.address}/usage").raise_for_status()
            body = response.json()
            readings = parse_usage(body, agent.address, agent.component, time.monotonic())
            pod, why = readings[-1].server, str(body.get("missing", ""))
            self.has_refused = self.has_refused or bool(body.get("refused"))
        except NO_ANSWER_ERRORS as error:
            _logger.info("no usage from %s: %r", agent.address, error)
            return []
        if why:
            self._partly[pod] = why[:_MAX_CHARACTERS]
        else:
            self._partly.pop(pod, None)
        return readings


def _single(agent: PodAgent) -> list[PodAgent]:
    """Return the agent of each pod, at most `MAX_COMPANION_PODS`."""
    if agent.component != COMPANION:
        return [agent]
    host, _, port = agent.address.rpartition(":")
    try:
        addresses = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
    except OSError as error:
        _logger.info("no address of %s: %r", host, error)
        return [agent]
    hosts = sorted({str(each[4][0]) for each in addresses})[:MAX_COMPANION_PODS]
    return [agent.model_copy(update={"address": f"{url_host(each)}:{port}"}) for each in hosts]


def pod_of(address: str) -> str:
    """Return the pod of an agent: the first word of its host."""
    return address.rpartition(":")[0].partition(".")[0]


def parse_usage(
    body: Mapping[str, Any], address: str, component: str, moment: float
) -> list[ServerReading]:
    """Return the readings of a pod and of its machine.

    It raises `KeyError`, `TypeError` or `ValueError` if it is no response of an agent.
    """
    machine = str(body["machine"])
    pod = str(body["pod"])[:_MAX_CHARACTERS] if component == COMPANION else pod_of(address)
    counters, gauges = _numbers(body["machineCounters"]), _numbers(body["machineGauges"])
    readings = [ServerReading(machine, moment, counters, gauges, kind="machines")]
    if "counters" in body:
        counters, gauges, peaks = (_numbers(body[each]) for each in ("counters", "gauges", "peaks"))
        own = ServerReading(pod, moment, counters, gauges, peaks, component, machine, kind="pods")
        readings.append(own)
    return readings


def _numbers(found: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(number) for name, number in found.items()}
