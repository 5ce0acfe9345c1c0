"""Response times of an open loop while the server stands still for 1 s in every 10 s.

In theory, with arrivals spread evenly: a share of `STALL / EVERY` of them comes while the server
stands still, and waits for the rest of the stall, which is uniform from 0 to 1 s. So a response
time exceeds x with a probability of STALL / EVERY * (1 - x / STALL), and

    percentile(p) = STALL * (1 - (1 - p) * EVERY / STALL),    0.9 s for p99, 0.99 s for p99.9.

A closed loop, or a clock that starts when the request is sent at last, would see next to nothing
of it (coordinated omission, Gil Tene, "How NOT to measure latency").

With connections for all requests that are due, a clock that starts with the sending is right as
well, and a bench that has so many cannot notice such a fault. So the same is measured with far
fewer: most requests then wait for a connection, and only a clock that starts when they were due
shows it. What is sent after a stall makes them wait a little longer than in theory.
"""

from collections.abc import Iterable
from pathlib import Path

from bench.harness.processes import prefer
from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import python_server
from solrbench.contract.step_document import StepRunResult
from solrbench.stats.histograms import Histogram, merge

RATE = 1000
STALL = 1.0
EVERY = 10.0
FEW = 20
"""Connections of the run in which most requests have to wait for one."""

_BAR = 0.02
_BAR_OF_FEW = 0.10
_SEEN = 0.5
_WHAT = "response times, 1 s stalls at 1,000/s"


def theory(percent: float) -> float:
    """Return a percentile of the response times in seconds, without the work of serving."""
    return STALL * (1 - (1 - percent / 100) * EVERY / STALL)


def step_run(folder: Path, seconds: int, connections: int) -> StepRunResult:
    """Measure a step run; `seconds` should hold whole stalls."""
    step = {
        "name": "stalls",
        "requestsPerSecond": RATE,
        "arrivalDistribution": "Uniform",
        "maxInFlight": connections,
        "durationSeconds": seconds,
    }
    arguments = ["none", str(STALL), str(EVERY)]
    with (
        python_server("delays", folder, arguments) as server,
        product(server, folder, step, warmUp={"durationSeconds": 1}) as running,
    ):
        running.wait_for_stage("WarmingUp", "Measuring")
        prefer([server.pid, *running.workers])
        (document,) = running.documents(seconds)
    return document


def _merged(stored: Iterable[str | None]) -> Histogram:
    return merge(each for each in stored if each is not None)


def stalls(folder: Path, seconds: int) -> list[Row]:
    """Compare p99 and p99.9 with the theory, with plenty of connections and with few."""
    plenty = step_run(folder, seconds, 2 * RATE)
    few = step_run(folder, seconds, FEW)
    from_due = _merged(each.response_time_histogram for each in few.requests)
    from_sent = _merged(each.service_time_histogram for each in few.requests)
    blind, detail = _worst(from_sent)
    return [
        _row(_WHAT, _merged(e.response_time_histogram for e in plenty.requests), _BAR),
        _row(f"{_WHAT}, {FEW} connections", from_due, _BAR_OF_FEW),
        Row(
            "the same by a clock that starts with the sending: a fault that must be seen",
            "more than 50 % off",
            f"{100 * blind:.1f} %",
            blind > _SEEN,
            detail,
        ),
    ]


def _row(what: str, found: Histogram, bar: float) -> Row:
    worst, detail = _worst(found)
    return Row(what, f"within {100 * bar:g} %", f"{100 * worst:.1f} %", worst <= bar, detail)


def _worst(found: Histogram) -> tuple[float, str]:
    pairs = {percent: ((found.percentile(percent) or 0) / 1e6) for percent in (99.0, 99.9)}
    worst = max(abs(seconds / theory(percent) - 1) for percent, seconds in pairs.items())
    detail = ", ".join(f"p{p:g} {s:.3f} s ({theory(p):.3f} s)" for p, s in pairs.items())
    return worst, detail
