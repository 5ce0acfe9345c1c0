"""Arrivals of open loops as the server's kernel saw them: how many, and how they are spread.

Steps of Poisson arrivals, sent by 1 to 4 workers, whose gaps are tested for an exponential
distribution with the mean of the plan, known beforehand, by Anderson and Darling (D'Agostino and
Stephens, Goodness-of-fit techniques, 1986, chapter 4, table 4.2): of steps that are right, 1 in 100
fails at a level of 1 %. Uniform arrivals are all at one distance, so their rate is exact.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from bench.processes import prefer
from bench.product import product
from bench.servers.running import python_server
from bench.table import Row, skipped

RATE = 250
WORKERS = (1, 2, 3, 4)
CRITICAL = 3.857
"""Of a distribution that is known, at 1 %."""

_UNIFORM_STEPS = 2
"""For each number of workers."""

_MOST_OFF_PERCENT = 1.0
_LEAST_PASSED_PERCENT = 95


def anderson_darling(gaps: Sequence[float], mean: float) -> float:
    """Return the statistic of gaps against the exponential distribution with a known mean."""
    count = len(gaps)
    # ln F and ln (1 - F) of the ordered values; 1 - F is exp(-x).
    ordered = sorted(max(each / mean, 1e-12) for each in gaps)
    below = [math.log(-math.expm1(-each)) for each in ordered]
    total = sum(
        (2 * place + 1) * (below[place] - ordered[count - 1 - place]) for place in range(count)
    )
    return -count - total / count


def gaps(folder: Path, steps: int, seconds: int) -> list[Row]:
    """Measure `steps` steps of Poisson arrivals and some with uniform ones, over all workers."""
    found = [_arrivals(folder, workers, steps // len(WORKERS), seconds) for workers in WORKERS]
    poisson = [step for kinds in found for step in kinds["Poisson"]]
    uniform = [step for kinds in found for step in kinds["Uniform"]]
    alone = found[0]["Poisson"]
    where = f"{RATE}/s, 1 to 4 workers, steps of {seconds} s"
    return [
        _gaps_row("all", poisson, where),
        _gaps_row("one worker", alone, "whose schedule has no other beside it"),
        _rate_row("uniform step", [len(times) / seconds for times in uniform]),
        _rate_row("all Poisson steps", [sum(map(len, poisson)) / len(poisson) / seconds]),
    ]


def _gaps_row(which: str, steps: Sequence[Sequence[int]], where: str) -> Row:
    """Return how many steps pass; the kernel of the server says when requests came."""
    what = f"gaps of Poisson steps that pass Anderson-Darling, {which}"
    statistics = [anderson_darling(_gaps(times), 1 / RATE) for times in steps]
    if not statistics:
        return skipped(what, f">= {_LEAST_PASSED_PERCENT} %", f"no step {where}")
    passed = sum(each < CRITICAL for each in statistics)
    share = 100 * passed / len(statistics)
    return Row(
        what,
        f">= {_LEAST_PASSED_PERCENT} %",
        f"{share:.0f} %",
        share >= _LEAST_PASSED_PERCENT,
        f"{passed} of {len(statistics)}, largest {max(statistics):.2f} (1 %: {CRITICAL}); {where}",
    )


def _rate_row(what: str, rates: Sequence[float]) -> Row:
    worst = 100 * max(abs(each / RATE - 1) for each in rates)
    return Row(
        f"rate at the server, {what}",
        f"within {_MOST_OFF_PERCENT:g} %",
        f"{worst:.2f} %",
        worst <= _MOST_OFF_PERCENT,
        f"worst of {len(rates)}" if len(rates) > 1 else f"{rates[0]:.1f}/s",
    )


def _gaps(times: Sequence[int]) -> list[float]:
    return [(after - before) / 1e9 for before, after in pairwise(times)]


def _arrivals(folder: Path, workers: int, steps: int, seconds: int) -> dict[str, list[list[int]]]:
    """Return the server's times of each step, by the distribution of its arrivals.

    Steps are separated by how many requests the product says it sent. If it is wrong by one, the
    time between two steps becomes a gap of the next one, which then fails.
    """
    kinds = ["Uniform"] * _UNIFORM_STEPS + ["Poisson"] * steps
    planned = [
        {
            "name": f"{kind.lower()}-{workers}-{number}",
            "requestsPerSecond": RATE,
            "arrivalDistribution": kind,
            "durationSeconds": seconds,
        }
        for number, kind in enumerate(kinds)
    ]
    with (
        python_server("delays", folder, ["none"]) as server,
        product(server, folder, *planned, workers=workers) as running,
    ):
        running.wait_for_stage("Measuring", "Finished")
        prefer([server.pid, *running.workers])
        documents = running.documents(len(planned) * (seconds + 5))
        times = iter(server.get_json("/arrivals"))
    found: dict[str, list[list[int]]] = {kind: [] for kind in kinds}
    for document, kind in zip(documents, kinds, strict=True):
        count = sum(each.requests for each in document.requests)
        found[kind].append([next(times) for _ in range(count)])
    if next(times, None) is not None:
        raise RuntimeError("the server got more requests than were reported")
    return found
