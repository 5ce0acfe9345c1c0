"""The agents of Solr's pods, asked side by side."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

import gevent
import httpx

from solrbench.load.master.telemetry.agent_source import pod_of
from solrbench.net.pooled_client import create_pooled_client
from solrbench.results.model.diagnostics import DiagnosticFile

Answer = TypeVar("Answer")

_logger = logging.getLogger(__name__)


class Agents:
    """Agents at addresses such as `solr-0.solr.ns.svc:9101`."""

    def __init__(
        self, addresses: Sequence[str], *, what: str, max_bytes: int, seconds: float
    ) -> None:
        """Ask these.

        Args:
            addresses: of each
            what: is asked for, as messages call it
            max_bytes: of a response
            seconds: that a response may take

        """
        self.addresses = list(addresses)
        self._what = what
        self._http = create_pooled_client(seconds, max_bytes=max_bytes)

    def each(self, ask: Callable[[str], Answer]) -> dict[str, Answer | Exception]:
        """Return what every agent says, or the exception instead."""
        jobs = [gevent.spawn(self._caught, ask, agent) for agent in self.addresses]
        gevent.joinall(jobs)
        return {agent: job.value for agent, job in zip(self.addresses, jobs, strict=True)}

    def request(
        self, method: str, agent: str, path: str, parameters: dict[str, int]
    ) -> httpx.Response:
        """Return the response of one agent.

        Raises:
            httpx.HTTPError: if it does not respond well.

        """
        response = self._http.request(method, f"http://{agent}{path}", params=parameters)
        return response.raise_for_status()

    def missing(self, agent: str, name: str, error: Exception) -> DiagnosticFile:
        """Return the file in place of one that could not be had."""
        text = f"no {self._what} of {pod_of(agent)}: {error or type(error).__name__}\n"
        return DiagnosticFile.pack(name, text)

    def _caught(self, ask: Callable[[str], Answer], agent: str) -> Answer | Exception:
        try:
            return ask(agent)
        except (httpx.HTTPError, ValueError, TypeError, KeyError) as error:
            _logger.info("no %s from %s: %r", self._what, agent, error)
            return error
