"""Sources of telemetry besides Solr and agents: the master's machine and pod, ZooKeeper."""

import time
from collections.abc import Sequence
from pathlib import Path

from solrbench.contract.names import LOAD_MASTER
from solrbench.net.zookeeper import send_command
from solrbench.telemetry.kernel_files import read_machine
from solrbench.telemetry.readings import ServerReading
from solrbench.telemetry.sources import TelemetrySource
from solrbench.telemetry.summary import parse_monitor, read_own_pod


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
        self._silent: list[str] = []

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each server, never raise; `mntr` has one form only."""
        del full
        readings, self._silent = [], []
        for server in self._servers:
            host, _, port = server.rpartition(":")
            text = send_command(host.strip("[]"), int(port), "mntr")
            reading = parse_monitor(text, server, time.monotonic())
            if reading is None:
                self._silent.append(server)
            else:
                readings.append(reading)
        return readings

    def missing(self) -> str | None:
        """Return which servers did not respond the last time."""
        if not self._silent:
            return None
        return f"no response to mntr from ZooKeeper {', '.join(self._silent[:3])}"
