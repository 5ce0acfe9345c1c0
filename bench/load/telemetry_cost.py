"""What telemetry takes from a target: throughput and p99 with it and without, in pairs.

Sides take turns, A B B A, against one server that looks like Solr and has its metrics; each side is
a run of its own. Telemetry of servers and of the load's own pods is read each 5 s, twice as often
as by default. The interval is that of the mean of the pairs' log ratios (Student).
"""

from math import exp, log, sqrt
from pathlib import Path
from statistics import mean, stdev

from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import Server, python_server
from solrbench.stats import histograms
from solrbench.stats.distributions import t_quantile

_MAX_PERCENT = 1.0
_WIDEST_PERCENT = 4.0
"""An interval that is wider says nothing: the machine was too busy."""
_USERS = 4
_SERVER = '{"cpu_milliseconds": 0.2, "wait_milliseconds": 4}'


def telemetry_cost(folder: Path, pairs: int, seconds: int) -> list[Row]:
    """Measure so many pairs of runs of `seconds` each, which start in about 5 s."""
    order = [(False, True), (True, False)]
    rates: list[float] = []
    tails: list[float] = []
    with python_server("solr_double", folder, [_SERVER]) as server:
        _measure(server, folder, seconds, reads=False)
        for number in range(pairs):
            side = {
                reads: _measure(server, folder, seconds, reads=reads) for reads in order[number % 2]
            }
            rates.append(log(side[True][0] / side[False][0]))
            tails.append(log(side[True][1] / side[False][1]))
    return [
        _row("throughput", [-each for each in rates]),
        _row("p99", tails),
    ]


def _measure(server: Server, folder: Path, seconds: int, *, reads: bool) -> tuple[float, float]:
    """Return responses per second and the 99th percentile in microseconds."""
    step = {"name": "pair", "users": _USERS, "durationSeconds": seconds}
    telemetry = {"collect": "ServersAndPods" if reads else "None", "intervalSeconds": 5}
    with product(server, folder, step, telemetry=telemetry) as running:
        (document,) = running.documents(seconds + 30)
    if (document.telemetry is not None) != reads:
        raise RuntimeError("telemetry is not as it was wanted")
    (result,) = document.requests
    tail = histograms.decode(result.service_time_histogram).percentile(99)
    return result.requests / seconds, float(tail or 1)


def _row(what: str, ratios: list[float]) -> Row:
    """Return what is lost, in per cent; positive is worse with telemetry."""
    lost = mean(ratios)
    half = t_quantile(0.05, len(ratios) - 1) * stdev(ratios) / sqrt(len(ratios))
    low, middle, high = (100 * (exp(each) - 1) for each in (lost - half, lost, lost + half))
    return Row(
        f"telemetry: {what} lost",
        f"<= {_MAX_PERCENT:g} %",
        f"{middle:.2f} %",
        None if high - low > _WIDEST_PERCENT else middle <= _MAX_PERCENT,
        f"95 %: {low:.2f} to {high:.2f} %, {len(ratios)} pairs",
    )
