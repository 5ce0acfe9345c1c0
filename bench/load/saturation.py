"""Service times and verdict of a worker beside CPU hogs.

Are the times still right, and does the verdict say that the worker was saturated?

Worker and hogs share one core, the server has the other. The worker cannot keep up with its users;
what it reads late must not count as the server's, and every step must be `Invalid`. Whether it
cannot is known without the product's own measure of it: its users, and the time that the server
takes, say how many requests there would be. Beside two hogs a quick machine leaves it enough.
"""

import sys
from collections import Counter
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from statistics import fmean

from bench.harness.percentiles import exact_percentile, reported_percentile
from bench.harness.processes import pin, prefer, started
from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import python_server
from solrbench.analysis.verdict import evaluate_document, evaluate_step
from solrbench.api.v1alpha1.findings import INVALID, StepVerdict
from solrbench.api.v1alpha1.load import Load
from solrbench.contract.step_document import StepRunResult

_HOGS = 8
_USERS = 400
_KEPT_UP = 0.95
"""Share of the requests that its users would send if nothing delayed them; the worker keeps up."""
_PERCENTS = (50.0, 90.0, 99.0)
_HOG = "while True: pass"
_REASON = "WorkerSaturated"


def saturation(folder: Path, steps: int, seconds: int) -> list[Row]:
    """Measure steps of so many seconds."""
    documents, known = _measure(folder, steps, seconds)
    delays = iter(known)
    worst, reasons, invalid, saturated = [], Counter[str](), 0, 0
    misses: list[str] = []
    for document in documents:
        own = list(islice(delays, sum(each.requests for each in document.requests)))
        worst.append(max(_off(document, own, percent) for percent in _PERCENTS))
        found = _verdict(document)
        if _is_saturated(document, own):
            saturated += 1
            invalid += found.verdict == INVALID and any(e.reason == _REASON for e in found.reasons)
        reasons.update(each.reason for each in found.reasons)
        misses += [_miss(document, own)] if worst[-1] > 1 else []
    right = sum(each <= 1 for each in worst)
    named = ", ".join(f"{name} {count}" for name, count in reasons.most_common())
    beside = f"beside {_HOGS} CPU hogs on its core, {_USERS} users"
    return [
        Row(
            f"p50 to p99 of service times, {beside}",
            "2 % or 0.5 ms",
            f"{right} of {steps}",
            right == steps,
            f"worst {max(worst):.2f}, median {sorted(worst)[steps // 2]:.2f} of the bar"
            + "".join(f"; {each}" for each in misses),
        ),
        Row(
            f"saturated steps that are Invalid by {_REASON}, {beside}",
            "all",
            f"{invalid} of {saturated}",
            invalid == saturated if saturated else None,
            f"in {steps - saturated} of {steps} the worker kept up; {named}",
        ),
    ]


def _is_saturated(document: StepRunResult, known: list[int]) -> bool:
    """Return whether the worker sent fewer requests than its users would have."""
    wanted = _USERS / (fmean(known) / 1e6) * document.rate_seconds
    return len(known) < _KEPT_UP * wanted


def _measure(folder: Path, steps: int, seconds: int) -> tuple[list[StepRunResult], list[int]]:
    planned = [
        {"name": f"hog-{number}", "users": _USERS, "durationSeconds": seconds}
        for number in range(steps)
    ]
    with ExitStack() as stack:
        server = stack.enter_context(python_server("delays", folder, ["constant"]))
        running = stack.enter_context(product(server, folder, *planned))
        running.wait_for_stage("Measuring", "Finished")
        prefer([server.pid])
        pin(server.pid, 0)
        hogs = [
            stack.enter_context(started([sys.executable, "-c", _HOG], folder / "hog.log"))
            for _ in range(_HOGS)
        ]
        for pid in (*running.workers, *(each.pid for each in hogs)):
            pin(pid, 1)
        documents = running.documents(steps * (seconds + 10))
        known: list[int] = server.get_json("/known")
    return documents, known


def _miss(document: StepRunResult, known: list[int]) -> str:
    """Return percentiles of both sides, and what the host took from the machine meanwhile."""
    figures = ", ".join(
        f"p{percent:g} {reported_percentile(document, percent) / 1000:.1f}"
        f" ({exact_percentile(known, percent) / 1000:.1f})"
        for percent in _PERCENTS
    )
    stolen = sum(each.stolen_seconds or 0 for each in document.workers)
    return f"{document.step}: {figures} ms, {1000 * stolen:.0f} ms stolen"


def _off(document: StepRunResult, known: list[int], percent: float) -> float:
    exact = exact_percentile(known, percent)
    return abs(reported_percentile(document, percent) - exact) / max(0.02 * exact, 500.0)


def _verdict(document: StepRunResult) -> StepVerdict:
    step = {"name": document.step, "users": _USERS, "durationSeconds": 1}
    load = Load.model_validate({"workers": 1, "steps": [step]})
    return evaluate_step(
        document.step, "", [evaluate_document(each, load) for each in [document]], load
    )
