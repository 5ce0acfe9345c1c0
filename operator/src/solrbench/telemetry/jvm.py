"""A recording of Java Flight Recorder, begun and taken from the JVM beside the agent.

The JVM itself ends it after its time, also if it is never asked for again. Only the standard
library is used: an agent that runs beside Solr must be small.
"""

import gzip
import os
import stat
from pathlib import Path

from solrbench.telemetry.gc_log import open_at_once
from solrbench.telemetry.jvm_attach import send_command

MAX_SECONDS = 300
MAX_BYTES = 16 << 20
"""Of a recording that is read; one of Solr for 30 s has 1 to 3 MB."""

MAX_PACKED_BYTES = 1 << 20

_PROC = Path("/proc")
_FILE = "solrbench.jfr"
_NAME = "name=solrbench"
_NONE = "there is no flight recording"

LEFT_OUT = (
    # What may hold secrets: results are shown to people.
    "jdk.InitialEnvironmentVariable",
    "jdk.InitialSystemProperty",
    "jdk.JVMInformation",
    "jdk.SystemProcess",
    # Most of a recording, and little of its use.
    "jdk.GCPhaseParallel",
)
"""Events of the settings `default` that are not recorded."""


def start_recording(pid: int, seconds: int, proc: Path = _PROC) -> None:
    """Record for so many seconds, in place of a recording before.

    Raises:
        OSError: if the JVM does not.

    """
    discard_recording(pid, proc)
    without = " ".join(f"{each}#enabled=false" for each in LEFT_OUT)
    limits = f"duration={min(max(seconds, 1), MAX_SECONDS)}s maxsize={MAX_BYTES}"
    command = f"JFR.start {_NAME} settings=default {limits} filename=/tmp/{_FILE} {without}"
    send_command(pid, command, proc)


def take_recording(pid: int, proc: Path = _PROC) -> bytes:
    """End the recording if it goes on; return its file packed by gzip, and remove it.

    Raises:
        OSError: if there is none, or one that is too large.

    """
    _stop(pid, proc)
    try:
        with open(_place(pid, proc), "rb", opener=open_at_once) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or not found.st_size:
                raise OSError(_NONE)
            if found.st_size > MAX_BYTES:
                raise OSError(_too_large(found.st_size, MAX_BYTES))
            packed = gzip.compress(file.read(MAX_BYTES), mtime=0)
    except FileNotFoundError as error:
        raise OSError(_NONE) from error
    finally:
        _place(pid, proc).unlink(missing_ok=True)
    if len(packed) > MAX_PACKED_BYTES:
        raise OSError(f"packed, {_too_large(len(packed), MAX_PACKED_BYTES)}")
    return packed


def discard_recording(pid: int, proc: Path = _PROC) -> None:
    """End the recording if there is one, and remove its file."""
    _stop(pid, proc)
    _place(pid, proc).unlink(missing_ok=True)


def _stop(pid: int, proc: Path) -> None:
    try:
        send_command(pid, f"JFR.stop {_NAME}", proc)
    except OSError:
        # It has ended by itself, or never begun.
        return


def _place(pid: int, proc: Path) -> Path:
    return proc / str(pid) / "root" / "tmp" / _FILE


def _too_large(size: int, limit: int) -> str:
    return (
        f"the flight recording has {size >> 10} KiB, limit {limit >> 10} KiB; record fewer seconds"
    )
