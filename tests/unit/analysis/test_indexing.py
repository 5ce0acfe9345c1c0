"""What held indexing back: planted and healthy runs of a model, and what is too little to say."""

from random import Random
from typing import Any

import pytest

from solrbench.analysis.bottleneck import conclude_indexing
from solrbench.analysis.conclusions import collect_answers
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.dataset import Indexing
from solrbench.api.v1alpha1.status import DatasetStatus, IndexPodsStatus, IndexPodStatus
from solrbench.contract.server_document import ServerFigures, Telemetry
from solrbench.telemetry.readings import ServerReading
from solrbench.telemetry.summary import summarise_servers
from support.narrowing import not_none
from support.results.builders import make_spec

NODES, CPUS = 3, 4.0


def modelled(planted: str, random: Random) -> tuple[DatasetStatus, Telemetry]:
    """Return what index pods and nodes report of a run of which `planted` is the limit.

    Each reading sees some updates under way, of which every one waits for merges with the
    probability of the run; CPU time, collections and waits for the disk grow with noise of 5 %.
    """
    busy = random.uniform(0.25, 0.7)
    stalled, collecting, disk = 0.03, random.uniform(0.001, 0.02), random.uniform(0.0, 0.1)
    waiting, cores, throttled = random.uniform(75, 99), random.uniform(0.2, 0.6), 0.0
    busiest = busy * random.uniform(1.0, 1.15)
    match planted:
        case "IndexClient":
            kind = random.randrange(3)
            waiting = random.uniform(15, 50) if kind == 0 else waiting
            throttled = random.uniform(10, 50) if kind == 1 else 0.0
            cores = random.uniform(0.9, 1.0) if kind == 2 else cores
        case "Merges":
            stalled = random.uniform(0.35, 0.8)
        case "GarbageCollection":
            collecting = random.uniform(0.08, 0.3)
        case "Disk":
            disk = random.uniform(0.3, 0.8)
        case "OneNode":
            busiest, busy = random.uniform(0.92, 1.0), random.uniform(0.1, 0.4)
        case "Cpu":
            busiest = busy = random.uniform(0.92, 0.98)
        case _:
            pass
    readings: dict[str, dict[str, list[ServerReading]]] = {}
    for node in range(NODES):
        name, cpu, gc, io = f"solr-{node}:8983", 0.0, 0.0, 0.0
        for number in range(random.randrange(10, 30)):
            noise = random.gauss(1, 0.05)
            cpu += 2 * CPUS * min((busiest if node == 0 else busy) * noise, 1.0)
            gc, io = gc + 2 * collecting * noise, io + 2 * disk * noise
            moment = 2.0 * number
            counters = {"cpu_seconds": cpu, "gc_seconds": gc, "gc_count": 3.0 * number}
            counters["updates"] = 4000.0 * number
            known = readings.setdefault("solr", {}).setdefault(name, [])
            known.append(ServerReading(name, moment, counters, {"cpus": CPUS}))
            updates = random.randrange(1, 6)
            waits = sum(random.random() < stalled for _ in range(updates))
            peaks = {"merge_threads": 2.0, "update_threads": float(updates)}
            peaks["merge_stalled_percent"] = 100 * waits / updates
            threads = readings.setdefault("solr-threads", {}).setdefault(name, [])
            threads.append(ServerReading(name, moment, peaks=peaks))
            pods = readings.setdefault("pods", {}).setdefault(name, [])
            pods.append(ServerReading(name, moment, {"io_some_seconds": io}, component="solr"))
    used = IndexPodsStatus(cpu_cores=2 * cores, throttled_percent=throttled)
    dataset = DatasetStatus(waiting_percent=waiting, pods=used, documents_per_second=5200)
    return dataset, summarise_servers(readings, [])


PLANTED = ("IndexClient", "Merges", "GarbageCollection", "Disk", "OneNode", "Cpu")


