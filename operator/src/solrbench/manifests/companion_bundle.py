"""All manifests of a benchmark's companions, checked, and how they refer to each other."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from solrbench.api.problems import problems
from solrbench.errors import PermanentError
from solrbench.plan import names
from solrbench.plan.companions.objects import (
    KINDS,
    CompanionObject,
    ConfigMap,
    Deployment,
    Service,
)
from solrbench.plan.companions.references import BundleScope, CompanionBundle, find_problems
from solrbench.plan.companions.text import MAX_BYTES, parse_documents
from solrbench.plan.companions.values import replace_values, service_value
from solrbench.reasons.companions import CompanionReason

MAX_MANIFESTS = 24
MAX_PODS = 16
"""Of all Deployments together."""

MAX_NAME = 63
"""Of a Service, with the name of the benchmark before it."""

_TAKEN = frozenset({*names.COMPONENTS, names.SOLR_COMMON})
_TAKEN_BEGINNINGS = ("solrcloud", f"{names.REPORT}-")
"""Names of objects of the benchmark, and beginnings of those of the Solr Operator."""


@dataclass(frozen=True)
class ManifestText:
    """Manifests as they stand in a ConfigMap.

    Attributes:
        place: what messages call them: the ConfigMap and its key
        text: YAML
        values: values of the names that the benchmark gives for them

    """

    place: str
    text: str
    values: Mapping[str, str]


def parse_bundle(texts: Collection[ManifestText], scope: BundleScope) -> CompanionBundle:
    """Return the objects that manifests describe.

    Raises:
        PermanentError: `CompanionRefused`, with the place, kind, name and field

    """
    size = sum(len(each.text.encode()) for each in texts)
    if size > MAX_BYTES:
        raise _refuse(
            "spec.companions", f"{size} bytes of manifests, limit {MAX_BYTES}; leave some out"
        )
    bodies = [(each, body) for each in texts for body in _documents(each)]
    if len(bodies) > MAX_MANIFESTS:
        raise _refuse(
            "spec.companions", f"{len(bodies)} manifests, limit {MAX_MANIFESTS}; leave some out"
        )
    hosts = {
        service_value(name): f"{names.companion(scope.benchmark_name, name)}.{scope.namespace}.svc"
        for text, body in bodies
        for name in _service_name(body, {**scope.values, **text.values})
    }
    found = [
        (_title(text.place, body), _parse(text, body, {**scope.values, **hosts, **text.values}))
        for text, body in bodies
    ]
    _check_names(found, scope.benchmark_name)
    bundle = CompanionBundle(
        tuple(each for _, each in found if isinstance(each, Deployment)),
        tuple(each for _, each in found if isinstance(each, Service)),
        tuple(each for _, each in found if isinstance(each, ConfigMap)),
    )
    for title, each in found:
        for problem in find_problems(each, bundle, scope):
            raise _refuse(title, problem)
    if bundle.pods > MAX_PODS:
        raise _refuse(
            "spec.companions", f"{bundle.pods} pods in all, limit {MAX_PODS}; lower replicas"
        )
    return bundle


def _documents(text: ManifestText) -> list[Any]:
    try:
        return parse_documents(text.text)
    except ValueError as error:
        raise _refuse(text.place, str(error)) from error


def _parse(text: ManifestText, body: Any, values: Mapping[str, str]) -> CompanionObject:
    title = _title(text.place, body)
    kind = body.get("kind") if isinstance(body, dict) else None
    model = KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise _refuse(
            title, f"kind must be {', '.join(KINDS)}, not {str(kind)[:60]}; apply others yourself"
        )
    try:
        return model.model_validate(replace_values(body, values))
    except ValidationError as error:
        raise _refuse(title, _describe(error)) from error
    except ValueError as error:
        raise _refuse(title, str(error)) from error


def _describe(error: ValidationError) -> str:
    unknown = "must not be set, companions cannot have it"
    return "; ".join(each.replace("unknown field", unknown) for each in problems(error)[:3])


def _service_name(body: Any, values: Mapping[str, str]) -> Iterator[str]:
    if isinstance(body, dict) and body.get("kind") == "Service":
        metadata = body.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if isinstance(name, str):
            with suppress(ValueError):  # it is refused with all else that the object lacks
                yield replace_values(name, values)


def _title(place: str, body: Any) -> str:
    metadata = body.get("metadata") if isinstance(body, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    kind = body.get("kind") if isinstance(body, dict) else None
    words = [str(each)[:60] for each in (kind, name) if each is not None]
    return f"{place}: {' '.join(words) or 'a manifest'}"


def _check_names(found: list[tuple[str, CompanionObject]], benchmark_name: str) -> None:
    seen: set[tuple[str, str]] = set()
    for title, each in found:
        name = each.metadata.name
        if (each.kind, name) in seen:
            raise _refuse(title, "metadata.name must differ from that of others of its kind")
        seen.add((each.kind, name))
        if name in _TAKEN or name.startswith(_TAKEN_BEGINNINGS):
            raise _refuse(title, f"metadata.name must not be {name}, the benchmark has one itself")
        whole = names.companion(benchmark_name, name)
        if len(whole) > MAX_NAME:
            raise _refuse(title, f"metadata.name: {whole} is longer than {MAX_NAME} characters")


def _refuse(place: str, problem: str) -> PermanentError:
    return PermanentError(CompanionReason.COMPANION_REFUSED, f"{place}: {problem}")
