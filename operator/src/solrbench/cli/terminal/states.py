"""The states of a benchmark or a sweep as they come, by the watch API."""

import math
import time
from collections.abc import Callable, Iterator

import click

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.deletion import is_over
from solrbench.cli.files import parse_stored
from solrbench.cli.resources import Kind, suggest_name
from solrbench.cli.terminal.progress import awaits_export
from solrbench.cluster.client import (
    BENCHMARKS,
    Cluster,
    ExpiredError,
    ForbiddenError,
    KindNotServedError,
    Manifest,
    UnauthorizedError,
    UnreachableError,
)
from solrbench.errors import PermanentError, TemporaryError
from solrbench.reasons.api_server import ApiServerReason

LOG_SECONDS = 5.0
"""A state comes at least this often, also without a change, so that a log can catch up."""

OUTAGE_SECONDS = 300.0
"""How long no response is waited for: the API server may be replaced meanwhile."""

FINAL = (ForbiddenError, KindNotServedError, UnauthorizedError)
"""What waiting does not cure within the time of a command."""

POLL_SECONDS = 1.0
"""Time between two reads where watching is forbidden."""


def watch_states(
    cluster: Cluster, namespace: str, name: str, end: float | None
) -> Iterator[SolrBenchmark]:
    """Yield a benchmark as `watch_bodies` does, until its export is decided, too."""
    bodies = watch_bodies(cluster, BENCHMARKS, namespace, name, end, is_done=_is_exported)
    return map(parse_stored, bodies)


def _is_exported(body: Manifest) -> bool:
    return is_over(body) and not awaits_export(parse_stored(body))


def watch_bodies(  # noqa: PLR0913 - whom, how long and until when
    cluster: Cluster,
    kind: tuple[str, str],
    namespace: str,
    name: str,
    end: float | None,
    *,
    is_done: Callable[[Manifest], bool] = is_over,
) -> Iterator[Manifest]:
    """Yield the resource as it is, then as it changes, until it is done or time is up.

    `end` is a time of the monotonic clock. What the API server lacks for a moment is waited for.

    Raises:
        PermanentError: if there is no such resource, or it is deleted meanwhile.
        TemporaryError: if time was up before there was any response, the first request did not
            reach the cluster, none did for `OUTAGE_SECONDS`, or the user may not read it.

    """
    seen = False
    last_response = time.monotonic()
    while True:
        try:
            for body in _bodies(cluster, kind, namespace, name, end):
                if body is None:
                    raise _absence(cluster, kind, namespace, name, seen=seen)
                seen, last_response = True, time.monotonic()
                yield body
                if is_done(body) or _is_over(end):
                    return
        except ExpiredError:
            time.sleep(POLL_SECONDS)  # then it is read anew
        except FINAL:
            raise
        except TemporaryError as error:
            if _is_over(end) and seen:
                return
            is_lost = time.monotonic() - last_response > OUTAGE_SECONDS
            never_reached = isinstance(error, UnreachableError) and not seen
            if _is_over(end) or is_lost or never_reached:
                raise
            click.echo(f"{error.reason}: {error.message}", err=True)
            time.sleep(_seconds_left(end))


def _bodies(
    cluster: Cluster, kind: tuple[str, str], namespace: str, name: str, end: float | None
) -> Iterator[Manifest | None]:
    """Yield the object now, at each change and every `LOG_SECONDS`; `None` when it is not there."""
    body = cluster.get(*kind, namespace, name)
    yield body
    try:
        yield from _watched(cluster, body, end)
    except ForbiddenError:
        while True:
            time.sleep(POLL_SECONDS)
            yield cluster.get(*kind, namespace, name)


def _watched(
    cluster: Cluster, body: Manifest | None, end: float | None
) -> Iterator[Manifest | None]:
    """Yield what becomes of `body`; each watch goes on where the one before ended."""
    while body is not None:
        began = time.monotonic()
        for changed in cluster.watch(body, max(1, math.ceil(_seconds_left(end)))):
            body = changed
            yield changed
        # A watch that the server ends at once must not become a busy loop.
        time.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - began)))
        yield body


def _is_over(end: float | None) -> bool:
    return end is not None and time.monotonic() > end


def _seconds_left(end: float | None) -> float:
    """Return how long to wait at most: `LOG_SECONDS`, or less when time is up before."""
    return LOG_SECONDS if end is None else min(LOG_SECONDS, max(0.0, end - time.monotonic()))


def _absence(
    cluster: Cluster, kind: Kind, namespace: str, name: str, *, seen: bool
) -> PermanentError:
    what = f"{kind[1]} {name}"
    text = f"{what} was deleted in namespace {namespace}; run it again"
    if not seen:
        near = suggest_name(cluster, namespace, name)
        text = f"{what} does not exist in namespace {namespace}; {near}"
    return PermanentError(ApiServerReason.NOT_FOUND, text)
