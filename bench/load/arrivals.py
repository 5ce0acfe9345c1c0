"""Arrivals of open loops: as many as planned, when they are planned, and how they are spread.

`arrivals` reads them as the worker reports them; `gaps` as the server's kernel saw them.

Steps of Poisson arrivals, sent by 1 to 4 workers, whose gaps are tested for an exponential
distribution with the mean of the plan, known beforehand, by Anderson and Darling (D'Agostino and
Stephens, Goodness-of-fit techniques, 1986, chapter 4, table 4.2): of steps that are right, 1 in 100
fails at a level of 1 %. Uniform arrivals are all at one distance, so their rate is exact.

The table shows what failures come from. The schedules themselves are tested as they are computed,
with workers that begin up to 10 ms apart, without a machine. Measured steps are counted once more
without those in which a worker sent late: what the machine did to them is in no schedule. And of
each that failed the statistic of its own schedule is shown: where that is high, it is chance.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from bench.harness.peers import timer_lag_p99_ms
from bench.harness.processes import prefer
from bench.harness.product import measure_preferred, product
from bench.harness.table import Row, at_least, at_most, skipped, within
from bench.servers.running import Server, nginx, python_server
from solrbench.api.v1alpha1.arrivals import ArrivalDistribution
from solrbench.contract.step_document import StepRunResult
from solrbench.load.schedule.arrivals import ArrivalRate, Schedule, arrivals_seed

_LAG_RATE = 2000
_MAX_LAG_MS = 1.0


class _Round(NamedTuple):
    sent: int
    lag_p99_ms: float
    timer_p99_ms: float


def arrivals(folder: Path, repeats: int, seconds: int) -> list[Row]:
    """Read requests and lag as the worker reports them, by turns with a bare timer."""
    with nginx(folder) as server:
        rounds = [_round(server, folder, seconds) for _ in range(repeats)]
    sent, planned = sum(each.sent for each in rounds), repeats * _LAG_RATE * seconds
    lags, timers = [each.lag_p99_ms for each in rounds], [each.timer_p99_ms for each in rounds]
    lag, requests = median(lags), "requests at 2,000/s"
    return [
        Row(requests, "as planned", f"{sent:,}", sent == planned, f"{planned:,} planned"),
        at_most("lag p99 at 2,000/s per worker", lag, _MAX_LAG_MS, "{:.2f} ms", _listed(lags)),
        Row("lag p99 of a bare timer", "", f"{median(timers):.2f} ms", None, _listed(timers)),
    ]


def _round(server: Server, folder: Path, seconds: int) -> _Round:
    step = {
        "name": "planned",
        "requestsPerSecond": _LAG_RATE,
        "arrivalDistribution": "Uniform",
        "requests": _LAG_RATE * seconds,
    }
    document = measure_preferred(server, folder, step, seconds)
    (worker,) = document.model_dump()["workers"]
    sent = sum(each.requests for each in document.requests)
    return _Round(sent, worker["lag_p99_microseconds"] / 1000, timer_lag_p99_ms(_LAG_RATE, seconds))


def _listed(values: Iterable[float]) -> str:
    return "rounds: " + ", ".join(f"{value:.2f}" for value in values)


RATE = 250
WORKERS = (1, 2, 3, 4)
CRITICAL = 3.857
"""Of a distribution that is known, at 1 %."""

_UNIFORM_STEPS = 2
"""For each number of workers."""

_COMPUTED = 1000
_APART_NS = 10_000_000
_IN_TIME_MS = 2.0
"""A lag of the p99 that changes a gap or two of a step; the mean gap is 4 ms."""

_MAX_OFF_PERCENT = 1.0
_MIN_PASSED_PERCENT = 95


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


@dataclass(frozen=True)
class Step:
    """The arrivals of one step: `times` in ns, ascending, and the statistic of what was planned.

    The lag is that of the worker that sent latest, and the host took the stolen CPU time.
    """

    times: Sequence[int]
    lag_p99_ms: float = 0.0
    stolen_percent: float = 0.0
    planned: float = 0.0

    @property
    def statistic(self) -> float:
        """How far the gaps are from exponential ones."""
        return _statistic(self.times)


def _statistic(times: Sequence[int]) -> float:
    gaps = [(after - before) / 1e9 for before, after in pairwise(times)]
    return anderson_darling(gaps, 1 / RATE)


def gaps(folder: Path, steps: int, seconds: int) -> list[Row]:
    """Measure `steps` steps of Poisson arrivals and some with uniform ones, over all workers."""
    found = [_arrivals(folder, workers, steps // len(WORKERS), seconds) for workers in WORKERS]
    poisson = [step for kinds in found for step in kinds["Poisson"]]
    uniform = [step for kinds in found for step in kinds["Uniform"]]
    in_time = [step for step in poisson if step.lag_p99_ms <= _IN_TIME_MS]
    where = f"{RATE}/s, 1 to 4 workers, steps of {seconds} s"
    return [
        *computed_gaps(folder, _COMPUTED, seconds),
        _gaps_row("all", poisson, where),
        _gaps_row("one worker", found[0]["Poisson"], "whose schedule has no other beside it"),
        _gaps_row("in time", in_time, f"the p99 of the lag of each worker within {_IN_TIME_MS} ms"),
        _rate_row("uniform step", [len(step.times) / seconds for step in uniform]),
        _rate_row(
            "all Poisson steps", [sum(len(s.times) for s in poisson) / len(poisson) / seconds]
        ),
    ]


def computed_gaps(_folder: Path, steps: int, seconds: int) -> list[Row]:
    """Test the gaps of schedules whose workers begin up to 10 ms apart, without a machine."""
    draw = Random(1)
    found = [_computed(WORKERS[seed % len(WORKERS)], seconds, seed, draw) for seed in range(steps)]
    return [_gaps_row("computed", found, "workers begin up to 10 ms apart")]


def _computed(workers: int, seconds: int, seed: int, draw: Random) -> Step:
    rate = _planned_rate(seconds)
    times: list[int] = []
    for worker in range(workers):
        late_ns = draw.randrange(_APART_NS)
        schedule = Schedule(rate, seed, worker, workers)
        times += [late_ns + at for at in schedule.arrival_times_ns()]
    return Step(sorted(times))


def _planned_rate(seconds: int) -> ArrivalRate:
    return ArrivalRate(
        requests_per_second=RATE,
        distribution=ArrivalDistribution.POISSON,
        max_in_flight=RATE,
        seconds=seconds,
    )


def _gaps_row(which: str, steps: Sequence[Step], where: str) -> Row:
    """Return how many steps pass; the kernel of the server says when requests came."""
    what = f"gaps of Poisson steps that pass Anderson-Darling, {which}"
    if not steps:
        return skipped(what, f">= {_MIN_PASSED_PERCENT} %", f"no step {where}")
    failed = [step for step in steps if step.statistic >= CRITICAL]
    share = 100 * (1 - len(failed) / len(steps))
    causes = ", ".join(
        f"{each.statistic:.1f} ({each.planned:.1f} planned, lag {each.lag_p99_ms:.1f} ms,"
        f" {each.stolen_percent:.0f} % stolen)"
        for each in failed
        if each.planned
    )
    detail = f"{len(steps) - len(failed)} of {len(steps)}; {where}"
    detail += f"; failed (1 %: {CRITICAL}): {causes}" if causes else ""
    return at_least(what, share, _MIN_PASSED_PERCENT, "{:.0f} %", detail)


def _rate_row(what: str, rates: Sequence[float]) -> Row:
    worst = 100 * max(abs(each / RATE - 1) for each in rates)
    detail = f"worst of {len(rates)}" if len(rates) > 1 else f"{rates[0]:.1f}/s"
    return within(f"rate at the server, {what}", worst, _MAX_OFF_PERCENT, detail)


def _arrivals(folder: Path, workers: int, steps: int, seconds: int) -> dict[str, list[Step]]:
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
    found: dict[str, list[Step]] = {kind: [] for kind in kinds}
    for document, kind in zip(documents, kinds, strict=True):
        count = sum(each.requests for each in document.requests)
        found[kind].append(_measured(document, [next(times) for _ in range(count)], seconds))
    if next(times, None) is not None:
        raise RuntimeError("the server got more requests than were reported")
    return found


def _measured(document: StepRunResult, times: Sequence[int], seconds: int) -> Step:
    workers = document.workers
    schedule = Schedule(_planned_rate(seconds), arrivals_seed(1, 1, document.step), 0, 1)
    return Step(
        times,
        max((each.lag_p99_microseconds or 0) / 1000 for each in workers),
        max(
            100 * (each.stolen_seconds or 0) / (each.measured_seconds or math.inf)
            for each in workers
        ),
        _statistic(list(schedule.arrival_times_ns())),
    )
