"""The load master reads agents, which run in this process here, and its own machine."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from solrbench.contract.load_plan import PodAgent
from solrbench.load.master.telemetry import MachineSource, TelemetrySampler
from solrbench.telemetry import agent
from solrbench.telemetry.agent import OTHER_USER, serve
from solrbench.telemetry.readings import summarise_readings
from solrbench.telemetry.sources import MAX_COMPANION_PODS, AgentSource
from solrbench.telemetry.summary import with_shares
from support.servers.in_thread import in_thread

USAGE: dict[str, Any] = {
    "machine": "m-0",
    "machineCounters": {"cpu_busy_seconds": 1.0},
    "machineGauges": {"cpus": 2.0},
    "counters": {"cpu_seconds": 3.0},
    "gauges": {},
    "peaks": {},
}


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Iterator[str]:
    monkeypatch.setattr(agent, "usage", lambda: USAGE | changes)
    with in_thread(serve(0, "t")) as address:
        yield address


def companion(address: str) -> PodAgent:
    return PodAgent(address=address, component="companion")


def test_a_pod_of_companions_says_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(monkeypatch, pod="base-proxy-7x") as address:
        source = AgentSource([companion(address)], "t")
        machine, pod = source.read(full=True)
    assert (machine.kind, machine.server) == ("machines", "m-0")
    assert (pod.server, pod.component) == ("base-proxy-7x", "companion")
    assert pod.counters == {"cpu_seconds": 3.0}
    assert source.missing() is None


def test_what_another_user_hides_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(monkeypatch, pod="base-proxy-7x", missing=OTHER_USER) as address:
        source = AgentSource([companion(address)], "t")
        source.read(full=True)
    assert source.missing() == (
        "of base-proxy-7x only CPU time and network: its server runs as another user or group"
    )


def test_refusals_of_an_agent_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(monkeypatch, pod="s-0") as address:
        source = AgentSource([PodAgent(address=address, component="solr")], "t")
        sampler = TelemetrySampler([MachineSource(), source], 1)
        source.read(full=True)
        assert not sampler.has_refused()
        AgentSource(source._agents, "of another").read(full=True)
        source.read(full=True)
    assert sampler.has_refused()


def test_all_addresses_of_companions_are_read_but_not_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    hosts = [f"10.0.0.{number}" for number in range(40)] * 2

    def look_up(_host: str, port: int, **_: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in hosts]

    def read(_source: AgentSource, agent: PodAgent) -> list[Any]:
        asked.append(agent.address)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(AgentSource, "_read", read)
    solr = PodAgent(address="s-0:9101", component="solr")
    AgentSource([companion("base-companion.ns.svc:9101"), solr], "t").read(full=True)
    assert len(set(asked)) == len(asked) == MAX_COMPANION_PODS + 1
    assert solr.address in asked


def test_companions_without_an_address_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    source = AgentSource([companion("127.0.0.1:9")], "t")
    assert source.read(full=True) == []
    assert source.missing() == "no control group of 127.0.0.1:9"


def test_real_machine_is_named_and_has_processors() -> None:
    source = MachineSource()
    readings = [*source.read(full=True), *source.read(full=False)]
    machine = with_shares(summarise_readings(readings))
    assert machine.server == Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    assert machine.readings == 2
    assert machine.figures["cpus"] >= 1
    assert machine.figures["cpu_busy_percent"] >= 0
    assert source.missing() is None


def test_machine_without_a_name_has_no_readings(tmp_path: Path) -> None:
    assert list(MachineSource(tmp_path).read(full=True)) == []
