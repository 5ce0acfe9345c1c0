"""Sources of telemetry besides Solr: agents in pods, the master's machine and pod, ZooKeeper.

Pods of companions have no names that are known in advance: their agents are all addresses of one
host, which are looked up each time.
"""

import logging
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gevent
import httpx

from solrbench.contract.names import COMPANION, LOAD_MASTER
from solrbench.load.master.telemetry import TelemetrySource
from solrbench.net.http import create_pooled_client
from solrbench.net.token import TOKEN_HEADER
from solrbench.net.zookeeper import send_command
from solrbench.telemetry.kernel_files import read_machine
from solrbench.telemetry.readings import ServerReading
from solrbench.telemetry.summary import parse_monitor, read_own_pod

TIMEOUT_SECONDS = 3.0
MAX_COMPANION_PODS = 16
_MAX_CHARACTERS = 100
"""Of a text that an agent sends."""
_MAX_BYTES = 1 << 16
_logger = logging.getLogger(__name__)


class AgentSource(TelemetrySource):
    """Agents by (address, component) of their pods; of companions the address is that of all.

    The `token` is theirs.
    """

    kind = "pods"

    def __init__(self, agents: Sequence[tuple[str, str]], token: str) -> None:
        self._agents = list(agents)
        self._http = create_pooled_client(
            TIMEOUT_SECONDS, headers={TOKEN_HEADER: token}, max_bytes=_MAX_BYTES
        )
        self._silent: list[str] = []
        self._partly: dict[str, str] = {}

    def read(self, *, full: bool) -> Sequence[ServerReading]:
        """Return a reading of each pod and of each machine, never raise."""
        del full
        agents = [each for agent in self._agents for each in _single(*agent)]
        jobs = [gevent.spawn(self._read, *agent) for agent in agents]
        gevent.joinall(jobs)
        by_pod: dict[tuple[str, str], ServerReading] = {}
        self._silent = []
        for (address, _), job in zip(agents, jobs, strict=True):
            readings = job.value or []
            if not any(each.kind == self.kind for each in readings):
                self._silent.append(address)
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

    def _read(self, address: str, component: str) -> list[ServerReading]:
        try:
            response = self._http.get(f"http://{address}/usage").raise_for_status()
            body = response.json()
            readings = parse_usage(body, address, component, time.monotonic())
            pod, why = readings[-1].server, str(body.get("missing", ""))
        except (httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError) as error:
            _logger.info("no usage from %s: %r", address, error)
            return []
        if why:
            self._partly[pod] = why[:_MAX_CHARACTERS]
        else:
            self._partly.pop(pod, None)
        return readings


def _single(address: str, component: str) -> list[tuple[str, str]]:
    """Return the address of each pod, at most `MAX_COMPANION_PODS`."""
    if component != COMPANION:
        return [(address, component)]
    host, _, port = address.rpartition(":")
    try:
        addresses = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
    except OSError as error:
        _logger.info("no address of %s: %r", host, error)
        return [(address, component)]
    hosts = sorted({str(each[4][0]) for each in addresses})[:MAX_COMPANION_PODS]
    return [(f"[{each}]:{port}" if ":" in each else f"{each}:{port}", component) for each in hosts]


def pod_of(address: str) -> str:
    """Return the pod of an agent: the first word of its host."""
    return address.rpartition(":")[0].partition(".")[0]


def parse_usage(
    body: Mapping[str, Any], address: str, component: str, moment: float
) -> list[ServerReading]:
    """Return the readings of a pod and of its machine.

    Raises:
        KeyError, TypeError, ValueError: if it is no response of an agent.
    """
    machine = str(body["machine"])
    pod = str(body["pod"])[:_MAX_CHARACTERS] if component == COMPANION else pod_of(address)
    readings = [
        ServerReading(
            machine,
            moment,
            _numbers(body["machineCounters"]),
            _numbers(body["machineGauges"]),
            kind="machines",
        )
    ]
    if "counters" in body:
        readings.append(
            ServerReading(
                pod,
                moment,
                _numbers(body["counters"]),
                _numbers(body["gauges"]),
                _numbers(body["peaks"]),
                component=component,
                machine=machine,
                kind="pods",
            )
        )
    return readings


def _numbers(found: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(number) for name, number in found.items()}


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
