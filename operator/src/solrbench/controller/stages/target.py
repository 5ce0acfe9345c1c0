"""The target stage: ZooKeeper, Solr, config set, collection, caches; each made, then checked."""

from contextlib import suppress

from solrbench.api.v1alpha1.status.target import TargetStatus
from solrbench.api.v1alpha1.target.solr_cloud import Provisioner
from solrbench.controller.children import TARGET, delete_components, obstacle, pods
from solrbench.controller.config_set import read_archive
from solrbench.controller.context import Run, TargetLostError
from solrbench.controller.provisioners import solr_operator, stateful_set
from solrbench.controller.provisioners.pod_check import update_target
from solrbench.controller.replica_sizes import check_made
from solrbench.controller.stages import existing_target
from solrbench.controller.stages.late_evidence import amend
from solrbench.decide.conditions import DATA_INDEXED, TARGET_READY
from solrbench.decide.pod_problems import find_trouble
from solrbench.errors import PermanentError, TemporaryError
from solrbench.plan import names
from solrbench.solr import collections
from solrbench.solr.client import SolrClient
from solrbench.solr.cluster import live_nodes, node_info, replicas


def provision(run: Run) -> None:
    """Bring the target to where the spec wants it.

    Raises:
        TemporaryError: while pods start, with their trouble as the reason if they have one.
        PermanentError: if Solr refuses what the spec asks for.
        TargetLostError: if a pod of a finished target is not the one it was.

    """
    if run.existing is not None:
        existing_target.look_at(run)
        return
    if run.conditions.holds(TARGET_READY):
        # An API server that does not answer says nothing of Solr; the next pass looks again.
        with suppress(TemporaryError):
            check_target(run)
        return
    run.enter("Provisioning")
    attempt = run.status.attempts.target
    if not delete_components(run, *TARGET, attempt_below=attempt):
        raise obstacle(run.cluster, run.namespace, run.benchmark.metadata.name) or TemporaryError(
            "RemovingOldTarget", "pods of the attempt before are still there"
        )
    _bring_up(run)
    _check_live(run)
    _make_collection(run)
    run.conditions.set(
        TARGET_READY, "True", "Ready", "live nodes, replicas and caches are as asked"
    )


def _bring_up(run: Run) -> None:
    match run.solr_cloud.provisioner:
        case Provisioner.SOLR_OPERATOR:
            solr_operator.bring_up(run)
        case Provisioner.STATEFUL_SET:
            stateful_set.bring_up(run)


def _check_live(run: Run) -> None:
    wanted = run.solr_cloud.nodes
    with run.solr() as solr:
        live = live_nodes(solr)
        update_target(run, live_nodes=len(live))
        if len(live) != wanted:
            raise TemporaryError(
                "SolrNotLive", f"ZooKeeper sees {len(live)} of {wanted} Solr nodes alive"
            )
        _check_nodes(run, solr)


def _check_nodes(run: Run, solr: SolrClient) -> None:
    infos = [node_info(solr, url) for url in run.solr_urls]
    versions = {info.solr_version for info in infos}
    if any(not version.startswith("9.") for version in versions):
        raise PermanentError(
            "UnsupportedSolrVersion",
            f"the image holds Solr {', '.join(sorted(versions))}; spec.target.solrCloud.image must"
            " be Solr 9.x",
        )
    update_target(
        run,
        solr_version=", ".join(sorted(versions)),
        heap_bytes=min(info.heap_max_bytes for info in infos),
    )


def _make_collection(run: Run) -> None:
    name = names.collection(run.benchmark)
    wanted = run.benchmark.spec.collection
    with run.solr(timeout_seconds=30) as solr:
        if not replicas(solr, name):
            collections.upload_config_set(solr, name, read_archive(run))
            collections.create_collection(solr, name, wanted, live_nodes(solr))
        check_made(run, solr, run.nodes)
        collections.ensure_properties(solr, name, wanted)
    update_target(
        run,
        url=f"{run.solr_urls[0]}/{name}",
        pods={pod.name: pod.identity for pod in pods(run, names.SOLR, names.ZOOKEEPER)},
    )


def check_target(run: Run) -> None:
    """Check that every pod of the target is the one that was there when it became ready."""
    if run.existing is not None:
        existing_target.check(run)
        return
    seen = pods(run, names.SOLR, names.ZOOKEEPER)
    amend(run, seen)
    now = {pod.name: pod for pod in seen}
    for name, identity in run.status.target.pods.items():
        pod = now.get(name)
        if pod is not None and pod.identity == identity and pod.phase == "Running":
            continue
        trouble = None if pod is None else find_trouble([pod], run.now)
        if trouble is not None and trouble.reason == "OOMKilled":
            raise PermanentError(trouble.reason, trouble.message)
        why = trouble.message if trouble else f"pod {name} was lost or started again"
        raise TargetLostError(trouble.reason if trouble else "TargetPodLost", why)


def start_again(run: Run, lost: TargetLostError) -> None:
    """Begin a new attempt of target and load; stored steps stay.

    Raises:
        PermanentError: if there were enough attempts.

    """
    attempts = run.status.attempts
    if attempts.target > run.benchmark.spec.retries:
        raise PermanentError(
            lost.reason, f"{lost.message}; given up after {attempts.target} attempts (spec.retries)"
        )
    again = attempts.model_copy(update={"target": attempts.target + 1, "load": attempts.load + 1})
    if run.existing is None:
        # The new nodes have seen nothing; those of an existing target may know requests.
        again = again.model_copy(update={"load_of_target": again.load})
    # Nodes that were there at first must be back: half a cluster would be another target.
    expected = TargetStatus(nodes=dict.fromkeys(run.status.target.nodes, ""))
    run.update(attempts=again, target=expected, load=None, phase="")
    for type_ in (TARGET_READY, DATA_INDEXED):
        run.conditions.set(type_, "False", lost.reason, f"{lost.message}; everything starts again")
