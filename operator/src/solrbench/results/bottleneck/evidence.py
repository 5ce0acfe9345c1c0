"""What the rules read of one step run."""

from collections.abc import Mapping
from dataclasses import dataclass

from solrbench.results.summary.telemetry import RunTelemetry
from solrbench.results.validity.checks.finding import Outcome


@dataclass(frozen=True)
class Evidence:
    """One step run.

    Attributes:
        repeat: its repeat
        servers: what the servers did
        findings: what the checks of the verdict found, by reason
        behind_proxy: whether requests went through something between load and Solr
        users: of a closed loop, of whom each has one request under way at most; None for arrivals

    """

    repeat: int
    servers: RunTelemetry
    findings: Mapping[str, Outcome]
    behind_proxy: bool = False
    users: int | None = None

    def figure(self, name: str) -> float | None:
        """Return a figure; None if it was not measured."""
        return self.servers.figures.get(name)

    def server(self, name: str) -> str | None:
        """Return the server that shows a figure most, if there are several."""
        if self.servers.figures.get("nodes", 1) <= 1:
            return None
        return self.servers.servers.get(name)


@dataclass(frozen=True)
class Symptom:
    """A resource at its limit.

    Attributes:
        text: measured values and limits
        server: the node, pod or worker that shows it, if it is one of several

    """

    text: str
    server: str | None = None


def pod_of(server: str) -> str:
    """Return the pod's name of a server in the cluster, whose full address fills a sentence."""
    host, dot, rest = server.partition(".")
    return host if dot and rest.rpartition(":")[0].endswith(".svc") else server
