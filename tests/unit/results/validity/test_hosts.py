"""Processes that are not of the benchmark and use the CPUs of its nodes."""

import pytest

from solrbench.results.model.telemetry import MOST_SERVERS, ServerFigures, Telemetry
from unit.results.validity.documents import (
    healthy,
    messages_by_reason,
    quiet_machine,
    verdict_of,
    worker,
)


def others_of(telemetry: Telemetry | None, variant: str = "", **validity: int) -> str | None:
    document = healthy(telemetry=telemetry, variant=variant)
    return messages_by_reason(verdict_of(document, **validity)).get("OthersUseCpu")


def why_unchecked(telemetry: Telemetry | None, variant: str = "") -> str | None:
    verdict = verdict_of(healthy(telemetry=telemetry, variant=variant))
    found = {each.reason: each.message for each in verdict.unchecked}
    return found.get("OthersUseCpu")


def test_cpu_time_of_others_is_what_solr_and_the_workers_leave() -> None:
    # 8 of 40 CPU seconds are Solr's and 1 is the worker's, 22.5 % together.
    assert others_of(quiet_machine(52.4)) is None
    assert others_of(quiet_machine(53.5)) == (
        "processes that are not of the benchmark used 31 % of the CPUs of the node of the load"
        " master (limit 30 %)"
    )
    assert others_of(quiet_machine(90.0), max_others_cpu_percent=68) is None


def test_pods_that_were_read_count_on_their_own_machine_only() -> None:
    def pod(name: str, machine: str) -> ServerFigures:
        return ServerFigures(
            server=name,
            component="solr",
            machine=machine,
            seconds=10.0,
            readings=2,
            figures={"cpu_seconds": 10.0},
        )

    quiet = quiet_machine(60.0)
    both_here = quiet.model_copy(update={"pods": [pod("solr-0", "m-0"), pod("solr-1", "m-0")]})
    assert others_of(both_here) is None
    one_elsewhere = quiet.model_copy(update={"pods": [pod("solr-0", "m-0"), pod("solr-1", "m-1")]})
    found = others_of(one_elsewhere)
    assert found is not None
    assert "32.5 % of the CPUs of the node of pod solr-0" in found


def test_companions_that_were_read_count_as_the_benchmark() -> None:
    def pod(component: str, cpu_seconds: float) -> ServerFigures:
        return ServerFigures(
            server=f"{component}-0",
            component=component,
            machine="m-0",
            seconds=10.0,
            readings=2,
            figures={"cpu_seconds": cpu_seconds},
        )

    def with_pods(*pods: ServerFigures) -> Telemetry:
        return quiet_machine(60.0).model_copy(update={"pods": list(pods)})

    solr, proxy = pod("solr", 10.0), pod("companion", 8.0)
    assert others_of(with_pods(solr, proxy), variant="balancer") is None
    idle = others_of(with_pods(solr, pod("companion", 0.0)), variant="balancer")
    assert idle is not None
    assert "32.5 % of the CPUs" in idle
    # The worker, which is a pod here, is counted once, and Solr though its pods were not read.
    own = with_pods(pod("load-worker", 9.0), pod("load-master", 0.0))
    found = others_of(own)
    assert found is not None
    assert "37.5 % of the CPUs" in found


@pytest.mark.parametrize(
    "telemetry", [None, Telemetry(), quiet_machine().model_copy(update={"machines": []})]
)
def test_machine_that_was_not_read_is_unchecked(telemetry: Telemetry | None) -> None:
    assert why_unchecked(telemetry) == "the CPU time of no machine was read"


def test_unknown_use_of_the_benchmark_itself_is_unchecked() -> None:
    text = "not all that the benchmark itself used of the CPUs is known"
    assert why_unchecked(quiet_machine(99.0, solr_seconds=None)) == text
    # A proxy of the benchmark's own may stand before Solr.
    assert why_unchecked(quiet_machine(99.0), variant="balancer") == text
    assert why_unchecked(quiet_machine(50.0), variant="balancer") is None
    crowd = quiet_machine(99.0)
    assert why_unchecked(crowd.model_copy(update={"solr": crowd.solr * MOST_SERVERS})) == text


def test_a_machine_whose_own_use_is_unknown_hides_no_other() -> None:
    def pod(machine: str, **figures: float) -> ServerFigures:
        return ServerFigures(
            server=f"solr-on-{machine}",
            component="solr",
            machine=machine,
            seconds=10.0,
            readings=2,
            figures=figures,
        )

    quiet = quiet_machine(90.0)
    (first,) = quiet.machines
    second = first.model_copy(update={"server": "m-1"})
    known, unknown = pod("m-1", cpu_seconds=10.0), pod(first.server)
    both = {"machines": [first, second], "pods": [unknown, known]}
    found = others_of(quiet.model_copy(update=both))
    assert found is not None
    assert "of pod solr-on-m-1" in found
    calm = second.model_copy(update={"figures": second.figures | {"cpu_busy_percent": 30.0}})
    only_unknown = quiet.model_copy(update=both | {"machines": [first, calm]})
    assert why_unchecked(only_unknown) is not None


def test_load_workers_are_not_others() -> None:
    busy = [worker("w-0", cpu_seconds=9.0, core_cpu_seconds=1.0), worker("w-1", cpu_seconds=9.0)]
    document = healthy(telemetry=quiet_machine(90.0), workers=busy)
    assert "OthersUseCpu" not in messages_by_reason(verdict_of(document))
