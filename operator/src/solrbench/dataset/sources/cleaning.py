"""Documents as Solr wants them: an id, no nulls, nested objects as dotted fields.

Solr's `/update/json/docs` makes dotted fields of nested objects; its faster `/update` would read
them as atomic updates or child documents. So they are made flat here, by the same rule.
"""

from collections.abc import Iterator, Mapping
from typing import Any

_NEEDS_WORK = (dict, list, type(None))


def cleaned(document: dict[str, Any], id_field: str, fallback_id: str) -> dict[str, Any]:
    """Return the document to send; one without an id gets `fallback_id`."""
    if any(isinstance(value, _NEEDS_WORK) for value in document.values()):
        document = _flat(document)
    if id_field not in document:
        return {id_field: fallback_id, **document}
    return document


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in _leaves("", document):
        if name not in flat:
            flat[name] = value
        else:
            flat[name] = [*_as_list(flat[name]), *_as_list(value)]
    return flat


def _leaves(prefix: str, document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        name = prefix + key
        if isinstance(value, dict):
            yield from _leaves(f"{name}.", value)
        elif isinstance(value, list):
            yield from _list_leaves(name, value)
        elif value is not None:
            yield name, value


def _list_leaves(name: str, values: list[Any]) -> Iterator[tuple[str, Any]]:
    plain: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            yield from _leaves(f"{name}.", value)
        elif isinstance(value, list):
            inner = list(_list_leaves(name, value))
            plain += [leaf for key, leaves in inner if key == name for leaf in leaves]
            yield from (leaf for leaf in inner if leaf[0] != name)
        elif value is not None:
            plain.append(value)
    if plain:
        yield name, plain


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
