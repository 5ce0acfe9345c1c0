"""Defects that are planted into the operator, so that it shows whether broken calls find them.

Each replaces some words of a function's source, in memory.
"""

import importlib
import inspect
import textwrap
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Defect:
    """A defect, and the scenario in which it must be found."""

    place: str
    """Module and function, below the package."""
    before: str
    after: str
    scenario: str
    call: str | None = None
    """How the calls begin whose faults show it; without one, the undisturbed run does."""

    def plant(self, patch: pytest.MonkeyPatch) -> None:
        """Change the function wherever it is known; it is one of a module, or a method."""
        module_name, _, path = self.place.partition(":")
        module = importlib.import_module(f"solrbench.{module_name}")
        owner, _, name = path.rpartition(".")
        function = getattr(getattr(module, owner) if owner else module, name)
        source = textwrap.dedent(inspect.getsource(function))
        assert source.count(self.before) == 1, f"{self.place}: {self.before}"
        made: dict[str, object] = {}
        future = "from __future__ import annotations\n"
        exec(future + source.replace(self.before, self.after), vars(module) | {}, made)
        patch.setattr(function, "__code__", made[name].__code__)  # type: ignore[attr-defined]


RESULTS, LOAD, TARGET = (f"controller.stages.{each}" for each in ("load_results", "load", "target"))
SWEEPS = "controller.sweep_reconcile"

