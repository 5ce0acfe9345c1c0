"""Each rule with planted figures, and healthy figures that no rule may accuse."""

from statistics import median
from typing import Any

import pytest

from solrbench.analysis.bottleneck import HINTS, RULES, find_bottleneck
from solrbench.analysis.bottleneck_evidence import BottleneckInput
from solrbench.analysis.checks import NotEvaluated, Outcome, ValidityFinding
from solrbench.analysis.server_metrics import RunTelemetry
from solrbench.api.v1alpha1.findings import Resource
from solrbench.contract.server_document import Spread

HEALTHY = {
    "nodes": 3.0,
    "cpu_percent": 60.0,
    "gc_percent": 1.0,
    "heap_after_gc_max_percent": 40.0,
    "threads_blocked": 0.2,
    "jetty_busy_max_percent": 20.0,
    "system_cpu_percent": 70.0,
    "client_milliseconds": 10.0,
    "solr_milliseconds": 8.0,
    "zookeeper_outstanding_max": 1.0,
    "zookeeper_latency_milliseconds": 2.0,
    "zookeeper_requests_per_second": 3.0,
    "throttled_percent": 0.5,
    "memory_full_percent": 0.0,
    "major_faults_per_second": 2.0,
    "io_some_percent": 3.0,
}


def spread(figure: str, *numbers: float) -> Spread:
    middle = median(numbers)
    return Spread(
        figure=figure,
        servers=len(numbers),
        total=sum(numbers),
        median=middle,
        deviation=1.4826 * median(abs(each - middle) for each in numbers),
        lowest=min(numbers),
        highest=max(numbers),
        highest_server=f"solr-{numbers.index(max(numbers))}",
    )


def evidence(
    *peers: Spread,
    findings: dict[str, Outcome] | None = None,
    behind_proxy: bool = False,
    users: int | None = None,
    **changes: float,
) -> BottleneckInput:
    servers = dict.fromkeys(changes, "solr-1")
    found = RunTelemetry(HEALTHY | changes, servers, {each.figure: each for each in peers})
    return BottleneckInput(1, found, findings or {}, behind_proxy, users)


FAULTS: dict[str, Any] = {"major_faults_per_second": 900.0, "io_some_percent": 60.0}
SLOW: dict[str, Any] = {"client_milliseconds": 60.0}
PROXY: dict[str, Any] = {"behind_proxy": True}
IDLE: dict[str, Any] = {"system_cpu_percent": 30.0}
FEW_PRESENT: dict[str, Any] = {"solr_requests_per_second": 450.0, "solr_milliseconds": 10.0}
"""By Little's law, 1.5 requests on each of three nodes."""

PLANTED: list[tuple[Resource, dict[str, Any]]] = [
    (Resource.THROTTLING, {"throttled_percent": 30.0}),
    (Resource.MEMORY, {"memory_full_percent": 20.0}),
    (Resource.MEMORY, FAULTS),
    (Resource.MEMORY, FAULTS | {"memory_some_percent": 8.0}),
    # Version 1 of control groups: no stalls, but the pod filled its limit.
    (Resource.MEMORY, FAULTS | {"io_some_percent": 9.0, "memory_used_max_percent": 99.0}),
    # First reads of a file that is mapped are faults, too: there was room for it.
    (Resource.DISK, FAULTS | {"memory_some_percent": 0.1}),
    (Resource.DISK, FAULTS | {"memory_used_max_percent": 50.0}),
    # 5 % of the time is half of that of 10 requests a second of 10 ms.
    (
        Resource.DISK,
        {"io_some_percent": 5.0, "reads_per_second": 100.0}
        | {"solr_requests_per_second": 10.0, "solr_milliseconds": 10.0},
    ),
    (Resource.GARBAGE_COLLECTION, {"gc_percent": 25.0}),
    (Resource.GARBAGE_COLLECTION, {"gc_percent": 4.0, "heap_after_gc_max_percent": 80.0}),
    (Resource.GARBAGE_COLLECTION, {"heap_after_gc_max_percent": 95.0}),
    # A pause of 200 ms each 10 s: 2 % of requests wait for 100 ms, a fifth of the 10 ms of all.
    (Resource.GARBAGE_COLLECTION, {"gc_percent": 2.0, "gc_per_second": 0.1}),
    # Reading pages anew and collecting garbage use the CPUs as well: the cause comes first.
    (Resource.MEMORY, {"memory_full_percent": 20.0, "cpu_percent": 97.0}),
    (Resource.GARBAGE_COLLECTION, {"gc_percent": 25.0, "cpu_percent": 97.0}),
    (Resource.CPU, {"cpu_percent": 97.0, "system_cpu_percent": 99.0}),
    # A thread waits in 30 % of the time where 60 % of the CPUs are used: 0.75 of 1.5 requests.
    (Resource.CPU, FEW_PRESENT | {"cpu_some_percent": 30.0}),
    (Resource.DISK, {"io_some_percent": 60.0}),
    (Resource.ZOOKEEPER, {"zookeeper_outstanding_max": 40.0}),
    (Resource.ZOOKEEPER, {"zookeeper_latency_milliseconds": 300.0}),
    (Resource.PROXY, PROXY | SLOW),
    (Resource.PROXY, PROXY | SLOW | {"system_cpu_percent": 99.0}),
    # A quarter of the time, where no process has to wait for a CPU.
    (Resource.PROXY, PROXY | IDLE | {"client_milliseconds": 12.0}),
    # An eighth, which a process that waits for a CPU on a busy machine may take, too.
    (Resource.PROXY, PROXY | IDLE | {"client_milliseconds": 24.0, "solr_milliseconds": 21.0}),
    (Resource.NETWORK, IDLE | {"client_milliseconds": 40.0}),
    # Two phases, each delayed by 20 ms, and 12 ms in all handlers of shards together.
    (
        Resource.NETWORK,
        IDLE
        | {"client_milliseconds": 56.0, "solr_milliseconds": 54.0}
        | {"shard_milliseconds_per_request": 12.0, "cpu_milliseconds_per_request": 9.0},
    ),
    (Resource.THREADS, SLOW | {"jetty_busy_max_percent": 100.0}),
    (Resource.THREADS, SLOW | PROXY | {"jetty_busy_max_percent": 100.0}),
    (Resource.THREADS, {"threads_blocked": 12.0}),
    # Half a thread on average is a third of the 1.5 requests that a node has.
    (Resource.THREADS, FEW_PRESENT | {"threads_blocked": 0.5}),
    # Some threads are free at times, and yet requests wait for one before their handler.
    (Resource.THREADS, SLOW | IDLE | {"jetty_busy_max_percent": 93.0}),
    # A machine in which no process waits, however much of it is used.
    (
        Resource.NETWORK,
        {"client_milliseconds": 40.0, "system_cpu_percent": 75.0, "machine_cpu_some_percent": 4.0},
    ),
    (Resource.MACHINE, {"system_cpu_percent": 99.0}),
    (Resource.MACHINE, SLOW | {"machine_cpu_percent": 99.0}),
    (Resource.MACHINE, SLOW | {"machine_steal_percent": 30.0}),
]


