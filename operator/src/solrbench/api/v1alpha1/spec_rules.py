"""Rules that span parts of the spec: data, backups, deadlines, pods, routing, indexing."""

from typing import Any

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.objectives import MAX_CONFIRMATIONS, OVERLOAD_TRIALS, PROBE_SECONDS
from solrbench.api.v1alpha1.pod_options import PodComponent
from solrbench.api.v1alpha1.repeats import MAX_REPEATS
from solrbench.api.v1alpha1.target import VARIANT_COUNT

# `search_seconds` for the API server.
_TRIALS = (
    f"(has(self.load.capacity) ? {PROBE_SECONDS} + self.load.capacity.maxTrials"
    " * (self.load.capacity.settleSeconds + self.load.capacity.trialSeconds)"
    f" + {MAX_CONFIRMATIONS} * (self.load.capacity.confirmSeconds"
    f" + self.load.capacity.settleSeconds + {OVERLOAD_TRIALS + 1}"
    " * self.load.capacity.trialSeconds) : 0)"
)


def search_seconds(spec: Any, trials: int | None = None) -> int:
    """Return how long a capacity search of one variant takes at most, or with so many trials."""
    capacity = spec.load.capacity
    if capacity is None:
        return 0
    each: int = capacity.settle_seconds + capacity.trial_seconds
    if trials is not None:
        return PROBE_SECONDS + trials * each
    confirming = capacity.confirm_seconds + OVERLOAD_TRIALS * capacity.trial_seconds + each
    most: int = capacity.max_trials * each + MAX_CONFIRMATIONS * confirming
    return PROBE_SECONDS + most


DURATION_RULE = Rule(
    # Repeats with fresh data or targets each have the deadline.
    cel=(
        "(self.load.steps.map(s, (has(s.durationSeconds) ? s.durationSeconds : 0)"
        " + (has(s.rampSeconds) ? s.rampSeconds : 0)).sum()"
        f" * (self.load.repeats.startOn == 'SameTarget' ? {MAX_REPEATS} : 1)"
        f" + {_TRIALS}) * {VARIANT_COUNT} <= self.deadlines.measuringSeconds"
    ),
    message=(
        "deadlines.measuringSeconds must not be less than the durations of all steps together,"
        " times target.variants and, unless they start on fresh data or targets,"
        " load.repeats; the trials of load.capacity count as a step"
    ),
)


_GENERATOR = "(has(self.dataset) && has(self.dataset.generator))"


GENERATED_RULES = (
    *(
        Rule(
            cel=f"!has({queries}) || !has({queries}.generated) || {_GENERATOR}",
            message=(
                f"{queries.removeprefix('self.')}.generated must go with dataset.generator;"
                " set queries of your own for other data"
            ),
        )
        for queries in ("self.workload.queries", "self.workload.warmUpQueries")
    ),
    Rule(
        cel=(
            f"!has(self.workload.mix) || {_GENERATOR} || self.workload.mix.all(e,"
            " !(has(e.queries) && has(e.queries.generated))"
            " && !(has(e.updates) && has(e.updates.generated))"
            " && !(has(e.transaction) && has(e.transaction.inputs)"
            " && has(e.transaction.inputs.generated)))"
        ),
        message=(
            "workload.mix must have nothing generated without dataset.generator;"
            " set queries, inputs and documents of your own for other data"
        ),
    ),
)


BACKUP_RULE = Rule(
    cel=(
        "!has(self.dataset) || !has(self.dataset.backup) || (has(self.target.existing)"
        " ? !has(self.dataset.backup.claimName) : has(self.dataset.backup.claimName)"
        " && self.target.solrCloud.provisioner == 'StatefulSet')"
    ),
    message=(
        "dataset.backup must have claimName with provisioner StatefulSet, and location alone"
        " with target.existing; SolrOperator mounts no claim, use StatefulSet"
    ),
)


def _cel_none_sets(field: str, component: PodComponent) -> str:
    used = f"has(each.{field}) && '{component}' in each.components"
    return f"!self.podOptions.exists(each, {used})"


