"""CPU time that the host of a virtual machine gave to others; see proc_stat(5), "steal"."""

import os
from pathlib import Path

STAT = Path("/proc/stat")

_STEAL = 8
"""Place of steal in the line of all CPUs, after its name."""


def stolen_seconds(stat: Path = STAT) -> float | None:
    """Return the time since the node's start, as a mean over its CPUs; None where not reported.

    A container reads what its whole node shows.
    """
    try:
        lines = stat.read_text("utf-8").splitlines()
    except OSError:
        return None  # it is reported as not measured
    cpus = sum(line.startswith("cpu") for line in lines) - 1
    whole = lines[0].split() if lines else []
    if cpus < 1 or len(whole) <= _STEAL or not whole[_STEAL].isdigit():
        return None
    return int(whole[_STEAL]) / os.sysconf("SC_CLK_TCK") / cpus
