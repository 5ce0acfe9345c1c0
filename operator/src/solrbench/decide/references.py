"""Which options of pods a benchmark may set, as the operator's settings say.

Who may create benchmarks need not be allowed to use every ServiceAccount or Secret of a namespace,
but a pod that names one acts with its rights.
"""

from collections.abc import Collection, Iterator

from pydantic.alias_generators import to_camel

from solrbench.api.v1alpha1.pod.pod_options import PodOptions
from solrbench.api.v1alpha1.pod.pods import TopologySpread
from solrbench.api.v1alpha1.spec import Spec
from solrbench.decide.checks.outcome import Outcome, fail
from solrbench.reasons.lifecycle import LifecycleReason

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


def check_pod_options(spec: Spec, allowed: Collection[str]) -> Outcome | None:
    """Fail at the first option that is set and not allowed."""
    for path, option in _set_options(spec):
        if option not in allowed:
            return fail(
                LifecycleReason.POD_OPTION_NOT_ALLOWED,
                f"{path} must not be set, the operator's settings do not allow {option}; leave it"
                f" out, or add {option} to benchmarkPods.allowedOptions of the operator's chart",
            )
    return None


def _set_options(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield the path and the name of each option that is set."""
    for index, options in enumerate(spec.pod_options):
        place = f"spec.podOptions[{index}]"
        for name in PodOptions.model_fields:
            if name != "components" and getattr(options, name) is not None:
                yield f"{place}.{to_camel(name)}", to_camel(name)
        for number, each in enumerate(options.env or ()):
            if each.value_from is not None and each.value_from.secret_key_ref is not None:
                yield f"{place}.env[{number}].valueFrom.secretKeyRef", SECRETS
    solr = spec.target.solr_cloud
    if solr is None:
        return
    if solr.node_selector:
        yield "spec.target.solrCloud.nodeSelector", "nodeSelector"
    if solr.tolerations:
        yield "spec.target.solrCloud.tolerations", "tolerations"
    if solr.topology_spread != TopologySpread():
        yield "spec.target.solrCloud.topologySpread", "topologySpreadConstraints"
