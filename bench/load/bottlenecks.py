"""Planted bottlenecks, their strengths drawn from a seed: how many are named.

A machine without pods can plant what a process can be: a busy server, pauses of a collector, a hot
shard, a slow node, a slow proxy, and as root with version 1 of control groups a throttled load.
Limits of a Solr pod's CPU, memory and disk need pods (`tests/e2e`).

Each run takes about 20 s on a quiet machine of two cores.
"""

import json
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness.processes import cpu_quota
from bench.harness.product import product
from bench.harness.table import Row
from bench.servers.running import Server, python_server
from solrbench.analysis.bottleneck import find_bottlenecks
from solrbench.analysis.verdict import evaluate_document
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.findings import Bottleneck, Resource
from solrbench.contract.request_counts import sum_counts
from solrbench.contract.step_document import StepRunResult

_SEED = 16
_RATE = 45
_REPEATS = 2
Nodes = list[dict[str, float]]


@dataclass(frozen=True)
class Kind:
    """What is planted, and the resource that must be named.

    Options of the nodes, users or rate, and the CPU limit of the load worker are drawn. With a
    proxy, another server stands in front of the first node.
    """

    resource: Resource
    nodes: Callable[[random.Random], Nodes]
    proxy: bool = False
    load: Callable[[random.Random], dict[str, float]] = lambda _: {"requestsPerSecond": _RATE}
    load_cores: Callable[[random.Random], float] | None = None


_LIGHT = {"cpu_milliseconds": 2.0}

KINDS = {
    "healthy": Kind(Resource.NONE, lambda _: [_LIGHT] * 3),
    "busy server": Kind(
        Resource.CPU,
        lambda draw: [{"cpu_milliseconds": draw.uniform(5, 20)}],
        load=lambda draw: {"users": draw.randint(2, 6)},
    ),
    "pauses of the collector": Kind(
        Resource.GARBAGE_COLLECTION, lambda draw: [_LIGHT | {"pause_percent": draw.uniform(15, 60)}]
    ),
    "hot shard": Kind(
        Resource.ONE_NODE, lambda draw: [_LIGHT, _LIGHT, {"cpu_milliseconds": draw.uniform(66, 90)}]
    ),
    "slow node": Kind(
        Resource.ONE_NODE,
        lambda draw: [_LIGHT, _LIGHT | {"wait_milliseconds": draw.uniform(15, 90)}, _LIGHT],
    ),
    "slow proxy": Kind(
        Resource.PROXY,
        lambda draw: [_LIGHT, _LIGHT | {"wait_milliseconds": draw.uniform(15, 90)}],
        proxy=True,
    ),
    "throttled load pod": Kind(
        Resource.LOAD_GENERATOR,
        lambda _: [{"cpu_milliseconds": 0.2}],
        load=lambda _: {"users": 4},
        load_cores=lambda draw: draw.uniform(0.04, 0.1),
    ),
}


MIN_NAMED = 0.95
"""Share of planted bottlenecks that must be named: 57 of 60."""

MIN_EFFECT = 0.1
"""A bottleneck counts only if it makes the mean response so much longer, or the load that is sent
so much less: times of responses are the kernel's, which a load that stands still does not delay."""


def bottlenecks(folder: Path, each: int, seconds: int) -> list[Row]:
    """Plant each kind so many times, healthy runs twice as many."""
    draw = random.Random(_SEED)
    run = partial(_run, folder, seconds=seconds)
    planted = [
        _plant(run, name, 2 * each if kind.resource is Resource.NONE else each, draw)
        for name, kind in KINDS.items()
    ]
    ill = [each for each in planted if each.kind.resource is not Resource.NONE]
    named, counted = sum(each.named for each in ill), sum(len(each.found) for each in ill)
    least = MIN_NAMED * counted
    total = Row("planted, all kinds", ">= 95 %", f"{named} of {counted}", named >= least)
    return [*(each.row for each in planted), *([total] if counted else [])]


@dataclass(frozen=True)
class Effect:
    """What the load saw: mean milliseconds of a response, and responses per second."""

    milliseconds: float
    rate: float

    def matters(self, usual: "Effect") -> bool:
        """Return whether it is at least `MIN_EFFECT` worse than usual."""
        least = 1 + MIN_EFFECT
        return self.milliseconds >= least * usual.milliseconds or self.rate * least <= usual.rate

    def __str__(self) -> str:
        return f"{self.milliseconds:.1f} ms at {self.rate:.0f}/s"


