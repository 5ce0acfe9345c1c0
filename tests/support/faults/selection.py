"""Which runs are made of a scenario: every fault, a part drawn by a seed, or pairs of faults."""

import hashlib
import os
import random
import subprocess
from collections.abc import Mapping

import pytest

from support.faults.crossings import Call, Choose, Fault, Plan, Run, explore
from support.faults.defects import Defect
from support.faults.outcome import unexplained
from support.faults.scenarios import SHARED, prepare
from support.repository import ROOT

MAX_SHOWN = 5


def seed() -> str:
    """Return what the parts are drawn by: SEED, or the commit."""
    commit = ["git", "rev-parse", "HEAD"]
    shown = subprocess.run(commit, cwd=ROOT, capture_output=True, text=True, check=False)
    return os.environ.get("SEED") or shown.stdout.strip()


def draw(*parts: object) -> int:
    """Return a large number that follows from the seed and some parts."""
    text = " ".join(map(str, (seed_of_session, *parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


seed_of_session = seed()


def single(number: int, fault: Fault) -> Choose:
    return lambda at, _: fault if at == number else None


def every_fault(number: int, call: Call) -> list[Choose]:
    """Plan a run for each call and each fault."""
    return [single(number, fault) for fault in call.faults]


def every_fault_of(part: int, parts: int) -> Plan:
    """Plan every fault of each call of one of so many parts."""
    return lambda number, call: every_fault(number, call) if number % parts == part else []


def preempted(number: int, call: Call) -> list[Choose]:
    """Plan a run for each call, before which all other resources are reconciled."""
    del call
    return [single(number, Fault.PREEMPTED)]


def faults_of(call: str) -> Plan:
    """Plan every fault of the calls that begin so, and a preemption before each."""

    def plan(number: int, each: Call) -> list[Choose]:
        is_meant = f"{each.method} {each.about}".startswith(call)
        return every_fault(number, each) + preempted(number, each) if is_meant else []

    return plan


def one_of(scenario: str, part: int) -> Plan:
    """Plan one fault for one call of so many."""

    def plan(number: int, call: Call) -> list[Choose]:
        drawn = draw(scenario, number)
        faults = (*call.faults, *([Fault.PREEMPTED] if scenario in SHARED else []))
        fault = faults[drawn // part % len(faults)]
        return [] if drawn % part else [single(number, fault)]

    return plan


def pairs(scenario: str, calls: int, count: int) -> Plan:
    """Plan so many runs with two faults, the second within as many calls as there are."""
    source = random.Random(draw(scenario, "pairs"))
    drawn: dict[int, list[tuple[int, int, int]]] = {}
    for _ in range(count):
        second = source.randrange(1, 60)
        drawn.setdefault(source.randint(1, calls), []).append(
            (second, source.randrange(60), source.randrange(60))
        )

    def plan(number: int, call: Call) -> list[Choose]:
        del call
        return [_both(number, *each) for each in drawn.get(number, [])]

    return plan


def _both(number: int, distance: int, first: int, second: int) -> Choose:
    indexes: Mapping[int, int] = {number: first, number + distance: second}

    def choose(at: int, call: Call) -> Fault | None:
        return call.faults[indexes[at] % len(call.faults)] if at in indexes else None

    return choose


def explored(scenario: str, plan: Plan) -> list[Run]:
    """Return the undisturbed run of a scenario, and those of a plan."""
    with pytest.MonkeyPatch.context() as patch:
        return explore(prepare(scenario, patch), plan)


def is_found(defect: Defect) -> bool:
    """Return whether some run with a planted defect ends otherwise than one without."""
    (reference,) = explored(defect.scenario, lambda *_: [])

    def differs(run: Run) -> bool:
        return bool(unexplained(reference.outcome, run))

    plan = faults_of("no call" if defect.call is None else defect.call)
    with pytest.MonkeyPatch.context() as patch:
        defect.plant(patch)
        try:
            runs = explore(prepare(defect.scenario, patch), plan, differs)
        except AssertionError:
            return defect.call is None  # the undisturbed run does not come to its end
    first, *others = map(differs, runs)
    return first if defect.call is None else not first and any(others)


def check(scenario: str, runs: list[Run]) -> list[str]:
    """Return the runs that ended otherwise than the undisturbed one, which is the first."""
    first, *others = runs
    assert "error" not in first.outcome, first.outcome["error"]
    found = []
    for run in others:
        if lines := unexplained(first.outcome, run):
            broken = ", ".join(
                f"{call.method} {call.about} {fault}" for call, fault in run.injected
            )
            shown = "\n    ".join(lines[:MAX_SHOWN])
            found.append(f"{scenario}, call {run.number}: {broken}\n    {shown}")
    return found
