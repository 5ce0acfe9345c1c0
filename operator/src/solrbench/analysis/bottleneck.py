"""The first rule that applies, and whether repeats agree."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.status.bottleneck import Bottleneck, Resource
from solrbench.plan.step_runs import variant_names
from solrbench.results.bottleneck.evidence import Evidence, Symptom
from solrbench.results.bottleneck.rules.registry import FIELDS, RULES
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.stats.number_format import format_percent
from solrbench.results.summary.telemetry import RunTelemetry
from solrbench.results.validity.checks.finding import EvaluatedRun

LEAST_AGREEING = 2
"""Repeats that must show the same: one may have had a neighbour on its machine."""

MAX_MESSAGE = 1024


@dataclass(frozen=True)
class RunBottleneck:
    """What one step run shows."""

    repeat: int
    resource: Resource
    symptom: Symptom


def find_bottlenecks(
    spec: Spec,
    runs: Iterable[tuple[EvaluatedRun, RunTelemetry | None]],
) -> list[Bottleneck]:
    """Return what held each step and variant back, for those whose servers were read."""
    by_step: dict[tuple[str, str], list[Evidence]] = {}
    for run, servers in runs:
        if servers is not None and servers.figures:
            key = run.document.step, run.document.variant
            by_step.setdefault(key, []).append(_evidence(spec, run, servers))
    return [
        _agree(step.name, variant, [find_bottleneck(each) for each in by_step[step.name, variant]])
        for step in spec.load.steps
        for variant in variant_names(spec)
        if (step.name, variant) in by_step
    ]


def _evidence(spec: Spec, run: EvaluatedRun, servers: RunTelemetry) -> Evidence:
    return Evidence(
        repeat=run.document.repeat,
        servers=servers,
        findings=run.findings,
        behind_proxy=_behind_proxy(spec, run.document),
        users=run.document.users,
    )


def _behind_proxy(spec: Spec, document: StepRunResult) -> bool:
    """Return whether something may stand between load and Solr: only nodes are direct."""
    existing = spec.target.existing
    if existing is not None:
        known = document.target.pods if document.target is not None else {}
        nodes = {each.removesuffix("_solr") for each in known}
        hosts = {urlsplit(each).netloc for each in existing.urls or ()}
        return not hosts or not hosts <= nodes
    variant = next((each for each in spec.target.variants if each.name == document.variant), None)
    return variant is not None and bool(variant.urls)


def find_bottleneck(run: Evidence) -> RunBottleneck:
    """Return the first resource at its limit in one step run, or that there is none."""
    for resource, find in RULES:
        symptom = find(run)
        if symptom is not None:
            return RunBottleneck(run.repeat, resource, symptom)
    return RunBottleneck(run.repeat, Resource.NONE, Symptom(_nothing(run.servers.figures)))


def _nothing(figures: Mapping[str, float]) -> str:
    known = {
        "CPU of the busiest node": figures.get("cpu_percent"),
        "garbage collection": figures.get("gc_percent"),
        "heap after a collection": figures.get("heap_after_gc_max_percent"),
    }
    shown = (
        f"{name} {format_percent(value)}" for name, value in known.items() if value is not None
    )
    return f"nothing is saturated: {', '.join(shown) or 'no figure is near its limit'}"


def _agree(step: str, variant: str, runs: Sequence[RunBottleneck]) -> Bottleneck:
    counts = Counter(each.resource for each in runs)
    resource, shown = counts.most_common(1)[0]
    agreeing = [each for each in runs if each.resource is resource]
    if shown < LEAST_AGREEING or 2 * shown <= len(runs):
        return Bottleneck(
            step=step,
            variant=variant or None,
            resource=Resource.UNCLEAR,
            message=_differences(runs)[:MAX_MESSAGE],
        )
    servers = {each.symptom.server for each in agreeing}
    text = f"{agreeing[0].symptom.text}, in {shown} of {len(runs)} repeats"
    return Bottleneck(
        step=step,
        variant=variant or None,
        resource=resource,
        server=servers.pop() if len(servers) == 1 else None,
        message=text[:MAX_MESSAGE],
        field=FIELDS.get(resource),
    )


def _differences(runs: Sequence[RunBottleneck]) -> str:
    shown = "; ".join(
        f"repeat {each.repeat}: {each.resource}, {each.symptom.text}" for each in runs[:3]
    )
    if len(runs) < LEAST_AGREEING:
        return f"{LEAST_AGREEING} repeats must agree, there is one: {shown}"
    return f"repeats do not agree: {shown}"
