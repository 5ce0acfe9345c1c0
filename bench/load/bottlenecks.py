"""Planted bottlenecks, their strengths drawn from a seed: how many are named.

A machine without pods can plant what a process can be: a busy server, pauses of a collector, a hot
shard, a slow node, a slow proxy, and as root with version 1 of control groups a throttled load.
Limits of a Solr pod's CPU, memory and disk need pods (`tests/e2e`).

`python -m bench.load.bottlenecks --kind "slow proxy" --count 10` plants one kind, with its
progress; without `--kind` all of them. Each run takes about 20 s on a quiet machine of two cores:
60 planted ones, 20 healthy ones and a baseline of each kind take half an hour, with `--seconds 3`
24 minutes.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness.processes import cpu_quota
from bench.harness.product import product
from bench.harness.table import Row, render
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
    """What is planted.

    Attributes:
        proxy: whether another server stands in front of the first node
        load_cores: CPU limit of the load worker, drawn; None for none
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
        Resource.GARBAGE_COLLECTION,
        lambda draw: [_LIGHT | {"pause_percent": draw.uniform(15, 60)}],
    ),
    "hot shard": Kind(
        Resource.ONE_NODE,
        lambda draw: [_LIGHT, _LIGHT, {"cpu_milliseconds": draw.uniform(66, 90)}],
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


def bottlenecks(
    folder: Path, each: int, seconds: int, kinds: Sequence[str] = tuple(KINDS)
) -> list[Row]:
    """Plant each kind so many times, healthy runs twice as many."""
    draw = random.Random(_SEED)
    counts = {name: 2 * each if KINDS[name].resource is Resource.NONE else each for name in kinds}
    progress = _Progress(sum(counts.values()) + len(kinds))
    run = partial(_run, folder, seconds=seconds)
    planted = [_plant(run, name, count, draw, progress) for name, count in counts.items()]
    ill = [each for each in planted if each.kind.resource is not Resource.NONE]
    named, counted = sum(each.named for each in ill), sum(each.counted for each in ill)
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


class _Progress:
    """Prints each run and when all will be done."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._began = total, 0, time.monotonic()

    def show(self, text: str) -> None:
        self._done += 1
        left = (self._total - self._done) * (time.monotonic() - self._began) / self._done
        line = f"{self._done} of {self._total}, {left / 60:.0f} min left: {text}"
        print(line, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class _Planted:
    """Runs of one kind.

    Attributes:
        weak: runs in which it does not
    """

    name: str
    kind: Kind
    found: Sequence[Bottleneck]
    weak: int

    @property
    def counted(self) -> int:
        return len(self.found)

    @property
    def named(self) -> int:
        return sum(each.resource == self.kind.resource for each in self.found)

    @property
    def row(self) -> Row:
        """Healthy runs must name nothing; what was planted is checked over all kinds."""
        others = [each for each in self.found if each.resource != self.kind.resource]
        accused = [each for each in others if each.resource is not Resource.UNCLEAR]
        weak = f" ({self.weak} too weak)" if self.weak else ""
        reached = f"{self.named} of {self.counted} {self.kind.resource}{weak}"
        detail = "; ".join(f"{each.resource}: {each.message}" for each in others)[:400]
        if self.kind.resource is Resource.NONE:
            return Row(f"planted: {self.name}", "none accused", reached, not accused, detail)
        return Row(f"planted: {self.name}", "", reached, None, detail)


def _plant(
    run: "partial[tuple[Bottleneck, Effect]]",
    name: str,
    count: int,
    draw: random.Random,
    progress: _Progress,
) -> _Planted:
    kind = KINDS[name]
    load = kind.load(draw)
    _, usual = run(kind, _healthy_nodes(kind), load, cores=None)
    progress.show(f"{name}: {usual} without it")
    counted = []
    for _ in range(count):
        cores = None if kind.load_cores is None else kind.load_cores(draw)
        found, effect = run(kind, kind.nodes(draw), load, cores=cores)
        progress.show(f"{name}: {effect}, {found.resource}: {found.message}")
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant one kind or all of them; 1 if one was not named."""
    parser = argparse.ArgumentParser(prog="bench.bottlenecks", description=main.__doc__)
    parser.add_argument("--kind", choices=tuple(KINDS), action="append", help="all by default")
    parser.add_argument("--count", type=int, default=10, help="of each kind, healthy ones twice")
    parser.add_argument("--seconds", type=int, default=5, help="of each of two repeats")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="solrbench-bench-") as folder:
        kinds = options.kind or tuple(KINDS)
        rows = bottlenecks(Path(folder), options.count, options.seconds, kinds)
    print(render(rows))
    return int(any(row.is_met is False for row in rows))
