"""Reported percentiles against what a server with known delays saw itself."""

from dataclasses import dataclass
from pathlib import Path

from bench.product import product
from bench.servers.running import python_server
from bench.statistics import PERCENTS, exact_percentile, reported_percentile
from solrbench.results.document import StepDocument


@dataclass(frozen=True)
class Compared:
    """Percentiles of one pass, in µs.

    Attributes:
        document: the pass as the product reports it
        reported: p50, p90, p99, p99.9 by the product
        known: the same by the server
        answers: requests that the server answered

    """

    document: StepDocument
    reported: tuple[int, ...]
    known: tuple[int, ...]
    answers: int


def compare_with_server(
    distribution: str, folder: Path, seconds: int, users: int, workers: int = 1
) -> Compared:
    """Measure a pass against a server that delays its answers."""
    with python_server("delays", folder, [distribution]) as server:
        step = {"name": "known", "users": users, "durationSeconds": seconds}
        before = len(server.get_json("/known"))
        with product(server, folder, step, workers=workers) as running:
            running.wait_for_stage("Measuring")
            (document,) = running.documents(seconds)
        known = server.get_json("/known")[before:]
    return Compared(
        document,
        tuple(reported_percentile(document, percent) for percent in PERCENTS),
        tuple(exact_percentile(known, percent) for percent in PERCENTS),
        len(known),
    )
