"""Which healthy benchmarks are accused beside a CPU hog, closed and open loop, and of what.

What is wrong then is the machine, if anything: reasons that speak of the load generator's CPU may
be true. A reason that speaks of the server, its responses or the repeats is false.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from bench.processes import started
from bench.product import product
from bench.servers.running import python_server
from bench.table import Row
from solrbench.api.v1alpha1.load.load import Load
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.validity.verdict import evaluate_step

_REPEATS = 2
_STEPS: list[dict[str, Any]] = [
    {"name": "closed", "users": 8},
    {"name": "open", "requestsPerSecond": 150},
]
OF_THE_MACHINE = {
    "WorkerSaturated",
    "DelayedByGenerator",
    "ScheduleLag",
    "CpuStolen",
    "CpuPressure",
    "RequestsLate",
}
"""Reasons that a busy machine makes true."""

_HOG = "while True: pass"


def healthy(folder: Path, runs: int, seconds: int) -> list[Row]:
    """Measure `runs` benchmarks of two steps, twice each."""
    accused: Counter[str] = Counter()
    falsely = clean = 0
    with started([sys.executable, "-c", _HOG], folder / "hog.log"):
        for seed in range(1, runs + 1):
            found = _reasons(folder, seed, seconds)
            accused.update(found)
            clean += not found
            falsely += bool(found - OF_THE_MACHINE)
    named = ", ".join(f"{name} {count}" for name, count in accused.most_common()) or "none"
    return [
        Row(
            "healthy runs on a busy machine, accused of what the machine did not do",
            f"0 of {runs}",
            f"{falsely} of {runs}",
            falsely == 0,
            f"closed and open loop, {_REPEATS} repeats of {seconds} s; {clean} without any reason;"
            f" {named}",
        )
    ]


def _reasons(folder: Path, seed: int, seconds: int) -> set[str]:
    steps = [step | {"durationSeconds": seconds} for step in _STEPS]
    step_runs = [
        {"id": f"r{repeat}-s{index}-{step['name']}", "repeat": repeat, "step": step}
        for repeat in range(1, _REPEATS + 1)
        for index, step in enumerate(steps)
    ]
    with (
        python_server("delays", folder, [f"bimodal:{seed}"]) as server,
        product(server, folder, stepRuns=step_runs, seed=seed) as running,
    ):
        documents = running.documents(len(step_runs) * (seconds + 10))
    load = Load.model_validate({"workers": 1, "steps": steps, "repeats": {"count": _REPEATS}})
    return {reason for step in steps for reason in _of_step(step["name"], documents, load)}


def _of_step(name: str, documents: list[StepRunResult], load: Load) -> set[str]:
    own = [each for each in documents if each.step == name]
    return {each.reason for each in evaluate_step(name, "", own, load).reasons}
