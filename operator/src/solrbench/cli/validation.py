"""`solrbench validate`: the same verdict as the API server's, with lines, without a cluster.

Resources of a newer version are read as far as this version knows them.
"""

import copy
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from solrbench.api.identity import GROUP, KIND
from solrbench.api.kinds import BENCHMARK, SWEEP
from solrbench.api.rules import Place, describe, format_place
from solrbench.api.schema import structural_schema
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.sweep import SolrBenchmarkSweep
from solrbench.cli.files import FILES, SET, Document, read_documents
from solrbench.cli.main import command
from solrbench.cli.program import ExitCode
from solrbench.decide.references import spec_problems
from solrbench.decide.version_fields import version_problems
from solrbench.sweep.plan import CheckedSweep, check_sweep

_EXAMPLE_SUFFIX = "xxxxx"
"""As long as what the API server adds to `metadata.generateName`."""


def valid_parts(documents: list[Document]) -> tuple[list[SolrBenchmark], list[CheckedSweep]]:
    """Return the benchmarks, and the sweeps as they were checked, among some objects.

    It raises `click.ClickException` if there is none, or one is not valid; this names every fault,
    with its line and what to write.
    """
    sweeps = [_check_sweep(document) for document in documents if document.is_sweep]
    checked = [check(document) for document in documents if document.is_benchmark]
    faults = [line for _, lines in sweeps for line in lines] + unknown_kinds(documents)
    faults += [line for _, lines in checked for line in lines]
    if faults:
        raise click.ClickException("\n".join(faults))
    if not checked and not sweeps:
        raise click.ClickException(f"no {KIND} in the files given")
    benchmarks = [benchmark for benchmark, _ in checked if benchmark is not None]
    return benchmarks, [sweep for sweep, _ in sweeps]


def _fault(document: Document, line: int, text: str) -> str:
    kind, name = document.body["kind"], _name(document)
    return f"{document.source}:{line}: {kind} {name} is not valid: {text}"


def unknown_kinds(documents: list[Document]) -> list[str]:
    """Return a line for each object of our group whose kind there is not."""
    return [
        f"{document.source}:{document.line_of(('kind',))}: kind {document.body['kind']} of {GROUP}"
        f" is unknown; write {KIND} or {SWEEP.name}"
        for document in documents
        if str(document.body["apiVersion"]).partition("/")[0] == GROUP
        and document.body["kind"] not in (KIND, SWEEP.name)  # --set may make it a list
    ]


def check(document: Document) -> tuple[SolrBenchmark | None, list[str]]:
    """Return a benchmark, and a line for each thing that is wrong with it."""
    faults, benchmark = [*document.faults], None
    try:
        benchmark = SolrBenchmark.parse(_as_created(document.body))
        line, spec = document.line_of(("spec",)), benchmark.spec
        faults += [(line, each) for each in (*version_problems(spec), *spec_problems(spec))]
    except ValidationError as error:
        items = error.errors(include_url=False)
        faults += [(document.line_of(item["loc"]), _text(item)) for item in items]
    return benchmark, [_fault(document, *each) for each in sorted(faults)]


def _check_sweep(document: Document) -> tuple[CheckedSweep, list[str]]:
    """Return a sweep as it was checked, and a line for each thing that is wrong with it."""
    sweep, line = check_sweep(_as_created(document.body)), document.line_of(("spec",))
    faults = [*((line, text) for text in sweep.problems), *document.faults]
    return sweep, [_fault(document, *each) for each in faults]


def _name(document: Document) -> str:
    metadata = document.body["metadata"]
    return str(metadata.get("name") or metadata["generateName"])


def _as_created(body: dict[str, Any]) -> dict[str, Any]:
    """Return what the API server makes of a new resource: it has a name, and no status."""
    created = copy.deepcopy({key: value for key, value in body.items() if key != "status"})
    metadata = created["metadata"]
    if not metadata.get("name"):
        metadata["name"] = f"{metadata['generateName']}{_EXAMPLE_SUFFIX}"
    return created


