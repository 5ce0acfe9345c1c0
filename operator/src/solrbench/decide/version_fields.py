"""Fields of a spec that set what a version of Solr does not know.

Solr ignores some of it without a word, so that two versions would be measured with different
settings; with the rest its nodes do not start, which is seen minutes later.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from solrbench.api.solr_versions import (
    REMOVED_MODULES,
    REMOVED_PARAMETERS,
    REMOVED_WRITERS,
    RENAMED_VARIABLES,
    SECURITY_MANAGER,
    is_10,
    release_of_tag,
)
from solrbench.api.v1alpha1.benchmark import Spec
from solrbench.api.v1alpha1.pod_options import EnvVar, PodComponent
from solrbench.decide.outcome import Outcome, fail
from solrbench.reasons.target import TargetReason

_MODULES = re.compile(r"-Dsolr\.modules=(\S+)")


def check_version_fields(spec: Spec, versions: Iterable[str]) -> Outcome | None:
    """Fail if a field sets what one of these versions, of nodes or of a tag, does not know."""
    for version in versions:
        for problem in _find_problems(spec, version):
            return fail(TargetReason.FIELD_NOT_IN_VERSION, problem)
    return None


def version_problems(spec: Spec) -> list[str]:
    """Return what is wrong with a spec for the version that the tag of its image names, if any."""
    solr = spec.target.solr_cloud
    release = None if solr is None else release_of_tag(solr.image.tag)
    return [] if release is None else list(_find_problems(spec, release))


def _find_problems(spec: Spec, version: str) -> Iterator[str]:
    """Yield a sentence for each field; each begins with the path of the field."""
    if not is_10(version):
        return
    remedy = f"Solr {version} does not know it any more; leave it out"
    for path, parameters in _parameters(spec):
        for name in REMOVED_PARAMETERS:
            if name in parameters:
                yield f"{path}: must not have {name}, {remedy}"
        if parameters.get("wt") in REMOVED_WRITERS:
            yield f"{path}: must not have wt={parameters['wt']}, {remedy}, or set json or javabin"
    yield from _find_in_pods(spec, remedy)
    solr = spec.target.solr_cloud
    if solr is not None and SECURITY_MANAGER in (solr.solr_opts or ""):
        yield (
            f"spec.target.solrCloud.solrOpts: must not have {SECURITY_MANAGER}, with which the"
            f" Java of Solr {version} does not start; leave it out"
        )


def _find_in_pods(spec: Spec, remedy: str) -> Iterator[str]:
    for path, modules in _modules(spec):
        for module in sorted(set(modules.split(",")).intersection(REMOVED_MODULES)):
            yield f"{path}: must not have the module {module}, {remedy}"
    for path, variable in _variables(spec):
        if variable.name in RENAMED_VARIABLES.values():
            yield f"{path}: must not be {variable.name}, which the operator sets; leave it out"


def _parameters(spec: Spec) -> Iterator[tuple[str, Mapping[str, str]]]:
    yield "spec.workload.parameters", spec.workload.parameters
    for index, entry in enumerate(spec.workload.mix or ()):
        path = f"spec.workload.mix[{index}]"
        yield f"{path}.parameters", entry.parameters
        requests = entry.transaction.requests if entry.transaction is not None else ()
        for number, request in enumerate(requests):
            yield f"{path}.transaction.requests[{number}].parameters", request.parameters


def _modules(spec: Spec) -> Iterator[tuple[str, str]]:
    solr = spec.target.solr_cloud
    for modules in _MODULES.findall((solr.solr_opts if solr is not None else None) or ""):
        yield "spec.target.solrCloud.solrOpts", modules
    for path, variable in _variables(spec):
        if variable.name == "SOLR_MODULES":
            yield path, variable.value or ""


def _variables(spec: Spec) -> Iterator[tuple[str, EnvVar]]:
    for index, options in enumerate(spec.pod_options):
        for number, variable in enumerate(options.env or ()):
            if PodComponent.SOLR in options.components:
                yield f"spec.podOptions[{index}].env[{number}]", variable
