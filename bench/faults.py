"""Whether the bench misses a bar where the product has a fault, and misses none where it has not.

What checks a product must be checked as well: a bench whose truth comes from the product's own
code agrees with its faults (mutation testing; DeMillo, Lipton, Sayward, Hints on test data
selection, 1978). Each fault is planted in a copy of product and bench, in which a part of the bench
runs.

`python -m bench.faults PART` runs one part in short. It exits with 0 if every bar is met, with
`NOTICED` and the rows if one is missed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.harness.table import Row
from bench.load.arrivals import arrivals, computed_gaps
from bench.load.times import accuracy, merged, saturation, stalls
from bench.statistics.capacity import capacity
from bench.statistics.comparison_conclusions import conclusions
from bench.statistics.intervals import intervals

_RECORDING = "load/recording"
_STATS = "stats"


class Fault(NamedTuple):
    """One fault: a file of `solrbench` holds `right` once, and `part` must notice `wrong`."""

    name: str
    file: str
    right: str
    wrong: str
    part: str


FAULTS = (
    Fault(
        "the clock of an open loop starts with the sending (coordinated omission)",
        f"{_RECORDING}/open_loop.py",
        "planned.responses.record((ended_ns - intended_ns) // 1000)",
        "planned.responses.record((ended_ns - started_ns) // 1000)",
        "stalls",
    ),
    Fault(
        "microseconds of 1,024 ns",
        f"{_RECORDING}/recorder.py",
        "microseconds = (ended_ns - started_ns) // 1000",
        "microseconds = (ended_ns - started_ns) >> 10",
        "accuracy",
    ),
    Fault(
        "requests of more than 0.5 s are not counted",
        f"{_RECORDING}/recorder.py",
        "        times.append(microseconds)\n",
        "        if microseconds < 500_000:\n            times.append(microseconds)\n",
        "accuracy",
    ),
    Fault(
        "the first 50 ms of a step are not measured",
        f"{_RECORDING}/recorder.py",
        "self.origin_ns = now_ns\n        self._boundary_ns = now_ns + SECOND_NS",
        "self.origin_ns = now_ns + 50_000_000\n        self._boundary_ns = now_ns + SECOND_NS",
        "accuracy",
    ),
    Fault(
        "rates are divided by the time until the last response",
        "contract/step_document.py",
        "return self.seconds if self.duration_seconds is None else self.duration_seconds",
        "return self.seconds",
        "accuracy",
    ),
    Fault(
        "percentiles are read at 99.9 % of their rank",
        f"{_STATS}/histograms.py",
        "rank = math.ceil(Fraction(str(percent)) * self.count / 100)",
        "rank = math.ceil(Fraction(str(percent * 0.999)) * self.count / 100)",
        "accuracy",
    ),
    Fault(
        "the last stored histogram is not merged",
        f"{_STATS}/histograms.py",
        "    for each in encoded:\n        merged.add(decode(each))",
        "    for each in list(encoded)[:-1] or encoded:\n        merged.add(decode(each))",
        "merged",
    ),
    Fault(
        "every second arrival is left out",
        "load/schedule/arrivals.py",
        "yield from block[self._owners(begin, len(block)) == self.worker].tolist()",
        "yield from block[self._owners(begin, len(block)) == self.worker][::2].tolist()",
        "arrivals",
    ),
    Fault(
        "gaps of Poisson arrivals are spread evenly",
        "load/schedule/arrivals.py",
        "rng.standard_exponential(_BLOCK)",
        "rng.uniform(0, 2, _BLOCK)",
        "gaps",
    ),
    Fault(
        "workers take Poisson arrivals in turn",
        "load/schedule/arrivals.py",
        "if self.rate.distribution is ArrivalDistribution.UNIFORM:\n            return turns",
        "if self.rate.distribution:\n            return turns",
        "gaps",
    ),
    Fault(
        "no worker is ever saturated",
        "analysis/load_checks.py",
        "limit = load.validity.max_worker_cpu_percent",
        "limit = 1000.0",
        "saturation",
    ),
    Fault(
        "intervals take neighbouring blocks for independent",
        f"{_STATS}/intervals.py",
        "/ whole**2 * error_factor(lag)",
        "/ whole**2",
        "intervals",
    ),
    Fault(
        "intervals are a third narrower",
        f"{_STATS}/intervals.py",
        "    margin = t * math.sqrt(",
        "    t *= 2 / 3\n    margin = t * math.sqrt(",
        "intervals",
    ),
    Fault(
        "every look at adaptive repeats has the whole level",
        "stats/tests.py",
        "return max(closed, self._spent(look) - self._spent(look - 1))",
        "return 1.0",
        "conclusions",
    ),
    Fault(
        "Better and Worse are tested at 10 %",
        "analysis/differences.py",
        "DIFFERENCE_LEVEL = 0.01",
        "DIFFERENCE_LEVEL = 0.10",
        "conclusions",
    ),
    Fault(
        "capacity is read 4 % beside the crossing",
        "stats/regression.py",
        "at=mean_x - mean_y / slope,",
        "at=mean_x - mean_y / slope + 0.04,",
        "capacity",
    ),
)


NOTICED = 3
"""Exit code that no interpreter and no argument parser ends with."""

QUICK_PARTS: dict[str, Callable[[Path], list[Row]]] = {
    "accuracy": partial(accuracy, seconds=6),
    "arrivals": partial(arrivals, repeats=1, seconds=4),
    "capacity": partial(capacity, count=10),
    "gaps": partial(computed_gaps, steps=200, seconds=4),
    # Near its bar the coverage needs all steps, so there is one series only.
    "intervals": partial(intervals, steps=1000, seconds=300, rate=100, names=["ten stalls"]),
    "merged": partial(merged, count=20_000),
    "saturation": partial(saturation, steps=3, seconds=3),
    "stalls": partial(stalls, seconds=20),
    "conclusions": partial(conclusions, pairs=400),
}


def main(part: str) -> int:
    """Measure; `NOTICED` if a bar is missed."""
    with tempfile.TemporaryDirectory(prefix="solrbench-fault-") as folder:
        missed = [row for row in QUICK_PARTS[part](Path(folder)) if row.is_met is False]
    for row in missed:
        print(f"{row.what}: {row.figure}, not {row.bar}")
    return NOTICED if missed else 0


_PROJECT = Path(__file__).parents[1]
_SOURCES = Path("operator") / "src"
_MAX_SECONDS = 300


class FaultNotPlantedError(Exception):
    """The line that a fault changes is not there once."""


def faults(folder: Path) -> list[Row]:
    """Plant one fault after another; before that, run each part without any."""
    copy = _copy(folder / "none")
    parts = sorted({each.part for each in FAULTS})
    rows = [_row(f"no fault, {part}", part, copy, wanted=0) for part in parts]
    for number, fault in enumerate(FAULTS):
        copy = _copy(folder / str(number))
        plant(fault, copy / _SOURCES)
        rows.append(_row(f"fault: {fault.name}", fault.part, copy, wanted=NOTICED))
        shutil.rmtree(copy)
    return rows


def plant(fault: Fault, sources: Path) -> None:
    """Change the line of a fault in the sources of a copy, where it must stand exactly once."""
    file = sources / "solrbench" / fault.file
    text = file.read_text("utf-8")
    if text.count(fault.right) != 1:
        raise FaultNotPlantedError(f"{fault.name}: {fault.file} has {fault.right!r} not once")
    file.write_text(text.replace(fault.right, fault.wrong), "utf-8")


def _copy(folder: Path) -> Path:
    for name in (_SOURCES, Path("bench")):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(_PROJECT / name, folder / name, ignore=ignored)
    return folder


def _row(what: str, part: str, copy: Path, *, wanted: int) -> Row:
    """Run a part in a copy, which is to end with a code."""
    code, output = _run(part, copy)
    return Row(what, _conclusion(wanted), _conclusion(code), code == wanted, output)


def _conclusion(code: int) -> str:
    return {0: "no bar missed", NOTICED: "noticed"}.get(code, f"ended with {code}")


def _run(part: str, copy: Path) -> tuple[int, str]:
    """Return the exit code of a part in a copy, and the first bar that it missed, or its error."""
    print(f"  {part} in {copy.name}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "bench.faults", part],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": f"{_SOURCES}:."},
        capture_output=True,
        text=True,
        timeout=_MAX_SECONDS,
        check=False,
    )
    if done.returncode not in (0, NOTICED):
        return done.returncode, "".join(done.stderr.splitlines()[-1:])
    missed = done.stdout.splitlines()
    more = f" and {len(missed) - 1} more" if missed[1:] else ""
    return done.returncode, "".join(missed[:1]) + more


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