@pytest.mark.parametrize(("resource", "planted"), PLANTED)
def test_a_planted_bottleneck_is_named_with_its_number_and_limit(
    resource: Resource, planted: dict[str, Any]
) -> None:
    found = find_bottleneck(evidence(**planted))
    assert found.resource is resource
    assert "limit" in found.symptom.text
    assert resource in HINTS


def test_healthy_figures_are_not_accused() -> None:
    alike = spread("cpu_percent", 60, 55, 58), spread("shard_request_milliseconds", 5, 6, 5)
    found = find_bottleneck(evidence(*alike))
    assert found.resource is Resource.NONE
    assert found.symptom.text.startswith("no resource reached its limit (CPU of the busiest node")


@pytest.mark.parametrize("reason", ["PodThrottled", "WorkerSaturated", "DelayedByGenerator"])
def test_a_load_generator_at_its_limit_comes_before_all_else(reason: str) -> None:
    finding = ValidityFinding(1, "worker w-1 was CPU-throttled for 3 s of 10 s (30 %, limit 1 %)")
    found = find_bottleneck(evidence(findings={reason: finding}, cpu_percent=99.0))
    assert found.resource is Resource.LOAD_GENERATOR
    assert "w-1" in found.symptom.text


def test_others_on_the_node_come_before_what_solr_shows() -> None:
    finding = ValidityFinding(60, "processes that are not of the benchmark used 60 % of the CPUs")
    slow = spread("shard_request_milliseconds", 4, 40, 5)
    found = find_bottleneck(evidence(slow, findings={"OthersUseCpu": finding}, gc_percent=50.0))
    assert found.resource is Resource.MACHINE
    assert "60 % of the CPUs" in found.symptom.text


def test_a_check_that_could_not_be_made_accuses_nothing() -> None:
    found = find_bottleneck(evidence(findings={"PodThrottled": NotEvaluated("no cpu.stat")}))
    assert found.resource is Resource.NONE


@pytest.mark.parametrize(
    "numbers", [(95, 30), (30, 95, 35), (30, 33, 95, 31, 35), (20, 22, 20, 21, 23, 24, 90)]
)
def test_a_hot_node_is_named_and_not_the_cpu_of_all(numbers: tuple[float, ...]) -> None:
    hot = spread("cpu_percent", *numbers)
    found = find_bottleneck(evidence(hot, cpu_percent=hot.highest))
    assert found.resource is Resource.ONE_NODE
    assert found.symptom.server == hot.highest_server
    assert "the other nodes" in found.symptom.text


def test_a_throttled_pod_of_the_proxy_is_named() -> None:
    found = find_bottleneck(evidence(**SLOW, **PROXY, companion_throttled_percent=80.0))
    assert (found.resource, found.symptom.server) == (Resource.PROXY, "solr-1")
    assert "whose pod is throttled for 80 % of the time (limit 5 %)" in found.symptom.text
    assert find_bottleneck(evidence(companion_throttled_percent=80.0)).resource is Resource.NONE


