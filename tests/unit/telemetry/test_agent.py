import subprocess
import sys
from pathlib import Path

import httpx2 as httpx
import pytest

import solrbench
from solrbench.net.token import TOKEN_HEADER
from solrbench.telemetry import agent
from solrbench.telemetry.agent import serve, usage
from solrbench.telemetry.readings import summarise_readings
from solrbench.telemetry.sources import parse_usage
from solrbench.telemetry.summary import with_shares
from support.servers.in_thread import in_thread


def test_the_agent_serves_its_machine() -> None:
    with (
        in_thread(serve(0, "t")) as address,
        httpx.Client(headers={TOKEN_HEADER: "t"}, trust_env=False) as client,
    ):
        body = client.get(f"http://{address}/usage").json()
        assert client.get(f"http://{address}/etc/passwd").status_code == 404
    machine, *_ = parse_usage(body, "solr-0.solr.ns.svc:9101", "solr", 1.0)
    assert machine.kind == "machines"
    assert machine.server == usage()["machine"]


def test_without_a_server_nothing_is_said_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "find_server", lambda: None)
    monkeypatch.setattr(agent, "read_processes", dict)
    assert not {"missing", "counters"} & usage().keys()


@pytest.mark.parametrize("given", [{}, {TOKEN_HEADER: "T"}, {TOKEN_HEADER: ""}])
@pytest.mark.parametrize("token", ["t", ""])
def test_the_agent_shows_and_records_nothing_without_the_token(
    given: dict[str, str], token: str
) -> None:
    with (
        in_thread(serve(0, token, flight_recordings=True)) as address,
        httpx.Client(headers=given, trust_env=False) as client,
    ):
        asked = [
            client.request(method, f"http://{address}{path}").status_code
            for method, path in (
                ("GET", "/usage"),
                ("GET", "/gc-log"),
                ("GET", "/etc/passwd"),
                ("POST", "/flight-recording"),
                ("DELETE", "/flight-recording"),
            )
        ]
    assert asked == [401] * 5


def test_the_agent_needs_the_standard_library_only() -> None:
    code = (
        "import sys; import solrbench.telemetry.agent as _;"
        "print(sorted({n.partition('.')[0] for n in sys.modules} - sys.stdlib_module_names))"
    )
    command = [sys.executable, "-S", "-c", code]
    path = {"PYTHONPATH": str(Path(solrbench.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=path)
    assert "pydantic" not in done.stdout
    assert "gevent" not in done.stdout


def test_a_pod_and_its_machine() -> None:
    def body(second: int) -> dict[str, object]:
        counters = {"cpu_seconds": second, "periods": 10 * second, "throttled_periods": second}
        return {
            "machine": "6680",
            "machineCounters": {"cpu_busy_seconds": 2 * second},
            "machineGauges": {"cpus": 4},
            "counters": counters,
            "gauges": {"cpu_limit_cores": 2},
            "peaks": {"working_set_bytes": 5},
        }

    readings = [parse_usage(body(t), "s-solr-0.s-solr.ns.svc:9101", "solr", t) for t in (0, 10)]
    machines, pods = zip(*readings, strict=True)
    pod, machine = with_shares(summarise_readings(pods)), with_shares(summarise_readings(machines))
    assert (pod.server, pod.component, pod.machine) == ("s-solr-0", "solr", "6680")
    assert pod.figures["cpu_limit_percent"] == 50
    assert pod.figures["throttled_percent"] == 10
    assert machine.figures["cpu_busy_percent"] == 50


@pytest.mark.parametrize("body", [{}, {"machine": "x"}, {"machine": "x", "machineCounters": 3}])
def test_another_response_is_refused(body: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, AttributeError)):
        parse_usage(body, "a:1", "solr", 0)
