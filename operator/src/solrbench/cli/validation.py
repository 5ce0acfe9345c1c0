"""All that is wrong with benchmarks, with the lines and the names that were meant."""

import copy
from difflib import get_close_matches
from functools import cache
from typing import Any

import click
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from solrbench.api.identity import GROUP
from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.problems import describe
from solrbench.api.schema import structural_schema
from solrbench.api.v1alpha1 import KIND, SolrBenchmark
from solrbench.cli.files.reading import Document, Place, format_place
from solrbench.sweep.offline import CheckedSweep, check_sweep, largest_benchmark

_EXAMPLE_SUFFIX = "xxxxx"
"""As long as what the API server adds to `metadata.generateName`."""


def valid_benchmarks(documents: list[Document]) -> list[SolrBenchmark]:
    """Return the benchmarks among some objects.

    Raises:
        click.ClickException: if there is none, or one breaks the schema; names every field of all
            of them, with its line and what to write.

    """
    wanted = [each for each in documents if each.is_benchmark]
    if not wanted:
        raise click.ClickException(f"no {KIND} in the files given")
    found = [check(each) for each in wanted]
    faults = [line for _, lines in found for line in lines]
    if faults:
        raise click.ClickException("\n".join(faults))
    return [benchmark for benchmark, _ in found if benchmark is not None]


def valid_resources(documents: list[Document]) -> list[SolrBenchmark]:
    """Return the benchmarks among some objects, and of each sweep that of its largest point.

    Raises:
        click.ClickException: if there is none, or one is not valid; names every fault.

    """
    benchmarks, _ = valid_parts(documents)
    largest = [largest_benchmark(_named(each.body)) for each in _sweeps(documents)]
    return benchmarks + [each for each in largest if each is not None]


def valid_parts(documents: list[Document]) -> tuple[list[SolrBenchmark], list[CheckedSweep]]:
    """Return the benchmarks, and the sweeps as they were checked, among some objects.

    Raises:
        click.ClickException: if there is none, or one is not valid; names every fault.

    """
    sweeps = [(each, check_sweep(_named(each.body))) for each in _sweeps(documents)]
    faults = [
        f"{each.source}:{each.line_of(('spec',))}: {SWEEP.name} {_name(each)} is not valid: {text}"
        for each, checked in sweeps
        for text in checked.problems
    ]
    faults += unknown_kinds(documents)
    if faults:
        raise click.ClickException("\n".join(faults))
    has_benchmark = not sweeps or any(each.is_benchmark for each in documents)
    benchmarks = valid_benchmarks(documents) if has_benchmark else []
    return benchmarks, [checked for _, checked in sweeps]


def _sweeps(documents: list[Document]) -> list[Document]:
    return [each for each in documents if each.is_sweep]


def unknown_kinds(documents: list[Document]) -> list[str]:
    """Return a line for each object of our group whose kind there is not."""
    return [
        f"{each.source}:{each.line_of(('kind',))}: kind {each.body['kind']} of {GROUP} is unknown;"
        f" write {KIND} or {SWEEP.name}"
        for each in documents
        if str(each.body["apiVersion"]).partition("/")[0] == GROUP
        and each.body["kind"] not in {KIND, SWEEP.name}
    ]


def check(document: Document) -> tuple[SolrBenchmark | None, list[str]]:
    """Return a benchmark, and a line for each thing that is wrong with it."""
    name = _name(document)
    faults = [(line, text) for line, text in document.faults]
    benchmark = None
    try:
        benchmark = SolrBenchmark.parse(_named(document.body))
    except ValidationError as error:
        for item in error.errors(include_url=False):
            place: Place = item["loc"]
            faults.append((document.line_of(place), _text(item)))
    lines = [
        f"{document.source}:{line}: {KIND} {name} is not valid: {text}"
        for line, text in sorted(faults)
    ]
    return benchmark, lines


def _name(document: Document) -> str:
    metadata = document.body["metadata"]
    return str(metadata.get("name") or metadata["generateName"])


def _named(body: dict[str, Any]) -> dict[str, Any]:
    """Return a resource with the name that it may get."""
    metadata = body["metadata"]
    if metadata.get("name"):
        return body
    named = copy.deepcopy(body)
    named["metadata"]["name"] = f"{metadata['generateName']}{_EXAMPLE_SUFFIX}"
    return named


def _text(item: ErrorDetails) -> str:
    place: Place = item["loc"]
    text = describe(item)
    if item["type"] == "extra_forbidden":
        near = get_close_matches(str(place[-1]), _fields(place[:-1]), 1)
        text += f'; did you mean "{near[0]}"?' if near else _known(place[:-1])
    return f"{format_place(place)}: {text}" if place else text


def _known(place: Place) -> str:
    fields = ", ".join(_fields(place))
    return f"; known are {fields}" if fields else ""


def _fields(place: Place) -> list[str]:
    """Return the names of the fields of an object of the resource."""
    schema = _schema()
    for part in place:
        schema = schema.get("items" if isinstance(part, int) else "properties", {})
        schema = schema if isinstance(part, int) else schema.get(part, {})
    return sorted(schema.get("properties", {}))


@cache
def _schema() -> dict[str, Any]:
    return structural_schema(BENCHMARK.model)
