"""Planted bottlenecks, their strengths drawn from a seed: how many are named.

A machine without pods can plant what a process can be: a busy server, pauses of a collector, a hot
shard, a slow node, a slow proxy. Limits of CPU, memory and disk need pods (`tests/e2e`).
"""

import json
import random
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.product import product
from bench.servers.running import Server, python_server
from bench.table import Row
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.status.telemetry import Bottleneck, Resource
from solrbench.results.bottleneck.bottlenecks import find_bottlenecks
from solrbench.results.model.step_result import StepRunResult
from solrbench.results.validity.digest import digest

_SEED = 16
_RATE = 45
_REPEATS = 2
Nodes = list[dict[str, float]]


@dataclass(frozen=True)
class Kind:
    """What is planted.

    Attributes:
        resource: what must be named
        nodes: the options of each node, drawn
        proxy: whether another server stands in front of the first node
        load: users or rate of the step

    """

    resource: Resource
    nodes: Callable[[random.Random], Nodes]
    proxy: bool = False
    load: Callable[[random.Random], dict[str, float]] = lambda _: {"requestsPerSecond": _RATE}


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
}


def bottlenecks(folder: Path, each: int, seconds: int) -> list[Row]:
    """Plant each kind so many times, healthy runs twice as many."""
    draw = random.Random(_SEED)
    rows = []
    for name, kind in KINDS.items():
        count = 2 * each if kind.resource is Resource.NONE else each
        found = [_run(folder, kind, draw, seconds) for _ in range(count)]
        named = sum(one.resource == kind.resource for one in found)
        others = "; ".join(f"{one.resource}: {one.message}" for one in found)
        rows.append(
            Row(
                f"planted: {name}",
                f"{count} of {count} {kind.resource}",
                f"{named} of {count}",
                named == count,
                others[:400],
            )
        )
    return rows


def _run(folder: Path, kind: Kind, draw: random.Random, seconds: int) -> Bottleneck:
    step = {"name": "planted", "durationSeconds": seconds, **kind.load(draw)}
    runs = [
        {"id": f"r{repeat}-s0-planted", "repeat": repeat, "step": step}
        for repeat in range(1, _REPEATS + 1)
    ]
    with ExitStack() as stack:
        servers = _servers(stack, folder, kind, kind.nodes(draw))
        fields: dict[str, Any] = {"stepRuns": runs, "solrUrls": [each.url for each in servers]}
        with product(servers[0], folder, **fields) as running:
            documents = running.documents(_REPEATS * (seconds + 10))
    return _find(kind, step, documents)


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
    digests = [digest(each, spec.load) for each in documents]
    (found,) = find_bottlenecks(spec, [(each.evaluated, each.servers) for each in digests])
    return found
