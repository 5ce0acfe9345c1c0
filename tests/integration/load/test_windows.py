"""Windows, steadiness and caches with a real master and real workers on loopback."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from support.load.processes import LATE_SECONDS, make_plan, run_plan, serving
from support.servers.http_server import Exchange

pytestmark = [pytest.mark.alone, pytest.mark.timeout(120)]

COLD_REQUESTS, COLD_SECONDS, WARM_SECONDS = 300, 0.200, 0.020


class WarmingSolr:
    """Gets quicker with every request until it is warm; serves cache metrics as Solr 9 does."""

    def __init__(self, *, has_metrics: bool = True) -> None:
        self.selects = 0
        self.has_metrics = has_metrics
        self.metrics = 0

    async def __call__(self, exchange: Exchange) -> None:
        if exchange.path.endswith("/admin/metrics"):
            self._send_metrics(exchange)
        elif exchange.path.endswith("/select"):
            self.selects += 1
            cold = max(1 - self.selects / COLD_REQUESTS, 0)
            await asyncio.sleep(WARM_SECONDS + cold * (COLD_SECONDS - WARM_SECONDS))
            exchange.send()
        else:
            exchange.send()

    def _send_metrics(self, exchange: Exchange) -> None:
        self.metrics += 1
        if not self.has_metrics:
            exchange.send(b"no", status=403)
            return
        hits = max(self.selects - COLD_REQUESTS, 0)
        cache = {"cumulative_lookups": self.selects, "cumulative_hits": hits, "lookups": 3}
        core = {"CACHE.searcher.queryResultCache": cache, "CORE.collection": "books"}
        other = {"CACHE.searcher.queryResultCache": cache, "CORE.collection": "films"}
        node = {"metrics": {"solr.core.books.shard1.r1": core, "solr.core.films.shard1.r1": other}}
        exchange.send(json.dumps({"responseHeader": {"status": 0}, "a:8983_solr": node}).encode())


def until_steady(**changes: int) -> dict[str, Any]:
    fields = {"maxSeconds": 40, "windows": 5, "windowRequests": 100, "deviationPercent": 12}
    return {"untilSteady": fields | changes}


def test_cold_start_from_the_first_request_to_the_steady_end(tmp_path: Path) -> None:
    solr = WarmingSolr()
    with serving(solr) as server:
        step = {"name": "step", "users": 8, "requests": 1100}
        plan = make_plan(server, step, warmUp=until_steady() | {"users": 8})
        (document,) = run_plan(tmp_path, plan, "a\nb\n")
    assert document.warm_up_steady is True
    assert solr.selects == document.warm_up_requests + 1100
    assert document.warm_up_requests > COLD_REQUESTS
    curve = document.warm_up_thousands
    assert sum(each.requests for each in curve) == document.warm_up_requests
    assert [each.requests for each in document.thousands] == [1000, 100]
    # The quickest of the warm ones: neighbours on the machine make others slow, too.
    whole = [each for each in [*curve[1:], *document.thousands] if each.requests == 1000]
    cold, warm = curve[0], min(whole, key=lambda each: each.seconds)
    assert cold.seconds > 1.5 * warm.seconds
    assert cold.mean_microseconds > 1.5 * warm.mean_microseconds
    assert cold.max_microseconds > 0.95e6 * COLD_SECONDS
    for before, after in pairwise(curve):
        assert after.end_seconds - before.end_seconds == pytest.approx(after.seconds, abs=1e-5)
    first, last = document.warm_up_caches[0], document.warm_up_caches[-1]
    assert (first.cache, first.lookups, first.hits) == ("queryResultCache", 0, 0)
    assert first.second <= 0
    assert last.lookups == document.warm_up_requests
    assert last.hits == last.lookups - COLD_REQUESTS
    assert document.caches[-1].lookups == solr.selects


def test_warm_up_that_never_gets_steady_ends_in_time_and_says_so(tmp_path: Path) -> None:
    solr = WarmingSolr(has_metrics=False)
    with serving(solr) as server:
        step = {"name": "step", "users": 2, "requests": 10}
        warm_up = until_steady(maxSeconds=3, windows=3, windowRequests=100_000)
        plan = make_plan(server, step, warmUp=warm_up)
        (document,) = run_plan(tmp_path, plan, "a\nb\n")
    assert document.warm_up_steady is False
    assert 2.5 < document.warm_up_thousands[-1].end_seconds < 3 + LATE_SECONDS
    assert (document.caches, document.warm_up_caches) == ([], [])
    # Once for the samples of the caches, once for telemetry, then never again.
    assert solr.metrics == 2
    assert document.telemetry is not None
    assert document.telemetry.solr == []
    assert "403" in document.telemetry.missing[0]


def test_a_stall_is_an_outlier_with_its_time(tmp_path: Path) -> None:
    begin, stalled = [0.0], [datetime.min.replace(tzinfo=UTC)]

    async def stall_once(exchange: Exchange) -> None:
        if not exchange.path.endswith("/select"):
            exchange.send()
            return
        begin[0] = begin[0] or time.monotonic()
        passed = time.monotonic() - begin[0]
        if 5 <= passed < 6.5:
            if stalled[0].year == 1:
                stalled[0] = datetime.now(UTC)
            await asyncio.sleep(6.5 - passed)
        else:
            await asyncio.sleep(0.01)
        exchange.send()

    with serving(stall_once) as server:
        plan = make_plan(server, {"name": "step", "users": 4, "durationSeconds": 11})
        (document,) = run_plan(tmp_path, plan, "a\nb\n")
    near = [each for each in document.outliers if 5 <= each.second <= 6]
    assert near
    assert max(each.mean_microseconds or 0 for each in near) > 20_000
    for each in near:
        assert abs(each.time + timedelta(seconds=0.5) - stalled[0]) < timedelta(seconds=2)
    assert document.outlier_windows == len(document.outliers)
    assert median(each.median_microseconds for each in near) == pytest.approx(12_000, rel=0.3)
