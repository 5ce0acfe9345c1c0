"""Commands to a running JVM of the same user, as `jcmd` sends them.

The JVM listens on a socket in its `/tmp` once it was asked to: by a file `.attach_pidPID` there and
SIGQUIT. A command is its name and three arguments, each ended by a zero byte; the response is a
line with a number, 0 if it went well, and the text (HotSpot, `attachListener_posix.cpp`). Folders
are those of the process, so that it may run in another container of the pod. Only the standard
library is used: an agent that runs beside Solr must be small.
"""

import os
import signal
import socket
import time
from pathlib import Path

TIMEOUT_SECONDS = 20.0
_LISTENING_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
_MAX_BYTES = 1 << 16
_PROTOCOL = "1"
_PROC = Path("/proc")


def send_command(pid: int, command: str, proc: Path = _PROC) -> str:
    """Return what a JVM says to a command of `jcmd`, such as `JFR.start name=one`.

    Raises:
        OSError: if it does not listen, or says that the command failed.

    """
    folder = proc / str(pid)
    place = folder / "root" / "tmp" / f".java_pid{pid}"
    if not place.is_socket():
        if not _handles_quit(folder):
            raise OSError("the JVM is not up yet")
        _ask_to_listen(pid, place)
    text = _exchange(place, [_PROTOCOL, "jcmd", command, "", ""])
    code, _, said = text.partition("\n")
    if code != "0":
        raise OSError(" ".join(said.split())[:200] or f"the JVM said {code!r}")
    return said


def _handles_quit(folder: Path) -> bool:
    """Say whether a process has a handler for SIGQUIT, which would end it without (proc(5))."""
    for line in (folder / "status").read_text().splitlines():
        name, _, mask = line.partition(":")
        if name == "SigCgt":
            return bool(int(mask, 16) & 1 << (signal.SIGQUIT - 1))
    return False


def _ask_to_listen(pid: int, place: Path) -> None:
    request = place.with_name(f".attach_pid{pid}")
    request.touch()
    try:
        os.kill(pid, signal.SIGQUIT)
        end = time.monotonic() + _LISTENING_SECONDS
        while not place.is_socket():
            if time.monotonic() > end:
                raise OSError("the JVM takes no commands")
            time.sleep(_PAUSE_SECONDS)
    finally:
        request.unlink(missing_ok=True)


def _exchange(place: Path, words: list[str]) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(str(place))
        connection.sendall("".join(f"{each}\0" for each in words).encode())
        received = b""
        while len(received) < _MAX_BYTES and (part := connection.recv(_MAX_BYTES)):
            received += part
    return received.decode(errors="replace")
