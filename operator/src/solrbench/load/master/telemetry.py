"""Telemetry of a step run: sources are read at its begin and end, and a little in between.

Besides Solr and agents, these are the master's machine and pod, and ZooKeeper.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import gevent
from gevent.event import Event

from solrbench.contract.names import LOAD_MASTER
from solrbench.contract.server_document import Telemetry
from solrbench.net.zookeeper import send_command
from solrbench.telemetry.kernel_files import read_machine
from solrbench.telemetry.readings import ServerReading
from solrbench.telemetry.sources import TelemetrySource
from solrbench.telemetry.summary import parse_monitor, read_own_pod, summarise_servers

MAX_READINGS = 360
"""Readings of a server that are kept of one step run; then every second one is dropped, and the
time between two doubles. The first one always stays."""

FULL_EACH = 5
"""Of so many readings one has the figures of the cores, too, which show when caches are full."""


@dataclass(eq=False, repr=False)
class TelemetrySampler:
    """Reads `sources` in greenlets of its own; `interval_seconds` lie between two readings."""

    sources: Sequence[TelemetrySource]
    interval_seconds: float
    _readings: dict[str, dict[str, list[ServerReading]]] = field(default_factory=dict, init=False)
    _ended: Event = field(default_factory=Event, init=False)
    _greenlet: gevent.Greenlet | None = field(default=None, init=False)
    _pause: float = field(init=False)

    def begin(self) -> None:
        """Forget what was read before; nothing is read until `mark`."""
        self._stop()
        self._pause = self.interval_seconds
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

    def _sample_until_end(self, ended: Event) -> None:
        self._sample(full=True)
        for number in count(1):
            # An event instead of a sleep: the end of a step run shall not wait for the next turn.
            if ended.wait(self._pause):
                return
            self._sample(full=number % FULL_EACH == 0)

    def _sample(self, *, full: bool) -> None:
        jobs = [gevent.spawn(telemetry_source.read, full=full) for telemetry_source in self.sources]
        gevent.joinall(jobs)
        for source, job in zip(self.sources, jobs, strict=True):
            for reading in job.value or ():
                known = self._readings.setdefault(reading.kind or source.kind, {})
                series = known.setdefault(reading.server, [])
                series.append(reading)
                if len(series) > MAX_READINGS:
                    known[reading.server] = series[::2]
                    spacing = (series[-1].moment - series[0].moment) / (len(series) - 1)
                    self._pause = max(self._pause, spacing * 2)

    def has_refused(self) -> bool:
        """Return whether an agent was asked by others, who had not the token of the target."""
        return any(source.has_refused for source in self.sources)

    def so_far(self) -> Telemetry:
        """Return what the readings until now show."""
        missing = [text for source in self.sources if (text := source.missing())]
        return summarise_servers(self._readings, missing)


class MachineSource(TelemetrySource):
    """The machine that this process runs on, by the files below `proc`."""

    kind = "machines"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of the machine; none where the kernel does not name it."""
        del full
        machine, counters, gauges = read_machine(self._proc)
        return [ServerReading(machine, time.monotonic(), counters, gauges)] if machine else []


class OwnPodSource(TelemetrySource):
    """The pod of this process."""

    kind = "pods"

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return one reading."""
        del full
        return [read_own_pod(LOAD_MASTER)]


class ZooKeeperSource(TelemetrySource):
    """The servers of the ensemble, as `host:port`."""

    kind = "zookeeper"

    def __init__(self, servers: Sequence[str]) -> None:
        self._servers = list(servers)

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each server, never raise; `mntr` has one form only."""
        del full
        readings, silent = [], []
        for server in self._servers:
            host, _, port = server.rpartition(":")
            text = send_command(host.strip("[]"), int(port), "mntr")
            reading = parse_monitor(text, server, time.monotonic())
            if reading is None:
                silent.append(server)
            else:
                readings.append(reading)
        first = ", ".join(silent[:3])
        self._problem = f"no response to mntr from ZooKeeper {first}" if silent else None
        return readings
