"""The machine of the load master, which its pod may read without an agent."""

import time
from collections.abc import Sequence
from pathlib import Path

from solrbench.telemetry.kernel_files import read_machine
from solrbench.telemetry.readings import Reading


class MachineSource:
    """The machine that this process runs on, by the files below `proc`."""

    kind = "machines"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc

    def read(self, *, full: bool) -> Sequence[Reading]:
        """Return a reading of the machine; none where the kernel does not name it."""
        del full
        machine, counters, gauges = read_machine(self._proc)
        return [Reading(machine, time.monotonic(), counters, gauges)] if machine else []

    def missing(self) -> str | None:
        """Return nothing: what cannot be read of the machine is missing in its figures."""
        return None
