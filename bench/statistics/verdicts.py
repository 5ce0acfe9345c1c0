"""How often the verdict accuses without a cause: healthy runs, and short repeats.

`healthy` runs the load against a server whose delays do not change, and plants nothing. Runs
alternate between users and arrivals. Where other processes want the same CPUs, the verdict has to
say so; such reasons are separate, beside how busy the CPUs were. Whatever else it says of these
runs is a false alarm.

`short_repeats` hands simulated repeats to the product's own blocks and tests, equal ones and one
that is slower. The service times are those of `intervals`, and with stalls in which what comes
waits for their end. Repeats that swing as slowly as they are long are listed without a target:
nothing in them separates such a swing from a difference, and most of them are rightly not decided.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import python_server
from bench.statistics.intervals import (
    Series,
    Times,
    autoregressive,
    correlated,
    independent,
    samples_of,
    stalls,
)
from solrbench.analysis.verdict import evaluate_document, evaluate_step
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict
from solrbench.api.v1alpha1.load import Load
from solrbench.contract.step_document import StepRunResult
from solrbench.stats import times
from solrbench.stats.intervals import TimedSamples
from solrbench.stats.repeats import compare_means, compare_percentiles

_REPEATS = 3
_MAX_FALSE = 1
_KINDS: tuple[dict[str, Any], ...] = ({"users": 8}, {"requestsPerSecond": 200})

BUSY_MACHINE = frozenset(
    {
        "CpuPressure",
        "CpuStolen",
        "DelayedByGenerator",
        "OthersUseCpu",
        "ScheduleLag",
        "WorkerSaturated",
    }
)
"""Reasons that say what other processes, or the host, did to the load."""


def healthy(folder: Path, runs: int, seconds: int) -> list[Row]:
    """Measure so many runs, each of three repeats of so many seconds."""
    steps = [
        {"name": f"healthy-{run}-{repeat}", "durationSeconds": seconds, **_KINDS[run % 2]}
        for run in range(runs)
        for repeat in range(_REPEATS)
    ]
    psutil.cpu_percent()
    with (
        python_server("delays", folder, ["heavy-tail"]) as server,
        product(server, folder, *steps, warmUp={"durationSeconds": seconds}) as running,
    ):
        documents = running.documents(2.5 * len(steps) * (seconds + 2))
    busy = psutil.cpu_percent()
    found = [
        _verdict(documents[first : first + _REPEATS], _KINDS[first // _REPEATS % 2])
        for first in range(0, len(documents), _REPEATS)
    ]
    return _rows(found, f"steps of {seconds} s, CPUs {busy:.0f} % busy")


def _verdict(documents: list[StepRunResult], kind: dict[str, Any]) -> StepVerdict:
    repeats = [
        each.model_copy(update={"step": "healthy", "repeat": number})
        for number, each in enumerate(documents, start=1)
    ]
    step = {"name": "healthy", "durationSeconds": 1, **kind}
    load = Load.model_validate({"workers": 1, "steps": [step], "repeats": {"count": _REPEATS}})
    return evaluate_step([evaluate_document(each, load) for each in repeats], load)


def _rows(found: list[StepVerdict], where: str) -> list[Row]:
    invalid = [each for each in found if each.verdict == INVALID]
    verdicts = ", ".join(f"{name} {count}" for name, count in _counted(e.verdict for e in found))
    named = _counted(reason.reason for each in invalid for reason in each.reasons)
    false = [each for each in invalid if not BUSY_MACHINE & {r.reason for r in each.reasons}]
    what = f"{len(found)} healthy runs"
    return [
        Row(
            f"{what}: accused of anything but a busy machine",
            f"<= {_MAX_FALSE}",
            str(len(false)),
            len(false) <= _MAX_FALSE,
            "; ".join(f"{r.reason}: {r.message}" for each in false for r in each.reasons),
        ),
        Row(f"{what}: verdicts", "", verdicts, None, where),
        Row(f"{what}: reasons", "", ", ".join(f"{n} {c}" for n, c in named) or "none", None),
    ]


def _counted(names: Any) -> list[tuple[str, int]]:
    return Counter(map(str, names)).most_common()


_REQUESTS_PER_SECOND = 100
_PERCENTILE, _LIMIT_PERCENT = 95, 25.0
_OWN_DISPERSION = 0.02
_MAX_ACCUSED_PERCENT = 1.5
_CASES = ((1.0, (10, 15, 24, 60)), (1.6, (15,)), (2.6, (10, 15)))
"""How much slower the first repeat is than the others, and the lengths of repeats in s."""

_SWING = 0.2

Starts = NDArray[np.float64]


def swinging(draw: np.random.Generator, starts: Starts) -> Times:
    """Return times whose level by second is AR(1) with 0.9: as slow as a short repeat is long."""
    levels = autoregressive(draw, int(starts[-1]) + 1)
    factor = np.exp(_SWING * levels[starts.astype(int)])
    return np.asarray(independent(draw, starts) * factor, np.int64)


SERIES: Mapping[str, Series] = {
    "independent": independent,
    "AR(1) 0.9 by request": correlated,
    "stalls of 0.2 s each 5 s": stalls(5, 0.2),
    "stalls of 0.2 s each 20 s": stalls(20, 0.2),
    "stalls of 1 s each 20 s": stalls(20, 1.0),
    "AR(1) 0.9 by second": swinging,
}


def short_repeats(_folder: Path, runs: int) -> list[Row]:
    """Simulate so many benchmarks of each kind."""
    return [
        _short_row(name, slower, seconds, count, runs)
        for slower, lengths in _CASES
        for name in SERIES
        for seconds in lengths
        for count in (2, 3, 5)
    ]


def _short_row(name: str, slower: float, seconds: int, count: int, runs: int) -> Row:
    draw = np.random.default_rng(count)
    found = Counter(_conclusion(SERIES[name], slower, seconds, count, draw) for _ in range(runs))
    accused = 100 * found["accused"] / runs
    fault = "equal" if slower == 1 else f"first {slower - 1:.0%} slower"
    bar = slower == 1 and SERIES[name] is not swinging
    return Row(
        f"{count} repeats of {seconds} s accused, {fault}, {name}",
        f"<= {_MAX_ACCUSED_PERCENT:g} %" if bar else "",
        f"{accused:.1f} %",
        accused <= _MAX_ACCUSED_PERCENT if bar else None,
        f"{100 * found['undecided'] / runs:.0f} % beyond the limit and not decided",
    )


def _repeat(samples: TimedSamples) -> times.Times:
    blocks = samples.histogram, list(samples.repeats)
    return times.Times(lambda: blocks, samples.sum_microseconds, samples.max_microseconds)


def _conclusion(
    series: Series, slower: float, seconds: int, count: int, draw: np.random.Generator
) -> str:
    starts = np.arange(seconds * _REQUESTS_PER_SECOND) / _REQUESTS_PER_SECOND
    levels = np.exp(_OWN_DISPERSION * draw.standard_normal(count))
    levels[0] *= slower
    repeats = [
        _repeat(samples_of(starts, _rounded(series(draw, starts) * level))) for level in levels
    ]
    found = (
        compare_means(repeats, _LIMIT_PERCENT),
        compare_percentiles(repeats, _PERCENTILE, _LIMIT_PERCENT),
    )
    differences = [each for each in found if each is not None]
    if any(each.is_certain for each in differences):
        return "accused"
    return "undecided" if differences else "none"


def _rounded(values: NDArray[np.float64]) -> Times:
    """Return times to a tenth of a millisecond: histograms of fewer values are filled sooner."""
    return np.asarray(values // 100 * 100, np.int64)
