"""Arrivals: as many as planned, and when they are planned."""

from pathlib import Path

from bench.floor import timer_lag_p99_ms
from bench.processes import prefer
from bench.product import product
from bench.servers.nginx import nginx
from bench.table import Row

RATE = 2000
_MOST_MICROSECONDS = 1000


def arrivals(folder: Path, seconds: int) -> list[Row]:
    """Count at the server, and read the lag that the worker reports."""
    names = "requests at 2,000/s", "lag p99 at 2,000/s per worker"
    bars = "as planned", "<= 1 ms"
    step = {
        "name": "planned",
        "requestsPerSecond": RATE,
        "arrivals": "Uniform",
        "requests": RATE * seconds,
    }
    with nginx(folder) as server, product(server, folder, step, warmUp={"seconds": 1}) as running:
        running.wait_for_stage("WarmingUp", "Measuring")
        prefer([server.pid, *running.workers])
        (document,) = running.documents(seconds)
    least = timer_lag_p99_ms(RATE, seconds)
    told = sum(each.requests for each in document.requests)
    (worker,) = document.model_dump()["workers"]
    lag = worker["lag_p99_microseconds"]
    return [
        Row(names[0], bars[0], f"{told:,}", told == RATE * seconds, f"{RATE * seconds:,} planned"),
        Row(names[1], bars[1], f"{lag / 1000:.2f} ms", lag <= _MOST_MICROSECONDS, ""),
        Row("lag p99 of a bare timer", "", f"{least:.2f} ms", None, "does nothing but wait"),
    ]
