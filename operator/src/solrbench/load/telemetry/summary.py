"""The figures of all servers as they are stored: the worst few one by one, spreads over all."""

from collections.abc import Iterable, Sequence
from statistics import median

from solrbench.results.model.telemetry import (
    MOST_HANDLERS,
    MOST_SERVERS,
    HandlerFigures,
    ServerFigures,
    Spread,
)

_SCALED_DEVIATION = 1.4826
"""Makes a median absolute deviation one of the standard deviation (Hampel 1974)."""

_DIGITS = 6
_GROWING = ("_seconds", "_count", "_lookups", "_hits", "_inserts", "_evictions")
_RATES = {"read_bytes", "written_bytes", "reads", "writes", "major_faults", "requests"}

SPREAD_FIGURES = (
    "cpu_seconds",
    "gc_seconds",
    "heap_used_max_bytes",
    "heap_after_gc_max_bytes",
    "requests",
    "throttled_seconds",
    "read_bytes",
    "cpu_some_seconds",
    "memory_full_seconds",
    "io_some_seconds",
)
"""Figures of which a spread is kept."""


def worst_servers(servers: Iterable[ServerFigures]) -> list[ServerFigures]:
    """Return the servers with the most CPU time, without the figures of single handlers."""
    ordered = sorted(servers, key=lambda each: -each.figures.get("cpu_seconds", 0.0))
    return [_without_handlers(each) for each in ordered[:MOST_SERVERS]]


def _without_handlers(server: ServerFigures) -> ServerFigures:
    kept = {name: number for name, number in server.figures.items() if ":" not in name}
    return server.model_copy(update={"figures": kept})


def spreads_of(servers: Sequence[ServerFigures]) -> list[Spread]:
    """Return how the figures are spread over the servers; those that grow per second."""
    found = (_spread(figure, servers) for figure in SPREAD_FIGURES)
    return [each for each in found if each is not None]


def _spread(figure: str, servers: Sequence[ServerFigures]) -> Spread | None:
    numbers = {
        each.server: _per_second(figure, each)
        for each in servers
        if figure in each.figures and each.seconds > 0
    }
    if not numbers:
        return None
    middle = median(numbers.values())
    highest = max(numbers, key=lambda server: numbers[server])
    return Spread(
        figure=figure,
        servers=len(numbers),
        total=round(sum(numbers.values()), _DIGITS),
        median=round(middle, _DIGITS),
        deviation=round(
            _SCALED_DEVIATION * median(abs(each - middle) for each in numbers.values()), _DIGITS
        ),
        highest=round(numbers[highest], _DIGITS),
        highest_server=highest,
    )


def _per_second(figure: str, server: ServerFigures) -> float:
    number = server.figures[figure]
    grows = figure.endswith(_GROWING) or figure in _RATES
    return number / server.seconds if grows else number


def handlers_of(servers: Iterable[ServerFigures]) -> list[HandlerFigures]:
    """Return the handlers that had requests, over all nodes, the one with the most time first."""
    totals: dict[str, dict[str, float]] = {}
    for server in servers:
        for name, number in server.figures.items():
            figure, colon, handler = name.partition(":")
            if colon:
                found = totals.setdefault(handler, {})
                found[figure] = found.get(figure, 0.0) + number
    handlers = [
        HandlerFigures(
            handler=handler,
            requests=int(found.get("handler_requests", 0)),
            errors=int(found.get("handler_errors", 0)),
            seconds=round(found.get("handler_seconds", 0.0), _DIGITS),
        )
        for handler, found in totals.items()
        if found.get("handler_requests")
    ]
    return sorted(handlers, key=lambda each: (-each.seconds, each.handler))[:MOST_HANDLERS]
