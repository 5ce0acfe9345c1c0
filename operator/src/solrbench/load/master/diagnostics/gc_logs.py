"""What the garbage collectors of Solr's nodes logged during a step run, read from the pods' agents.

Of a log only what was written since the begin is kept: a reader wants the collections of a step.
"""

from collections.abc import Sequence
from typing import Any

import gevent

from solrbench.load.master.diagnostics.agents import Agents
from solrbench.load.master.diagnostics.recorder import MOST_NODES
from solrbench.load.master.telemetry.agent_source import pod_of
from solrbench.results.model.diagnostics import DiagnosticFile

GC_LOG = "/gc-log"
TIMEOUT_SECONDS = 10.0
_MAX_BYTES = 4 << 20
"""Of a response, whose text is JSON; the agent sends less."""


class GcLogs:
    """The logs of pods, given the addresses of their agents."""

    def __init__(self, agents: Sequence[str]) -> None:
        self._agents = Agents(
            agents[:MOST_NODES], what="GC log", max_bytes=_MAX_BYTES, seconds=TIMEOUT_SECONDS
        )
        self._begins: dict[str, int] = {}
        self._begun: gevent.Greenlet | None = None

    def begin(self) -> None:
        """Note how long the logs are, in the background: an agent may be silent."""
        self._begun = gevent.spawn(self._note_sizes)

    def _note_sizes(self) -> None:
        sizes = self._agents.each(lambda agent: int(self._get(agent, {})["bytes"]))
        self._begins = {agent: size for agent, size in sizes.items() if isinstance(size, int)}

    def end(self) -> list[DiagnosticFile]:
        """Return what was added to each log since then."""
        if self._begun is not None:
            self._begun.join()
            self._begun = None
        return [self._file(*each) for each in self._agents.each(self._added).items()]

    def _file(self, agent: str, found: str | Exception) -> DiagnosticFile:
        name = f"gc-{pod_of(agent)}.log"
        if isinstance(found, Exception):
            return self._agents.missing(agent, name, found)
        return DiagnosticFile.pack(name, found)

    def _added(self, agent: str) -> str:
        begin = self._begins.get(agent, 0)
        return str(self._get(agent, {"begin": begin})["text"])

    def _get(self, agent: str, parameters: dict[str, int]) -> dict[str, Any]:
        found: dict[str, Any] = self._agents.request("GET", agent, GC_LOG, parameters).json()
        return found
