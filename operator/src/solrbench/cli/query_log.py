"""`solrbench log`: rates and mix of a query log, and the file that replays it."""

import gzip
import json
import zlib
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path

import click

from solrbench.cli.main import command
from solrbench.cli.options import output_option
from solrbench.contract.foreign import printable
from solrbench.query_log.formats import LogEntry, LogFormat, guess_format, parse_lines
from solrbench.query_log.statistics import LogStatistics, query_lines, sort_by_time

_PROBED_LINES = 1000
_QUANTILES = (50.0, 90.0, 97.0, 99.0, 99.99)
_MAX_KINDS = 10


@command("solrbench log solr.log")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
)
@click.option(
    "--format",
    "kind",
    type=click.Choice([log_format.value for log_format in LogFormat]),
    help="Format of the log; found out by its first lines when omitted.",
)
@click.option(
    "--handler",
    default="/select",
    show_default=True,
    help="Take the requests of this handler; 'all' takes those of any.",
)
@click.option(
    "--write",
    "target",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the requests, sorted by time, as a query file that a step can replay.",
)
@output_option("text", "json")
def log(
    files: tuple[Path, ...], kind: str | None, handler: str, target: Path | None, output: str
) -> None:
    """Show the rates and the mix of a query log, and write a query file from it.

    Reads Solr's request log, access logs in the combined format, and lines of JSON with "time" and
    "params", gzipped or not; several files must be in the order of time. - is the standard input.
    """
    # It is read while the other is written.
    if target is not None and target.resolve() in [path.resolve() for path in files]:
        raise click.UsageError(f"--write {target} is a log to be read; name another file")
    if target is not None and handler == "all":
        raise click.UsageError(
            "--write must go with one --handler: a query file names none, so that a step would send"
            " all requests to the same"
        )
    log_statistics = LogStatistics()
    with logged_requests(files, kind, handler) as chosen:
        # Before a file is opened, which a mistyped handler must not empty.
        if (first := next(chosen, None)) is None:
            raise click.ClickException(
                f"no request of {handler} in the log; choose another --handler, or --format"
            )
        counted = _count(chain([first], chosen), log_statistics)
        if target is None:
            deque(counted, maxlen=0)  # only reads it: the statistics are made on the way
        else:
            with target.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in query_lines(counted))
    text = _as_json(log_statistics) if output == "json" else _as_text(log_statistics)
    if output == "text" and target is not None:
        text = "\n".join([text, "", *_steps(log_statistics, target, handler)])
    click.echo(text)


@contextmanager
def logged_requests(
    files: tuple[Path, ...], kind: str | None = None, handler: str = "/select"
) -> Generator[Iterator[LogEntry]]:
    """Yield the requests of a handler, or of `all`, sorted by time; no known format is an error."""
    with ExitStack() as opened:
        read = [opened.enter_context(closing(_read(path))) for path in files]
        parsed = _parse(chain.from_iterable(read), kind)
        yield sort_by_time(entry for entry in parsed if handler in ("all", entry.handler))


def _read(path: Path) -> Generator[str]:
    try:
        with click.open_file(str(path), "rb") as raw:
            unpacked = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
            for line in unpacked:
                yield line.decode("utf-8", "replace")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise click.ClickException(f"{path}: not readable as gzip: {error}") from error


def _parse(lines: Iterator[str], kind: str | None) -> Iterator[LogEntry]:
    if kind is not None:
        return parse_lines(lines, LogFormat(kind))
    # Standard input cannot be read twice: the lines that were looked at come first again.
    probed = list(islice(lines, _PROBED_LINES))
    guessed = guess_format(probed)
    if guessed is None:
        raise click.ClickException(
            f"none of the first {len(probed)} lines is a query in a known format; name it by"
            ' --format (of lines of JSON, "time" is in seconds, or as in RFC 3339)'
        )
    return parse_lines(chain(probed, lines), guessed)


def _count(entries: Iterable[LogEntry], found: LogStatistics) -> Iterator[LogEntry]:
    for entry in entries:
        found.add(entry)
        yield entry


def _as_json(found: LogStatistics) -> str:
    second, minute = found.busiest(1), found.busiest(60)
    body = {
        "requests": found.requests,
        "firstTime": _time(found.first_seconds),
        "lastTime": _time(found.last_seconds),
        "meanRequestsPerSecond": round(found.mean_requests_per_second, 6),
        "requestsPerSecondQuantiles": {f"{q:g}": found.rate_quantile(q) for q in _QUANTILES},
    }
    for name, span, rate in (
        ("busiestSecond", second, second.requests_per_second),
        ("busiestMinute", minute, round(minute.requests_per_second, 6)),
    ):
        body[name] = {"time": _time(span.begin_seconds), "requestsPerSecond": rate}
    body["mix"] = [{"request": shape, "requests": n} for shape, n in found.mix(_MAX_KINDS)]
    return json.dumps(body, indent=2)


def _as_text(found: LogStatistics) -> str:
    second, minute = found.busiest(1), found.busiest(60)
    times = [found.first_seconds, found.last_seconds, second.begin_seconds, minute.begin_seconds]
    first, last, of_second, of_minute = map(_time, times)
    lines = [
        f"{found.requests} requests from {first} to {last}",
        f"mean                {found.mean_requests_per_second:.4g} requests/s",
    ]
    for q in _QUANTILES:
        title = f"{q:g} % of seconds"
        lines.append(f"{title:<20}at most {found.rate_quantile(q)} requests/s")
    lines += [
        f"busiest second      {second.requests_per_second:g} requests/s, {of_second}",
        f"busiest minute      {minute.requests_per_second:.4g} requests/s, {of_minute}",
        "",
        "share  requests  kind",
    ]
    for shape, number in found.mix(_MAX_KINDS):
        kind = printable(shape).replace("\n", " ")  # strangers chose the names of parameters
        lines.append(f"{100 * number / found.requests:4.1f} %  {number:>8}  {kind}")
    return "\n".join(lines)


def _steps(found: LogStatistics, target: Path, handler: str) -> list[str]:
    """Return the parts of a resource that send these requests, replayed and at even rates."""
    create = f"kubectl create configmap my-queries --from-file=queries.txt={target}"
    # The least rate that a step takes is 0.001.
    minute = max(found.busiest(60).requests_per_second, 0.001)
    return [
        f"# {target} as a ConfigMap: {create}",
        "workload:",
        # The file names none; that of a workload is /select.
        *([f"  handler: {handler}"] if handler != "/select" else []),
        "  queries:",
        "    configMap: {name: my-queries}",
        "    order: Sequential",
        "load:",
        "  steps:",
        f"    - {{name: as-logged, replay: {{}}, durationSeconds: {max(found.seconds, 1)}}}",
        f"    - {{name: busiest-minute, requestsPerSecond: {minute:.4g}, durationSeconds: 300}}",
    ]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
