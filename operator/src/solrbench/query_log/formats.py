"""The formats of query logs, each read line by line into requests.

- Solr's request log, as `org.apache.solr.core.SolrCore.Request` writes it: a request is logged when
  it ends, so it came `QTime` before. Requests from one node to another are left out.
- Access logs in the combined or common format of Apache HTTP Server, nginx and Jetty
  (https://httpd.apache.org/docs/2.4/logs.html). Their times are whole seconds; requests of one
  second are spread evenly over it.
- Lines of JSON with `time` and `params`, as a step replays them.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from solrbench.contract.workload_files import Parameters, flatten_parameters, parse_time


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A request as it was logged, with the Unix time at which it came."""

    time_seconds: float
    handler: str
    parameters: Parameters
    rest: Mapping[str, Any] | None = None
    """What else a line of JSON says of its request, such as a body."""

    @property
    def shape(self) -> str:
        """Handler and names of the parameters, which say what kind of request it is."""
        names = Counter(name for name, _ in self.parameters)
        return f"{self.handler} {'&'.join(sorted(names))}".rstrip()


_SOLR = re.compile(
    r"^(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3})(?P<zone>Z|[+-]\d\d:?\d\d)?\s.*?"
    r"path=(?P<path>/\S*) params=\{(?P<params>.*)\}.* QTime=(?P<qtime>\d+)"
)
_ACCESS = re.compile(
    r'^\S+ \S+ .*?\[(?P<time>[^\]]+)\] "(?P<method>GET|POST) (?P<url>\S+) HTTP/[\d.]+" \d{3}\s'
)
# By which Solr marks what one node sends to another.
_INTERNAL = {("isShard", "true"), ("distrib", "false")}
_NO_QUERY = re.compile(r"/(?:update|admin|replication|get|schema|config)(?:/|$)")
_MAX_SECONDS = 62e9
"""In 1965 years: a number that is larger counts milliseconds, or is none."""
_ENDING = re.compile(r"/solr/(?!admin/)[^/]+(?P<handler>/[\w./-]+)$")
_REST = ("json", "name", "method", "expect")


class LogFormat(StrEnum):
    """A format of query logs."""

    SOLR = "solr"
    COMBINED = "combined"
    JSONL = "jsonl"


def parse_solr(line: str) -> LogEntry | None:
    """Return the request of a line of Solr's request log; None for any other line.

    Times without a zone are taken as UTC, as Solr's containers write them.
    """
    match = _SOLR.match(line)
    if match is None:
        return None
    zone = match["zone"] or "+00:00"
    try:
        ended = datetime.fromisoformat(match["time"].replace(",", ".") + zone)
        # Solr logs a request when it ends.
        began = ended.timestamp() - int(match["qtime"]) / 1000
    except (ValueError, OverflowError):
        return None  # the digits of a line that is broken are no time
    return _client_query(began, match["path"], match["params"])


def parse_access(line: str) -> LogEntry | None:
    """Return the query of a line of an access log; None for any other line."""
    match = _ACCESS.match(line)
    # The body of a POST is not logged.
    if match is None or match["method"] != "GET":
        return None
    try:
        url = urlsplit(match["url"])
        time = datetime.strptime(match["time"], "%d/%b/%Y:%H:%M:%S %z")
    except ValueError:
        # Anything may stand in brackets, and anything is sent to a server that others reach.
        return None
    ending = _ENDING.search(url.path)
    if not url.query or ending is None:
        return None
    return _client_query(time.timestamp(), ending["handler"], url.query)


def _client_query(seconds: float, handler: str, query: str) -> LogEntry | None:
    """Return a query of a client; None if it is none, or one that nodes of Solr send each other."""
    parameters = tuple(parse_qsl(query, keep_blank_values=True))
    if _NO_QUERY.match(handler) or not _INTERNAL.isdisjoint(parameters):
        return None
    return _with_valid_time(LogEntry(seconds, handler, parameters))


def _with_valid_time(entry: LogEntry) -> LogEntry | None:
    return entry if abs(entry.time_seconds) < _MAX_SECONDS else None


def parse_json(line: str) -> LogEntry | None:
    """Return the request of a line with `time` and `params` or `json`; None for any other line."""
    try:
        content = json.loads(line)
        if "\\u" in line:  # half of a pair, as of an emoji that was cut, is no character
            json.dumps(content, ensure_ascii=False).encode()
        rest = {name: content[name] for name in _REST if name in content}
        params = content.get("params", {}) if "json" in rest else content["params"]
        parameters = flatten_parameters(params)
        time = parse_time(content["time"])
        handler = content.get("handler", "/select")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return _with_valid_time(LogEntry(time, handler, parameters, rest or None))


_PARSERS: dict[LogFormat, Callable[[str], LogEntry | None]] = {
    LogFormat.SOLR: parse_solr,
    LogFormat.COMBINED: parse_access,
    LogFormat.JSONL: parse_json,
}


def guess_format(lines: Iterable[str]) -> LogFormat | None:
    """Return the format that most of some lines are of; None if no line is of any."""
    read = list(lines)
    counts = Counter(
        kind for kind, parse in _PARSERS.items() for line in read if parse(line) is not None
    )
    return max(counts, key=counts.__getitem__, default=None)


def parse_lines(lines: Iterable[str], kind: LogFormat) -> Iterator[LogEntry]:
    """Yield the requests of a log; lines that hold none are left out."""
    entries = (entry for entry in map(_PARSERS[kind], lines) if entry is not None)
    if kind is not LogFormat.COMBINED:
        yield from entries
        return
    # Times of access logs are whole seconds: unspread, each second would begin with a burst.
    for second, group in groupby(entries, key=lambda entry: entry.time_seconds):
        same = list(group)
        for index, entry in enumerate(same):
            yield replace(entry, time_seconds=second + index / len(same))
