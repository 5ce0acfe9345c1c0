"""The manifests of a benchmark's companions as one checked bundle.

Users write them, so YAML is read as plain values only. `$(NAME)` in a text is replaced as
Kubernetes does for variables of a container; `$$(NAME)` stands for `$(NAME)` itself.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError

from solrbench.api.rules import problems
from solrbench.api.v1alpha1.collection import NAME_PATTERN, SERVICE_PREFIX
from solrbench.contract import names
from solrbench.errors import PermanentError
from solrbench.manifests.companion_objects import (
    KINDS,
    BundleScope,
    CompanionBundle,
    CompanionObject,
    ConfigMap,
    Deployment,
    Service,
    find_problems,
)
from solrbench.reasons.target import CompanionReason

MAX_BYTES = 256 << 10
"""Of all manifests of a benchmark together."""

MAX_DEPTH = 40
"""Of nesting: the parser calls itself for each level."""

MAX_DIGITS = 100
"""Of a number: to base 60, as `1:30`, 256 KiB would take seconds, and longer ones have no text."""

_NUMBER = re.compile("[-+]?(0[xb][0-9A-Fa-f_]+|[0-9_:.]+)")


def _documents(place: str, text: str) -> list[Any]:
    """Return the documents of a text; one that begins or ends with `---` has empty ones, too."""
    try:
        _check_events(text)
        return [each for each in yaml.safe_load_all(text) if each is not None]
    # Tags such as `!!int` and `!!bool` before something else end in errors of all kinds.
    except (yaml.YAMLError, RecursionError, LookupError, AttributeError) as error:
        raise _refuse(place, f"no YAML: {' '.join(str(error).split())}") from error
    except ValueError as error:
        raise _refuse(place, str(error)) from error


def _check_events(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = 0 if event.start_mark is None else event.start_mark.line + 1
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        # A few lines with aliases of aliases stand for gigabytes.
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"line {line}: aliases must not be used")  # noqa: TRY004 - of a text
        if (
            isinstance(event, yaml.ScalarEvent)
            and len(event.value) > MAX_DIGITS
            and (event.tag or event.style is None)
            and _NUMBER.fullmatch(event.value)
        ):
            raise ValueError(f"line {line}: more than {MAX_DIGITS} digits; quote a text")
        if depth > MAX_DEPTH:
            raise ValueError(f"line {line}: more than {MAX_DEPTH} levels of nesting")


# Only names of capitals count, so that `$(date)` of a shell stays as it is.
_REFERENCE = re.compile(rf"(\$?)\$\(({NAME_PATTERN})\)")


def _replace_values(body: Any, values: Mapping[str, str]) -> Any:
    """Return a body in which every text, keys apart, has its references replaced.

    A value is not searched for references. ValueError is raised for a name without a value.
    """
    match body:
        case str():
            return _REFERENCE.sub(lambda match: _value(match, values), body)
        case list():
            return [_replace_values(each, values) for each in body]
        case dict():
            return {key: _replace_values(each, values) for key, each in body.items()}
        case _:
            return body


def _value(found: re.Match[str], values: Mapping[str, str]) -> str:
    escaped, name = found.groups()
    if escaped:
        return found.group()[1:]
    if name not in values:
        raise ValueError(
            f"$({name}) has no value, there are {', '.join(sorted(values))}; correct the name, or"
            f" write $$({name}) for the text itself"
        )
    return values[name]


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
    """Manifests as they stand in a ConfigMap, with the benchmark's values of names."""

    place: str
    """What messages call them: the ConfigMap and its key."""
    text: str
    values: Mapping[str, str]


def parse_bundle(texts: Collection[ManifestText], scope: BundleScope) -> CompanionBundle:
    """Return the objects that manifests describe.

    It raises `PermanentError` with `CompanionRefused`, with the place, kind, name and field.
    """
    size = sum(len(companion.text.encode()) for companion in texts)
    if size > MAX_BYTES:
        problem = f"{size} bytes of manifests, limit {MAX_BYTES}; leave some out"
        raise _refuse("spec.companions", problem)
    bodies = [(text, body) for text in texts for body in _documents(text.place, text.text)]
    if len(bodies) > MAX_MANIFESTS:
        problem = f"{len(bodies)} manifests, limit {MAX_MANIFESTS}; leave some out"
        raise _refuse("spec.companions", problem)
    hosts = {
        SERVICE_PREFIX + name.upper().replace("-", "_"): (
            f"{names.companion(scope.benchmark_name, name)}.{scope.namespace}.svc"
        )
        for text, body in bodies
        for name in _service_name(body, {**scope.values, **text.values})
    }
    titled_objects = [
        (_title(text.place, body), _parse(text, body, {**scope.values, **hosts, **text.values}))
        for text, body in bodies
    ]
    _check_names(titled_objects, scope.benchmark_name)
    bundle = CompanionBundle(
        tuple(companion for _, companion in titled_objects if isinstance(companion, Deployment)),
        tuple(companion for _, companion in titled_objects if isinstance(companion, Service)),
        tuple(companion for _, companion in titled_objects if isinstance(companion, ConfigMap)),
    )
    for title, companion in titled_objects:
        for problem in find_problems(companion, bundle, scope):
            raise _refuse(title, problem)
    if bundle.pods > MAX_PODS:
        problem = f"{bundle.pods} pods in all, limit {MAX_PODS}; lower replicas"
        raise _refuse("spec.companions", problem)
    return bundle


def _parse(text: ManifestText, body: Any, values: Mapping[str, str]) -> CompanionObject:
    title = _title(text.place, body)
    kind = body.get("kind") if isinstance(body, dict) else None
    model = KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise _refuse(
            title, f"kind must be {', '.join(KINDS)}, not {str(kind)[:60]}; apply others yourself"
        )
    try:
        return model.model_validate(_replace_values(body, values))
    except ValidationError as error:
        refused = "; ".join(problems(error)[:3])
        # The field may well be one of Kubernetes that is not allowed here.
        unknown = "must not be set, companions cannot have it"
        raise _refuse(title, refused.replace("unknown field", unknown)) from error
    except ValueError as error:
        raise _refuse(title, str(error)) from error


def _service_name(body: Any, values: Mapping[str, str]) -> Iterator[str]:
    match body:
        case {"kind": "Service", "metadata": {"name": str(name)}}:
            with suppress(ValueError):  # it is refused with all else that the object lacks
                yield _replace_values(name, values)
        case _:
            pass


def _title(place: str, body: Any) -> str:
    fields = body if isinstance(body, dict) else {}
    metadata = fields.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    words = [str(each)[:60] for each in (fields.get("kind"), name) if each is not None]
    return f"{place}: {' '.join(words) or 'a manifest'}"


def _check_names(found: list[tuple[str, CompanionObject]], benchmark_name: str) -> None:
    seen: set[tuple[str, str]] = set()
    for title, companion in found:
        name = companion.metadata.name
        if (companion.kind, name) in seen:
            raise _refuse(title, "metadata.name must differ from that of others of its kind")
        seen.add((companion.kind, name))
        if name in _TAKEN or name.startswith(_TAKEN_BEGINNINGS):
            raise _refuse(title, f"metadata.name must not be {name}, the benchmark has one itself")
        whole = names.companion(benchmark_name, name)
        if len(whole) > MAX_NAME:
            raise _refuse(title, f"metadata.name: {whole} is longer than {MAX_NAME} characters")


def _refuse(place: str, problem: str) -> PermanentError:
    return PermanentError(CompanionReason.COMPANION_REFUSED, f"{place}: {problem}")
