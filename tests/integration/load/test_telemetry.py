"""What servers did during a step, read by a real master on loopback."""

import json
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from solrbench.contract.server_document import Telemetry
from support.load.processes import make_plan, run_plan, serving
from support.servers.http_server import Exchange
from support.servers.in_thread import in_thread
from support.solr.solr_metrics import SOLR_10, solr_9_core, solr_9_jetty, solr_9_jvm, solr_9_node

pytestmark = pytest.mark.timeout(60)

CPU_SECONDS_EACH, GC_MILLISECONDS_EACH = 0.004, 1


class CountingSolr:
    """Spends so much of everything for each request, and reports it as its version does."""

    def __init__(self, version: int = 9) -> None:
        self.version = version
        self.selects = 0
        self.reads: list[str] = []

    async def __call__(self, exchange: Exchange) -> None:
        if exchange.path.endswith("/admin/metrics"):
            self._send_metrics(exchange, dict(exchange.parameters))
            return
        if exchange.path.endswith("/select"):
            self.selects += 1
        exchange.send()

    def _send_metrics(self, exchange: Exchange, query: dict[str, str]) -> None:
        self.reads.append(query.get("group", ""))
        if self.version == 10:
            prometheus = query["wt"] == "prometheus"
            text = SOLR_10.replace("} 12.5", f"}} {self.selects * CPU_SECONDS_EACH}")
            exchange.send(text.encode() if prometheus else b"wt", status=200 if prometheus else 400)
            return
        jvm = solr_9_jvm(self.selects * CPU_SECONDS_EACH, self.selects * GC_MILLISECONDS_EACH)
        core = solr_9_core("books", requests=self.selects, lookups=self.selects)
        node = solr_9_node(jvm=jvm, jetty=solr_9_jetty(), core=core)
        exchange.send(json.dumps({"responseHeader": {}, "solr-0:8983_solr": node}).encode())


class Monitored(socketserver.BaseRequestHandler):
    """A ZooKeeper that serves `mntr`."""

    def handle(self) -> None:
        assert self.request.recv(4) == b"mntr"
        self.request.sendall(b"zk_packets_received\t7\nzk_watch_count\t16\n")


@contextmanager
def zookeeper() -> Iterator[str]:
    with in_thread(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Monitored)) as address:
        yield address


def measure(folder: Path, solr: CountingSolr, **changes: object) -> tuple[Telemetry | None, int]:
    with serving(solr) as server:
        step = {"name": "step", "users": 2, "durationSeconds": 3}
        plan = make_plan(server, step, **changes)
        (document,) = run_plan(folder, plan, "a\nb\n")
    return document.telemetry, sum(each.requests for each in document.requests)


def test_figures_of_a_step_are_those_that_solr_spent_in_it(tmp_path: Path) -> None:
    solr = CountingSolr()
    with zookeeper() as server:
        telemetry, requests = measure(
            tmp_path,
            solr,
            telemetry={"intervalSeconds": 1},
            zookeeperServers=[server, "127.0.0.1:1"],
        )
    assert telemetry is not None
    (node,) = telemetry.solr
    assert node.server == "solr-0:8983"
    seen = node.figures["requests"]
    assert 0.9 * requests <= seen <= requests
    assert node.figures["cpu_seconds"] == pytest.approx(CPU_SECONDS_EACH * seen, rel=0.01)
    assert node.figures["gc_seconds"] == pytest.approx(GC_MILLISECONDS_EACH * seen / 1e3, rel=0.01)
    assert node.figures["jetty_busy_max_percent"] == 25
    assert node.seconds == pytest.approx(3, abs=2)
    assert [each.handler for each in telemetry.handlers] == ["/select", "/select[shard]"]
    # Everything at both ends, in between what costs little.
    groups = [each for each in solr.reads if each != "core"]
    assert groups[0] == groups[-1] == "jvm,jetty,core"
    assert set(groups[1:-1]) == {"jvm,jetty"}
    (kept,) = telemetry.zookeeper
    assert (kept.server, kept.figures["watches"]) == (server, 16)
    assert telemetry.missing == ["no response to mntr from ZooKeeper 127.0.0.1:1"]


def test_solr_10_is_read_as_text_of_prometheus(tmp_path: Path) -> None:
    telemetry, requests = measure(tmp_path, CountingSolr(10), telemetry={"intervalSeconds": 1})
    assert telemetry is not None
    (node,) = telemetry.solr
    spent = CPU_SECONDS_EACH * requests
    assert 0.9 * spent <= node.figures["cpu_seconds"] <= spent
    assert telemetry.missing == []


def test_pods_of_the_load_read_themselves(tmp_path: Path) -> None:
    telemetry, _ = measure(tmp_path, CountingSolr(), telemetry={"collect": "ServersAndPods"})
    assert telemetry is not None
    components = sorted(each.component for each in telemetry.pods)
    assert components == ["load-master", "load-worker", "load-worker"]
    for each in telemetry.pods:
        assert each.figures["cpu_seconds"] > 0
        assert each.seconds == pytest.approx(3, abs=2)
    assert {each.figure for each in telemetry.spreads["load-pods"]} >= {"cpu_seconds"}


def test_telemetry_that_is_turned_off_reads_nothing(tmp_path: Path) -> None:
    solr = CountingSolr()
    telemetry, _ = measure(tmp_path, solr, telemetry={"collect": "None"})
    assert telemetry is None
    assert set(solr.reads) == {"core"}
