"""The file that a step replays: one line of JSON for each request of a log."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from solrbench.plan.workload_files import Parameters
from solrbench.query_log.entry import LogEntry

_TRANSPORT = frozenset({"wt", "indent", "NOW", "rid", "shards.purpose", "_"})
"""Parameters that belong to the client that was logged, not to the query."""


def query_lines(entries: Iterable[LogEntry]) -> Iterator[str]:
    """Yield a line for each request, with its time in seconds since the first one."""
    first = None
    for entry in entries:
        first = entry.time_seconds if first is None else first
        at = round(entry.time_seconds - first, 6)
        line = {"time": at, "params": _grouped(entry.parameters)}
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def _grouped(parameters: Parameters) -> dict[str, Any]:
    found: dict[str, list[str]] = {}
    for name, value in parameters:
        if name not in _TRANSPORT:
            found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}
