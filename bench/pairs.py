"""Words on equal sides whose repeats are measured by the product's load core.

The server delays its responses by about 100 ms and draws another level for each repeat, with a CV
of 1.5 %. Medians are compared, to which a busy machine adds little. Sides take turns, A B A B, as
the levels are independent. Each pair takes as many rounds as it needs for a word; the next one goes
on with those that follow. Most of the time passes in waiting, so several runs go side by side.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import log
from pathlib import Path
from statistics import stdev

from bench.product import product
from bench.servers.distributions import REPEAT_REQUESTS
from bench.servers.running import python_server
from bench.table import Row
from bench.words import LOOKS, Outcome, decide_adaptively, equal_rows
from solrbench.results.comparison.difference import RepeatFigure
from solrbench.results.comparison.metric import percentile_metric
from solrbench.results.comparison.repeat_figures import read_figures

_USERS = 30
_SECONDS_EACH = 6.0
_MEDIAN = percentile_metric(50)
_MOST_CV_PERCENT = 2.0
_EFFECT_PERCENT = 5.0


def equal_pairs(folder: Path, rounds: int, runs: int) -> list[Row]:
    """Measure rounds of two equal sides and return the words on the pairs that they make.

    Args:
        folder: for files of the processes
        rounds: rounds of each run
        runs: runs side by side, each with a server of its own

    """
    with ThreadPoolExecutor(runs) as pool:
        measured = list(pool.map(partial(_medians, folder, rounds), range(1, runs + 1)))
    found = [outcome for each in measured for outcome in _outcomes(each[0::2], each[1::2])]
    values = [log(value) for each in measured for value in each]
    cv_percent = 100 * stdev(values)
    rows = equal_rows(f"{len(found)} equal pairs on servers, CV {cv_percent:.1f} %", found)
    if cv_percent <= _MOST_CV_PERCENT:
        return rows
    noise = f"not counted: the machine adds noise, the bar is for CV up to {_MOST_CV_PERCENT:g} %"
    return [replace(each, is_met=None, detail=f"{noise}; {each.detail}") for each in rows]


def _medians(folder: Path, rounds: int, seed: int) -> list[float]:
    """Return the median of each repeat, in the order of measuring."""
    own = folder / f"run-{seed}"
    own.mkdir()
    step = {"users": _USERS, "requests": REPEAT_REQUESTS}
    steps = [{"name": f"repeat-{number}"} | step for number in range(2 * rounds)]
    with (
        python_server("delays", own, [f"repeats:{seed}"]) as server,
        product(server, own, *steps, warmUp={"requests": REPEAT_REQUESTS}) as running,
    ):
        documents = running.documents(_SECONDS_EACH * len(steps))
    return [read_figures([each], "query", [50])[_MEDIAN][0].value for each in documents]


def _outcomes(before: Sequence[float], after: Sequence[float]) -> Iterator[Outcome]:
    """Yield the words of pairs, as many as there are rounds for."""
    begin = 0
    while begin + LOOKS.maximum <= min(len(before), len(after)):
        end = begin + LOOKS.maximum
        found = decide_adaptively(
            _figures(before[begin:end]), _figures(after[begin:end]), _EFFECT_PERCENT
        )
        begin += found.repeats
        yield found


def _figures(values: Sequence[float]) -> list[RepeatFigure]:
    """Return the values as figures of targets of their own: levels are drawn for each repeat."""
    return [RepeatFigure(n, f"target-{n}", value) for n, value in enumerate(values, start=1)]
