"""What the operator observes of a sweep before it decides."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from solrbench.api.v1alpha1.sweep import SweepStatus
from solrbench.sweep.decision import SweepDecision
from solrbench.sweep.plan import make_plan
from solrbench.sweep.state import ChildView, SweepObservation
from support.resources.small_resource import Changes
from support.resources.small_sweep import parse_sweep

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SUMMARY = {"requestsPerSecond": 123.456, "p95Milliseconds": 7.77777, "failedPercent": 0.0}
REPEATS = [
    {"target": 1, "requestsPerSecond": 123.0 + each, "p95Milliseconds": 7.8 + 0.15 * each}
    for each in (-1, 0, 1)
]
DONE = ChildView(
    is_finished=True,
    has_succeeded=True,
    reason="Succeeded",
    progress_percent=100,
    seconds=70.0,
    summary=SUMMARY | {"verdict": "Valid", "repeats": REPEATS},
    telemetry={"cpuMillisecondsPerRequest": 1.23456, "readsPerRequest": 3.0, "indexBytes": 2**30},
    suspend=False,
    cleanup="Always",
)


def observe(changes: Changes, **fields: Any) -> SweepObservation:
    sweep = parse_sweep(changes)
    given: dict[str, Any] = {"children": {}, "concurrency": 1} | fields
    return SweepObservation(sweep, make_plan(sweep), now=NOW, **given)


def again(
    seen: SweepObservation, decision: SweepDecision, children: dict[str, ChildView]
) -> SweepObservation:
    """Return the next observation, with the status as it is stored and read."""
    stored = json.loads(decision.status.model_dump_json(by_alias=True, exclude_none=True))
    status = SweepStatus.model_validate(stored)
    sweep = seen.sweep.model_copy(update={"status": status})
    return replace(seen, sweep=sweep, children=children)
