"""A random walk of a sweep: fields change at any time, as `walk` does with benchmarks."""

import copy
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.harness.processes import wait_until
from solrbench.api.kinds import SWEEP
from support.cluster.admission import RejectedError
from support.fakes.operator_driver import SweepDriver, condition
from support.resources.small_resource import Changes, create
from support.resources.small_sweep import small_sweep, users_axis
from support.transitions.fields import (
    changed_fields,
    check_refusal,
    draw_value,
    list_fields,
    put_value,
    spec_schema,
)

Body = dict[str, Any]
Apply = Callable[[Body], Body]
"""Stores a sweep as a user does, and returns it; `RejectedError` if it is refused."""

BASES: tuple[Changes, ...] = (
    {"spec.axes": [users_axis(2)]},
    {"spec.axes": [users_axis(2)], "spec.suspend": True},
    {"spec.axes": [users_axis(3)], "spec.failFast": True, "spec.order": "Random"},
    {
        "spec.axes": [users_axis(2)],
        "spec.design": "List",
        "spec.points": [{"users": 1}, {"users": 2}],
        "spec.objective": {"metric": "RequestsPerSecond"},
    },
)
SPEC = spec_schema(SWEEP)
FIELDS = list(list_fields(SPEC))
BY_NAME = {
    name: [each for each in FIELDS if each[0].split(".")[1] == name] for name in SPEC["properties"]
}
ROUNDS_A_TRANSITION = 2
MAX_AGE = 15
"""Transitions of one sweep before the next takes its place."""


@dataclass
class SweepWalk:
    """The walk."""

    sweeps: SweepDriver
    apply: Apply
    source: random.Random
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of transitions by state of the sweep and outcome."""

    def go(self, transitions: int) -> None:
        """Change a field again and again, each time of a new sweep after a while."""
        for number in range(transitions):
            if number % MAX_AGE == 0:
                self._begin()
            self._transition()
        self._end()

    def _begin(self) -> None:
        if self.sweeps.find() is not None:
            self._end()
        self.base = small_sweep(self.source.choice(BASES), create())
        self.base["metadata"]["namespace"] = self.sweeps.namespace
        self.apply(self.base)

    def _end(self) -> None:
        """Take every change back, and check that the sweep comes to its end."""
        self.apply(self.base | {"spec": self.base["spec"] | {"suspend": False}})
        self.sweeps.finish()
        self._check()
        names = set(self.sweeps.children())
        self.sweeps.cluster.delete(*SWEEP.reference, self.sweeps.namespace, "trial")
        self._collect(names)

    def _collect(self, names: set[str]) -> None:
        wait_until(lambda: not self.sweeps.children(), 60, "its benchmarks to be collected")
        for name in names:
            self.sweeps.cluster.collect(name)

    def _transition(self) -> None:
        before = self.sweeps.read()
        state = _state(before)
        path, schema = self.source.choice(BY_NAME[self.source.choice(sorted(BY_NAME))])
        wanted = {"apiVersion": before["apiVersion"], "kind": before["kind"]}
        place = {key: before["metadata"][key] for key in ("name", "namespace")}
        body = wanted | {"metadata": place, "spec": copy.deepcopy(before["spec"])}
        value = draw_value(schema, self.source)
        if not put_value(body, path, value):
            return
        try:
            after = self.apply(body)
        except RejectedError as error:
            check_refusal(str(error), path)
            self.seen[state, "refused"] += 1
            return
        changed = changed_fields(SPEC, before, after)
        assert changed <= SWEEP.mutable, f"{path} = {value!r} was let through"
        self.seen[state, "effective" if changed else "the same"] += 1
        names = set(self.sweeps.children())
        for _ in range(ROUNDS_A_TRANSITION):
            self.sweeps.get_on()
            if self.sweeps.find() is None:
                # A time to live that was drawn is over.
                assert after["spec"].get("ttlSecondsAfterFinished") is not None
                self._collect(names)
                self._begin()
                return
        if not _has_begun(before) and _has_begun(self.sweeps.read()):
            # Its first point was begun with this change, so it is what must be there at the end.
            self.base = body
        self._check()

    def _check(self) -> None:
        body = self.sweeps.read()
        generation, status = body["metadata"]["generation"], body["status"]
        assert not self.sweeps.operator.errors, self.sweeps.operator.errors
        assert status["observedGeneration"] == generation
        assert "InternalError" not in {each["reason"] for each in status["conditions"]}
        is_planned = condition(body, "Accepted")[0] == "True"
        if body["spec"].get("suspend") and is_planned and _state(body) != "done":
            assert status["phase"] == "Suspended", status


def _has_begun(body: Body) -> bool:
    return (body.get("status") or {}).get("fixedHash") is not None


def _state(body: Body) -> str:
    if condition(body, "Complete")[0] == "True":
        return "done"
    phase = (body.get("status") or {}).get("phase", "Pending")
    return {"Pending": "queued", "Suspended": "suspended"}.get(phase, "running")
