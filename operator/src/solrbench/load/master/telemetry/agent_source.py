"""Control groups of pods and their machines, read from the agents in the pods."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

import gevent
import httpx

from solrbench.load.telemetry.readings import Reading
from solrbench.net.pooled_client import create_pooled_client

TIMEOUT_SECONDS = 3.0
_MAX_BYTES = 1 << 16
_logger = logging.getLogger(__name__)


class AgentSource:
    """Agents by (address, component) of their pods."""

    kind = "pods"

    def __init__(self, agents: Sequence[tuple[str, str]]) -> None:
        self._agents = list(agents)
        self._http = create_pooled_client(TIMEOUT_SECONDS, max_bytes=_MAX_BYTES)
        self._silent: list[str] = []

    def read(self, *, full: bool) -> Sequence[Reading]:
        """Return a reading of each pod and of each machine, never raise."""
        del full
        jobs = [gevent.spawn(self._read, *agent) for agent in self._agents]
        gevent.joinall(jobs)
        found: dict[tuple[str, str], Reading] = {}
        self._silent = []
        for (address, _), job in zip(self._agents, jobs, strict=True):
            readings = job.value or []
            if not any(each.kind == self.kind for each in readings):
                self._silent.append(address)
            # Several pods may see the same machine.
            found |= {(each.kind, each.server): each for each in readings}
        return list(found.values())

    def missing(self) -> str | None:
        """Return which pods could not be read the last time."""
        if not self._silent:
            return None
        return f"no control group of {', '.join(self._silent[:3])}"

    def _read(self, address: str, component: str) -> list[Reading]:
        try:
            response = self._http.get(f"http://{address}/usage").raise_for_status()
            return parse_usage(response.json(), address, component, time.monotonic())
        except (httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError) as error:
            _logger.info("no usage from %s: %r", address, error)
            return []


def pod_of(address: str) -> str:
    """Return the pod of an agent: the first word of its host."""
    return address.rpartition(":")[0].partition(".")[0]


def parse_usage(
    body: Mapping[str, Any], address: str, component: str, moment: float
) -> list[Reading]:
    """Return the readings of a pod and of its machine.

    Raises:
        KeyError, TypeError, ValueError: if it is no response of an agent.

    """
    machine = str(body["machine"])
    pod = pod_of(address)
    found = [
        Reading(
            machine,
            moment,
            _numbers(body["machineCounters"]),
            _numbers(body["machineGauges"]),
            kind="machines",
        )
    ]
    if "counters" in body:
        found.append(
            Reading(
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
    return found


def _numbers(found: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(number) for name, number in found.items()}
