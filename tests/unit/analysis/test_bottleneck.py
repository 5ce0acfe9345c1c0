from array import array
from dataclasses import replace
from typing import Any

import pytest

from solrbench.analysis.bottleneck import agree_over_rounds, describe_bottleneck, find_bottlenecks
from solrbench.analysis.checks import EvaluatedRun
from solrbench.analysis.samples import RunSamples
from solrbench.analysis.server_metrics import RunTelemetry
from solrbench.api.v1alpha1.findings import Bottleneck
from solrbench.contract.environment import MeasuredTarget
from support.results.builders import make_document, make_spec


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
    assert (found.resource, found.field) == ("Inconclusive", None)
    assert "Repeat 1: the collector stopped Solr for 20 %" in found.message


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
    said = "Solr used 99 % of its CPUs (limit 85 %) in round {}; 2 of {} rounds agree"
    assert found.message == said.format(2, 3)
    for rounds in ([[busy], [collecting]], [[disagreeing], [disagreeing]]):
        (open_,) = agree_over_rounds(dict(enumerate(rounds, 1)))
        assert (open_.resource, open_.suspected) == ("Inconclusive", None)
        assert "the rounds point to different resources. Round 1: " in open_.message
    confirmed = one(run(1, cpu_percent=99.0), run(2, cpu_percent=98.0))
    for each in (busy, disagreeing, confirmed):
        assert agree_over_rounds({1: [each]}) == [each]
    (found,) = agree_over_rounds(dict(enumerate([[confirmed], [confirmed]], 1)))
    assert found.message == said.format(1, 2)


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
    assert of_existing({"existing": given}) == named


@pytest.mark.parametrize(("variant", "named"), [("nodes", "None"), ("proxy", "Proxy")])
def test_a_variant_of_an_existing_solr_is_reached_by_its_own_urls(variant: str, named: str) -> None:
    proxy, nodes = "https://search.example.com/solr", "http://10.0.0.7:8983/solr"
    beside = [{"name": "nodes", "endpoint": "Nodes"}, {"name": "proxy", "urls": [proxy]}]
    assert of_existing({"existing": {"urls": [nodes]}, "variants": beside}, variant) == named
    beside = [{"name": "nodes", "urls": [nodes]}, {"name": "proxy", "endpoint": "Nodes"}]
    assert of_existing({"existing": {"urls": [proxy]}, "variants": beside}, variant) == named


def of_existing(target: dict[str, Any], variant: str = "") -> str:
    """Return what holds a target back whose clients wait for longer than Solr works."""
    nodes = MeasuredTarget(attempt=1, pods={"10.0.0.7:8983_solr": "2026-01-01T00:00:00Z"})
    update = {"target": nodes, "variant": variant}
    runs = [
        replace(each, samples=RunSamples(each.document.model_copy(update=update)))
        for each in (
            run(repeat, client_milliseconds=60.0, solr_milliseconds=8.0) for repeat in (1, 2)
        )
    ]
    (found,) = find_bottlenecks(make_spec("calm", target=target), runs)
    return found.resource


def test_a_step_without_telemetry_has_no_entry() -> None:
    assert find_bottlenecks(make_spec("calm"), [replace(run(1), servers=None)]) == []
    # What clients waited for is always known.
    unread = RunTelemetry({"client_milliseconds": 3.0}, {})
    assert find_bottlenecks(make_spec("calm"), [replace(run(1), servers=unread)]) == []


def test_sentences_say_what_and_what_next() -> None:
    busy, idle = one(run(1, cpu_percent=99.0), run(2, cpu_percent=98.0)), one(run(1), run(2))
    first, second, third = map(describe_bottleneck, [busy, idle, one(run(1))])
    assert first == (
        "calm: the bottleneck is Solr's CPU. Solr used 99 % of its CPUs (limit 85 %) in repeat 1; 2"
        " of 2 repeats agree. Change next: target.solrCloud.nodes, on CPUs that nothing else uses."
    )
    assert second.startswith("calm: no bottleneck was found. No resource reached its limit (CPU")
    assert third.startswith(
        "calm: the bottleneck is not confirmed, because there is only one repeat. No resource "
    )