@dataclass(frozen=True)
class _Planted:
    """What was named in the runs of one kind in which it matters; `weak` are those where not."""

    name: str
    kind: Kind
    found: Sequence[Bottleneck]
    weak: int

    @property
    def named(self) -> int:
        return sum(each.resource == self.kind.resource for each in self.found)

    @property
    def row(self) -> Row:
        """Healthy runs must name nothing; what was planted is checked over all kinds."""
        others = [each for each in self.found if each.resource != self.kind.resource]
        accused = [each for each in others if each.resource is not Resource.INCONCLUSIVE]
        weak = f" ({self.weak} too weak)" if self.weak else ""
        reached = f"{self.named} of {len(self.found)} {self.kind.resource}{weak}"
        detail = "; ".join(f"{each.resource}: {each.message}" for each in others)[:400]
        if self.kind.resource is Resource.NONE:
            return Row(f"planted: {self.name}", "none accused", reached, not accused, detail)
        return Row(f"planted: {self.name}", "", reached, None, detail)


def _plant(
    run: "partial[tuple[Bottleneck, Effect]]", name: str, count: int, draw: random.Random
) -> _Planted:
    kind = KINDS[name]
    load = kind.load(draw)
    _, usual = run(kind, _healthy_nodes(kind), load, cores=None)
    print(f"{name}: {usual} without it", file=sys.stderr, flush=True)
    counted = []
    for _ in range(count):
        cores = None if kind.load_cores is None else kind.load_cores(draw)
        found, effect = run(kind, kind.nodes(draw), load, cores=cores)
        line = f"{name}: {effect}, {found.resource}: {found.message}"
        print(line, file=sys.stderr, flush=True)
        if kind.resource is Resource.NONE or effect.matters(usual):
            counted.append(found)
    return _Planted(name, kind, counted, count - len(counted))


def _healthy_nodes(kind: Kind) -> Nodes:
    """Return the nodes of a kind without its weakness: those of a throttled load have none."""
    nodes = kind.nodes(random.Random(0))
    return nodes if kind.load_cores is not None else [_LIGHT] * len(nodes)


def _run(  # noqa: PLR0913 - what is planted, and how
    folder: Path,
    kind: Kind,
    nodes: Nodes,
    load: dict[str, float],
    *,
    cores: float | None,
    seconds: int,
) -> tuple[Bottleneck, Effect]:
    """Return what was found, and what the load saw of it."""
    step = {"name": "planted", "durationSeconds": seconds, **load}
    runs = [
        {"id": f"r{repeat}-s0-planted", "repeat": repeat, "step": step}
        for repeat in range(1, _REPEATS + 1)
    ]
    with ExitStack() as stack:
        servers = _servers(stack, folder, kind, nodes)
        fields: dict[str, Any] = {"stepRuns": runs, "solrUrls": [each.url for each in servers]}
        quota = stack.enter_context(cpu_quota()) if cores is not None else None
        with product(servers[0], folder, **fields) as running:
            if quota is not None and cores is not None:
                for pid in running.workers:
                    quota.add(pid)
                running.wait_for_stage("Ramping", "Measuring", "Finished", "Failed")
                quota.limit(cores)
            documents = running.documents(_REPEATS * (seconds + 10))
    counts = sum_counts(each for document in documents for each in document.requests)
    mean = counts.sum_microseconds / counts.requests / 1000
    return _find(kind, step, documents), Effect(mean, counts.requests / _REPEATS / seconds)


def _servers(stack: ExitStack, folder: Path, kind: Kind, nodes: Nodes) -> list[Server]:
    started: list[Server] = []
    for options in nodes:
        extra: dict[str, Any] = {"peers": [each.port for each in started]}
        if kind.proxy and started:
            extra = {"front_of": started[0].port}
        arguments = [json.dumps(options | extra)]
        started.append(stack.enter_context(python_server("solr_double", folder, arguments)))
    # The last one knows all others, as it was started last; metrics are read of the first URL.
    return started[-1:] if kind.proxy else started[::-1]


def _find(kind: Kind, step: dict[str, Any], documents: list[StepRunResult]) -> Bottleneck:
    urls = {"existing": {"urls": ["http://proxy.example/solr"]}}
    body = {
        "apiVersion": "solrbench.io/v1alpha1",
        "kind": "SolrBenchmark",
        "metadata": {"name": "bench", "namespace": "bench"},
        "spec": {
            "target": urls if kind.proxy else {"solrCloud": {"heap": "512Mi"}},
            "dataset": {"generator": {"documents": 1}},
            "workload": {"queries": {"generated": {}}},
            "load": {"steps": [step], "repeats": {"count": _REPEATS}},
        },
    }
    spec = SolrBenchmark.model_validate(body).spec
    runs = [evaluate_document(each, spec.load) for each in documents]
    (found,) = find_bottlenecks(spec, runs)
    return found
