"""The first stage: everything that the spec refers to exists, and it is the benchmark's turn."""

import copy
from collections.abc import Iterator

from pydantic.alias_generators import to_camel

from solrbench.api.rules import Model
from solrbench.api.solr_versions import release_of_tag
from solrbench.api.v1alpha1.status import QueueStatus
from solrbench.controller.companions import read_companions
from solrbench.controller.context import ReconcileContext, store_status
from solrbench.controller.provisioners.provisioner import accept_versions
from solrbench.controller.stages.export import check_export_host
from solrbench.controller.stages.repeats import take_over_target
from solrbench.controller.stages.results import check_baseline_results
from solrbench.decide.conditions import SUCCEEDED
from solrbench.decide.hosts import check_name, host_of, qualify
from solrbench.decide.outcome import apply_outcome
from solrbench.decide.references import (
    HOSTS_SETTING,
    PROXY_FIELD,
    URLS_FIELD,
    ReferredObject,
    check_download_secrets,
    check_object,
    check_objective_steps,
    check_spec,
)
from solrbench.errors import SolrbenchError, TemporaryError
from solrbench.reasons.lifecycle import LifecycleReason

MAX_NAMED = 5
"""Benchmarks that the message of one in the queue names."""


def acquire_slot(context: ReconcileContext) -> None:
    """Take a place among the running benchmarks, and note that in the stored status at once.

    It raises `TemporaryError` while others come first, or if the status could not be written; the
    place is not taken then.
    """
    if context.status.start_time is not None:
        return
    # Without the lock, for which others would wait while all benchmarks are listed.
    context.queue.verify(context.cluster, context.settings.namespaces, context.now)
    with context.queue.slot_lock:
        _wait_for_turn(context)
        queue = context.benchmark.status.queue
        before, conditions = context.status, copy.deepcopy(context.conditions)
        try:
            take_over_target(context)
            context.update(start_time=context.now)
            context.set_phase("Provisioning")
            context.conditions.set(SUCCEEDED, "Unknown", LifecycleReason.RUNNING, "")
            context.finalize_status()
            # Before the write, whose response may be lost: the next in the queue must not begin
            # while no client knows whether this one has.
            context.queue.hold_place(context.body)
            store_status(context)
        except SolrbenchError:
            # The error is written without the lock. With the start in that status two benchmarks
            # would run in one place: another may have taken it by then.
            context.status = before.model_copy(update={"queue": queue})
            context.conditions = conditions
            raise


def _wait_for_turn(context: ReconcileContext) -> None:
    turn = context.queue.turn(context.body)
    if not turn.before:
        return
    context.set_phase("Queued")
    stored = context.benchmark.status.queue
    since = context.now if stored is None else stored.waiting_since
    context.update(queue=QueueStatus(position=turn.position, waiting_since=since))
    # What others call their benchmarks is no business of this namespace.
    own = [key for key in turn.before if key.startswith(f"{context.namespace}/")]
    words, foreign = own[:MAX_NAMED], len(turn.before) - len(own)
    if foreign:
        words = [*words, f"{foreign} of other namespaces"]
    raise TemporaryError(LifecycleReason.QUEUED, f"waits for {', '.join(words)} to end")


def check_references(context: ReconcileContext) -> None:
    """Check that everything the spec refers to exists, and that its pods may be as it says.

    Raises:
        TemporaryError: if something is missing; it may be applied a moment later.
        PermanentError: `HostNotAllowed`, `PodOptionNotAllowed`, `DatasetSecretNotAllowed`,
            `ObjectiveStepNotFound` or `CompanionRefused`.
    """
    if context.status.start_time is not None:
        return
    if context.queue.keeps_waiting(context.body, context.now):
        return  # it is checked when it is its turn at the latest
    try:
        spec, allowed = context.benchmark.spec, context.settings.allowed_pod_options
        apply_outcome(check_spec(spec, allowed))
        apply_outcome(check_objective_steps(spec))
        _check_objects(context)
        dataset = spec.dataset
        if dataset is not None and dataset.http is not None:
            given = [(URLS_FIELD, url) for url in dataset.http.urls]
            if dataset.http.proxy_url is not None:  # which is sent all that the servers are
                given.append((PROXY_FIELD, dataset.http.proxy_url))
            for field, url in given:
                host = host_of(qualify(url, context.namespace))
                check_name(host, context.dataset_hosts, field, HOSTS_SETTING)
            fields, are_allowed = dataset.http.secret_fields, context.settings.dataset_secrets
            apply_outcome(check_download_secrets(fields, are_allowed=are_allowed))
        for url in (url for each in spec.target.variants for url in each.urls or ()):
            # A name without dots may be that of a Service of companions, which is made later.
            if not spec.companions or "." in host_of(url):
                check_name(host_of(qualify(url, context.namespace)), context.allowed_hosts)
        check_export_host(context)
        check_baseline_results(context)
        _ = context.endpoint
        if spec.companions:
            read_companions(context)
        solr = spec.target.solr_cloud
        release = None if solr is None else release_of_tag(solr.image.tag)
        accept_versions(context, [release or ""])
    except Exception:
        # Not before: one that waits in the queue would leave its phase with every reconcile.
        context.set_phase("Pending")
        raise
    context.queue.note_check(context.benchmark.metadata.uid, context.now)


def _check_objects(context: ReconcileContext) -> None:
    for kind, path, name, keys in _references(context.benchmark.spec, "spec"):
        found = context.cluster.get("v1", kind, context.namespace, name)
        reference = ReferredObject(path, kind, name, context.namespace)
        apply_outcome(check_object(reference, keys, found))


def _references(part: object, path: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield each ConfigMap and claim below a part of a spec: kind, path, name and needed keys."""
    if isinstance(part, list):
        for index, each in enumerate(part):
            yield from _references(each, f"{path}[{index}]")
    if not isinstance(part, Model):
        return
    for field in type(part).model_fields:
        value, below = getattr(part, field), f"{path}.{to_camel(field)}"
        if value is not None and field == "claim_name":
            yield "PersistentVolumeClaim", below, value, []
        elif value is not None and field.endswith(("config_map", "config_map_key_ref")):
            keys = getattr(value, "keys", None) or [getattr(value, "key", None)]
            yield "ConfigMap", below, value.name, [each for each in keys if each is not None]
        else:
            yield from _references(value, below)
