"""Solr's response to `/admin/info/threads`, as text in the form of the JDK's thread dumps."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def format_thread_dump(body: Mapping[str, Any]) -> str:
    """Return one paragraph for each thread: name, id, state, CPU time, what it waits for, stack.

    `threadDump` is a list of names and values in turn, as Solr writes what may repeat names.

    Raises:
        KeyError, TypeError: if it is no response of Solr.

    """
    system = body["system"]
    count = system["threadCount"]
    head = f"{count['current']} threads, {count['peak']} at most, {count['daemon']} daemons\n"
    return head + "".join(f"\n{_format(each)}" for each in _threads(system["threadDump"]))


def _threads(found: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    return (each for each in found if isinstance(each, Mapping))


def _format(thread: Mapping[str, Any]) -> str:
    cpu = f" cpu={thread['cpuTime']}" if "cpuTime" in thread else ""
    lines = [f'"{thread["name"]}" #{thread["id"]}{cpu}', f"   state: {thread['state']}"]
    if "lock" in thread:
        lines.append(f"   waiting for {thread['lock']}")
    if "owner" in thread:
        lines.append(f"   held by {thread['owner']}")
    lines += [f"\tat {each}" for each in thread.get("stackTrace") or ()]
    return "\n".join(lines) + "\n"
