"""Resources of a newer version, read as far as this version knows them."""

import copy
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from solrbench.api.rules import ADMITTED
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.sweep.sweep import SolrBenchmarkSweep
from solrbench.cli.files.reading import Place, format_place

_ROUNDS = 20
"""Leaving out one part may uncover another: at most so often."""
_SHOWN = 3
_NOUNS = {SolrBenchmark: "benchmark", SolrBenchmarkSweep: "sweep"}
_KNOWN = ("apiVersion", "kind", "metadata", "spec", "status")


Stored = TypeVar("Stored", SolrBenchmark, SolrBenchmarkSweep)


def parse_stored(body: dict[str, Any]) -> SolrBenchmark:
    """Return the model of a stored benchmark, as `parse_stored_as` does."""
    return parse_stored_as(SolrBenchmark, body)


def parse_stored_as(model: type[Stored], body: dict[str, Any]) -> Stored:
    """Return the model of a stored resource; what this version does not know is left out.

    Rules of the resource are not applied: the API server let it through. The first time that
    something is left out, a warning says so.

    Raises:
        pydantic.ValidationError: if what is left is no such resource.

    """
    rest = copy.deepcopy({key: body[key] for key in _KNOWN if key in body})
    left_out: list[str] = []
    for _ in range(_ROUNDS):
        try:
            found = model.model_validate(rest, context={ADMITTED: True})
        except ValidationError as error:
            places = [_unreadable(item["type"], item["loc"]) for item in error.errors()]
            removed = [place for place in reversed(places) if _remove(rest, place)]
            if not removed:
                raise
            left_out += [format_place(place) for place in removed]
        else:
            _warn(_NOUNS[model], sorted(set(left_out)))
            return found
    return model.model_validate(rest, context={ADMITTED: True})


def _unreadable(kind: str, place: Place) -> Place:
    """Return what to leave out: the whole object where a field of it is missing."""
    return place[:-1] if kind == "missing" else place


def _remove(body: Any, place: Place) -> bool:
    """Remove what is at a place; return whether it was there."""
    *parents, last = place or ("",)
    for part in parents:
        try:
            body = body[part]
        except (KeyError, IndexError, TypeError):
            return False
    if isinstance(body, dict) and last in body:
        del body[last]
        return True
    if isinstance(body, list) and isinstance(last, int) and last < len(body):
        del body[last]
        return True
    return False


def _warn(noun: str, left_out: list[str]) -> None:
    context = click.get_current_context(silent=True)
    if not left_out or context is None or context.meta.get(__name__):
        return
    context.meta[__name__] = True
    more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
    click.echo(
        f"Warning: the {noun} is of another version; left out: {', '.join(left_out[:_SHOWN])}"
        f"{more}. Use the command of the operator's version to see all.",
        err=True,
    )
