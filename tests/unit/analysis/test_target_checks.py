"""Whether steps were measured on one clean target, on nodes that others did not use."""

from datetime import timedelta
from typing import Any

import pytest

from solrbench.analysis.checks import NotEvaluated, ValidityFinding
from solrbench.analysis.target_checks import check_variant
from solrbench.api.v1alpha1.validity import Validity
from solrbench.contract.environment import find_changes
from solrbench.contract.server_document import MAX_SERVERS, ServerFigures, Telemetry
from solrbench.contract.step_document import StepRunResult
from support.narrowing import not_none
from support.results.builders import START, make_spec, verdicts_of
from support.results.validity_documents import (
    MOVED,
    SEPARATE_NODES,
    TARGET,
    healthy,
    messages_by_reason,
    on_target,
    placed,
    quiet_machine,
    reasons,
    through,
    verdict_of,
    with_target,
    without_placement,
    worker,
)

PODS_TEXT = "s-0 was replaced or restarted (attempts 1 and 2)"


@pytest.mark.parametrize(("deleted", "limit", "share"), [(1000, 1, "50 %"), (1, 0, "0.0999 %")])
def test_deleted_documents_above_the_limit_are_invalid(
    deleted: int, limit: int, share: str
) -> None:
    verdict = verdict_of(with_target(deleted_documents=deleted), max_deleted_percent=limit)
    assert messages_by_reason(verdict) == {
        "DeletedDocuments": f"{deleted} of {1000 + deleted} documents in the index are deleted"
        f" ({share}, limit {limit} %)"
    }


def test_deleted_documents_at_the_limit_are_valid() -> None:
    at_limit = with_target(documents=99, deleted_documents=1)
    assert verdict_of(at_limit).verdict == "Valid"
    assert verdict_of(at_limit, max_deleted_percent=0).verdict == "Invalid"
    assert verdict_of(with_target(documents=0)).verdict == "Valid"


def test_collection_of_the_user_is_measured_as_it_is() -> None:
    verdict = verdict_of(with_target(filled=False, deleted_documents=900))
    assert (verdict.verdict, verdict.unchecked) == ("Valid", [])


@pytest.mark.parametrize(
    "document",
    [healthy(target=None), with_target(deleted_documents=None), with_target(documents=None)],
)
def test_unknown_deleted_documents_are_listed_as_unchecked(document: StepRunResult) -> None:
    verdict = verdict_of(document)
    assert verdict.verdict == "Valid"
    assert [each.reason for each in verdict.unchecked] == ["DeletedDocuments"]


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({}, []),
        ({"deleted_documents": 5}, []),
        ({"documents": None}, []),
        ({"documents": 990}, ["documents: 1000, then 990"]),
        (MOVED, [PODS_TEXT, "node of s-0: n1, then n3"]),
        (
            {"indexed": START + timedelta(seconds=61)},
            ["index filled at 03:04:05, then again at 03:05:06 UTC"],
        ),
        ({"indexed": None}, []),
        ({"pods": {"s-0": "uid-1"}}, ["s-1 was replaced or restarted (attempts 1 and 1)"]),
        ({"images": {"solr": "b"}}, ["image of solr: solr:9@sha256:00, then b"]),
    ],
)
def test_changes_of_a_target_are_named(changes: dict[str, Any], texts: list[str]) -> None:
    assert find_changes(TARGET, TARGET.model_copy(update=changes)) == texts


def test_repeats_on_one_target_are_valid() -> None:
    runs = [on_target("a", 1, 0), on_target("b", 1, 1), on_target("a", 2, 2), on_target("b", 2, 3)]
    assert reasons(*runs) == {"a": {}, "b": {}}


def test_repeat_on_another_target_makes_no_other_step_invalid() -> None:
    runs = [on_target("a", 1, 0), on_target("b", 1, 1), on_target("a", 2, 2, **MOVED)]
    found = {step: set(messages) for step, messages in reasons(*runs).items()}
    assert found == {"a": {"TargetChanged"}, "b": set()}


def fresh_reasons(start_on: str, *documents: StepRunResult) -> dict[str, list[str]]:
    """Return the messages of each step where repeats start on something of their own."""
    steps = [{"name": name, "users": 2, "requests": 10} for name in ("a", "b")]
    load = {"repeats": {"count": 3, "startOn": start_on}, "steps": steps}
    verdicts = verdicts_of(make_spec(load=load), documents)
    return {each.step: list(messages_by_reason(each).values()) for each in verdicts}


AGAIN = {"indexed": START + timedelta(seconds=61)}


def test_repeat_on_a_fresh_target_is_valid() -> None:
    anew = MOVED | AGAIN
    runs = [on_target("a", 1, 0), on_target("a", 2, 2, **anew), on_target("b", 2, 3, **anew)]
    assert fresh_reasons("FreshTarget", *runs) == {"a": [], "b": []}


