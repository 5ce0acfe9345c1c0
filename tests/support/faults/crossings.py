"""Calls of the operator to the cluster, Solr, ZooKeeper and the load master, broken one at a time.

A run is forked where a fault is injected: all before that call is the undisturbed run.
"""

import gc
import os
import pickle
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from solrbench.errors import ConflictError
from solrbench.reasons.end import ApiServerReason
from support.fakes.operator_driver import KilledError

T = TypeVar("T")


class Fault(StrEnum):
    """What may become of a call."""

    KILLED_BEFORE = "killed before"
    KILLED_AFTER = "killed after"
    ERROR_BEFORE = "error before"
    ERROR_AFTER = "error after"
    CONFLICT = "conflict"
    STALE = "stale"
    EXCEPTION = "exception"
    PREEMPTED = "preempted"
    """All other resources are reconciled right before it."""


READ_FAULTS = (Fault.KILLED_BEFORE, Fault.ERROR_BEFORE, Fault.EXCEPTION)
WRITE_FAULTS = (*READ_FAULTS, Fault.KILLED_AFTER, Fault.ERROR_AFTER)

ERRORS: dict[Fault, Callable[[], BaseException]] = {
    Fault.KILLED_BEFORE: KilledError,
    Fault.KILLED_AFTER: KilledError,
    Fault.CONFLICT: partial(ConflictError, ApiServerReason.CONFLICT, "another client was first"),
    Fault.EXCEPTION: partial(RuntimeError, "an unexpected exception"),
}
"""What is raised; for all others, the error of whatever is called."""


@dataclass(frozen=True)
class Call:
    """A call of the operator."""

    to: str
    """One of cluster, solr, zookeeper and master."""
    method: str
    about: str
    """What it reads or changes."""
    is_write: bool

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What may become of it."""
        if self.is_write:
            return (*WRITE_FAULTS, Fault.CONFLICT) if self.to == "cluster" else WRITE_FAULTS
        is_list = self.to == "cluster" and self.method.startswith("list")
        return (*READ_FAULTS, Fault.STALE) if is_list else READ_FAULTS


Choose = Callable[[int, Call], Fault | None]
"""Returns the fault of a call, by its number from 1; None if it is to succeed."""


def no_fault(_: int, __: Call) -> Fault | None:
    return None


@dataclass
class Crossings:
    """Where all calls go through; only those of an armed operator count, not those of the world."""

    choose: Choose = no_fault
    preempt: Callable[[], None] = lambda: None
    """Reconciles all other resources."""
    calls: list[Call] = field(default_factory=list)
    injected: list[tuple[Call, Fault]] = field(default_factory=list)
    _depth: int = 0
    _is_preempted: bool = False

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Count the calls of the block as the operator's."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def cross(
        self,
        call: Call,
        serve: Callable[[], T],
        error: Callable[[], Exception],
        serve_stale: Callable[[], T] | None = None,
    ) -> T:
        """Serve a call, or break it as it was chosen."""
        if not self._depth or self._is_preempted:
            return serve()
        self.calls.append(call)
        fault = self.choose(len(self.calls), call)
        if fault is None:
            return serve()
        self.injected.append((call, fault))
        if fault is Fault.STALE and serve_stale is not None:
            return serve_stale()
        if fault is Fault.PREEMPTED:
            self._is_preempted = True
            try:
                self.preempt()
            finally:
                self._is_preempted = False
            return serve()
        if fault in (Fault.KILLED_AFTER, Fault.ERROR_AFTER):
            serve()
        broken = ERRORS.get(fault, error)()
        raise broken


@dataclass(frozen=True)
class Run:
    """A run to the end of a scenario, with what was broken in it."""

    number: int
    injected: list[tuple[Call, Fault]]
    outcome: dict[str, Any]
    """What the world looks like then."""


Plan = Callable[[int, Call], list[Choose]]
"""Returns the runs that begin with a call: each is asked for the faults from this call on."""


def explore(
    make: Callable[[Crossings], Callable[[], dict[str, Any]]],
    plan: Plan,
    is_last: Callable[[Run], bool] = lambda _: False,
) -> list[Run]:
    """Return the undisturbed run, then one for each that `plan` wants, up to the last.

    `make` prepares a world and returns the function that runs it and returns its outcome.
    """
    runs: list[Run] = []
    outcomes: dict[bytes, dict[str, Any]] = {}
    """Most are equal, and a fork takes as long as the process is large."""
    crossings = Crossings()
    pipe: int | None = None

    def fork(number: int, call: Call) -> Fault | None:
        nonlocal pipe
        for choose in plan(number, call):
            if runs and is_last(runs[-1]):
                break
            reader, writer = os.pipe()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other threads hold nothing that a run needs
                pid = os.fork()
            if pid == 0:
                gc.disable()  # it would copy every page
                os.close(reader)
                pipe, crossings.choose = writer, choose
                return choose(number, call)
            os.close(writer)
            with os.fdopen(reader, "rb") as file:
                at, injected, packed = pickle.load(file)
            if packed not in outcomes:
                outcomes[packed] = pickle.loads(packed)
            runs.append(Run(at, injected, outcomes[packed]))
            os.waitpid(pid, 0)
        return None

    crossings.choose = fork
    try:
        outcome = make(crossings)()
    except BaseException:
        if pipe is None:
            raise
        outcome = {"error": traceback.format_exc()}
    if pipe is not None:
        # Whatever happens, such as a parent that hit a time limit: a copy of the process that
        # returned would run all further tests.
        try:
            first = crossings.injected[0][0] if crossings.injected else None
            number = next((n for n, each in enumerate(crossings.calls, 1) if each is first), 0)
            with os.fdopen(pipe, "wb") as file:
                pickle.dump((number, crossings.injected, pickle.dumps(outcome)), file)
        finally:
            os._exit(0)
    return [Run(len(crossings.calls), [], outcome), *runs]