def test_nodes_that_are_busy_alike_are_the_cpu() -> None:
    alike = spread("cpu_percent", 97, 92, 95)
    assert find_bottleneck(evidence(alike, cpu_percent=97.0)).resource is Resource.CPU


def test_a_node_with_slow_answers_to_its_peers_is_named() -> None:
    slow = spread("shard_request_milliseconds", 4, 40, 5)
    found = find_bottleneck(evidence(slow))
    assert (found.resource, found.symptom.server) == (Resource.ONE_NODE, "solr-1")


@pytest.mark.parametrize("numbers", [(0.1, 0.6, 0.1), (5, 6, 8), (3, 4)])
def test_small_differences_of_times_are_chance(numbers: tuple[float, ...]) -> None:
    found = find_bottleneck(evidence(spread("request_milliseconds", *numbers)))
    assert found.resource is Resource.NONE


@pytest.mark.parametrize(
    "figures",
    [
        {"gc_percent": 4.0},
        {"gc_percent": 2.0, "gc_per_second": 2.0},
        {"gc_percent": 0.5, "gc_per_second": 0.01},
        {"heap_after_gc_max_percent": 80.0},
        # A tenth of the requests, or a machine that others use.
        {"cpu_some_percent": 12.0, "solr_requests_per_second": 900.0, "solr_milliseconds": 10.0},
        {"cpu_some_percent": 50.0, "solr_requests_per_second": 9.0, "cpu_percent": 20.0},
        {"threads_blocked": 0.3, "solr_requests_per_second": 900.0, "solr_milliseconds": 10.0},
        # Requests may have waited for a thread.
        SLOW | IDLE | {"jetty_busy_max_percent": 85.0},
        {"io_some_percent": 5.0, "solr_requests_per_second": 10.0, "reads_per_second": 2.0},
        PROXY | {"client_milliseconds": 12.0, "system_cpu_percent": 85.0},
        PROXY | IDLE | {"client_milliseconds": 9.0},
        # A process that waits for a CPU looks the same as the network.
        SLOW,
        # The host has its CPUs: not enough to be named, but enough to be slow.
        IDLE | SLOW | {"machine_steal_percent": 8.0},
        # Long responses are written after the handler ended, and written with CPU time.
        IDLE | SLOW | {"cpu_milliseconds_per_request": 55.0},
        IDLE | PROXY | {"client_milliseconds": 24.0, "cpu_milliseconds_per_request": 22.0},
        # Shards that are slow one after the other.
        IDLE
        | {"client_milliseconds": 56.0, "solr_milliseconds": 54.0}
        | {"shard_milliseconds_per_request": 60.0, "cpu_milliseconds_per_request": 9.0},
        # No shard was asked: threads may wait for a lock.
        IDLE | {"client_milliseconds": 56.0, "solr_milliseconds": 54.0},
    ],
)
def test_what_is_healthy_or_explained_otherwise_is_not_accused(figures: dict[str, Any]) -> None:
    assert find_bottleneck(evidence(**figures)).resource is Resource.NONE


@pytest.mark.parametrize(
    ("users", "resource"),
    [(None, Resource.GARBAGE_COLLECTION), (4, Resource.NONE), (500, Resource.GARBAGE_COLLECTION)],
)
def test_a_pause_meets_one_request_of_each_user(users: int | None, resource: Resource) -> None:
    """As measured with 4 users: 28 ms each 1.5 s, at 4,650 requests/s of 0.25 ms, is 3 %."""
    figures: dict[str, Any] = {"gc_percent": 1.91, "gc_per_second": 0.675}
    figures |= {"solr_requests_per_second": 4650.0, "solr_milliseconds": 0.25}
    assert find_bottleneck(evidence(users=users, **figures)).resource is resource


def test_what_was_not_measured_is_never_named() -> None:
    found = find_bottleneck(BottleneckInput(1, RunTelemetry(), {}))
    assert found.resource is Resource.NONE
    assert "no resource reached its limit (none was read)" in found.symptom.text


def test_the_server_is_named_only_among_several() -> None:
    assert find_bottleneck(evidence(gc_percent=50.0)).symptom.server == "solr-1"
    assert find_bottleneck(evidence(gc_percent=50.0, nodes=1.0)).symptom.server is None


def test_every_resource_but_the_words_has_a_rule() -> None:
    words = {Resource.NONE, Resource.INCONCLUSIVE}
    of_indexing = {Resource.MERGES, Resource.INDEX_CLIENT}
    assert {resource for resource, _ in RULES} == set(Resource) - words - of_indexing


@pytest.mark.parametrize("reason", ["CpuPressure", "CpuStolen", "ScheduleLag"])
def test_what_slow_load_pods_saw_accuses_no_network(reason: str) -> None:
    slow: dict[str, Outcome] = {reason: ValidityFinding(1, "processes waited for a CPU for 3 s")}
    found = find_bottleneck(evidence(findings=slow, **SLOW, **IDLE))
    assert found.resource is Resource.NONE
