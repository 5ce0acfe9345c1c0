"""A random walk of benchmarks: fields change at any time, and each change must have a meaning.

A change is refused with the name of its field, or has its effect, or the field's description says
that it has none. Whatever happens, no reconcile ends with an unexpected exception, and every
benchmark comes to its end once it is left alone."""

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from solrbench.api.kinds import BENCHMARK
from solrbench.decide.pauses import needs_reconcile
from support.cluster.admission import RejectedError
from support.cluster.benchmarks import config_map
from support.fakes.operator_driver import OperatorDriver, condition
from support.resources import companions
from support.resources.small_resource import REMOVE, Changes, create, resource
from support.transitions.fields import (
    changed_fields,
    check_refusal,
    draw_value,
    list_fields,
    put_value,
    spec_schema,
)

CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "reports", "labels": {}},
}


def manifests() -> dict[str, Any]:
    text = companions.text_of(*companions.MANIFESTS).replace("$(WORKERS)", "1")
    return config_map("manifests", all=text)


BASES: tuple[Changes, ...] = (
    create() | {"spec.suspend": False, "spec.load.repeats.count": 3},
    create() | {"spec.suspend": False, "spec.cleanup": "Never"},
    create() | {"spec.suspend": True},
    {"spec.suspend": False, "spec.target.solrCloud.provisioner": "StatefulSet"},
    create()
    | {
        "spec.suspend": False,
        "spec.load.repeats": {"count": 2, "startOn": "FreshData", "order": "Random"},
        "spec.load.telemetry": {"collect": "None"},
        "spec.load.stop": {"maxFailedPercent": 20},
        "spec.objectives": [
            {"name": "fast", "responseTime": {"maxMilliseconds": 300}},
            {"name": "rate", "throughput": {"minRequestsPerSecond": 0.5}},
        ],
        "spec.comparison": {"smallestEffectPercent": 2.5},
    },
    create()
    | {
        "spec.suspend": False,
        "spec.load.repeats.count": 2,
        "spec.load.between": {"before": "EachRepeat", "caches": "Keep", "warmUp": {"requests": 0}},
        "spec.diagnostics": {"repeat": 2},
    },
    create()
    | {
        "spec.suspend": False,
        "spec.results.export": {
            "persistentVolumeClaim": {"claimName": "reports", "path": "kept"},
            "deadlineSeconds": 300,
        },
    },
    create()
    | {
        "spec.suspend": False,
        "spec.comparison.baseline": {"benchmark": {"name": "one"}},
        "spec.deadlines": {"provisioningSeconds": 120},
    },
    create() | {"spec.suspend": False, "spec.companions": [{"configMap": {"name": "manifests"}}]},
    create()
    | {
        "spec.suspend": False,
        "spec.load.steps": REMOVE,
        "spec.load.capacity": {"maxTrials": 8, "trialSeconds": 5, "confirmSeconds": 5},
        "spec.objectives": [{"name": "fast", "responseTime": {"maxMilliseconds": 300}}],
        # Trials are the master's to plan, which is faked and plans none.
        "spec.deadlines": {"measuringSeconds": 600},
    },
)
"""Changes to a small resource. The baseline of those that have one is the benchmark `one`."""

Body = dict[str, Any]
Replace = Callable[[Body], Body]
"""Stores a changed benchmark and returns it; `RejectedError` if it is refused."""

MAX_ROUNDS = 120
"""Enough for all benchmarks one after another."""

FEW_ROUNDS = 8
"""Enough for one benchmark that is not suspended."""

NAMES = ("one", "two", "three", "four", "five")
STATES = {"Queued": "queued", "Pending": "queued", "Suspended": "suspended"}
"""States by phase; all others are running, unless the benchmark is over."""
SPEC = spec_schema(BENCHMARK)
FIELDS = list(list_fields(SPEC))
MUTABLE = [each for each in FIELDS if each[0].split(".")[1] in BENCHMARK.mutable]


