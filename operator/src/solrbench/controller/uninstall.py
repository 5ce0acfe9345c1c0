"""What is done before the operator's release is deleted: nothing may wait for it afterwards.

Only benchmarks that may have a collection on an existing Solr wait for an operator. They are
suspended, so that their pods and collections go and their stored results stay. An operator that
still runs does the same meanwhile; none is needed. What an existing Solr does not let go of in time
stays there, and is named.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from solrbench.api.identity import BENCHMARKS
from solrbench.api.kinds import SWEEP
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.names import ANNOTATION_RELEASED, FINALIZER
from solrbench.controller.context import ReconcileContext, TargetAccess
from solrbench.controller.queue import list_benchmarks
from solrbench.controller.reconcile import reconcile
from solrbench.controller.schedule import utc_now
from solrbench.controller.settings import Settings
from solrbench.decide.conditions import CLEANED_UP, is_over
from solrbench.decide.pauses import needs_finalizer
from solrbench.errors import ConflictError, SolrbenchError
from solrbench.kube.client import Cluster
from solrbench.kube.connection import ForbiddenError, KindNotServedError, NotFoundError
from solrbench.kube.official import open_officially
from solrbench.kube.results import BenchmarkResultStore
from solrbench.reasons.end import CleanupReason

PAUSE_SECONDS = 1.0
"""Between two looks."""

_NO_LIMIT = 1 << 40

Body = dict[str, Any]


def run_uninstall(environ: Mapping[str, str], say: Callable[[str], None], seconds: float) -> None:
    """Release all benchmarks of the namespaces that the variables SOLRBENCH_* name."""
    cluster, settings = Cluster(open_officially()), Settings.from_environment(environ)
    Uninstall(cluster, settings, say).release(seconds)


class Uninstall:
    """Takes the operator's finalizer from all benchmarks of the watched namespaces."""

    def __init__(
        self,
        cluster: Cluster,
        settings: Settings,
        say: Callable[[str], None],
        access: TargetAccess | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster = cluster
        # Results stay; and there is no kopf, which could say in an event that some were deleted.
        self._settings = replace(settings, report_mebibytes=_NO_LIMIT)
        self._say = say
        self._access = access or TargetAccess()
        self._sleep = sleep

    def release(self, seconds: float) -> None:
        """Suspend what is held and wait until nothing is, or release it after so many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            is_held = False
            for body in self._held():  # one after another: large ones would be too much together
                is_held = True
                if time.monotonic() >= end:
                    break
                self._suspend(body, end)
            if not is_held:
                return
            self._sleep(PAUSE_SECONDS)
        for body in self._held():
            self._leave_collection(body)

    def _held(self) -> Iterator[Body]:
        listed: list[Body] = []
        # A namespace that is gone, or its role, has none, nor has one whose definition is gone.
        with suppress(ForbiddenError, KindNotServedError, NotFoundError):
            listed += list_benchmarks(self._cluster, self._settings.namespaces)
        for metadata in listed:
            if FINALIZER not in (metadata.get("finalizers") or ()):
                continue
            body = self._cluster.get(*BENCHMARKS, metadata["namespace"], metadata["name"])
            if body is not None:
                yield body

    def _suspend(self, body: Body, end: float) -> None:
        try:
            if not needs_finalizer(body=body):
                self._drop_finalizer(body)
                return
            if not is_over(body):
                body = self._set_suspend(body)
            reports, benchmark = BenchmarkResultStore(self._cluster), SolrBenchmark.parse(body)
            context = ReconcileContext(
                self._cluster, reports, self._settings, benchmark, body, utc_now(), self._access
            )
            # A Solr that does not respond would hold up the release of all, which waits for it.
            context.solr_end = end
            reconcile(context)
            cleaned_up = context.conditions.get(CLEANED_UP).reason
            if is_over(body) and cleaned_up == CleanupReason.CLEANUP_SKIPPED:
                self._leave_collection(context.body)
        except (SolrbenchError, ValidationError) as error:
            text = " ".join(str(error).split())[:300]
            self._say(f"{_key(body)}: {text}")

    def _set_suspend(self, body: Body) -> Body:
        """Suspend the benchmark, and its sweep, which would let it go on."""
        metadata, wanted = body["metadata"], {"spec": {"suspend": True}}
        for owner in metadata.get("ownerReferences") or ():
            if owner["kind"] == SWEEP.name:
                key = *SWEEP.reference, metadata["namespace"], owner["name"]
                with suppress(NotFoundError):  # it was deleted, and its points follow
                    self._cluster.merge(*key, wanted)
        if body["spec"].get("suspend"):
            return body
        self._say(f"{_key(body)}: suspended")
        return self._cluster.merge(*BENCHMARKS, metadata["namespace"], metadata["name"], wanted)

    def _leave_collection(self, body: Body) -> None:
        if needs_finalizer(body=body):
            self._say(
                f"{_key(body)}: its collection may be left on target.existing, delete it there"
            )
        self._drop_finalizer(body, {ANNOTATION_RELEASED: "true"})

    def _drop_finalizer(self, body: Body, annotations: Mapping[str, str] | None = None) -> None:
        key, found = (body["metadata"]["namespace"], body["metadata"]["name"]), body
        # An operator that still runs may have released it meanwhile.
        while FINALIZER in (found["metadata"].get("finalizers") or ()):
            metadata = found["metadata"]
            changes: Body = {
                "finalizers": [each for each in metadata["finalizers"] if each != FINALIZER],
                # The list is written whole: others may have added to it since it was read.
                "resourceVersion": metadata["resourceVersion"],
            }
            if annotations is not None:
                changes["annotations"] = annotations
            try:
                self._cluster.merge(*BENCHMARKS, *key, {"metadata": changes})
            except NotFoundError:
                break
            except ConflictError:
                found = self._cluster.get(*BENCHMARKS, *key) or {"metadata": {}}
            else:
                break
        self._say(f"{_key(body)}: released")


def _key(body: Body) -> str:
    return f"{body['metadata']['namespace']}/{body['metadata']['name']}"
