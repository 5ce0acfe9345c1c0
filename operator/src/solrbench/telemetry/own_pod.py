"""The pod of a load master, load worker or index pod, which reads its control group itself."""

import os
import socket
import time
from pathlib import Path

from solrbench.results.model.telemetry import ServerFigures
from solrbench.telemetry.kernel_files import machine_id, read_network, read_process_group
from solrbench.telemetry.readings import Reading, figures_of
from solrbench.telemetry.summary import with_shares

_PROC = Path("/proc")


def read_own_pod(component: str, proc: Path = _PROC) -> Reading:
    """Return the control group of this process and the network of its pod, at this moment."""
    counters, gauges, peaks = read_process_group(os.getpid(), proc)
    return Reading(
        socket.gethostname(),
        time.monotonic(),
        counters | read_network(proc),
        gauges,
        peaks,
        component=component,
        machine=machine_id(proc),
        kind="pods",
    )


class OwnPodMeter:
    """What the pod of this process did from one moment to another.

    It reads some twenty files, which takes 4 ms: not while anything is measured.
    """

    def __init__(self, component: str) -> None:
        self._component = component
        self.begin()

    def begin(self) -> None:
        """Begin anew."""
        self._first = read_own_pod(self._component)

    def figures(self) -> ServerFigures:
        """Return the figures since the begin."""
        return with_shares(figures_of([self._first, read_own_pod(self._component)]))
