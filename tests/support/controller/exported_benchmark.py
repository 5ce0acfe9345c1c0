"""Reconciles of a benchmark that is over and whose report is exported."""

import json
from dataclasses import replace
from typing import Any

from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.comparisons import ReportStatus
from solrbench.controller.context import ReconcileContext
from solrbench.controller.stages.export import export_results
from solrbench.decide.conditions import EXPORTED
from solrbench.kube.results import BenchmarkResultStore
from support.controller.runs import NOW, SETTINGS, stored_status
from support.fakes.fake_cluster import FakeCluster
from support.resources.objects import stored
from support.resources.small_resource import Changes

CLAIM = {"persistentVolumeClaim": {"claimName": "reports"}}
OVER = Status(start_time=NOW, completion_time=NOW, report=ReportStatus(stored_steps=1))


class Course:
    """Reconciles of a benchmark that is over, one after another."""

    def __init__(self, export: dict[str, Any], changes: Changes | None = None) -> None:
        self.fake = FakeCluster()
        self.status = OVER
        self.now = NOW
        self.change(export, changes)

    def change(self, export: dict[str, Any] | None, changes: Changes | None = None) -> None:
        changed = {"spec.results": {"export": export}} | (changes or {})
        self.benchmark = stored(changed)

    def reconcile(self, **settings: Any) -> None:
        benchmark = self.benchmark.model_copy(update={"status": self.status})
        changed = replace(SETTINGS, **settings)
        store = BenchmarkResultStore(self.fake)
        run = ReconcileContext(self.fake, store, changed, benchmark, {}, self.now)
        export_results(run)
        self.status = stored_status(run)

    @property
    def condition(self) -> tuple[str, str, str]:
        (found,) = [each for each in self.status.conditions if each.type == EXPORTED]
        return found.status, found.reason, found.message

    def end(self, outcome: dict[str, Any], state: str) -> None:
        job = self.fake.objects["Job", "search", "base-export"]
        job["status"] = {"conditions": [{"type": state, "status": "True", "message": "too late"}]}
        ended = {"exitCode": 0, "message": json.dumps(outcome) if outcome else ""}
        container = {"name": "export", "state": {"terminated": ended}}
        shared = {key: job["metadata"][key] for key in ("namespace", "labels", "ownerReferences")}
        self.fake.put(
            {
                "kind": "Pod",
                "metadata": {"name": "base-export-x"} | shared,
                "status": {"containerStatuses": [container]},
            }
        )
