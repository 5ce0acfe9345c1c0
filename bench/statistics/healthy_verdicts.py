"""Verdicts on healthy runs: a server whose delays do not change, and nothing planted.

Runs alternate between users and arrivals. Where other processes want the same CPUs, the verdict has
to say so; such reasons are separate, beside how busy the CPUs were. Whatever else it says of
these runs is a false alarm.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import psutil

from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import python_server
from solrbench.analysis.verdict import evaluate_document, evaluate_step
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict
from solrbench.api.v1alpha1.load import Load
from solrbench.contract.step_document import StepRunResult

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
    return evaluate_step("healthy", "", [evaluate_document(each, load) for each in repeats], load)


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
