"""What the garbage collectors of Solr's nodes logged during a step run, read from the pods' agents.

Of a log only what was written since the begin is kept: a reader wants the collections of a step.
"""

import logging
from collections.abc import Sequence
from typing import Any

import gevent
import httpx

from solrbench.load.master.diagnostics.recorder import MOST_NODES
from solrbench.load.master.telemetry.agent_source import pod_of
from solrbench.net.pooled_client import create_pooled_client
from solrbench.results.model.diagnostics import DiagnosticFile

GC_LOG = "/gc-log"
TIMEOUT_SECONDS = 10.0
_MAX_BYTES = 4 << 20
"""Of a response, whose text is JSON; the agent sends less."""

_logger = logging.getLogger(__name__)


class GcLogs:
    """The logs of pods, given the addresses of their agents."""

    def __init__(self, agents: Sequence[str]) -> None:
        self._agents = list(agents)[:MOST_NODES]
        self._http = create_pooled_client(TIMEOUT_SECONDS, max_bytes=_MAX_BYTES)
        self._begins: dict[str, int] = {}
        self._begun: gevent.Greenlet | None = None

    def begin(self) -> None:
        """Note how long the logs are, in the background: an agent may be silent."""
        self._begun = gevent.spawn(self._note_sizes)

    def _note_sizes(self) -> None:
        sizes = self._each(lambda agent: int(self._get(agent, {})["bytes"]))
        self._begins = {agent: size for agent, size in sizes.items() if isinstance(size, int)}

    def end(self) -> list[DiagnosticFile]:
        """Return what was added to each log since then."""
        if self._begun is not None:
            self._begun.join()
            self._begun = None
        found = self._each(self._added)
        return [
            DiagnosticFile.pack(f"gc-{pod_of(agent)}.log", _text(agent, text))
            for agent, text in found.items()
        ]

    def _added(self, agent: str) -> str:
        begin = self._begins.get(agent, 0)
        return str(self._get(agent, {"begin": begin})["text"])

    def _each(self, read: Any) -> dict[str, Any]:
        """Return what every agent says, or the exception instead."""
        jobs = [gevent.spawn(_caught, read, agent) for agent in self._agents]
        gevent.joinall(jobs)
        return {agent: job.value for agent, job in zip(self._agents, jobs, strict=True)}

    def _get(self, agent: str, parameters: dict[str, int]) -> dict[str, Any]:
        url = f"http://{agent}{GC_LOG}"
        found: dict[str, Any] = self._http.get(url, params=parameters).raise_for_status().json()
        return found


def _caught(read: Any, agent: str) -> Any:
    try:
        return read(agent)
    except (httpx.HTTPError, ValueError, TypeError, KeyError) as error:
        _logger.info("no GC log from %s: %r", agent, error)
        return error


def _text(agent: str, found: str | Exception) -> str:
    if isinstance(found, Exception):
        return f"no GC log of {pod_of(agent)}: {found or type(found).__name__}\n"
    return found
