"""Reported percentiles against what a server with known delays saw itself."""

from dataclasses import dataclass
from pathlib import Path

from bench.harness.percentiles import PERCENTS, exact_percentile, reported_percentile, worst_of
from bench.harness.processes import prefer
from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import python_server
from solrbench.contract.request_counts import sum_counts
from solrbench.contract.step_document import StepRunResult

_USERS = 20
_RATE_PERCENT = 1.0


@dataclass(frozen=True)
class Compared:
    """Percentiles of one step run, in µs.

    Attributes:
        document: the step run as the product reports it
        reported: p50, p90, p99, p99.9 by the product
        known: the same by the server
        responses: requests that the server served
        rate: requests per second by the product
        known_rate: the same by the server: what it answered in the time in which requests began
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
        with product(
            server, folder, step, workers=workers, warmUp={"durationSeconds": 1}
        ) as running:
            running.wait_for_stage("WarmingUp", "Measuring")
            prefer([server.pid, *running.workers])
            (document,) = running.documents(seconds)
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
    compared = {name: compare_with_server(name, folder, seconds, _USERS) for name in names}
    return [row(name, found) for name, found in compared.items() for row in (_times, _rate)]


def _rate(distribution: str, found: Compared) -> Row:
    off = 100 * abs(found.rate / found.known_rate - 1)
    return Row(
        f"requests/s, {distribution}",
        f"within {_RATE_PERCENT} %",
        f"{off:.2f} %",
        off <= _RATE_PERCENT,
        f"{found.rate:.1f} ({found.known_rate:.1f})",
    )


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
