"""What a JVM of the same pod gives: flight recordings, GC log, thread dumps, heap after collection.

Commands are sent as `jcmd` does: a file `.attach_pidPID` in the JVM's `/tmp` and SIGQUIT make it
listen on a socket there; a command is its name and three arguments, each ended by a zero byte, and
the response a line with a number, 0 if it went well, and the text (HotSpot,
`attachListener_posix.cpp`). The JVM itself ends a recording after its time, also if it is never
asked for again. The GC log is found by the JVM's options and read through the root folder of the
process. Only the standard library is used: an agent that runs beside Solr must be small.
"""

import gzip
import io
import os
import re
import signal
import socket
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

TIMEOUT_SECONDS = 20.0
_LISTENING_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
_MAX_BYTES = 1 << 16
_PROTOCOL = "1"
_PROC = Path("/proc")


def send_command(pid: int, command: str, proc: Path = _PROC) -> str:
    """Return what a JVM says to a command of `jcmd`, such as `JFR.start name=one`.

    It raises `OSError` if the JVM does not listen, or says that the command failed.
    """
    folder = proc / str(pid)
    path = folder / "root" / "tmp" / f".java_pid{pid}"
    # The socket stays after the first command; until then, none is there.
    if not path.is_socket():
        # SIGQUIT ends a process without a handler for it, as a JVM is that only begins.
        if not _handles_quit(folder):
            raise OSError("the JVM is not up yet")
        _ask_to_listen(pid, path)
    text = _exchange(path, [_PROTOCOL, "jcmd", command, "", ""])
    code, _, said = text.partition("\n")
    if code != "0":
        raise OSError(" ".join(said.split())[:200] or f"the JVM said {code!r}")
    return said


def _handles_quit(folder: Path) -> bool:
    for line in (folder / "status").read_text().splitlines():
        name, _, mask = line.partition(":")
        if name == "SigCgt":  # a bit for each signal that is caught, from 1 on (proc(5))
            return bool(int(mask, 16) & 1 << (signal.SIGQUIT - 1))
    return False


def _ask_to_listen(pid: int, place: Path) -> None:
    # Without this file, SIGQUIT makes the JVM print a thread dump instead.
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
        # A file that stayed would make each SIGQUIT of an administrator a request to listen.
        request.unlink(missing_ok=True)


def _exchange(place: Path, words: list[str]) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(str(place))
        connection.sendall("".join(f"{word}\0" for word in words).encode())
        received = b""
        # The JVM closes the connection after its response; a longer one than the limit is cut.
        while len(received) < _MAX_BYTES and (part := connection.recv(_MAX_BYTES)):
            received += part
    return received.decode(errors="replace")


MAX_LOG_BYTES = 512 << 10
"""Of a log at a time; a collection takes about 1 kB."""

_OPTION = re.compile(r'-Xlog:(?P<tags>[^:]*):(?:file=)?"?(?P<path>[^":]+)"?')
"""-Xlog:TAGS:file=PATH:DECORATORS:OPTIONS (java(1), "Enable Logging with the JVM Unified Logging
Framework")."""


