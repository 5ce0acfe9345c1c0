from array import array
from dataclasses import replace
from typing import Any

import pytest

from solrbench.analysis.bottleneck import agree_over_rounds, describe_bottleneck, find_bottlenecks
from solrbench.analysis.checks import EvaluatedRun
from solrbench.analysis.conclusions import collect_answers
from solrbench.analysis.samples import RunSamples
from solrbench.analysis.server_metrics import RunTelemetry
from solrbench.api.v1alpha1 import Status
from solrbench.api.v1alpha1.findings import Bottleneck
from solrbench.contract.environment import MeasuredTarget
from support.results.builders import make_document, make_spec


def test_a_step_that_is_held_back_is_an_answer() -> None:
    found = Bottleneck(
        step="calm", resource="Cpu", message="99 % used", field="target.solrCloud.nodes"
    )
    (answer,) = collect_answers(make_spec("calm"), Status(bottlenecks=[found]))
    assert answer == (
        "calm: the bottleneck is Solr's CPU. 99 % used. Change next: target.solrCloud.nodes,"
        " on CPUs that nothing else uses."
    )


def run(repeat: int, **figures: float) -> EvaluatedRun:
    document = make_document("calm", repeat)
    servers = dict.fromkeys(figures, f"solr-{repeat}")
    telemetry = RunTelemetry({"nodes": 3.0, "cpu_percent": 40.0} | figures, servers)
    return EvaluatedRun(RunSamples(document), {}, array("d"), servers=telemetry)


def one(*runs: EvaluatedRun) -> Bottleneck:
    (found,) = find_bottlenecks(make_spec("calm"), runs)
    return found


def test_two_repeats_that_agree_name_the_resource_and_what_to_vary() -> None:
    found = one(run(1, gc_percent=20.0), run(2, gc_percent=30.0))
    assert (found.resource, found.field) == ("GarbageCollection", "target.solrCloud.heap")
    # Another node each time: it is none of them.
    assert found.server is None
    assert found.message == (
        "the collector stopped Solr for 20 % of the time (limit 5 %) in repeat 1;"
        " 2 of 2 repeats agree"
    )


@pytest.mark.parametrize("others", [[run(2)], [run(2), run(3, throttled_percent=50.0)]])
def test_repeats_that_do_not_agree_are_inconclusive(others: list[EvaluatedRun]) -> None:
    found = one(run(1, gc_percent=20.0), *others)
    assert found.resource == "Inconclusive"
    assert "Repeat 1: the collector stopped Solr for 20 %" in found.message
    assert found.field is None


def test_a_single_repeat_is_a_suspicion() -> None:
    found = one(run(1, gc_percent=20.0))
    assert (found.resource, found.suspected) == ("Inconclusive", "GarbageCollection")
    assert found.server == "solr-1"
    assert found.message == "the collector stopped Solr for 20 % of the time (limit 5 %)"


def test_rounds_confirm_what_each_of_them_suspects() -> None:
    busy, collecting, disagreeing = (
        one(run(1, cpu_percent=99.0)),
        one(run(1, gc_percent=20.0)),
        one(run(1, gc_percent=20.0), run(2)),
    )
    (found,) = agree_over_rounds({2: [busy], 3: [collecting], 4: [busy], 5: []})
    assert (found.resource, found.suspected, found.field) == ("Cpu", None, "target.solrCloud.nodes")
    assert found.message == (
        "Solr used 99 % of its CPUs (limit 85 %) in round 2; 2 of 3 rounds agree"
    )
    for rounds in ([[busy], [collecting]], [[disagreeing], [disagreeing]]):
        (open_,) = agree_over_rounds(dict(enumerate(rounds, 1)))
        assert (open_.resource, open_.suspected) == ("Inconclusive", None)
        assert "the rounds point to different resources. Round 1: " in open_.message
    confirmed = one(run(1, cpu_percent=99.0), run(2, cpu_percent=98.0))
    for each in (busy, disagreeing, confirmed):
        assert agree_over_rounds({1: [each]}) == [each]
    (found,) = agree_over_rounds(dict(enumerate([[confirmed], [confirmed]], 1)))
    assert found.message == (
        "Solr used 99 % of its CPUs (limit 85 %) in round 1; 2 of 2 rounds agree"
    )


def test_most_repeats_are_enough() -> None:
    runs = run(1, gc_percent=20.0), run(2, gc_percent=20.0), run(3)
    assert one(*runs).resource == "GarbageCollection"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"urls": ["http://10.0.0.7:8983/solr"]}, "None"),
        ({"urls": ["https://search.example.com/solr"]}, "Proxy"),
        # The load asks each node of it.
        ({"solrCloudName": "films"}, "None"),
    ],
)
def test_a_node_of_an_existing_solr_is_no_proxy(given: dict[str, Any], named: str) -> None:
    existing = make_spec("calm", target={"existing": given})
    nodes = MeasuredTarget(attempt=1, pods={"10.0.0.7:8983_solr": "2026-01-01T00:00:00Z"})
    runs = [
        replace(each, samples=RunSamples(each.document.model_copy(update={"target": nodes})))
        for each in (
            run(repeat, client_milliseconds=60.0, solr_milliseconds=8.0) for repeat in (1, 2)
        )
    ]
    (found,) = find_bottlenecks(existing, runs)
    assert found.resource == named


def test_a_step_without_telemetry_has_no_entry() -> None:
    assert find_bottlenecks(make_spec("calm"), [replace(run(1), servers=None)]) == []
    # What clients waited for is always known.
    unread = RunTelemetry({"client_milliseconds": 3.0}, {})
    assert find_bottlenecks(make_spec("calm"), [replace(run(1), servers=unread)]) == []


def test_sentences_say_what_and_what_next() -> None:
    busy, idle = one(run(1, cpu_percent=99.0), run(2, cpu_percent=98.0)), one(run(1), run(2))
    inconclusive = one(run(1))
    first, second, third = map(describe_bottleneck, [busy, idle, inconclusive])
    assert first.startswith("calm: the bottleneck is Solr's CPU. Solr used 99 % of its CPUs")
    assert first.endswith("Change next: target.solrCloud.nodes, on CPUs that nothing else uses.")
    assert second.startswith("calm: no bottleneck was found. No resource reached its limit (CPU")
    assert third.startswith(
        "calm: the bottleneck is not confirmed, because there is only one repeat. No resource "
    )
