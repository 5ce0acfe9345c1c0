"""Response times of an open loop while the server stands still for 1 s in every 10 s.

In theory, with arrivals spread evenly: a share of `STALL / EVERY` of them comes while the server
stands still, and waits for the rest of the stall, which is uniform from 0 to 1 s. So a response
time exceeds x with a probability of STALL / EVERY * (1 - x / STALL), and

    percentile(p) = STALL * (1 - (1 - p) * EVERY / STALL),    0.9 s for p99, 0.99 s for p99.9.

A closed loop, or a clock that starts when the request is sent at last, would see next to nothing
of it (coordinated omission, Gil Tene, "How NOT to measure latency").
"""

from pathlib import Path

from bench.processes import prefer
from bench.product import product
from bench.servers.running import python_server
from bench.table import Row
from solrbench.results.stats.histograms import Histogram, merge

RATE = 1000
STALL = 1.0
EVERY = 10.0
_BAR = 0.02
_WHAT = "response times, 1 s stalls at 1,000/s"


def theory(percent: float) -> float:
    """Return a percentile of the response times in seconds, without the work of serving."""
    return STALL * (1 - (1 - percent / 100) * EVERY / STALL)


def response_times(folder: Path, seconds: int) -> Histogram:
    """Measure a step run; `seconds` should hold whole stalls."""
    step = {
        "name": "stalls",
        "requestsPerSecond": RATE,
        "arrivalDistribution": "Uniform",
        "maxInFlight": 2 * RATE,
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
    stored = (each.model_dump()["response_time_histogram"] for each in document.requests)
    return merge(each for each in stored if each is not None)


def stalls(folder: Path, seconds: int) -> list[Row]:
    """Compare p99 and p99.9 with the theory."""
    found = response_times(folder, seconds)
    pairs = {percent: ((found.percentile(percent) or 0) / 1e6) for percent in (99.0, 99.9)}
    worst = max(abs(seconds / theory(percent) - 1) for percent, seconds in pairs.items())
    detail = ", ".join(f"p{p:g} {s:.3f} s ({theory(p):.3f} s)" for p, s in pairs.items())
    return [Row(_WHAT, "within 2 %", f"{100 * worst:.1f} %", worst <= _BAR, detail)]