def test_fresh_target_with_another_image_or_index_is_invalid() -> None:
    for change in ({"images": {"solr": "b"}}, {"documents": 990}):
        runs = [on_target("a", 1, 0), on_target("a", 2, 2, **(MOVED | AGAIN | change))]
        [message] = fresh_reasons("FreshTarget", *runs)["a"]
        assert message.startswith("Repeat 2: measured on another target than r1-a: ")
        assert "replaced" not in message


def test_target_that_changes_within_a_repeat_is_invalid() -> None:
    runs = [on_target("a", 1, 0), on_target("a", 2, 2), on_target("b", 2, 3, **MOVED)]
    found = fresh_reasons("FreshTarget", *runs)
    assert found["a"] == []
    assert found["b"][0].startswith(
        "Measured on another target than r2-a: s-0 was replaced or restarted"
    )


def test_fresh_data_on_other_nodes_is_invalid() -> None:
    first = on_target("a", 1, 0)
    assert fresh_reasons("FreshData", first, on_target("a", 2, 2, **AGAIN)) == {"a": []}
    [message] = fresh_reasons("FreshData", first, on_target("a", 2, 2, **(AGAIN | MOVED)))["a"]
    assert PODS_TEXT in message
    assert "index filled" not in message


def test_step_on_another_target_than_the_one_before_is_invalid() -> None:
    # The first in time counts, whatever the order in which they are read.
    runs = [on_target("b", 1, 1, documents=7), on_target("a", 1, 0)]
    text = "Measured on another target than r1-a: documents: 1000, then 7 (limit 0)"
    assert reasons(*runs) == {"a": {}, "b": {"TargetChanged": text}}


def test_step_without_a_record_cannot_be_compared() -> None:
    first, second = on_target("a", 1, 0), on_target("b", 1, 1)
    old = second.model_copy(update={"target": None})
    unchecked = verdicts_of(make_spec("a", "b"), [first, old])[1].unchecked
    gaps = ["DeletedDocuments", "TargetChanged", "LoadSharesNodes"]
    assert [each.reason for each in unchecked] == gaps


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (through(1000, "9.9.0"), "points to Solr 9.9.0, the target is Solr 9.10.1 (limit 0)"),
        (through(0, "9.9.0"), "0 documents, the target has 1000 and to Solr 9.9.0"),
        (through(None, "9.10.1", "9.9.0"), "points to Solr 9.10.1, 9.9.0, the target is"),
    ],
)
def test_a_variant_that_leads_elsewhere_is_invalid(document: StepRunResult, text: str) -> None:
    message = check_variant(document, make_spec("one").load)
    assert isinstance(message, ValidityFinding)
    assert text in message.text
    allowed = {"validity": Validity(allow_variant_differences=True)}
    assert check_variant(document, make_spec("one").load.model_copy(update=allowed)) is None


@pytest.mark.parametrize(
    "document", [through(1000, "9.10.1"), through(None, "9.10.1"), with_target(), healthy()]
)
def test_a_variant_to_the_same_collection_is_valid(document: StepRunResult) -> None:
    assert check_variant(document, make_spec("one").load) is None


@pytest.mark.parametrize("document", [through(None), healthy(target=None, variant="proxy")])
def test_a_variant_that_does_not_show_what_it_leads_to_is_unchecked(
    document: StepRunResult,
) -> None:
    assert isinstance(check_variant(document, make_spec("one").load), NotEvaluated)


def others_of(telemetry: Telemetry | None, variant: str = "", **validity: int) -> str | None:
    document = healthy(telemetry=telemetry, variant=variant)
    return messages_by_reason(verdict_of(document, **validity)).get("OthersUseCpu")


def why_unchecked(telemetry: Telemetry | None, variant: str = "") -> str | None:
    verdict = verdict_of(healthy(telemetry=telemetry, variant=variant))
    found = {each.reason: each.message for each in verdict.unchecked}
    return found.get("OthersUseCpu")


def pod(machine: str, cpu_seconds: float | None = 10.0, component: str = "solr") -> ServerFigures:
    """Return what a pod used of a machine in ten seconds; None if it could not be read."""
    return ServerFigures(
        server=f"{component}-on-{machine}",
        component=component,
        machine=machine,
        seconds=10.0,
        readings=2,
        figures={} if cpu_seconds is None else {"cpu_seconds": cpu_seconds},
    )


def with_pods(*pods: ServerFigures) -> Telemetry:
    return quiet_machine(60.0).model_copy(update={"pods": list(pods)})


def test_cpu_time_of_others_is_what_solr_and_the_workers_leave() -> None:
    # 8 of 40 CPU seconds are Solr's and 1 is the worker's, 22.5 % together.
    assert others_of(quiet_machine(52.4)) is None
    assert "used 31 % of the CPUs" in not_none(others_of(quiet_machine(53.5)))
    assert others_of(quiet_machine(90.0), max_others_cpu_percent=68) is None