def find_gc_log(pid: int, proc: Path = _PROC) -> Path | None:
    """Return the GC log that the command line of a process names; None if it names none."""
    try:
        arguments = (proc / str(pid) / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return None
    for argument in arguments.split("\0"):
        match = _OPTION.match(argument)
        if not match or match["path"] in {"stdout", "stderr"}:
            continue
        # Tags are such as `gc*=debug,safepoint+stats`: selections with levels, of names in sets.
        sets = [each.partition("=")[0] for each in match["tags"].split(",")]
        if {name.rstrip("*") for each in sets for name in each.split("+")} & {"gc", "all"}:
            # The path is one of the other container: it is reached through the process's folders.
            folder = "root" if match["path"].startswith("/") else "cwd"
            name = match["path"].replace("%p", str(pid))
            return proc / str(pid) / folder / name.lstrip("/")
    return None


def read_gc_log(path: Path, begin: int | None) -> tuple[int, str]:
    """Return how many bytes a log has, and its text from `begin` on, at most `MAX_LOG_BYTES`.

    Without `begin` there is no text. It raises `OSError` if the log is no file that can be read.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        size = _regular_size(file)
        if size is None:
            raise OSError(f"{path.name} is no regular file")
        if begin is None:
            return size, ""
        # A log that is shorter than that was begun anew: all of it is new.
        file.seek(begin if begin <= size else 0)
        return size, file.read(MAX_LOG_BYTES).decode(errors="replace")


def _open_at_once(path: str, flags: int) -> int:
    # No link, and no pipe that would wait: what lies there is up to the server's image.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _regular_size(file: BinaryIO) -> int | None:
    status = os.fstat(file.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


MAX_SECONDS = 300
MAX_RECORDING_BYTES = 16 << 20
"""Of a recording that is read; one of Solr for 30 s has 1 to 3 MB."""

MAX_PACKED_BYTES = 1 << 20
_FILE = "solrbench.jfr"
_NAME = "name=solrbench"
_NONE = "there is no flight recording"

OMITTED = (
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
    """Record for so many seconds, in place of a recording before; `OSError` if the JVM does not."""
    _stop(pid, proc)
    _place(pid, proc).unlink(missing_ok=True)
    without = " ".join(f"{each}#enabled=false" for each in OMITTED)
    limits = f"duration={min(max(seconds, 1), MAX_SECONDS)}s maxsize={MAX_RECORDING_BYTES}"
    command = f"JFR.start {_NAME} settings=default {limits} filename=/tmp/{_FILE} {without}"
    send_command(pid, command, proc)


def take_recording(pid: int, proc: Path = _PROC) -> bytes:
    """End the recording if it goes on; return its file packed by gzip, and remove it.

    It raises `OSError` if there is none, or one that is too large.
    """
    _stop(pid, proc)
    try:
        with open(_place(pid, proc), "rb", opener=_open_at_once) as file:
            size = _regular_size(file)
            if not size:
                raise OSError(_NONE)
            if size > MAX_RECORDING_BYTES:
                raise OSError(_too_large(size, MAX_RECORDING_BYTES))
            return _pack(file)
    except FileNotFoundError as error:
        raise OSError(_NONE) from error
    finally:
        _place(pid, proc).unlink(missing_ok=True)


def _pack(file: BinaryIO) -> bytes:
    """Return a file packed, in pieces: all at once it would take more memory than an agent has."""
    out = io.BytesIO()
    # Without the time of packing, the same recording has the same bytes and digest.
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packer:
        for _ in range(MAX_RECORDING_BYTES // _MAX_BYTES):  # it may grow meanwhile
            packer.write(file.read(_MAX_BYTES))
            if out.getbuffer().nbytes > MAX_PACKED_BYTES:
                break
    packed = out.getvalue()
    if len(packed) > MAX_PACKED_BYTES:
        raise OSError(f"packed, {_too_large(len(packed), MAX_PACKED_BYTES)}")
    return packed


def _stop(pid: int, proc: Path) -> None:
    # An error says that it has ended by itself, or never begun.
    with suppress(OSError):
        send_command(pid, f"JFR.stop {_NAME}", proc)


def _place(pid: int, proc: Path) -> Path:
    return proc / str(pid) / "root" / "tmp" / _FILE


def _too_large(size: int, limit: int) -> str:
    return (
        f"the flight recording has {size >> 10} KiB, limit {limit >> 10} KiB; record fewer seconds"
    )


def format_thread_dump(body: Mapping[str, Any]) -> str:
    """Return one paragraph for each thread: name, id, state, CPU time, what it waits for, stack.

    It raises `KeyError` or `TypeError` if it is no response of Solr.
    """
    system = body["system"]
    count = system["threadCount"]
    head = f"{count['current']} threads, {count['peak']} at most, {count['daemon']} daemons\n"
    # A list of names and values in turn, as Solr writes what may repeat names.
    threads = [entry for entry in system["threadDump"] if isinstance(entry, Mapping)]
    return head + "".join(f"\n{_format(thread)}" for thread in threads)


def _format(thread: Mapping[str, Any]) -> str:
    cpu = f" cpu={thread['cpuTime']}" if "cpuTime" in thread else ""
    lines = [f'"{thread["name"]}" #{thread["id"]}{cpu}', f"   state: {thread['state']}"]
    if "lock" in thread:
        lines.append(f"   waiting for {thread['lock']}")
    if "owner" in thread:
        lines.append(f"   held by {thread['owner']}")
    lines += [f"\tat {each}" for each in thread.get("stackTrace") or ()]
    return "\n".join(lines) + "\n"


def count_update_threads(body: Mapping[str, Any]) -> dict[str, float]:
    """Return what the threads of a Solr node do that have to do with updates, at one moment.

    `merge_threads` merge segments, `update_threads` have an update under way. Of these
    `merge_stalled_percent` wait because more merges are due than may run at once
    (`ConcurrentMergeScheduler.maybeStall`), `flush_stalled_percent` because segments are written
    more slowly than documents come (`DocumentsWriterStallControl`); both are absent without
    updates. It raises `KeyError` or `TypeError` if it is no response of Solr.
    """
    merging = updating = by_merges = by_flushes = 0
    for thread in body["system"]["threadDump"]:
        if not isinstance(thread, Mapping):
            continue
        stack = "\n".join(map(str, thread.get("stackTrace") or ()))
        if str(thread["name"]).startswith("Lucene Merge Thread"):
            merging += 1
        elif "UpdateRequestHandler" in stack:
            updating += 1
            by_merges += "ConcurrentMergeScheduler" in stack
            by_flushes += "DocumentsWriterStallControl" in stack
    found: dict[str, float] = {"merge_threads": merging, "update_threads": updating}
    if updating:
        found["merge_stalled_percent"] = 100 * by_merges / updating
        found["flush_stalled_percent"] = 100 * by_flushes / updating
    return found


def heap_after_gc(pools: Mapping[str, float]) -> float | None:
    """Return the bytes in use after the last collection of each pool.

    The JVM gives each pool of the heap the use after the collection that last included it
    (`MemoryPoolMXBean.getCollectionUsage`), and 0 before there was one. Collections of the young
    generation, the only ones for a while, leave out the old one: their sum would be what survived
    for a moment, not what the heap holds. So it is None until the old generation was collected
    once, or without it. `pools` are bytes by the name of the pool.
    """
    old = [
        value
        for name, value in pools.items()
        if not any(part in name.lower() for part in ("eden", "survivor", "young"))
    ]
    return sum(pools.values()) if sum(old) else None
