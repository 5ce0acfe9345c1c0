"""Whether everything that a spec refers to exists and may be used.

ConfigMaps, Secrets, claims, steps of objectives, downloads and the options of pods.
Who may create benchmarks need not be allowed to use every ServiceAccount or Secret of a namespace,
but a pod that names one acts with its rights; so the operator's settings say which are allowed.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic.alias_generators import to_camel

from solrbench.api.v1alpha1.benchmark import SolrBenchmark, Spec
from solrbench.api.v1alpha1.collection import RouterName
from solrbench.api.v1alpha1.fields import LABEL_KEY, LABEL_NAME
from solrbench.api.v1alpha1.objectives import PrimaryMetric
from solrbench.api.v1alpha1.pod_options import PodOptions
from solrbench.api.v1alpha1.pods import Affinity, NodeSelectorRequirement, TopologySpread
from solrbench.api.v1alpha1.request_mix import Queries, UpdateIdPolicy
from solrbench.contract.workload_files import sources
from solrbench.decide.conditions import SUCCEEDED, holds, is_finished
from solrbench.decide.outcome import Outcome, fail, wait
from solrbench.reasons.data import IndexingReason
from solrbench.reasons.lifecycle import LifecycleReason


@dataclass(frozen=True)
class ReferredObject:
    """A ConfigMap or PersistentVolumeClaim that the spec refers to, and by which field."""

    field: str
    kind: str
    name: str
    namespace: str


_NOT_FOUND = {
    "ConfigMap": LifecycleReason.CONFIG_MAP_NOT_FOUND,
    "PersistentVolumeClaim": LifecycleReason.VOLUME_CLAIM_NOT_FOUND,
}


def check_object(
    reference: ReferredObject, wanted: Iterable[str], found: Mapping[str, Any] | None
) -> Outcome | None:
    """Wait until the object is found, and has the wanted keys if it is a ConfigMap."""
    named = f"{reference.kind} {reference.name}"
    if found is None:
        return wait(
            _NOT_FOUND[reference.kind],
            f"{reference.field}: there is no {named} in namespace {reference.namespace}; create it",
        )
    keys = (found.get("data") or {}) | (found.get("binaryData") or {})
    missing = [key for key in wanted if key not in keys]
    if not missing:
        return None
    return wait(
        LifecycleReason.CONFIG_MAP_KEY_NOT_FOUND,
        f"{reference.field}: {named} has no key {', '.join(missing)};"
        f" it has {', '.join(sorted(keys)) or 'none'}; add it",
    )


BASELINE = "spec.comparison.baseline.benchmark"
URLS_FIELD, PROXY_FIELD = "spec.dataset.http.urls", "spec.dataset.http.proxyUrl"
HOSTS_SETTING = "datasets.allowedHosts"


def check_download_secrets(fields: tuple[str, ...], *, are_allowed: bool) -> Outcome | None:
    """Fail if fields refer to Secrets and none is allowed."""
    # Who may create a benchmark need not be allowed to read Secrets, and a server that a URL names,
    # which may be that user's own, receives what they hold.
    if are_allowed or not fields:
        return None
    return fail(
        IndexingReason.DATASET_SECRET_NOT_ALLOWED,
        f"{', '.join(fields)}: the operator's settings allow no Secrets for downloads;"
        " set datasets.secrets of its chart to true, and datasets.allowedHosts to the servers that"
        " may get them",
    )


SECRETS = "env.valueFrom.secretKeyRef"
"""Variables from Secrets; `env` stands for the others."""

POD_OPTIONS = (
    *(to_camel(name) for name in PodOptions.model_fields if name != "components"),
    SECRETS,
)
"""Everything that may be allowed."""

DEFAULT_POD_OPTIONS = tuple(
    each for each in POD_OPTIONS if each not in ("serviceAccountName", SECRETS)
)
"""What lends no rights."""


def check_spec(spec: Spec, allowed: Collection[str]) -> Outcome | None:
    """Fail at the first option of pods that is not allowed, or field that cannot be as it is."""
    for path, option in _set_options(spec):
        if option not in allowed:
            return fail(
                LifecycleReason.POD_OPTION_NOT_ALLOWED,
                f"{path} must not be set, the operator's settings do not allow {option}; leave it"
                f" out, or add {option} to benchmarkPods.allowedOptions of the operator's chart",
            )
    for problem in spec_problems(spec):
        return fail(LifecycleReason.INVALID_SPEC, problem)
    return None


def spec_problems(spec: Spec) -> Iterator[str]:
    """Yield what the schema has no rule for; each begins with a field.

    Options of pods are refused by the API server when the pods of a component are made: those of
    the load hours after the others.
    """
    generator = None if spec.dataset is None else spec.dataset.generator
    for path, _, content in sources(spec.workload):
        queries = content.generated if isinstance(content, Queries) else None
        is_routed = queries is not None and queries.routed_percent > 0
        if is_routed and (generator is None or not generator.route_prefixes):
            yield (
                f"spec.{path}.generated.routedPercent: must go with"
                " dataset.generator.routePrefixes, queries are routed by the prefixes of ids; set"
                " them, or leave it out"
            )
    # What would show only hours later that it cannot be.
    yield from (*_comparison_problems(spec), *_workload_problems(spec), *_dataset_problems(spec))
    solr = spec.target.solr_cloud
    if solr is not None:
        yield from _label_problems("spec.target.solrCloud.nodeSelector", solr.node_selector)
    for index, options in enumerate(spec.pod_options):
        path = f"spec.podOptions[{index}]"
        yield from _label_problems(f"{path}.labels", options.labels or {})
        yield from _label_problems(f"{path}.nodeSelector", options.node_selector or {})
        spreads = options.topology_spread_constraints or []
        if len({(each.topology_key, each.when_unsatisfiable) for each in spreads}) < len(spreads):
            yield (
                f"{path}.topologySpreadConstraints: must differ in topologyKey or"
                " whenUnsatisfiable; leave one out"
            )
        for each in _node_requirements(options.affinity):
            number = (each.values or [""])[0].removeprefix("-")
            is_one_number = number.isdecimal() and len(each.values or ()) == 1
            if each.operator in ("Gt", "Lt") and not is_one_number:
                yield f"{path}.affinity: {each.key} must have one whole number with Gt or Lt"


def _comparison_problems(spec: Spec) -> Iterator[str]:
    primary, load = spec.comparison.primary, spec.load
    if not load.steps or not (spec.target.variants or spec.comparison.baseline):
        return  # nothing is compared
    if primary is PrimaryMetric.TIME_UNTIL_FOUND and load.visibility is None:
        yield "spec.comparison.primary: TimeUntilFoundP95 must go with load.visibility; set it"
    indexes = any(step.indexing is not None for step in load.steps)
    if primary is PrimaryMetric.DOCUMENTS_PER_SECOND and not indexes:
        yield (
            "spec.comparison.primary: DocumentsPerSecond must go with indexing of a step; set it,"
            " or choose another metric"
        )


def _workload_problems(spec: Spec) -> Iterator[str]:
    search, workers = spec.load.capacity, spec.load.workers
    if search is not None and workers > (search.max_in_flight or workers):
        yield (
            f"spec.load.capacity.maxInFlight: must be at least {workers}, as each of load.workers"
            " needs a connection; raise it, or take fewer workers"
        )
    for objective in spec.objectives:
        if objective.failures is not None and not objective.failures.max_percent:
            yield (
                f"spec.objectives: {objective.name} must have failures.maxPercent above 0, as no"
                " number of requests shows that none ever fails; 0.01 takes 38,000 of them"
            )
    router = spec.collection.router
    is_by_ids = router.name is RouterName.COMPOSITE_ID and router.field is None
    if spec.collection.shards == 1 or is_by_ids:
        return
    for index, entry in enumerate(spec.workload.mix or ()):
        generated = None if entry.updates is None else entry.updates.generated
        if generated is not None and generated.ids is UpdateIdPolicy.EXISTING:
            yield (
                f"spec.workload.mix[{index}].updates.generated.ids: Existing must go with"
                " collection.router.name compositeId without a field, else a document would be in"
                " two shards; set New"
            )


def _dataset_problems(spec: Spec) -> Iterator[str]:
    dataset, visibility = spec.dataset, spec.load.visibility
    if dataset is None:
        return
    if visibility is not None and dataset.id_field in visibility.fields:
        yield (
            f"spec.load.visibility.fields: must not have {dataset.id_field}, the id of marked"
            " documents; leave it out"
        )
    for index, url in enumerate(dataset.http.urls if dataset.http is not None else ()):
        try:
            parts = urlsplit(url)
            is_url = parts.port != 0 and bool(parts.hostname)
        except ValueError:
            is_url = False
        if not is_url:
            yield (
                f"spec.dataset.http.urls[{index}]: must have a host, and a port from 1 to 65535 if"
                " any; correct it"
            )
    made = dataset.indexed_generator
    if made is not None and dataset.expected_documents not in (None, made.documents):
        yield (
            "spec.dataset.expectedDocuments: must be the number of generated documents, whose ids"
            " differ; leave it out"
        )


def _label_problems(path: str, labels: Mapping[str, str]) -> Iterator[str]:
    for key, value in labels.items():
        if re.fullmatch(LABEL_KEY, key) is None:
            yield f"{path}: must have keys such as example.org/team, not {key!r}"
        if value and re.fullmatch(LABEL_NAME, value) is None:
            yield (
                f"{path}: {key} must be letters, digits, '-', '_' and '.', and begin and end with a"
                f" letter or digit, not {value!r}"
            )


def _node_requirements(affinity: Affinity | None) -> Iterator[NodeSelectorRequirement]:
    nodes = None if affinity is None else affinity.node_affinity
    if nodes is None:
        return
    required = nodes.required_during_scheduling_ignored_during_execution
    preferred = nodes.preferred_during_scheduling_ignored_during_execution or ()
    terms = [] if required is None else required.node_selector_terms
    for term in (*terms, *(each.preference for each in preferred)):
        yield from term.match_expressions


def _set_options(spec: Spec) -> Iterator[tuple[str, str]]:
    for index, options in enumerate(spec.pod_options):
        path = f"spec.podOptions[{index}]"
        for name in PodOptions.model_fields:
            if name != "components" and getattr(options, name) is not None:
                yield f"{path}.{to_camel(name)}", to_camel(name)
        for number, env_var in enumerate(options.env or ()):
            if env_var.value_from is not None and env_var.value_from.secret_key_ref is not None:
                yield f"{path}.env[{number}].valueFrom.secretKeyRef", SECRETS
    solr = spec.target.solr_cloud
    if solr is None:
        return
    if solr.node_selector:
        yield "spec.target.solrCloud.nodeSelector", "nodeSelector"
    if solr.tolerations:
        yield "spec.target.solrCloud.tolerations", "tolerations"
    if solr.topology_spread != TopologySpread():
        yield "spec.target.solrCloud.topologySpread", "topologySpreadConstraints"


def check_objective_steps(spec: Spec) -> Outcome | None:
    """Fail at the first objective for a step that `load.steps` does not have.

    In the schema this would compare each name with each, and default names are made of numbers.
    """
    known = [step.name for step in spec.load.steps]
    for index, objective in enumerate(spec.objectives):
        unknown = [name for name in objective.steps if name not in known]
        if unknown:
            return fail(
                LifecycleReason.OBJECTIVE_STEP_NOT_FOUND,
                f"spec.objectives[{index}].steps names {unknown[0]}, which is not in load.steps"
                f" ({', '.join(known) or 'there are none'}); name one of these, or leave steps out",
            )
    return None


def check_baseline(baseline: SolrBenchmark) -> Outcome | None:
    """Wait until the baseline has ended; fail if it has failed."""
    name, status = baseline.metadata.name, baseline.status
    if not is_finished(status):
        return wait(
            LifecycleReason.BASELINE_UNFINISHED,
            f"{BASELINE}: SolrBenchmark {name} has not ended, it is {status.phase}",
        )
    if not holds(status, SUCCEEDED):
        return fail(
            LifecycleReason.BASELINE_FAILED,
            f"{BASELINE}: SolrBenchmark {name} has failed, so there is nothing to"
            " compare with; run it again, or name another baseline",
        )
    return None