def test_pods_that_were_read_count_on_their_own_machine_only() -> None:
    here, elsewhere = pod("m-0"), pod("m-1")
    assert others_of(with_pods(here, here)) is None
    found = not_none(others_of(with_pods(here, elsewhere)))
    assert "32.5 % of the CPUs of the node of pod solr-on-m-0" in found


def test_companions_that_were_read_count_as_the_benchmark() -> None:
    proxy, idle = pod("m-0", 8.0, "companion"), pod("m-0", 0.0, "companion")
    assert others_of(with_pods(pod("m-0"), proxy), variant="balancer") is None
    found = not_none(others_of(with_pods(pod("m-0"), idle), variant="balancer"))
    assert "32.5 % of the CPUs" in found
    # The worker, which is a pod here, is counted once, and Solr though its pods were not read.
    own = with_pods(pod("m-0", 9.0, "load-worker"), pod("m-0", 0.0, "load-master"))
    assert "37.5 % of the CPUs" in not_none(others_of(own))


@pytest.mark.parametrize(
    "telemetry", [None, Telemetry(), quiet_machine().model_copy(update={"machines": []})]
)
def test_machine_that_was_not_read_is_unchecked(telemetry: Telemetry | None) -> None:
    assert why_unchecked(telemetry) == "The CPU time of no machine was read."


def test_unknown_use_of_the_benchmark_itself_is_unchecked() -> None:
    text = "Not all that the benchmark itself used of the CPUs is known."
    assert why_unchecked(quiet_machine(99.0, solr_seconds=None)) == text
    # A proxy of the benchmark's own may stand before Solr.
    assert why_unchecked(quiet_machine(99.0), variant="balancer") == text
    assert why_unchecked(quiet_machine(50.0), variant="balancer") is None
    crowd = quiet_machine(99.0)
    assert why_unchecked(crowd.model_copy(update={"solr": crowd.solr * MAX_SERVERS})) == text
    # Others of its pods may be among those that were not kept.
    assert why_unchecked(with_pods(pod("m-0"), *[pod("m-1")] * MAX_SERVERS)) == text


def test_a_machine_whose_own_use_is_unknown_hides_no_other() -> None:
    quiet = quiet_machine(90.0)
    (first,) = quiet.machines
    second = first.model_copy(update={"server": "m-1"})
    known, unknown = pod("m-1"), pod(first.server, None)
    both = {"machines": [first, second], "pods": [unknown, known]}
    found = not_none(others_of(quiet.model_copy(update=both)))
    assert "of pod solr-on-m-1" in found
    calm = second.model_copy(update={"figures": second.figures | {"cpu_busy_percent": 30.0}})
    only_unknown = quiet.model_copy(update=both | {"machines": [first, calm]})
    assert why_unchecked(only_unknown) is not None


def test_load_workers_are_not_others() -> None:
    busy = [worker("w-0", cpu_seconds=9.0, core_cpu_seconds=1.0), worker("w-1", cpu_seconds=9.0)]
    document = healthy(telemetry=quiet_machine(90.0), workers=busy)
    assert "OthersUseCpu" not in messages_by_reason(verdict_of(document))


ONE = {"solr": ["n1"], "load-master": ["n1"], "load-worker": ["n1"]}


def test_pods_on_nodes_of_their_own_are_valid() -> None:
    assert placed(SEPARATE_NODES) == ({}, {})


def test_load_beside_solr_is_invalid_in_any_attempt() -> None:
    beside = SEPARATE_NODES | {"load-worker": ["n2", "n3"]}
    reasons, gaps = placed(SEPARATE_NODES, beside)
    assert (set(reasons), gaps) == ({"LoadSharesNodes"}, {})
    # Nodes of different attempts were not shared.
    assert placed(SEPARATE_NODES, {"solr": ["n3", "n4"], "load-worker": ["n1"]}) == ({}, {})


def test_one_node_is_a_gap_unless_the_spec_decides() -> None:
    gap = "All pods ran on one Kubernetes node, so load and Solr shared its CPUs."
    assert placed(ONE) == ({}, {"LoadSharesNodes": gap})
    steps = [{"name": "a", "users": 2, "requests": 10}]
    refusing = make_spec(load={"steps": steps, "validity": {"allowSharedNodes": False}})
    assert set(placed(ONE, spec=refusing)[0]) == {"LoadSharesNodes", "SolrSharesNodes"}
    assert placed(ONE, spec=without_placement(make_spec("a"))) == ({}, {})


def test_missing_record_is_a_gap() -> None:
    gap = "The Kubernetes nodes of the pods were not recorded."
    assert placed() == ({}, {"LoadSharesNodes": gap})