DEFECTS: dict[str, Defect] = {
    "acknowledged before stored": Defect(
        f"{RESULTS}:_store_result",
        "context.reports.store(",
        "master.acknowledge(step_run_id)\n    context.reports.store(",
        "StatefulSet",
    ),
    "never acknowledged": Defect(
        f"{RESULTS}:_store_result", "master.acknowledge(step_run_id)", "pass", "StatefulSet"
    ),
    "half a document is one": Defect(
        "kube.result_documents:_complete",
        "said == {str(count)}",
        "said != {''}",
        "StatefulSet",
        "apply ConfigMap/one-report-r1",
    ),
    "half a document stays": Defect(
        "kube.result_documents:delete_leftovers",
        "not in kept",
        "is None",
        "Solr restarts",
        "delete ConfigMap/one-report-r1",
    ),
    "written over in place": Defect(
        "contract.names:report",
        "{sha256[:8]}",
        "0",
        "Solr restarts",
        "apply ConfigMap/one-report-r1",
    ),
    "known before it is stored": Defect(
        "kube.results:BenchmarkResultStore.store",
        "self._write(benchmark",
        "self._keep(benchmark.metadata.uid, (known | {document.id: evaluated}).values())\n"
        "    self._write(benchmark",
        "StatefulSet",
        "apply ConfigMap/one-report-r1",
    ),
    "results of an unseen target": Defect(
        f"{TARGET}:reconcile_target",
        "context.unseen_target = error",
        "pass",
        "Solr restarts",
        "list Pod/",
    ),
    "end without the last results": Defect(
        f"{RESULTS}:poll_master", "if holds_results:", "if False:", "load fails", "result "
    ),
    "broken step is dropped": Defect(
        "controller.stages.cleanup:fail",
        "conclude_partial_result(context, reason, message)",
        "pass",
        "load fails",
    ),
    "one Job is enough": Defect(
        f"{LOAD}:reconcile_load",
        "if None in jobs:",
        "if jobs == [None, None]:",
        "StatefulSet",
        "apply Job/",
    ),
    "new token for the second Job": Defect(
        f"{LOAD}:_plan",
        "stored_token(context, names.LOAD_MASTER) or new_token()",
        "new_token()",
        "StatefulSet",
        "apply Job/",
    ),
    "same attempt after a loss": Defect(
        f"{TARGET}:restart_target", "attempts=again", "attempts=attempts", "target lost"
    ),
    "same attempt of the load": Defect(
        f"{LOAD}:restart_load", "attempts.load + 1", "attempts.load", "load lost"
    ),
    "old load stays": Defect(
        f"{LOAD}:reconcile_load",
        "if not delete_components(context.owned, LOAD, context.status.attempts.load):",
        "if False:",
        "load lost",
    ),
    "collection before its nodes are noted": Defect(
        "controller.provisioners.existing:ExistingTarget.ensure_ready",
        "elif not context.benchmark.status.target.nodes:",
        "elif False:",
        "deleted with a new collection",
        "POST CREATE",
    ),
    "collection before its config set": Defect(
        "controller.provisioners.existing:ExistingTarget._make_collection",
        "upload_config_set(solr, config_set, read_archive(context))",
        "pass",
        "existing Solr",
    ),
    "index of the repeat before": Defect(
        "controller.provisioners.existing:ExistingTarget._make_collection",
        "delete_stale_collection(solr, name, config_set, prefix)",
        "pass",
        "fresh data on existing Solr",
    ),
    "config sets stay": Defect(
        "solr.collection:remove_managed_collection",
        "_delete_config_sets(solr, prefix)",
        "pass",
        "export",
    ),
    "config sets first": Defect(
        "solr.collection:remove_managed_collection",
        "used = config_set_of(solr, name)",
        "_delete_config_sets(solr, prefix)\n    used = config_set_of(solr, name)",
        "export",
    ),
    "silence of Solr is a refusal": Defect(
        "solr.collection:create_collection",
        "if error.reason != TargetReason.SOLR_ERROR or",
        "if",
        "existing Solr",
        "POST CREATE",
    ),
    "deleted in spite of an error": Defect(
        "controller.handlers:Handlers._remove_collection",
        "if patient and isinstance(error, TemporaryError):",
        "if False:",
        "deleted while measuring",
        "POST DELETE",
    ),
    "no collection is removed": Defect(
        "controller.handlers:Handlers.on_delete",
        "self._remove_collection(body)",
        "pass",
        "deleted while measuring",
    ),
    "no finalizer": Defect(
        "decide.pauses:needs_finalizer",
        "if not existing or",
        "if True or",
        "deleted while measuring",
    ),
    "cleaned up in spite of an error": Defect(
        "controller.reconcile:_do_quietly",
        "context.conditions.set(condition, waiting, late.reason",
        "context.conditions.set(condition, 'True', late.reason",
        "StatefulSet",
    ),
    "an outage fails a benchmark": Defect(
        "controller.reconcile:_show_blocker", "outcome = wait(", "outcome = fail(", "StatefulSet"
    ),
    "an exception fails a benchmark": Defect(
        "controller.reconcile:_show_blocker",
        "check_internal_error(context.status.internal_errors, message)",
        "check_internal_error(99, message)",
        "StatefulSet",
        "apply Job/",
    ),
    "an outage fails an export": Defect(
        "controller.stages.export:export_results",
        'context.conditions.set(EXPORTED, "Unknown", error',
        "context.update(export=_begun(context, export))\n"
        '        context.conditions.set(EXPORTED, "False", error',
        "export",
        "apply Job/one-export",
    ),
    "whole beside trimmed": Defect(
        "controller.stages.export:_trim_results",
        "delete_leftovers(context.cluster, chunks)",
        "pass",
        "large export",
        "delete ConfigMap/one-report-r1",
    ),
    "trimmed in part": Defect(
        "kube.result_documents:find_trimmable",
        "not is_begun and",
        "is_begun or",
        "large export",
        "delete ConfigMap/one-report-r1",
    ),
    "written over what has all": Defect(
        "controller.stages.export:_advance",
        "if not is_current and is_trimmed(",
        "if False and is_trimmed(",
        "large export",
    ),
    "an outage fails a point": Defect(
        f"{SWEEPS}:_note_refusal",
        "isinstance(error, PermanentError) or",
        "True or",
        "sweep that shares an index",
        "apply SolrBenchmark/",
    ),
    "an outage leaves a target": Defect(
        f"{SWEEPS}:_remove_target",
        "return error  #",
        "return None  #",
        "sweep that shares an index",
        "delete ",
    ),
    "targets are forgotten": Defect(
        f"{SWEEPS}:_remove_targets",
        "if each.name not in gone",
        "if False",
        "sweep that shares an index",
    ),
    "always its turn": Defect(
        "controller.stages.start:_wait_for_turn", "if not turn.before:", "if True:", "queue of two"
    ),
    "place without its lock": Defect(
        "controller.stages.start:acquire_slot",
        "context.queue.hold_place(context.body)",
        "from threading import Lock; context.queue.slot_lock = Lock()",
        "queue of two",
        "replace_status SolrBenchmark/one",
    ),
    "suspended with its place": Defect(
        "controller.stages.cleanup:suspend",
        "context.update(attempts=again, start_time=None)",
        "pass",
        "suspended",
    ),
}
