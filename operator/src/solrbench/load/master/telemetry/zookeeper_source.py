"""ZooKeeper's `mntr` of every server of an ensemble that was made for the benchmark."""

import time
from collections.abc import Sequence

from solrbench.net.four_letter_words import send_command
from solrbench.telemetry.readings import Reading
from solrbench.telemetry.zookeeper_monitor import parse_monitor


class ZooKeeperSource:
    """The servers of the ensemble, as `host:port`."""

    kind = "zookeeper"

    def __init__(self, servers: Sequence[str]) -> None:
        self._servers = list(servers)
        self._silent: list[str] = []

    def read(self, *, full: bool) -> Sequence[Reading]:
        """Return a reading of each server, never raise; `mntr` has one form only."""
        del full
        found, self._silent = [], []
        for server in self._servers:
            host, _, port = server.rpartition(":")
            text = send_command(host.strip("[]"), int(port), "mntr")
            reading = parse_monitor(text, server, time.monotonic())
            if reading is None:
                self._silent.append(server)
            else:
                found.append(reading)
        return found

    def missing(self) -> str | None:
        """Return which servers did not respond the last time."""
        if not self._silent:
            return None
        return f"no response to mntr from ZooKeeper {', '.join(self._silent[:3])}"
