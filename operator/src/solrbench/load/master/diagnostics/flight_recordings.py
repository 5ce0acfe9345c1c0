"""Recordings of Java Flight Recorder during a step run, begun and taken through agents."""

from collections.abc import Sequence

import gevent

from solrbench.load.master.diagnostics.agents import Agents
from solrbench.load.master.telemetry.agent_source import pod_of
from solrbench.results.model.diagnostics import DiagnosticFile
from solrbench.telemetry.agent import FLIGHT_RECORDING

MOST_NODES = 2
"""Each has up to 1 MiB."""

TIMEOUT_SECONDS = 60.0
"""The JVM writes the file, and an agent of 0.05 cores packs it."""

_MAX_BYTES = 2 << 20
"""Of a response; the agent sends less."""


class FlightRecordings:
    """The recordings of pods, given the addresses of their agents."""

    def __init__(self, agents: Sequence[str], seconds: int) -> None:
        self._agents = Agents(
            agents[:MOST_NODES],
            what="flight recording",
            max_bytes=_MAX_BYTES,
            seconds=TIMEOUT_SECONDS,
        )
        self._seconds = seconds
        self._begun: gevent.Greenlet | None = None

    def begin(self) -> None:
        """Record from now on, begun in the background: an agent may be silent."""
        self._begun = gevent.spawn(self._agents.each, self._begin)

    def end(self) -> list[DiagnosticFile]:
        """End the recordings and return them."""
        if self._begun is None:
            return []
        begun: dict[str, Exception | None] = self._begun.get()
        self._begun = None
        ended = self._agents.each(self._end)
        # What was not begun cannot be taken: the first error is the one that says why.
        return [self._file(agent, begun[agent] or found) for agent, found in ended.items()]

    def _begin(self, agent: str) -> None:
        self._agents.request("POST", agent, FLIGHT_RECORDING, {"seconds": self._seconds})

    def _end(self, agent: str) -> bytes:
        return self._agents.request("DELETE", agent, FLIGHT_RECORDING, {}).content

    def _file(self, agent: str, found: bytes | Exception) -> DiagnosticFile:
        name = f"flight-{pod_of(agent)}"
        if isinstance(found, Exception):
            return self._agents.missing(agent, f"{name}.txt", found)
        return DiagnosticFile.of_packed(f"{name}.jfr", found)