def _text(item: ErrorDetails) -> str:
    location: Place = item["loc"]
    text = describe(item)
    if item["type"] == "extra_forbidden":
        fields = _fields(location[:-1])
        if near := get_close_matches(str(location[-1]), fields, 1):
            text += f'; did you mean "{near[0]}"?'
        elif fields:
            text += f"; known are {', '.join(fields)}"
    return f"{format_place(location)}: {text}" if location else text


_schema = cache(structural_schema)


def _fields(place: Place) -> list[str]:
    schema = _schema(BENCHMARK.model)
    for part in place:
        schema = schema.get("items" if isinstance(part, int) else "properties", {})
        schema = schema if isinstance(part, int) else schema.get(part, {})
    return sorted(schema.get("properties", {}))


_ROUNDS = 20
"""Leaving out one part may uncover another: at most so often."""
_SHOWN = 3

Stored = TypeVar("Stored", SolrBenchmark, SolrBenchmarkSweep)


def parse_stored(model: type[Stored], body: dict[str, Any]) -> Stored:
    """Return the model of a stored resource; what this version does not know is left out.

    Rules of the resource are not applied: the API server let it through. The first time that
    something is left out, a warning says so. It raises `pydantic.ValidationError` if what is left
    is no such resource.
    """
    rest = copy.deepcopy(body)
    left_out: list[str] = []
    for _ in range(_ROUNDS):
        try:
            benchmark = model.parse_admitted(rest)
        except ValidationError as error:
            places = [
                # Where a field is missing, its whole object cannot be read.
                item["loc"][:-1] if item["type"] == "missing" else item["loc"]
                for item in error.errors()
            ]
            # From the last one on: the indices of entries before a removed one stay right.
            removed = [place for place in reversed(dict.fromkeys(places)) if _remove(rest, place)]
            if not removed:
                raise
            left_out += [format_place(place) for place in removed]
        else:
            noun = "benchmark" if model is SolrBenchmark else "sweep"
            _warn(noun, sorted(set(left_out)))
            return benchmark
    return model.parse_admitted(rest)


def _remove(body: Any, place: Place) -> bool:
    """Remove what is at a place; return whether it was there."""
    *parents, last = place or ("",)
    try:
        for part in parents:
            body = body[part]
        del body[last]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _warn(noun: str, left_out: list[str]) -> None:
    context = click.get_current_context(silent=True)
    if not left_out or context is None or context.meta.get(__name__):
        return
    context.meta[__name__] = True
    more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
    click.echo(
        f"Warning: the {noun} is of another version; omitted: {', '.join(left_out[:_SHOWN])}"
        f"{more}. Use the command of the operator's version to see all.",
        err=True,
    )


@command(
    "solrbench validate bench.yaml",
    "solrbench validate -f examples/",
    "helm template my-chart | solrbench validate -f -",
)
@FILES
@SET
def validate(files: tuple[Path, ...], changes: tuple[str, ...]) -> None:
    """Check files with benchmarks and sweeps without a cluster.

    Of a sweep all points are shown in their order, with the time and the resources they need.
    All faults of all files are shown, each with its line. Exit code 1 if there is one.
    """
    documents = read_documents(files, changes)
    wanted = [each for each in documents if each.is_benchmark]
    sweeps = [each for each in documents if each.is_sweep]
    unknown = unknown_kinds(documents)
    if not wanted and not sweeps and not unknown:
        raise click.ClickException(f"no {KIND} or {SWEEP.name} in the files given")
    verdicts = [*map(_verdict, sweeps), ("", unknown), *map(_verdict, wanted)]
    for text, faults in verdicts:
        for fault in faults:
            click.echo(fault, err=True)
        if text and not faults:
            click.echo(text)
    if any(faults for _, faults in verdicts):
        raise click.exceptions.Exit(ExitCode.FAILED)


def _verdict(document: Document) -> tuple[str, list[str]]:
    """Return what is said of a benchmark or a sweep if it is valid, and what is wrong with it."""
    if document.is_benchmark:
        return f"{_name(document)}: valid", check(document)[1]
    sweep, faults = _check_sweep(document)
    return f"{_name(document)}: valid, " + "\n  ".join(sweep.lines), faults
