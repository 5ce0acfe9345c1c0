"""Reported times against what is known of them.

`accuracy`: percentiles beside what a server with known delays saw itself.

`stalls`: response times of an open loop while the server stands still for 1 s in every 10 s.
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

`saturation`: service times and verdict of a worker beside CPU hogs.
Worker and hogs share one core, the server has the other. The worker cannot keep up with its users;
what it reads late must not count as the server's, and every step must be `Invalid`. Whether it
cannot is known without the product's own measure of it: its users, and the time that the server
takes, say how many requests there would be. Beside two hogs a quick machine leaves it enough.

`merged`: the histogram of four workers beside that of all their samples.
"""

import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from statistics import fmean

from bench.harness.processes import pin, prefer, started
from bench.harness.product import measure_preferred, product
from bench.harness.table import Row, within
from bench.servers.running import python_server
from solrbench.analysis.verdict import evaluate_document, evaluate_step
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict
from solrbench.api.v1alpha1.load import Load
from solrbench.contract.request_counts import sum_counts
from solrbench.contract.step_document import StepRunResult
from solrbench.load.recording.recorder import StepRunRecorder
from solrbench.load.recording.worker_result import WorkerRequestStats
from solrbench.load.workload.requests import PreparedRequest
from solrbench.stats.histograms import Histogram, merge

PERCENTS = (50.0, 90.0, 99.0, 99.9)


def exact_percentile(samples: Sequence[int], percent: float) -> int:
    """Return the nearest-rank percentile: the least sample that `percent` % do not exceed."""
    rank = math.ceil(Fraction(str(percent)) * len(samples) / 100)
    return sorted(samples)[rank - 1]


def reported_percentile(document: StepRunResult, percent: float) -> int:
    """Return the percentile of the service times of a step run, in µs."""
    found = merge(each.service_time_histogram for each in document.requests).percentile(percent)
    if found is None:
        raise ValueError(f"step run {document.id} has no requests")
    return found


def worst_of(
    reported: Sequence[int], known: Sequence[int], percent: float = 1.0, microseconds: float = 200.0
) -> float:
    """Return how far figures are off, 1 being the bar, which is the wider one of both."""
    return max(
        abs(one - other) / max(percent / 100 * other, microseconds)
        for one, other in zip(reported, known, strict=True)
    )


_ACCURACY_USERS = 20
_RATE_PERCENT = 1.0


@dataclass(frozen=True)
class Compared:
    """Percentiles (`PERCENTS`, in µs) and rate of one step run, by the product and by the server.

    The known rate is of what the server answered in the time in which requests began.
    """

    document: StepRunResult
    reported: tuple[int, ...]
    known: tuple[int, ...]
    responses: int
    rate: float
    known_rate: float


def compare_with_server(
    distribution: str, folder: Path, seconds: int, users: int, workers: int = 1
) -> Compared:
    """Measure a step run against a server that delays its responses."""
    with python_server("delays", folder, [distribution]) as server:
        step = {"name": "known", "users": users, "durationSeconds": seconds}
        document = measure_preferred(server, folder, step, seconds, workers)
        # In the order of the responses; the step run begins after the last one of the warm-up.
        known = server.get_json("/known")[document.warm_up_requests :]
        ends = server.get_json("/ends")[document.warm_up_requests :]
        began = server.get_json("/arrivals")[document.warm_up_requests]
    return Compared(
        document,
        tuple(reported_percentile(document, percent) for percent in PERCENTS),
        tuple(exact_percentile(known, percent) for percent in PERCENTS),
        len(known),
        document.rated(sum_counts(document.requests)) / document.rate_seconds,
        sum(each < began + seconds * 10**9 for each in ends) / seconds,
    )


def accuracy(folder: Path, seconds: int) -> list[Row]:
    """Measure each distribution; figures are p50, p90, p99 and p99.9, and the rate."""
    names = ("constant", "bimodal", "heavy-tail")
    compared = {name: compare_with_server(name, folder, seconds, _ACCURACY_USERS) for name in names}
    return [row(name, found) for name, found in compared.items() for row in (_times, _rate)]


def _rate(distribution: str, found: Compared) -> Row:
    off = 100 * abs(found.rate / found.known_rate - 1)
    detail = f"{found.rate:.1f} ({found.known_rate:.1f})"
    return within(f"requests/s, {distribution}", off, _RATE_PERCENT, detail)