POD_OPTION_RULES = (
    Rule(
        cel=(
            "!has(self.target.solrCloud) || self.target.solrCloud.provisioner != 'SolrOperator'"
            f" || {_cel_none_sets('runtimeClassName', PodComponent.SOLR)}"
        ),
        message=(
            "podOptions must not set runtimeClassName for Solr with provisioner SolrOperator, a"
            " SolrCloud has no such field; name other components, or use StatefulSet"
        ),
    ),
    Rule(
        cel=(
            "!has(self.target.solrCloud) || self.target.solrCloud.zookeeper.mode != 'Provided'"
            f" || {_cel_none_sets('priorityClassName', PodComponent.ZOOKEEPER)}"
            f" && {_cel_none_sets('runtimeClassName', PodComponent.ZOOKEEPER)}"
        ),
        message=(
            "podOptions must not set priorityClassName or runtimeClassName for ZooKeeper with"
            " zookeeper.mode Provided, a ZookeeperCluster has no such field; name other"
            " components, or use Ensemble"
        ),
    ),
)


_ROUTED_BY_IDS = (
    "self.collection.router.name == 'compositeId' && !has(self.collection.router.field)"
)


ROUTING_RULES = (
    Rule(
        cel="!has(self.load.visibility) || has(self.target.solrCloud) && has(self.dataset)",
        message=(
            "load.visibility adds documents and asks replicas by their own addresses: it must go"
            " with target.solrCloud"
        ),
    ),
    Rule(
        cel=f"!has(self.load.visibility) || {_ROUTED_BY_IDS}",
        message=(
            "load.visibility must go with collection.router.name compositeId without a field,"
            " marked documents are routed by their ids"
        ),
    ),
    Rule(
        cel=(
            "!has(self.dataset) || !has(self.dataset.generator)"
            f" || self.dataset.generator.routePrefixes == 0 || ({_ROUTED_BY_IDS})"
        ),
        message=(
            "dataset.generator.routePrefixes must go with collection.router.name compositeId"
            " without a field, no other router reads prefixes of ids"
        ),
    ),
    Rule(
        cel=(
            "(has(self.dataset) && has(self.dataset.generator)"
            " && self.dataset.generator.routePrefixes >= 1)"
            " || ((!has(self.workload.queries) || !has(self.workload.queries.generated)"
            " || self.workload.queries.generated.routedPercent == 0.0)"
            " && (!has(self.workload.mix) || self.workload.mix.all(e, !has(e.queries)"
            " || !has(e.queries.generated) || e.queries.generated.routedPercent == 0.0)))"
        ),
        message=(
            "workload.queries.generated.routedPercent must go with"
            " dataset.generator.routePrefixes, queries are routed by the prefixes of ids"
        ),
    ),
)


_NO_STEP_INDEXES = "!self.load.steps.exists(s, has(s.indexing))"
_NONE_INDEXES = (
    f"{_NO_STEP_INDEXES} && !(has(self.load.capacity) && has(self.load.capacity.indexing))"
)
_FIELDS = "indexing of load.steps and load.capacity"


INDEXING_RULES = (
    Rule(
        cel=f"{_NONE_INDEXES} || has(self.target.solrCloud)",
        message=(
            f"{_FIELDS} must go with target.solrCloud, whose replicas are asked for what they"
            " have; for target.existing use workload.mix[].updates"
        ),
    ),
    Rule(
        cel=(
            f"{_NONE_INDEXES} || !has(self.dataset) || (has(self.dataset.generator)"
            " ? self.dataset.generator.routePrefixes == 0"
            " : !has(self.dataset.http) && !has(self.dataset.backup))"
        ),
        message=(
            f"{_FIELDS} must go with dataset.generator and routePrefixes 0, or files that are"
            " mounted: persistentVolumeClaim or configMap"
        ),
    ),
    Rule(
        cel=f"{_NONE_INDEXES} || {_ROUTED_BY_IDS}",
        message=(
            f"{_FIELDS} must go with collection.router.name compositeId without a"
            " field, its documents are routed by their ids"
        ),
    ),
    Rule(
        cel=(
            f"{_NO_STEP_INDEXES} || self.load.repeats.startOn != 'SameTarget' || {MAX_REPEATS} == 1"
        ),
        message=(
            "load.repeats.startOn must be FreshData or FreshTarget with load.steps[].indexing"
            " and several repeats, merges of one repeat would go on in the next"
        ),
    ),
    Rule(
        cel=f"{_NO_STEP_INDEXES} || !has(self.workload.locustfile)",
        message=(
            "load.steps[].indexing must not go with workload.locustfile, whose code says what"
            " is sent"
        ),
    ),
)