@pytest.mark.parametrize("planted", [*PLANTED, "None"])
def test_what_is_planted_is_named_and_healthy_runs_are_not_accused(planted: str) -> None:
    named = []
    for seed in range(20):
        dataset, telemetry = modelled(planted, Random(f"{planted} {seed}"))
        found = conclude_indexing(dataset, Indexing(pods=2), telemetry)
        named.append(not_none(found.bottleneck).resource)
        client = planted == "IndexClient"
        assert (found.verdict == "Invalid") == client
        assert [each.reason for each in found.reasons] == ["IndexClientLimits"] * client
    assert named.count(planted) >= (20 if planted == "None" else 18), named


def test_a_time_without_the_report_of_a_pod_is_none() -> None:
    dataset = DatasetStatus(seconds=130.0, documents_per_second=61_500)
    found = conclude_indexing(dataset, Indexing(pods=2), None, is_timed=False)
    assert (found.verdict, found.is_valid) == ("Invalid", False)
    assert [each.reason for each in found.reasons] == ["IndexReportLost"]


def test_pods_without_documents_do_not_share_the_cpu_time_of_others() -> None:
    by_pod = [IndexPodStatus(pod=n, documents=documents) for n, documents in enumerate((9, 0, 0))]
    used = IndexPodsStatus(cpu_cores=0.95)
    dataset = DatasetStatus(waiting_percent=90.0, pods=used, by_pod=by_pod)
    assert conclude_indexing(dataset, Indexing(pods=3), None).verdict == "Invalid"


@pytest.mark.parametrize(("documents", "verdict"), [(1, "Valid"), (20_000, "Invalid")])
def test_streams_without_a_batch_say_nothing_of_the_client(documents: int, verdict: str) -> None:
    """Of one batch, one of two streams has nothing to send: it waits for half of the time."""
    dataset = DatasetStatus(waiting_percent=50, documents=documents)
    assert conclude_indexing(dataset, Indexing(), None).verdict == verdict


def test_status_has_what_solr_did() -> None:
    dataset, telemetry = modelled("Merges", Random(7))
    found = conclude_indexing(dataset, Indexing(pods=2), telemetry)
    solr = not_none(found.solr)
    assert solr.nodes == NODES
    assert solr.updates_per_second == pytest.approx(6000)
    assert not_none(solr.merge_stalled_percent) > 30
    assert found.series
    (answer,) = collect_answers(make_spec("a"), Status(dataset=found))
    assert answer.startswith("Indexing, 5200 documents/s: the bottleneck is merges of segments")
    assert "waited for merges, with 6 threads merging (limit 20 %)" in answer
    assert answer.endswith("Change next: collection.shards.")
    # A single document, for steps that index, is held back by nothing.
    single = found.model_copy(update={"seconds": 0.03})
    assert collect_answers(make_spec("a"), Status(dataset=single)) == []


@pytest.mark.parametrize(
    ("telemetry", "text"),
    [
        (Telemetry(missing=["no metrics from http://a: 401"]), "not at all (no metrics from"),
        (Telemetry(solr=[ServerFigures(server="a", seconds=4, readings=3)]), "read 3 times"),
        (Telemetry(solr=[ServerFigures(server="a", seconds=2, readings=1)]), "read 1 time;"),
    ],
)
def test_too_few_readings_are_inconclusive(telemetry: Telemetry, text: str) -> None:
    dataset = DatasetStatus(waiting_percent=90)
    found = not_none(conclude_indexing(dataset, Indexing(), telemetry).bottleneck)
    assert found.resource == "Inconclusive"
    assert text in found.message


@pytest.mark.parametrize("changes", [{}, {"waiting_percent": 10}])
def test_without_telemetry_only_the_client_is_checked(changes: dict[str, Any]) -> None:
    found = conclude_indexing(DatasetStatus(**changes), Indexing(pods=1), None)
    assert (found.bottleneck, found.solr) == (None, None)
    assert found.verdict == ("Invalid" if changes else "Valid")