def _times(distribution: str, found: Compared) -> Row:
    worst = worst_of(found.reported, found.known)
    counted = sum(each.requests for each in found.document.requests)
    pairs = zip(found.reported, found.known, strict=True)
    figures = ", ".join(f"{one / 1000:.2f} ({other / 1000:.2f})" for one, other in pairs)
    return Row(
        f"p50 to p99.9, {distribution}",
        "1 % or 0.2 ms",
        f"{worst:.2f} of the bar",
        worst <= 1 and counted == found.responses,
        f"{figures} ms; {counted} of {found.responses} requests",
    )


_STALL_RATE = 1000
STALL_SECONDS = 1.0
STALL_EVERY_SECONDS = 10.0
_FEW_CONNECTIONS = 20
"""Connections of the run in which most requests have to wait for one."""

_STALL_BAR = 0.02
_STALL_BAR_OF_FEW = 0.10
_FAULT_SEEN = 0.5
_STALL_WHAT = "response times, 1 s stalls at 1,000/s"


def theory(percent: float) -> float:
    """Return a percentile of the response times in seconds, without the work of serving."""
    return STALL_SECONDS * (1 - (1 - percent / 100) * STALL_EVERY_SECONDS / STALL_SECONDS)


def _stalled_step_run(folder: Path, seconds: int, connections: int) -> StepRunResult:
    """Measure a step run; `seconds` should hold whole stalls."""
    step = {
        "name": "stalls",
        "requestsPerSecond": _STALL_RATE,
        "arrivalDistribution": "Uniform",
        "maxInFlight": connections,
        "durationSeconds": seconds,
    }
    arguments = ["none", str(STALL_SECONDS), str(STALL_EVERY_SECONDS)]
    with python_server("delays", folder, arguments) as server:
        return measure_preferred(server, folder, step, seconds)


def _merged(stored: Iterable[str | None]) -> Histogram:
    return merge(each for each in stored if each is not None)


def stalls(folder: Path, seconds: int) -> list[Row]:
    """Compare p99 and p99.9 with the theory, with plenty of connections and with few."""
    plenty = _stalled_step_run(folder, seconds, 2 * _STALL_RATE)
    few = _stalled_step_run(folder, seconds, _FEW_CONNECTIONS)
    from_plenty = _merged(each.response_time_histogram for each in plenty.requests)
    from_due = _merged(each.response_time_histogram for each in few.requests)
    from_sent = _merged(each.service_time_histogram for each in few.requests)
    blind, detail = _worst_of_stalls(from_sent)
    return [
        _stall_row(_STALL_WHAT, from_plenty, _STALL_BAR),
        _stall_row(f"{_STALL_WHAT}, {_FEW_CONNECTIONS} connections", from_due, _STALL_BAR_OF_FEW),
        Row(
            "the same by a clock that starts with the sending: a fault that must be seen",
            "more than 50 % off",
            f"{100 * blind:.1f} %",
            blind > _FAULT_SEEN,
            detail,
        ),
    ]


def _stall_row(what: str, found: Histogram, bar: float) -> Row:
    worst, detail = _worst_of_stalls(found)
    return within(what, 100 * worst, 100 * bar, detail)


def _worst_of_stalls(found: Histogram) -> tuple[float, str]:
    pairs = {percent: ((found.percentile(percent) or 0) / 1e6) for percent in (99.0, 99.9)}
    worst = max(abs(seconds / theory(percent) - 1) for percent, seconds in pairs.items())
    detail = ", ".join(f"p{p:g} {s:.3f} s ({theory(p):.3f} s)" for p, s in pairs.items())
    return worst, detail


_HOGS = 8
_SATURATING_USERS = 400
_KEPT_UP = 0.95
"""Share of the requests that its users would send if nothing delayed them; the worker keeps up."""
_SATURATION_PERCENTS = (50.0, 90.0, 99.0)
_HOG = "while True: pass"
_REASON = "WorkerSaturated"


