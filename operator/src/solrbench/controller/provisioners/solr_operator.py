"""`provisioner: SolrOperator`: a SolrCloud resource, made once and never changed."""

from solrbench.api.v1alpha1.target.zookeeper import ZooKeeperMode
from solrbench.cluster.client import Manifest
from solrbench.cluster.definitions import known_fields
from solrbench.controller.children import SOLR_CLOUDS, pods
from solrbench.controller.context import ReconcileContext
from solrbench.controller.provisioners.pod_check import raise_pod_problem
from solrbench.controller.provisioners.zookeeper import (
    check_external,
    check_provided,
    ensure_ensemble,
    wait_for_provided,
)
from solrbench.decide.solr_cloud_readiness import PATIENCE, is_unreconciled, unmet_conditions
from solrbench.errors import PermanentError, TemporaryError
from solrbench.manifests.solr_cloud import POD_OPTIONS, build_solr_cloud
from solrbench.plan import names
from solrbench.reasons.target import TargetReason


def ensure_ready(context: ReconcileContext) -> None:
    """Make a SolrCloud and wait until the Solr Operator has brought it up.

    Raises:
        TemporaryError: until then, with the component that is waited for as the reason.
        PermanentError: if a SolrCloud of this name does not belong to the benchmark.

    """
    if not context.cluster.serves(*SOLR_CLOUDS):
        raise TemporaryError(
            TargetReason.SOLR_OPERATOR_MISSING,
            "the cluster does not serve solrclouds.solr.apache.org; install the Apache Solr"
            " Operator (chart solr-operator), or set target.solrCloud.provisioner to StatefulSet",
        )
    mode = context.solr_cloud.zookeeper.mode
    match mode:
        case ZooKeeperMode.ENSEMBLE:
            ensure_ensemble(context)
        case ZooKeeperMode.EXTERNAL:
            check_external(context)
        case ZooKeeperMode.PROVIDED:
            check_provided(context)
    cloud = _own_cloud(context) or _make_cloud(context)
    stateful_set = context.cluster.get(
        "apps/v1",
        "StatefulSet",
        context.namespace,
        names.solr_operator_stateful_set(context.benchmark),
    )
    if is_unreconciled(cloud, stateful_set, context.now):
        raise TemporaryError(
            TargetReason.SOLR_OPERATOR_NOT_RUNNING,
            f"the Solr Operator has not reconciled SolrCloud {cloud['metadata']['name']} within"
            f" {PATIENCE.seconds} s; check in its log that it is running, watches namespace"
            f" {context.namespace} and, for"
            " zookeeper.mode Provided, was installed with zookeeper-operator.use",
        )
    if mode is ZooKeeperMode.PROVIDED:
        wait_for_provided(context)
    _wait_until_ready(context, cloud, stateful_set)


def _own_cloud(context: ReconcileContext) -> Manifest | None:
    name = context.benchmark.metadata.name
    cloud = context.cluster.get(*SOLR_CLOUDS, context.namespace, name)
    if cloud is None:
        return None
    metadata = cloud["metadata"]
    owners = {each["uid"] for each in metadata.get("ownerReferences", [])}
    if metadata.get("deletionTimestamp") is not None:
        raise TemporaryError(
            TargetReason.REMOVING_OLD_TARGET,
            f"SolrCloud {name} of the previous attempt is being deleted",
        )
    if context.benchmark.metadata.uid not in owners:
        raise PermanentError(
            TargetReason.SOLR_CLOUD_NAME_TAKEN,
            f"there is a SolrCloud {name} that does not belong to this benchmark; give the"
            " benchmark another name, which is that of its SolrCloud",
        )
    return cloud


def _make_cloud(context: ReconcileContext) -> Manifest:
    options = known_fields(context.cluster, *SOLR_CLOUDS, POD_OPTIONS)
    return context.cluster.apply(
        build_solr_cloud(
            context.benchmark,
            context.solr_cloud,
            context.status.attempts.target,
            context.zookeeper_path,
            options,
        )
    )


def _wait_until_ready(
    context: ReconcileContext, cloud: Manifest, stateful_set: Manifest | None
) -> None:
    lacking = unmet_conditions(cloud, stateful_set)
    if not lacking:
        return
    raise_pod_problem(context, names.SOLR)
    seen = pods(context, names.SOLR)
    if stateful_set is not None and not seen:
        raise TemporaryError(
            TargetReason.SOLR_CLOUD_NOT_READY,
            "no pod is created yet; if that lasts, see: kubectl describe statefulset"
            f" {stateful_set['metadata']['name']}. A namespace that enforces Pod Security"
            " restricted refuses the init containers of Solr Operator v0.9: label it baseline, use"
            " v0.10, or set target.solrCloud.provisioner to StatefulSet",
        )
    if seen and all(pod.gated or pod.ready for pod in seen):
        lacking.append(
            f"Solr runs in {', '.join(pod.name for pod in seen)}, but the Solr Operator has not yet"
            " opened the readiness gates or reported it; if that lasts, check that it is running"
        )
    raise TemporaryError(TargetReason.SOLR_CLOUD_NOT_READY, "; ".join(lacking))
