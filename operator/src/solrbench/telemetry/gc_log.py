"""The log of a JVM's garbage collector, found by the options that the JVM was started with.

The file is read through the root folder of the process, as its control group is (`kernel_files`).
Only the standard library is used: an agent that runs beside Solr must be small.
"""

import os
import re
import stat
from pathlib import Path

MAX_BYTES = 512 << 10
"""Of a log at a time; a collection takes about 1 kB."""

_PROC = Path("/proc")
_OPTION = re.compile(r'-Xlog:(?P<tags>[^:]*):(?:file=)?"?(?P<path>[^":]+)"?')
"""-Xlog:TAGS:file=PATH:DECORATORS:OPTIONS (java(1), "Enable Logging with the JVM Unified Logging
Framework")."""

_NO_FILES = frozenset({"stdout", "stderr"})


def find_gc_log(pid: int, proc: Path = _PROC) -> Path | None:
    """Return the GC log that the command line of a process names; None if it names none."""
    try:
        arguments = (proc / str(pid) / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return None
    for argument in arguments.split("\0"):
        found = _OPTION.match(argument)
        if found and found["path"] not in _NO_FILES and _is_of_collector(found["tags"]):
            folder = "root" if found["path"].startswith("/") else "cwd"
            name = found["path"].replace("%p", str(pid))
            return proc / str(pid) / folder / name.lstrip("/")
    return None


def read_gc_log(path: Path, begin: int | None) -> tuple[int, str]:
    """Return how many bytes a log has, and its text from `begin` on, at most `MAX_BYTES`.

    Without `begin` there is no text. A log that is shorter than that was begun anew, and is read
    from its own begin.

    Raises:
        OSError: if it is no file that can be read.

    """
    with open(path, "rb", opener=open_at_once) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{path.name} is no regular file")
        if begin is None:
            return found.st_size, ""
        file.seek(begin if begin <= found.st_size else 0)
        return found.st_size, file.read(MAX_BYTES).decode(errors="replace")


def open_at_once(path: str, flags: int) -> int:
    """Open no link, and no pipe that would wait: what lies there is up to the server's image."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _is_of_collector(tags: str) -> bool:
    """Return whether a selection of tags, such as `gc*=debug,safepoint`, holds the collector's."""
    names = {name.rstrip("*") for each in tags.split(",") for name in each.split("=")[0].split("+")}
    return not names.isdisjoint({"gc", "all"})
