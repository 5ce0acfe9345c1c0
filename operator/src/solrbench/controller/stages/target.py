"""The target stage: ZooKeeper, Solr, config set, collection, caches; each made, then checked."""

from contextlib import suppress

from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.api.v1alpha1.target.solr_cloud import Provisioner
from solrbench.controller.children import TARGET, blocking_finalizer, delete_components, pods
from solrbench.controller.config_set import read_archive
from solrbench.controller.context import ReconcileContext, TargetLostError
from solrbench.controller.provisioners import solr_operator, stateful_set
from solrbench.controller.provisioners.pod_check import update_target
from solrbench.controller.replica_sizes import check_created
from solrbench.controller.stages import existing_target
from solrbench.controller.stages.late_evidence import add_late_pod_events
from solrbench.decide.conditions import DATA_INDEXED, TARGET_READY
from solrbench.decide.pod_problems import first_problem
from solrbench.errors import PermanentError, TemporaryError
from solrbench.plan import names
from solrbench.solr import collections
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import live_nodes, node_info, replicas


def reconcile_target(context: ReconcileContext) -> None:
    """Bring the target to where the spec wants it.

    Raises:
        TemporaryError: while pods start, with their trouble as the reason if they have one.
        PermanentError: if Solr refuses what the spec asks for.
        TargetLostError: if a pod of a finished target is not the one it was.

    """
    if context.existing is not None:
        existing_target.reconcile_existing_target(context)
        return
    if context.conditions.is_true(TARGET_READY):
        # An API server that does not answer says nothing of Solr; the next reconcile looks again.
        with suppress(TemporaryError):
            verify_target(context)
        return
    context.set_phase("Provisioning")
    attempt = context.status.attempts.target
    if not delete_components(context, *TARGET, attempt_below=attempt):
        raise blocking_finalizer(
            context.cluster, context.namespace, context.benchmark.metadata.name
        ) or TemporaryError("RemovingOldTarget", "pods of the attempt before are still there")
    _ensure_ready(context)
    _check_live(context)
    _make_collection(context)
    context.conditions.set(
        TARGET_READY, "True", "Ready", "live nodes, replicas and caches are as asked"
    )


def _ensure_ready(context: ReconcileContext) -> None:
    match context.solr_cloud.provisioner:
        case Provisioner.SOLR_OPERATOR:
            solr_operator.ensure_ready(context)
        case Provisioner.STATEFUL_SET:
            stateful_set.ensure_ready(context)


def _check_live(context: ReconcileContext) -> None:
    wanted = context.solr_cloud.nodes
    with context.solr() as solr:
        live = live_nodes(solr)
        update_target(context, live_nodes=len(live))
        if len(live) != wanted:
            raise TemporaryError(
                "SolrNotLive", f"ZooKeeper sees {len(live)} of {wanted} Solr nodes alive"
            )
        _check_nodes(context, solr)


def _check_nodes(context: ReconcileContext, solr: SolrClient) -> None:
    infos = [node_info(solr, url) for url in context.solr_urls]
    versions = {info.solr_version for info in infos}
    if any(not version.startswith("9.") for version in versions):
        raise PermanentError(
            "UnsupportedSolrVersion",
            f"the image holds Solr {', '.join(sorted(versions))}; spec.target.solrCloud.image must"
            " be Solr 9.x",
        )
    update_target(
        context,
        solr_version=", ".join(sorted(versions)),
        heap_bytes=min(info.heap_max_bytes for info in infos),
    )


def _make_collection(context: ReconcileContext) -> None:
    name = names.collection(context.benchmark)
    wanted = context.benchmark.spec.collection
    with context.solr(timeout_seconds=30) as solr:
        if not replicas(solr, name):
            collections.upload_config_set(solr, name, read_archive(context))
            collections.create_collection(solr, name, wanted, live_nodes(solr))
        check_created(context, solr, context.nodes)
        collections.ensure_properties(solr, name, wanted)
    update_target(
        context,
        url=f"{context.solr_urls[0]}/{name}",
        pods={pod.name: pod.identity for pod in pods(context, names.SOLR, names.ZOOKEEPER)},
    )


def verify_target(context: ReconcileContext) -> None:
    """Check that every pod of the target is the one that was there when it became ready."""
    if context.existing is not None:
        existing_target.verify_nodes_unchanged(context)
        return
    seen = pods(context, names.SOLR, names.ZOOKEEPER)
    add_late_pod_events(context, seen)
    now = {pod.name: pod for pod in seen}
    for name, identity in context.status.target.pods.items():
        pod = now.get(name)
        if pod is not None and pod.identity == identity and pod.phase == "Running":
            continue
        problem = None if pod is None else first_problem([pod], context.now)
        if problem is not None and problem.reason == "OOMKilled":
            raise PermanentError(problem.reason, problem.message)
        why = problem.message if problem else f"pod {name} was lost or started again"
        raise TargetLostError(problem.reason if problem else "TargetPodLost", why)


def restart_target(context: ReconcileContext, lost: TargetLostError) -> None:
    """Begin a new attempt of target and load; stored steps stay.

    Raises:
        PermanentError: if there were enough attempts.

    """
    attempts = context.status.attempts
    if attempts.target > context.benchmark.spec.backoff_limit:
        raise PermanentError(
            lost.reason,
            f"{lost.message}; given up after {attempts.target} attempts (spec.backoffLimit)",
        )
    again = attempts.model_copy(update={"target": attempts.target + 1, "load": attempts.load + 1})
    if context.existing is None:
        # The new nodes have seen nothing; those of an existing target may know requests.
        again = again.model_copy(update={"first_load_on_target": again.load})
    # Nodes that were there at first must be back: half a cluster would be another target.
    expected = TargetStatus(nodes=dict.fromkeys(context.status.target.nodes, ""))
    context.update(attempts=again, target=expected, live_load=None, phase="")
    for type_ in (TARGET_READY, DATA_INDEXED):
        context.conditions.set(
            type_, "False", lost.reason, f"{lost.message}; everything starts again"
        )
