"""Bottlenecks that are computed instead of run: how many the rules name, in seconds, anywhere.

Each case is one of `models`; it counts only if it matters (10 % of the mean response
time, a healthy one at most 2 %). Two repeats of it differ by noise, and must agree. Of the kinds in
`other_models`, at most one of fifty may be named as something that it is not.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.bottlenecks.models import MODELS, SECONDS, Case, Rng
from bench.bottlenecks.other_models import OTHER_MODELS, SILENT
from bench.harness.table import Row
from solrbench.analysis.bottleneck import find_bottleneck
from solrbench.analysis.bottleneck_evidence import BottleneckInput
from solrbench.analysis.server_metrics import RunTelemetry, run_telemetry
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.contract.step_document import StepRunResult
from solrbench.telemetry.summary import spreads_of, with_shares

_SEED = 16
MIN_EFFECT = 0.1
MAX_HEALTHY_EFFECT = 0.02
_START = datetime(2026, 1, 1, tzinfo=UTC)
_HEAP = 2.0**30
_MEMORY = 4 * 2.0**30


def computed_bottlenecks(folder: Path, *, each: int) -> list[Row]:
    """Return a row for each kind: how many are named, of those that matter."""
    del folder
    rows = [_row(kind, wanted, each) for kind, (wanted, _) in MODELS.items()]
    return rows + [_other_row(kind, each // 4) for kind in OTHER_MODELS]


def _other_row(kind: str, each: int) -> Row:
    """Return how many of a kind are named as something that they are not."""
    allowed, draw = OTHER_MODELS[kind]
    rng = np.random.default_rng(_SEED)
    found = Counter(_name(draw(rng), rng) for _ in range(each))
    wrong = sum(count for word, count in found.items() if word not in allowed)
    named = ", ".join(f"{count} {word}" for word, count in found.most_common())
    most = each // 50
    bar = f"<= {most} of {each} but {', '.join(sorted(allowed - SILENT))}"
    return Row(f"other: {kind}", bar, f"{wrong} of {each}", wrong <= most, named)


def _row(kind: str, wanted: str, each: int) -> Row:
    rng = np.random.default_rng(_SEED)
    found = Counter(
        _name(case, rng) for case, _ in zip(_cases(kind, rng), range(each), strict=False)
    )
    named = found[wanted]
    least = each if kind == "healthy" else round(0.95 * each)
    others = ", ".join(f"{count} {word}" for word, count in found.most_common() if word != wanted)
    bar = f">= {least} of {each} {wanted}"
    return Row(f"computed: {kind}", bar, f"{named} of {each}", named >= least, others)


def _cases(kind: str, rng: Rng) -> Iterator[Case]:
    _, draw = MODELS[kind]
    while True:
        case = draw(rng)
        matters = case.effect >= MIN_EFFECT
        if matters if kind != "healthy" else case.effect <= MAX_HEALTHY_EFFECT:
            yield case


def _name(case: Case, rng: Rng) -> str:
    """Return what two repeats agree on; the node of one that is apart must be named, too."""
    runs = [
        find_bottleneck(
            BottleneckInput(repeat, _telemetry(case, rng), case.findings, case.behind_proxy)
        )
        for repeat in (1, 2)
    ]
    first, second = runs
    if first.resource is not second.resource:
        return "Unclear"
    if case.apart and first.resource == "OneNode":
        named = {each.symptom.server for each in runs}
        return "OneNode" if named == {f"solr-{case.apart[0]}"} else "another node"
    return str(first.resource)


def _telemetry(case: Case, rng: Rng) -> RunTelemetry:
    nodes = [_node(case, place, rng) for place in range(case.cluster.nodes)]
    pods = [_pod(case, place, rng) for place in range(case.cluster.nodes)]
    telemetry = Telemetry(
        spreads={
            "solr": spreads_of("solr", nodes),
            "solr-pods": spreads_of("solr-pods", pods),
            "machines": spreads_of("machines", [_machine(case)]),
        }
    )
    document = StepRunResult(
        id="r1-s0-computed",
        repeat=1,
        step="computed",
        attempt=1,
        start_time=_START,
        end_time=_START,
        seconds=SECONDS,
        requests=[],
        workers=[],
        telemetry=telemetry,
    )
    found = run_telemetry(document)
    assert found is not None
    solr = found.figures["solr_milliseconds"]
    client = solr + case.outside * rng.lognormal(0, 0.1)
    return RunTelemetry(
        {**found.figures, "client_milliseconds": client}, found.servers, found.peers
    )


def _machine(case: Case) -> ServerFigures:
    stolen = case.cluster.cores * SECONDS * case.figures.get("steal_share", 0.0)
    figures = {"cpus": float(case.cluster.cores), "steal_seconds": stolen}
    return with_shares(
        ServerFigures(server="machine", seconds=SECONDS, readings=7, figures=figures)
    )


def _factor(case: Case, place: int) -> float:
    return case.apart[1] if case.apart and case.apart[0] == place else 1.0


def _node(case: Case, place: int, rng: Rng) -> ServerFigures:
    cluster = case.cluster
    demand = cluster.demand * _factor(case, place) * cluster.unevenness[place]
    gc = case.figures.get("gc_share", rng.uniform(0.002, 0.03))
    # Pauses of a healthy heap: of young generations, which take some 10 ms.
    pause = case.figures.get("pause_milliseconds", rng.uniform(5, 20))
    use = min(cluster.rate * demand / 1000 / cluster.cores, 0.98)
    live = case.figures.get("live_share", rng.uniform(0.2, 0.7))
    requests = cluster.rate * SECONDS
    spent = requests * (demand + case.inside) / 1000 * rng.lognormal(0, 0.03)
    asked = requests * case.figures.get("between", 0.0) / 1000
    written = case.figures.get("writing", 0.0)
    # While the collector stops the application, its threads use all cores. What it usually takes is
    # part of the demand of a query.
    collecting = case.figures.get("gc_share", 0.0) * SECONDS * cluster.cores
    worked = requests * (demand + written) / 1000 + collecting
    figures = {
        "cpu_seconds": min(worked, 0.98 * cluster.cores * SECONDS),
        "cpus": float(cluster.cores),
        "gc_seconds": gc * SECONDS * rng.lognormal(0, 0.1),
        "gc_count": gc * SECONDS * 1000 / pause,
        "system_cpu_mean_percent": 100 * min(use + rng.uniform(0, 0.15), 1.0),
        "heap_limit_bytes": _HEAP,
        "heap_used_max_bytes": _HEAP * min(live + 0.25, 0.98),
        "heap_after_gc_max_bytes": _HEAP * min(live * rng.lognormal(0, 0.02), 1),
        "threads_blocked_mean": case.figures.get("threads_blocked", rng.exponential(0.3)),
        "jetty_busy_max_percent": case.figures.get("jetty_busy_percent", rng.uniform(2, 30)),
        "requests": requests / cluster.nodes,
        "request_seconds": (spent + asked) / cluster.nodes,
        "shard_requests": requests,
        "shard_request_seconds": spent,
    }
    return with_shares(
        ServerFigures(server=f"solr-{place}", seconds=SECONDS, readings=7, figures=figures)
    )


def _pod(case: Case, place: int, rng: Rng) -> ServerFigures:
    cluster, known = case.cluster, case.figures
    periods = SECONDS / 0.1
    figures = {
        "cpu_seconds": cluster.rate * cluster.demand / 1000 * SECONDS,
        "io_some_seconds": SECONDS * known.get("io_some_share", rng.uniform(0, 0.08)),
        "memory_full_seconds": SECONDS * known.get("memory_full_share", 0.0),
        "memory_some_seconds": SECONDS * rng.uniform(0, 0.002),
        "major_faults": known.get("major_faults", rng.uniform(0, 20) * SECONDS),
        "reads": known.get("reads", rng.uniform(0, 3) * SECONDS),
        "memory_limit_bytes": _MEMORY,
        "memory_used_max_bytes": _MEMORY
        * known.get("memory_used_max_share", rng.uniform(0.4, 1.0)),
        "working_set_max_bytes": _MEMORY * 0.4,
    }
    if cluster.limit:
        figures["cpu_limit_cores"] = cluster.limit
        figures["periods"] = periods
        figures["throttled_periods"] = periods * known.get("throttled_share", 0.0)
    return with_shares(
        ServerFigures(server=f"solr-{place}", seconds=SECONDS, readings=7, figures=figures)
    )
