"""Reported percentiles against what a server with known delays saw itself."""

from dataclasses import dataclass
from pathlib import Path

from bench.harness.percentiles import PERCENTS, exact_percentile, reported_percentile, worst_of
from bench.harness.processes import prefer
from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import python_server
from solrbench.results.model.step_result import StepRunResult

_USERS = 20


@dataclass(frozen=True)
class Compared:
    """Percentiles of one step run, in µs.

    Attributes:
        document: the step run as the product reports it
        reported: p50, p90, p99, p99.9 by the product
        known: the same by the server
        responses: requests that the server served

    """

    document: StepRunResult
    reported: tuple[int, ...]
    known: tuple[int, ...]
    responses: int


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
    return Compared(
        document,
        tuple(reported_percentile(document, percent) for percent in PERCENTS),
        tuple(exact_percentile(known, percent) for percent in PERCENTS),
        len(known),
    )


def accuracy(folder: Path, seconds: int) -> list[Row]:
    """Measure each distribution; figures are p50, p90, p99 and p99.9."""
    return [_row(name, folder, seconds) for name in ("constant", "bimodal", "heavy-tail")]


def _row(distribution: str, folder: Path, seconds: int) -> Row:
    found = compare_with_server(distribution, folder, seconds, _USERS)
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