@dataclass
class Walk:
    """The walk."""

    operator: OperatorDriver
    namespace: str
    store: Replace
    replace: Replace
    source: random.Random
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of transitions by state of the benchmark and outcome."""

    def __post_init__(self) -> None:
        self.cluster = self.operator.cluster
        for body in (CLAIM, manifests()):
            place = {"namespace": self.namespace}
            self.cluster.apply(body | {"metadata": body["metadata"] | place})

    def go(self, transitions: int) -> None:
        """Change a field of some benchmark again and again, and check what comes of it."""
        for number in range(transitions):
            if number % 15 == 0:
                self._refill()
                self._end_one()
            self._transition(self._draw_name())

    def finish(self) -> None:
        """Leave every benchmark alone, and check that it comes to its end."""
        for body in self._all().values():
            body["spec"] |= {"suspend": False, "cleanup": "Always"}
            self.replace(body)
        for _ in range(MAX_ROUNDS):
            if not (left := self._partial_result()):
                break
            self._get_on(left)
            self.operator.now += timedelta(seconds=60)
        assert not left, f"stuck: {left}"
        stay = set().union(*map(self.cluster.pods_of, self._all()))
        assert {each for each in stay if "-export" not in each} == set()  # those have ended

    def remove_all(self) -> None:
        for name in NAMES:
            if self.operator.find(name, self.namespace) is not None:
                self._delete(name)

    def _partial_result(self) -> dict[str, Any]:
        return {
            name: condition(body, "Succeeded")
            for name, body in self._all().items()
            if needs_reconcile(body) and condition(body, "CleanedUp")[0] != "True"
        }

    def _all(self) -> dict[str, Body]:
        found = self.cluster.list(*BENCHMARK.reference, self.namespace, {})
        return {each["metadata"]["name"]: each for each in found}

    def _refill(self) -> None:
        self.operator.watch()  # a new benchmark may have the uid of one that is gone
        there = self._all()
        for name in sorted(set(NAMES) - there.keys()):
            self.cluster.collect(name)
            changes = {"metadata.name": name, "metadata.namespace": self.namespace}
            base = self.source.choice(BASES)
            if name == "one":  # the baseline of others
                base = {path: base[path] for path in base if path != "spec.comparison.baseline"}
            self.store(resource(base | changes))
        ended = [name for name, body in sorted(there.items()) if _state(body) == "done"]
        if len(ended) > 2:
            self._delete(self.source.choice(ended))

    def _end_one(self) -> None:
        """Get on with all until one is over: without it, few would ever be."""
        for _ in range(FEW_ROUNDS):
            self._get_on(self._all())
            if "done" in map(_state, self._all().values()):
                return
            self.operator.now += timedelta(seconds=10)

    def _delete(self, name: str) -> None:
        assert self.operator.finalize(name, self.namespace), f"{name} is held"
        self.cluster.delete(*BENCHMARK.reference, self.namespace, name)

    def _get_on(self, names: Iterable[str]) -> None:
        for name in names:
            self.operator.workloads.advance()
            self._check(self.operator.reconcile(name, self.namespace, 2))

    def _draw_name(self) -> str:
        """Return a benchmark of a state that is drawn first, so that none is rare."""
        by_state: dict[str, list[str]] = {}
        for name, body in sorted(self._all().items()):
            by_state.setdefault(_state(body), []).append(name)
        return self.source.choice(by_state[self.source.choice(sorted(by_state))])

    def _transition(self, name: str) -> None:
        before = self.operator.find(name, self.namespace)
        if before is None:
            return
        state = _state(before)
        few = self.source.random() < 0.4
        path, schema = self.source.choice(MUTABLE if few else FIELDS)
        body, value = copy.deepcopy(before), draw_value(schema, self.source)
        if not put_value(body, path, value):
            return
        try:
            after = self.replace(body)
        except RejectedError as error:
            check_refusal(str(error), path)
            self.seen[state, "refused"] += 1
            return
        if after["spec"] == before["spec"]:
            self.seen[state, "the same"] += 1
            return
        changed = changed_fields(SPEC, before, after)
        assert changed <= BENCHMARK.mutable, f"{path} = {value!r} was let through"
        self.seen[state, "effective"] += 1
        for _ in range(3):
            if self.operator.find(name, self.namespace) is None:
                return  # its time to live is over
            self._get_on((name,))
        stored = self.operator.find(name, self.namespace)
        if stored is not None:
            self._check_effect(name, state, stored)

    def _check_effect(self, name: str, state: str, body: Body) -> None:
        spec, generation = body["spec"], body["metadata"]["generation"]
        assert body["status"]["observedGeneration"] == generation
        assert {each["observedGeneration"] for each in body["status"]["conditions"]} == {generation}
        if spec.get("suspend") and state != "done":
            assert body["status"]["phase"] == "Suspended"
            assert self.cluster.pods_of(name) == set()
        elif state == "suspended" and not spec.get("suspend"):
            assert body["status"]["phase"] != "Suspended"
        if state == "done" and spec.get("cleanup") == "Always":
            assert condition(body, "CleanedUp")[:2] == ("True", "CleanedUp")

    def _check(self, body: Body) -> None:
        assert not self.operator.errors, self.operator.errors
        for each in (body.get("status") or {}).get("conditions") or []:
            assert each["reason"] not in ("InternalError", "InvalidSpec", "Unreadable"), each


def _state(body: Body) -> str:
    if condition(body, "Succeeded")[0] != "Unknown":
        return "done"
    phase = (body.get("status") or {}).get("phase", "Pending")
    return STATES.get(phase, "running")
