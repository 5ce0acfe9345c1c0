"""What happened to the pods of a benchmark while a step run was measured."""

from datetime import datetime

from solrbench.api.rules import LenientModel


class PodEvent(LenientModel):
    """What happened to a pod while a step run was measured."""

    kind: str
    """Restarted, OOMKilled or Replaced."""
    container: str = ""
    """The container that ended; empty for a whole pod."""
    time: datetime
    """When the container ended, or when the pod that took the place was made."""


class PodRecord(LenientModel):
    """A pod of the benchmark, as the operator saw it when the step run was over."""

    pod: str
    """Name of the pod."""
    component: str
    """solr, zookeeper, load-master or load-worker."""
    restarts: int
    """Restarts of its containers since the pod was made."""
    troubles: list[PodEvent] = []
    """What happened to it between the step run's start and end."""
