"""Reported times against the log of a server that knows how late it responded.

Real masters and workers. Whatever else runs on the machine comes between server and worker and
adds to what is seen, so a measurement may be taken again; the counts must agree at once.
"""

import csv
import io
from pathlib import Path

import pytest

from bench.harness.processes import wait_until
from bench.harness.product import Product, product
from bench.load.times import compare_with_server, worst_of
from bench.servers.running import python_server
from solrbench.stats.histograms import decode

pytestmark = pytest.mark.alone

_ATTEMPTS = 3
_SECONDS = 4


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("distribution", "workers"), [("constant", 1), ("bimodal", 1), ("heavy-tail", 2)]
)
def test_percentiles_are_those_of_the_server(
    tmp_path: Path, distribution: str, workers: int
) -> None:
    seen = []
    for _ in range(_ATTEMPTS):
        found = compare_with_server(distribution, tmp_path, _SECONDS, 10, workers)
        document = found.document
        assert sum(each.requests for each in document.requests) == found.responses > 300
        assert sum(each.failures for each in document.requests) == 0
        # No client can have seen a response before it was sent.
        pairs = zip(found.reported, found.known, strict=True)
        assert all(reported >= 0.998 * known for reported, known in pairs)
        if worst_of(found.reported, found.known) <= 1:
            return
        seen.append((found.reported, found.known))
    raise AssertionError(f"reported and known p50, p90, p99, p99.9 in us: {seen}")


@pytest.mark.timeout(60)
def test_locusts_own_table_agrees_with_the_document(tmp_path: Path) -> None:
    step = {"name": "same", "users": 8, "requests": 1200}
    with (
        python_server("delays", tmp_path, ["bimodal"]) as server,
        product(server, tmp_path, step, workers=2) as running,
    ):
        (document,) = running.documents(20)
        row: dict[str, str] = {}

        def is_complete() -> bool:
            row.update(_rows(running).get("same", {}))
            return row.get("Request Count") == "1200"

        wait_until(is_complete, 6, "1200 requests in Locust's table")
    (result,) = document.requests
    assert (result.requests, result.failures) == (1200, int(row["Failure Count"]))
    mean = result.sum_microseconds / result.requests / 1000
    assert float(row["Average Response Time"]) == pytest.approx(mean)
    assert float(row["Min Response Time"]) == (result.min_microseconds or 0) / 1000
    assert float(row["Max Response Time"]) == (result.max_microseconds or 0) / 1000
    assert float(row["Average Content Size"]) == result.bytes_received / result.requests
    histogram = decode(result.service_time_histogram)
    for percent in (50, 75, 90, 95, 98, 99):
        # Locust is given two digits, its table cuts at whole milliseconds, and its ranks are
        # rounded the other way.
        near = [histogram.percentile(each) or 0 for each in (percent - 0.1, percent + 0.1)]
        shown = 1000 * float(row[f"{percent}%"])
        assert 0.94 * near[0] - 1000 < shown <= 1.06 * near[1]


def _rows(running: Product) -> dict[str, dict[str, str]]:
    """Return Locust's table by step, which stands in the place of the method."""
    text = running.get("/stats/requests/csv").decode()
    return {row["Type"]: row for row in csv.DictReader(io.StringIO(text))}
