"""Arrivals: as many as planned, and when they are planned."""

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.harness.baseline import timer_lag_p99_ms
from bench.harness.processes import prefer
from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.nginx import nginx
from bench.servers.running import Server

RATE = 2000
_MAX_MS = 1.0


class _Round(NamedTuple):
    sent: int
    lag_p99_ms: float
    timer_p99_ms: float


def arrivals(folder: Path, repeats: int, seconds: int) -> list[Row]:
    """Read requests and lag as the worker reports them, by turns with a bare timer."""
    with nginx(folder) as server:
        rounds = [_round(server, folder, seconds) for _ in range(repeats)]
    sent, planned = sum(each.sent for each in rounds), repeats * RATE * seconds
    lags, timers = [each.lag_p99_ms for each in rounds], [each.timer_p99_ms for each in rounds]
    lag = median(lags)
    return [
        Row(
            "requests at 2,000/s",
            "as planned",
            f"{sent:,}",
            sent == planned,
            f"{planned:,} planned",
        ),
        Row(
            "lag p99 at 2,000/s per worker",
            "<= 1 ms",
            f"{lag:.2f} ms",
            lag <= _MAX_MS,
            _listed(lags),
        ),
        Row("lag p99 of a bare timer", "", f"{median(timers):.2f} ms", None, _listed(timers)),
    ]


def _round(server: Server, folder: Path, seconds: int) -> _Round:
    planned = {
        "requestsPerSecond": RATE,
        "arrivalDistribution": "Uniform",
        "requests": RATE * seconds,
    }
    step = {"name": "planned", **planned}
    with product(server, folder, step, warmUp={"durationSeconds": 1}) as running:
        running.wait_for_stage("WarmingUp", "Measuring")
        prefer([server.pid, *running.workers])
        (document,) = running.documents(seconds)
    (worker,) = document.model_dump()["workers"]
    sent = sum(each.requests for each in document.requests)
    return _Round(sent, worker["lag_p99_microseconds"] / 1000, timer_lag_p99_ms(RATE, seconds))


def _listed(values: Iterable[float]) -> str:
    return "rounds: " + ", ".join(f"{value:.2f}" for value in values)