def saturation(folder: Path, steps: int, seconds: int) -> list[Row]:
    """Measure steps of so many seconds."""
    documents, known = _measure_beside_hogs(folder, steps, seconds)
    delays = iter(known)
    worst, reasons, invalid, saturated = [], Counter[str](), 0, 0
    misses: list[str] = []
    for document in documents:
        own = list(islice(delays, sum(each.requests for each in document.requests)))
        reported = [reported_percentile(document, each) for each in _SATURATION_PERCENTS]
        exact = [exact_percentile(own, each) for each in _SATURATION_PERCENTS]
        worst.append(worst_of(reported, exact, percent=2.0, microseconds=500.0))
        found = _verdict(document)
        if _is_saturated(document, own):
            saturated += 1
            invalid += found.verdict == INVALID and any(e.reason == _REASON for e in found.reasons)
        reasons.update(each.reason for each in found.reasons)
        misses += [_miss(document, reported, exact)] if worst[-1] > 1 else []
    right = sum(each <= 1 for each in worst)
    named = ", ".join(f"{name} {count}" for name, count in reasons.most_common())
    beside = f"beside {_HOGS} CPU hogs on its core, {_SATURATING_USERS} users"
    return [
        Row(
            f"p50 to p99 of service times, {beside}",
            "2 % or 0.5 ms",
            f"{right} of {steps}",
            right == steps,
            f"worst {max(worst):.2f}, median {sorted(worst)[steps // 2]:.2f} of the bar"
            + "".join(f"; {each}" for each in misses),
        ),
        Row(
            f"saturated steps that are Invalid by {_REASON}, {beside}",
            "all",
            f"{invalid} of {saturated}",
            invalid == saturated if saturated else None,
            f"in {steps - saturated} of {steps} the worker kept up; {named}",
        ),
    ]


def _is_saturated(document: StepRunResult, known: list[int]) -> bool:
    """Return whether the worker sent fewer requests than its users would have."""
    wanted = _SATURATING_USERS / (fmean(known) / 1e6) * document.rate_seconds
    return len(known) < _KEPT_UP * wanted


def _measure_beside_hogs(
    folder: Path, steps: int, seconds: int
) -> tuple[list[StepRunResult], list[int]]:
    planned = [
        {"name": f"hog-{number}", "users": _SATURATING_USERS, "durationSeconds": seconds}
        for number in range(steps)
    ]
    with ExitStack() as stack:
        server = stack.enter_context(python_server("delays", folder, ["constant"]))
        running = stack.enter_context(product(server, folder, *planned))
        running.wait_for_stage("Measuring", "Finished")
        prefer([server.pid])
        pin(server.pid, 0)
        hogs = [
            stack.enter_context(started([sys.executable, "-c", _HOG], folder / "hog.log"))
            for _ in range(_HOGS)
        ]
        for pid in (*running.workers, *(each.pid for each in hogs)):
            pin(pid, 1)
        documents = running.documents(steps * (seconds + 10))
        known: list[int] = server.get_json("/known")
    return documents, known


def _miss(document: StepRunResult, reported: Sequence[int], known: Sequence[int]) -> str:
    """Return percentiles of both sides, and what the host took from the machine meanwhile."""
    sides = zip(_SATURATION_PERCENTS, reported, known, strict=True)
    figures = ", ".join(
        f"p{percent:g} {one / 1000:.1f} ({other / 1000:.1f})" for percent, one, other in sides
    )
    stolen = sum(each.stolen_seconds or 0 for each in document.workers)
    return f"{document.step}: {figures} ms, {1000 * stolen:.0f} ms stolen"


def _verdict(document: StepRunResult) -> StepVerdict:
    step = {"name": document.step, "users": _SATURATING_USERS, "durationSeconds": 1}
    load = Load.model_validate({"workers": 1, "steps": [step]})
    return evaluate_step([evaluate_document(document, load)], load)


_MERGED_WORKERS = 4
_MERGED_REQUEST = PreparedRequest(b"q=any", 0, is_readable=True)


def _recorded(samples_ns: list[int]) -> WorkerRequestStats:
    """Return what a worker sends that saw these service times, through its own recording."""
    began = time.perf_counter_ns()
    recorder = StepRunRecorder(("any",), began)
    recorder.measure_from(began)
    for sample in samples_ns:
        recorder.record(_MERGED_REQUEST, began, began + sample, 550, None)
    recorder.take_finished_seconds(began, last=True)
    (result,) = recorder.results()
    return WorkerRequestStats.model_validate_json(result.model_dump_json())


def _samples(seed: int, count: int) -> list[int]:
    """Return service times in ns from 1 µs to beyond an hour."""
    draw = random.Random(seed)
    return [int(1e3 * 10 ** draw.uniform(0, 9.6)) for _ in range(count)]


def merged(_folder: Path, count: int) -> list[Row]:
    """Compare the stored forms, byte by byte."""
    by_worker = [_samples(seed, count // _MERGED_WORKERS) for seed in range(_MERGED_WORKERS)]
    together = merge(_recorded(each).service_time_histogram for each in by_worker)
    direct = Histogram()
    for sample in (sample for each in by_worker for sample in each):
        direct.record(sample // 1000)
    same = together.encode() == direct.encode()
    detail = f"{together.count:,} samples, stored forms compared"
    return [Row("histogram of 4 workers", "identical", str(same).lower(), same, detail)]
